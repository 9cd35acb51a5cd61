"""Headless Chromium by its WebDriver (W3C WebDriver, chromedriver's additions), for looking at pages."""
import base64
import json
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request


def missing():
    """Why no page can be looked at; '' if one can."""
    absent = [name for name in ('chromium', 'chromedriver') if shutil.which(name) is None]
    return f'no {" and no ".join(absent)} (Debian: chromium, chromium-driver)' if absent else ''


class Browser:
    ARGUMENTS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars',
                 '--disable-background-networking', '--disable-component-update', '--window-size=1280,1000']

    def __init__(self, folder):
        self.driver = subprocess.Popen(['chromedriver', '--port=0'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       text=True, env={**os.environ, 'HOME': folder})
        self.session = None
        try:
            self.url = None
            for line in self.driver.stdout:
                if found := re.search(r'started successfully on port (\d+)', line):
                    self.url = f'http://127.0.0.1:{found.group(1)}'
                    break
            made = self.call('POST', '/session', {'capabilities': {'alwaysMatch': {
                'browserName': 'chrome', 'goog:chromeOptions': {'binary': shutil.which('chromium'), 'args': self.ARGUMENTS},
                'goog:loggingPrefs': {'browser': 'ALL', 'performance': 'ALL'}}}})
            self.session = made['sessionId']
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.session:
            self.call('DELETE', f'/session/{self.session}')
        self.driver.terminate()
        self.driver.wait(20)
        self.driver.stdout.close()

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method, headers={'Content-Type': 'application/json'},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=300) as answer:
                return json.load(answer)['value']
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from None

    def post(self, path, **body):
        return self.call('POST', f'/session/{self.session}{path}', body)

    def open(self, path):
        self.post('/url', url='file://' + os.path.abspath(path))

    def run(self, script):
        return self.post('/execute/sync', script=script, args=[])

    def devtools(self, command, **parameters):
        return self.post('/goog/cdp/execute', cmd=command, params=parameters)

    def emulate(self, media, scheme):
        self.devtools('Emulation.setEmulatedMedia', media=media, features=[{'name': 'prefers-color-scheme', 'value': scheme}])

    def console(self):
        return [entry['message'] for entry in self.post('/se/log', type='browser')]

    def requests(self):
        """Addresses asked for since the last call."""
        events = [json.loads(entry['message'])['message'] for entry in self.post('/se/log', type='performance')]
        return [event['params']['request']['url'] for event in events if event['method'] == 'Network.requestWillBeSent']

    def screenshot(self, path):
        """Of the whole page."""
        size = self.devtools('Page.getLayoutMetrics')['cssContentSize']
        shot = self.devtools('Page.captureScreenshot', captureBeyondViewport=True,
                             clip={'x': 0, 'y': 0, 'width': size['width'], 'height': size['height'], 'scale': 1})
        with open(path, 'wb') as file:
            file.write(base64.b64decode(shot['data']))

    def print(self):
        """The page as PDF."""
        return base64.b64decode(self.post('/print', background=True))
