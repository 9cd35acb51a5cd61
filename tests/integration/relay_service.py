"""A perfrelay that is operated: systemd's notifications, watchdog and sockets, metrics, its log as JSON, and what
perfclient asks of it."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

import relay_wire as wire
from relay_process import Relay, RelayTest, closed_within, main, paths

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Service(RelayTest):
    def test_notifications_and_watchdog(self):
        """READY once it listens, WATCHDOG while every thread sweeps, STOPPING before it drains."""
        with tempfile.TemporaryDirectory() as folder:
            for path in (os.path.join(folder, 'notify'), f'@perfrelay-test-{os.getpid()}'):
                with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
                    notices.bind(path.replace('@', '\0'))
                    notices.settimeout(20)
                    environment = dict(os.environ, NOTIFY_SOCKET=path, WATCHDOG_USEC='2000000')
                    with Relay('--threads', '3', env=environment) as relay:
                        self.assertEqual(notices.recv(100), b'READY=1')
                        for _ in range(3):
                            self.assertEqual(notices.recv(100), b'WATCHDOG=1')
                        # A relay that is stopped is not well, and systemd hears no more of it.
                        relay.process.send_signal(signal.SIGSTOP)
                        time.sleep(0.2)
                        notices.setblocking(False)
                        try:
                            while True:
                                notices.recv(100)
                        except BlockingIOError:
                            pass
                        time.sleep(1.2)
                        with self.assertRaises(BlockingIOError):
                            notices.recv(100)
                        relay.process.send_signal(signal.SIGCONT)
                        notices.settimeout(20)
                        while notices.recv(100) != b'WATCHDOG=1':
                            pass
                        relay.process.terminate()
                        while (said := notices.recv(100)) != b'STOPPING=1':
                            self.assertEqual(said, b'WATCHDOG=1')

    def test_the_unit(self):
        """systemd's own opinion of the unit, with the program's path as it is here."""
        if not shutil.which('systemd-analyze'):
            self.skipTest('no systemd-analyze; Debian package systemd')
        source = os.path.join(paths.source, 'deploy', 'systemd')
        with tempfile.TemporaryDirectory() as folder:
            for name in ('perfrelay.service', 'perfrelay.socket'):
                with open(os.path.join(source, name)) as file:
                    text = file.read().replace('/usr/bin/perfrelay', os.path.abspath(paths.relay))
                with open(os.path.join(folder, name), 'w') as file:
                    file.write(re.sub('Documentation=.*\n', '', text))
            units = [os.path.join(folder, name) for name in ('perfrelay.service', 'perfrelay.socket')]
            result = subprocess.run(['systemd-analyze', 'verify', *units], capture_output=True, text=True, timeout=60)
            complaints = [line for line in result.stderr.splitlines() if 'perfrelay' in line]
            self.assertEqual((result.returncode, complaints), (0, []), result.stderr)
            result = subprocess.run(['systemd-analyze', 'security', '--offline=true', '--threshold=20', units[0]],
                                    capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 0, result.stdout[-300:] + result.stderr)

    def test_socket_activation_by_systemd(self):
        if not shutil.which('systemd-socket-activate'):
            self.skipTest('no systemd-socket-activate; Debian package systemd')
        with socket.create_server(('127.0.0.1', 0)) as probe:
            port = probe.getsockname()[1]
        process = subprocess.Popen(['systemd-socket-activate', '-l', f'127.0.0.1:{port}', '-E', 'ASAN_OPTIONS', paths.relay,
                                    str(port)], stderr=subprocess.DEVNULL)
        try:
            self.until(lambda: self.listens(port), 20, 'nothing listens')
            with wire.Session(port) as session:
                self.assertEqual(session.echo(b'abc'), b'abc')
        finally:
            process.terminate()
            self.assertIn(process.wait(30), (0, -signal.SIGTERM))

    def scrape(self, relay, path='/metrics'):
        port = next(int(found.group(1)) for line in relay.lines if (found := re.search(r'metrics on .*:(\d+)', line)))
        with OPENER.open(f'http://127.0.0.1:{port}{path}', timeout=20) as answer:
            self.assertIn('version=0.0.4', answer.headers['Content-Type'])
            text = answer.read().decode()
        metrics = {}
        for line in text.splitlines():
            if line.startswith('#'):
                self.assertRegex(line, r'^# (HELP|TYPE) perfrelay_\w+ ')
            else:
                name, value = re.fullmatch(r'(perfrelay_\w+(?:\{\w+="[^"]*"\})?) (\d+)', line).groups()
                metrics[name] = int(value)
        return port, metrics

    def test_metrics(self):
        for threads in ('1', '3'):
            with Relay('--metrics', '127.0.0.1:0', '--max-sessions', '1', '--threads', threads) as relay:
                with wire.Session(relay.port) as session:
                    session.echo(bytes(1000))
                    with self.assertRaises(wire.Refused):
                        wire.Session(relay.port)
                    time.sleep(0.6)  # two sweeps
                    port, running = self.scrape(relay)
                    self.assertEqual(running['perfrelay_sessions'], 1)
                    self.assertEqual(running['perfrelay_requests_total{kind="echo"}'], 1)
                    session.bye()
                relay.dial().close()
                self.until(lambda: self.scrape(relay)[1]['perfrelay_connections'] == 0, 20, 'connections stay')
                _, after = self.scrape(relay)
                self.assertEqual(after['perfrelay_sessions'], 0)
                self.assertEqual(after['perfrelay_sessions_total'], 1)
                self.assertEqual(after['perfrelay_refused_total{reason="busy"}'], 1)
                self.assertEqual(after['perfrelay_received_bytes_total'], 48 + 24 + 1000 + 24 + 48)
                self.assertGreaterEqual(after['perfrelay_strangers_total'], 2)
                for name, value in running.items():
                    if name.endswith('_total'):
                        self.assertLessEqual(value, after[name], name)
                with self.assertRaises(urllib.error.HTTPError):
                    self.scrape(relay, '/secret')
                # Scrapers that say nothing, or never end, keep nobody out.
                silent = [socket.create_connection(('127.0.0.1', port), 20) for _ in range(40)]
                for connection in silent[20:]:
                    try:
                        connection.sendall(b'x' * 5000)
                    except OSError:
                        pass
                self.honest(relay)
                for connection in silent:
                    self.assertTrue(closed_within(connection, 20)[0])
                    connection.close()
                self.scrape(relay)

    def test_metrics_that_cannot_be(self):
        for value, code in (('x', 2), ('127.0.0.1:', 2), (':1', 2), ('127.0.0.1:99999', 2)):
            result = subprocess.run([paths.relay, '0', '--metrics', value], capture_output=True, text=True, timeout=60)
            self.assertEqual((result.returncode, result.stderr.count('\n')), (code, 1), result)
        with socket.create_server(('127.0.0.1', 0)) as taken:
            port = taken.getsockname()[1]
            result = subprocess.run([paths.relay, '0', '--bind', '127.0.0.1', '--metrics', f'127.0.0.1:{port}'],
                                    capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 1, result)
            self.assertIn('address in use', result.stderr)

    def test_log_as_json(self):
        with Relay('--log-json', '-verbose') as relay:
            self.honest(relay)
            with relay.dial() as connection:
                connection.sendall(b'GET / HTTP/1.1\r\n')
                closed_within(connection, 20)
        lines = [json.loads(line) for line in relay.lines]
        self.assertTrue(all({'time', 'level', 'message'} <= line.keys() for line in lines))
        session = next(line for line in lines if line['message'] == 'session ended')
        self.assertEqual((session['echo'], session['outcome'], session['bytes_in']), (1, 'ok', 200_000 + 96))

    def perfclient(self, *words, code=0):
        result = subprocess.run([paths.client, *words], capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, code, result)
        if code:
            self.assertEqual((result.stdout, result.stderr.count('\n')), ('', 1), result)
        return result.stdout + result.stderr

    def test_status(self):
        with Relay('--max-sessions', '5') as relay:
            self.honest(relay)
            text = self.perfclient('status', f'127.0.0.1:{relay.port}')
            figures = dict(re.fullmatch(r'(\w+) +(.*)', line).groups() for line in text.splitlines())
            self.assertEqual((figures['sessions'], figures['served'], figures['tls']), ('1 of 5', '2', 'none'))
            self.assertEqual(figures['relay'], f'127.0.0.1:{relay.port}')
            port = relay.port
        self.assertIn('refused', self.perfclient('status', f'127.0.0.1:{port}', code=3))
        for words in ((), ('x',), ('127.0.0.1:1', '127.0.0.1:2'), ('--rate', '5', '127.0.0.1:1')):
            self.perfclient('status', *words, code=2)
        self.assertIn('perfclient status', self.perfclient('status', '--help'))

    def test_load(self):
        with Relay('--threads', '2') as relay:
            address = f'127.0.0.1:{relay.port}'
            text = self.perfclient('load', '--connections', '6', '--kind', 'mixed', '--payload', '50kB', '--time', '1s', address)
            for kind in ('sink', 'source', 'echo'):
                self.assertRegex(text, rf'{kind} +2 +\d+\.\d +\d+\.\d ')
            self.assertRegex(text, r'all +6 ')
            text = self.perfclient('load', '--rate', '50/s', '--connections', '3', '--kind', 'echo', '--payload', '1kB',
                                   '--time', '2s', address)
            offered, answered = map(float, re.search(r'offered ([\d.]+) requests/s, answered in time ([\d.]+)', text).groups())
            self.assertEqual(offered, 50)
            self.assertLessEqual(answered, 51)
            self.assertGreater(answered, 0)
            for words in ((), ('--connections', '0', address), ('--kind', 'x', address), ('--rate', '-1', address),
                          ('--payload', 'x', address), ('--time', '0', address)):
                self.perfclient('load', *words, code=2)
            self.until(lambda: sum('ok' in line for line in relay.lines) >= 9, 20, relay.lines)
        self.perfclient('load', address, code=3)

    def test_load_at_a_rate_counts_from_the_intended_start(self):
        """A relay that stands still for a second makes every request of that second late, none is left out."""
        with Relay() as relay:
            process = subprocess.Popen([paths.client, 'load', '--rate', '100/s', '--kind', 'echo', '--payload', '1kB', '--time',
                                        '4s', f'127.0.0.1:{relay.port}'], stdout=subprocess.PIPE, text=True)
            self.until(lambda: relay.descriptors() > 9, 20, 'no session')
            time.sleep(2)
            relay.process.send_signal(signal.SIGSTOP)
            time.sleep(1.5)
            relay.process.send_signal(signal.SIGCONT)
            text, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, text)
            # 150 of 400 requests were due while it stood still: their median waited for half of it.
            p95 = re.search(r'echo +1 +\S+ +\S+ +\S+ \S+ +([\d.]+) (\w+)', text)
            seconds = float(p95.group(1)) * {'s': 1, 'ms': 1e-3, 'us': 1e-6}[p95.group(2)]
            self.assertGreater(seconds, 0.5, text)

    def test_a_load_that_gets_wrong_answers(self):
        """A relay that damages what it sends back: exit 4."""
        with socket.create_server(('127.0.0.1', 0)) as listener:
            def impostor():
                connection, _ = listener.accept()
                with connection:
                    def read(count):
                        data = b''
                        while len(data) < count:
                            some = connection.recv(count - len(data))
                            if not some:
                                raise EOFError
                            data += some
                        return data
                    read(48)
                    connection.sendall(wire.welcome())
                    try:
                        while True:
                            head = read(24)
                            length, request = int.from_bytes(head[8:16], 'big'), int.from_bytes(head[4:8], 'big')
                            body = bytearray(read(length))
                            body[5] ^= 1
                            connection.sendall(wire.header(wire.DATA, length, request=request) + body)
                    except (EOFError, OSError):
                        pass
            thread = threading.Thread(target=impostor)
            thread.start()
            self.assertIn('not what was sent', self.perfclient('load', '--kind', 'echo', '--payload', '100', '--time', '1s',
                                                               f'127.0.0.1:{listener.getsockname()[1]}', code=4))
            thread.join()


if __name__ == '__main__':
    main()
