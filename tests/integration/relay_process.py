"""A perfrelay of the tests' own, and what they do to it. Timings are deadlines with a wide margin, never
measurements."""
import argparse
import contextlib
import os
import random
import re
import resource
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest

import relay_wire as wire

paths = argparse.Namespace()
SCRIPT = os.path.dirname(os.path.abspath(__file__))


class Relay:
    def __init__(self, *options, port='0', bind='127.0.0.1', limit=None, **popen):
        def prepare():
            if limit:
                resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        arguments = [paths.relay, *([port] if port is not None else []), *(['--bind', bind] if bind else []),
                     *options]
        # Freed memory goes back at once, so that a leak can be told from the address sanitizer's quarantine.
        environment = dict(popen.pop('env', os.environ))
        environment['ASAN_OPTIONS'] = environment.get('ASAN_OPTIONS', '') + ':quarantine_size_mb=1'
        self.process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, preexec_fn=prepare,
                                        env=environment, **popen)
        self.lines, self.port = [], None
        for line in self.process.stderr:
            self.lines.append(line)
            found = re.search(r'listening on (.*):(\d+)', line)
            if found:
                self.host, self.port = found.group(1).strip('[]'), int(found.group(2))
                break
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr))
        self.reader.start()
        if self.port is None:
            self.end()
            raise RuntimeError(f'perfrelay did not start: {self.lines}')

    def end(self, seconds=30):
        """Its exit status; -9 if it had to be killed."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.reader.join()
        self.process.stderr.close()
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.end()

    def dial(self):
        return socket.create_connection(('127.0.0.1', self.port), 10)

    def descriptors(self):
        return len(os.listdir(f'/proc/{self.process.pid}/fd'))


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    connection.close()


def closed_within(connection, seconds):
    """Whether the peer closed, and what it sent until then."""
    end, got = time.monotonic() + seconds, b''
    while (left := end - time.monotonic()) > 0:
        connection.settimeout(left)
        try:
            data = connection.recv(65536)
        except TimeoutError:
            break
        except OSError:
            return True, got
        if not data:
            return True, got
        got += data
    return False, got


def resident(pid):
    """Bytes of memory that the process has now."""
    with open(f'/proc/{pid}/status') as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith('VmRSS'))


class RelayTest(unittest.TestCase):
    def honest(self, relay, seconds=5, **session):
        start = time.monotonic()
        with wire.Session(relay.port, **session) as session:
            payload = random.randbytes(200_000)
            self.assertEqual(session.echo(payload), payload)
            session.bye()
        self.assertLess(time.monotonic() - start, seconds)
        self.assertIsNone(relay.process.poll(), 'the relay has ended')

    @contextlib.contextmanager
    def unharmed(self, relay):
        """What happens within keeps no honest client waiting, and leaves nothing behind."""
        self.honest(relay)
        time.sleep(0.5)
        descriptors, memory = relay.descriptors(), resident(relay.process.pid)
        yield
        self.honest(relay)
        self.until(lambda: relay.descriptors() <= descriptors, 20,
                   f'{relay.descriptors()} descriptors, {descriptors} before')
        with wire.Session(relay.port) as session:
            self.assertEqual(session.status()['memory'], 0)
        grown = resident(relay.process.pid) - memory
        self.assertLess(grown, 64 << 20, f'{grown >> 20} MiB more')

    @staticmethod
    def listens(port):
        with socket.socket() as probe:
            return probe.connect_ex(('127.0.0.1', port)) == 0

    def until(self, condition, seconds, message):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, message)
            time.sleep(0.1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--relay', required=True)
    parser.add_argument('--client')
    parser.add_argument('--source')
    parser.add_argument('--faulty')
    _, rest = parser.parse_known_args(namespace=paths)
    # Sockets left open on purpose, to be found open by the relay, need no warning.
    unittest.main(module='__main__', argv=[sys.argv[0], *rest], warnings='ignore')
