#!/usr/bin/env python3
"""The HTML report in headless Chromium, in light, dark and print: nothing on the console, nothing asked of anybody, every
chart drawn, every number that of the JSON. With PERFRELAY_SCREENSHOTS naming a folder, pictures are left there."""
import json
import os
import pathlib
import re
import tempfile

import browser
from support import QUICK, Case, main, paths

# Every text of the page that has a digit, with what its element says of it.
TEXTS = '''
for (const each of document.querySelectorAll('details')) { each.open = true; each.fill(); }
const walker = document.createTreeWalker(document.getElementById('page'), NodeFilter.SHOW_TEXT);
const found = [];
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement.closest('[data-json]');
  if (element || /[0-9]/.test(walker.currentNode.data)) {
    found.push([element ? element.textContent : walker.currentNode.data, element?.dataset.json ?? null, element?.dataset.scale ?? null]);
  }
}
return found;'''

# Colours of each canvas, counted.
COLOURS = '''
return [...document.querySelectorAll('canvas')].map(canvas => {
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set(new Uint32Array(data.buffer));
  return [canvas.getAttribute('aria-label'), canvas.width, canvas.height, seen.size];
});'''


def charts_of(report):
    """How many charts such a report has."""
    charts = 1 if report['results']['sets'] else 0
    for file in report['files']:
        results = file.get('results', {})
        timed = any(row['results']['times_ns'] for row in file['rows'])
        charts += any(row['size'] for row in file['rows']) + 3 * timed
        charts += sum(bool(results.get(name)) for name in ('curves', 'links', 'verdicts'))
    return charts


class HtmlReport(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.browser = browser.Browser(cls.folder.name)
        cls.addClassCleanup(cls.browser.close)
        cls.pictures = os.environ.get('PERFRELAY_SCREENSHOTS')

    def file(self, name):
        return os.path.join(self.folder.name, name)

    def measure(self, name, *words, code=0):
        page, report = self.file(name + '.html'), self.file(name + '.json')
        self.expect(self.perfclient(*words, '--html', page, '--json', report, timeout=300), code)
        return page, json.loads(pathlib.Path(report).read_text())

    def look(self, name, page, report):
        """At the page in light, dark and print."""
        charts = charts_of(report)
        self.assertGreaterEqual(charts, 4)
        self.assertNotRegex(pathlib.Path(page).read_text().split('<script')[0], r'https?://')
        for scheme in ('light', 'dark'):
            with self.subTest(name=name, scheme=scheme):
                self.browser.emulate('screen', scheme)
                self.browser.requests()
                self.browser.open(page)
                self.drawn(charts)
                self.assertEqual(self.browser.console(), [])
                self.assertEqual({url for url in self.browser.requests() if not url.startswith('data:')}, {'file://' + page})
                self.picture(f'{name}-{scheme}')
                self.assertEqual(self.background() < 128, scheme == 'dark')
        with self.subTest(name=name, scheme='numbers'):
            self.numbers(report)
        with self.subTest(name=name, scheme='print'):
            self.browser.emulate('', 'dark')  # on the screen, and yet
            self.browser.open(page)
            pdf = self.browser.print()
            self.assertEqual(pdf[:5], b'%PDF-')
            if self.pictures:
                pathlib.Path(self.pictures, name + '.pdf').write_bytes(pdf)
            self.browser.emulate('print', 'dark')
            self.drawn(charts)
            self.assertGreater(self.background(), 250)
            self.picture(name + '-print')
            self.assertEqual(self.browser.console(), [])

    def picture(self, name):
        if self.pictures:
            self.browser.screenshot(os.path.join(self.pictures, name + '.png'))

    def background(self):
        colour = self.browser.run('return getComputedStyle(document.body).backgroundColor')
        return sum(map(int, re.findall(r'\d+', colour)[:3])) / 3

    def drawn(self, charts):
        found = self.browser.run(COLOURS)
        self.assertEqual(len(found), charts, found)
        for title, width, height, colours in found:
            self.assertGreater(width * height, 10_000, title)
            self.assertGreater(colours, 8, f'{title}: nothing drawn')

    def numbers(self, report):
        found = self.browser.run(TEXTS)
        checked = 0
        for text, pointer, scale in found:
            if pointer is None:
                self.assertRegex(text, r'^(p05|p25|p75|p95|[^0-9]*95 %[^0-9]*)$', 'a number that is not the report\'s')
                continue
            value = report
            for key in pointer[1:].split('/'):
                value = value[int(key)] if isinstance(value, list) else value[key]
            if scale is None:
                self.assertEqual(text, str(value).strip(), pointer)
                continue
            digits = text.replace('\u202f', '')
            decimals = len(digits.partition('.')[2])
            self.assertLessEqual(abs(float(digits) - value / float(scale)), .5 * 10 ** -decimals * 1.000001, pointer)
            checked += 1
        self.assertGreater(checked, 50)

    def test_formats_on_links(self):
        page, report = self.measure('links', '-xml', '-gzxml', '-efx', '--format', 'exi:align=comp', '-amf3', '-r', '30', '-t', '200',
                                    '-wr', '2', '-wt', '0', '--link', 'gprs', '--link', '3g', '--link', 'dsl', '--link', 'lte', '--link-time', '300ms', paths.document)
        self.look('links', page, report)

    def test_over_a_network_and_several_files(self):
        page, report = self.measure('network', '-net', 'localhost', '-xml', '-gzxml', '--format', 'xml:tinyxml2', *QUICK, '-r', '12',
                                    paths.document, '--generate', 'records:20kB', '--generate', 'deep:20kB')
        self.look('network', page, report)

    def test_one_direction_and_streamed(self):
        page, report = self.measure('decode', '-d', '-xml', '-gzxml', *QUICK, paths.document)
        self.look('decode', page, report)
        page, report = self.measure('streamed', '-net', 'localhost', '--stream', '-xml', '-gzxml', *QUICK, paths.document)
        self.look('streamed', page, report)

    def test_what_could_not_be_measured(self):
        bad = self.file('bad<script>alert(1)</script>.xml'.replace('/', '_'))
        pathlib.Path(bad).write_text('<a></b>')
        page, report = self.measure('bad', '-xml', *QUICK, bad, code=5)
        self.browser.open(page)
        self.assertIn('mismatched tag', self.browser.run('return document.body.innerText'))
        self.assertIn('bad<script>', self.browser.run('return document.querySelector("h2").innerText'))
        self.assertEqual(self.browser.console(), [])


if __name__ == '__main__':
    main(browser.missing)
