"""What the integration tests share: running the programs, and small peers that misbehave."""
import argparse
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

QUICK = ['-r', '3', '-t', '20', '-wr', '1', '-wt', '0']
paths = argparse.Namespace()
scratch = tempfile.TemporaryDirectory()  # where programs run: whatever they leave goes with it


class Case(unittest.TestCase):
    """Runs perfclient and looks at what it says."""

    def perfclient(self, *options, program=None, before=(), stdin=None, timeout=120, env=None, cwd=None):
        return subprocess.run([program or paths.client, *before, *map(str, options)], capture_output=True,
                              text=True, input=stdin, timeout=timeout, cwd=cwd or scratch.name,
                              env={**os.environ, **(env or {})})

    def expect(self, result, code):
        self.assertEqual(result.returncode, code,
                         f'{result.args}\nstdout: {result.stdout[-1500:]}\nstderr: {result.stderr[-1500:]}')
        return result

    def one_line(self, result, *words):
        """Exactly one line of complaint, and it holds every word."""
        lines = [line for line in result.stderr.splitlines() if line.strip()]
        lines = [line for line in lines if not line.startswith('[')]  # plain progress
        self.assertEqual(len(lines), 1, f'{result.args}: {result.stderr}')
        for word in words:
            self.assertIn(word, lines[0])

    def row_note(self, out, title):
        """What the report's part about the rows says of one."""
        part = out[out.index('What these rows are'):]
        return re.search(rf'(?m)^  {re.escape(title)} \(.*\n((?:    .*\n)*)', part).group(1)


class FolderCase(Case):
    """Has a folder of its own, which goes with the test."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, content=None):
        """The path of `name` there, made with this content if there is any."""
        path = os.path.join(self.folder.name, name)
        if content is not None:
            pathlib.Path(path).write_bytes(content if isinstance(content, bytes) else content.encode())
        return path


class Relay:
    """A perfrelay process on a free port of 127.0.0.1."""

    def __init__(self, *options):
        self.process = subprocess.Popen([paths.relay, '0', '--bind', '127.0.0.1', *options],
                                        stderr=subprocess.PIPE, text=True)
        self.lines = []
        self.port = None
        for line in self.process.stderr:
            self.lines.append(line)
            found = re.search(r'listening on .*:(\d+)', line)
            if found:
                self.port = int(found.group(1))
                break
        self.reader = threading.Thread(target=self.lines.extend, args=(self.process.stderr,))
        self.reader.start()
        if self.port is None:
            raise RuntimeError('the relay does not start: ' + ''.join(self.lines))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join()
        self.process.stderr.close()


class Peer:
    """A server on a free port of 127.0.0.1 that treats every connection by `handler`."""

    def __init__(self, handler):
        self.socket = socket.create_server(('127.0.0.1', 0))
        self.port = self.socket.getsockname()[1]
        self.handler = handler
        self.connections = []
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.treat, args=(connection,), daemon=True).start()

    def treat(self, connection):
        try:
            self.handler(connection)
        except OSError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        for connection in self.connections:
            connection.close()


class CorruptingProxy(Peer):
    """Passes bytes to a relay and back, but flips one bit of the answer, `at` bytes from its start."""

    def __init__(self, port, at):
        self.target, self.at = port, at
        super().__init__(self.pass_on)

    def pass_on(self, connection):
        with socket.create_connection(('127.0.0.1', self.target)) as relay:
            back = threading.Thread(target=self.corrupt, args=(relay, connection), daemon=True)
            back.start()
            while data := connection.recv(65536):
                relay.sendall(data)
            relay.shutdown(socket.SHUT_WR)
            back.join(10)

    def corrupt(self, relay, connection):
        seen = 0
        try:
            while data := bytearray(relay.recv(65536)):
                if seen <= self.at < seen + len(data):
                    data[self.at - seen] ^= 1
                seen += len(data)
                connection.sendall(data)
        except OSError:
            pass


def wait_until(condition, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


def main(cannot_run=lambda: None):
    """Runs the tests of the script. `cannot_run` may give a reason to skip them all."""
    parser = argparse.ArgumentParser()
    for name in ('client', 'relay', 'faulty', 'source'):
        parser.add_argument('--' + name, type=os.path.abspath)
    _, rest = parser.parse_known_args(namespace=paths)
    paths.document = os.path.join(paths.source, 'tests', 'data', 'test.xml')
    if why := cannot_run():
        print('SKIP:', why)
        sys.exit(77)
    unittest.main('__main__', argv=[sys.argv[0], *rest])
