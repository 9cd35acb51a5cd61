"""The real perfrelay among clients, strangers and accidents: whatever they do, the next honest client
is served. Timings are deadlines with a wide margin, never measurements."""
import argparse
import os
import random
import re
import resource
import signal
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
        self.process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, preexec_fn=prepare,
                                        **popen)
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


class Faults(unittest.TestCase):
    def honest(self, relay, seconds=10):
        start = time.monotonic()
        with wire.Session(relay.port) as session:
            payload = random.randbytes(200_000)
            self.assertEqual(session.echo(payload), payload)
            session.bye()
        self.assertLess(time.monotonic() - start, seconds)
        self.assertIsNone(relay.process.poll(), 'the relay has ended')

    def until(self, condition, seconds, message):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, message)
            time.sleep(0.1)

    def test_port_probes_get_no_byte(self):
        probes = [b'', b'GET / HTTP/1.1\r\nHost: x\r\n\r\n', b'SSH-2.0-probe\r\n', b'\x16\x03\x01' + bytes(190),
                  b'\0' * 64, b'EHLO x\r\n', bytes(range(256)), b'PRL', b'PRLY' + bytes(20)]
        with Relay('--handshake', '1s') as relay:
            for i in range(180):
                connection = relay.dial()
                try:
                    connection.sendall(probes[i % len(probes)])
                    if i % 3 == 0:
                        reset(connection)
                        continue
                    if i % 3 == 1:
                        connection.shutdown(socket.SHUT_WR)
                    closed, got = closed_within(connection, 20 if i % 20 == 1 else 0.01)
                    self.assertEqual(got, b'')
                    self.assertTrue(closed or i % 20 != 1, f'{probes[i % len(probes)]} still connected')
                except OSError:
                    pass  # closed while we were talking
                connection.close()
            self.honest(relay)

    def test_silent_connections_keep_nobody_out(self):
        with Relay() as relay:
            silent = [relay.dial() for _ in range(100)]
            self.honest(relay)
            for connection in silent:
                closed, got = closed_within(connection, 20)
                self.assertTrue(closed)
                self.assertEqual(got, b'')
            self.honest(relay)

    def test_more_strangers_than_there_are_places(self):
        # 20 descriptors hold about 12 connections; a stranger has to go for each one that comes.
        with Relay('--handshake', '1h', limit=20) as relay:
            silent = [relay.dial() for _ in range(60)]
            self.honest(relay)
            self.honest(relay)
            for connection in silent:
                connection.close()
            self.honest(relay)

    def test_out_of_descriptors_by_sessions(self):
        with Relay(limit=20) as relay:
            sessions = []
            try:
                for _ in range(40):
                    sessions.append(wire.Session(relay.port, timeout=10))
            except (OSError, EOFError):
                pass  # turned away, not left waiting
            self.assertTrue(2 < len(sessions) < 40)
            for session in sessions:
                self.assertEqual(len(session.ping()), 16)
            # With nobody waiting there was a warning 10 times a second.
            time.sleep(1)
            warnings = [line for line in relay.lines if 'descriptors' in line]
            self.assertLess(len(warnings), 3, warnings)
            for session in sessions:
                session.bye()
            time.sleep(0.5)
            self.honest(relay)

    def test_session_too_many_is_told(self):
        with Relay('--max-sessions', '3') as relay:
            sessions = [wire.Session(relay.port) for _ in range(3)]
            with self.assertRaises(wire.Refused) as refused:
                wire.Session(relay.port)
            self.assertEqual(refused.exception.code, wire.BUSY)
            self.assertGreater(refused.exception.retry_after, 0)
            sessions.pop().bye()
            self.until(lambda: sessions[0].status()['sessions'] == 2, 10, 'the place does not come back')
            self.honest(relay)

    def test_killed_clients(self):
        client = ('import sys; sys.path.insert(0, sys.argv[2]); import relay_wire as w; s = w.Session(int(sys.argv[1]));'
                  's.socket.sendall(w.header(w.SINK, 10**8) + bytes(10**6)); print("half", flush=True);'
                  's.socket.recv(1)')
        with Relay('--max-sessions', '2') as relay:
            for sent in (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGKILL):
                process = subprocess.Popen([sys.executable, '-c', client, str(relay.port), SCRIPT],
                                           stdout=subprocess.PIPE)
                process.stdout.readline()
                process.send_signal(sent)
                process.wait()
                process.stdout.close()
                self.honest(relay)
            self.assertTrue(any('mid-frame' in line or 'broke' in line for line in relay.lines), relay.lines)

    def test_eight_at_once_among_strangers(self):
        with Relay() as relay:
            failures = []

            def client(number):
                try:
                    with wire.Session(relay.port) as session:
                        for i in range(20):
                            payload = random.randbytes(number * 10_000 + i)
                            for flags in (0, wire.STORE):
                                if session.echo(payload, flags) != payload:
                                    failures.append(f'client {number}: another answer')
                except Exception as error:  # any failure counts
                    failures.append(f'client {number}: {error!r}')
            threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
            for thread in threads:
                thread.start()
            for i in range(40):
                connection = relay.dial()
                if i % 2:
                    try:
                        connection.sendall(random.randbytes(37))
                    except OSError:
                        pass
                reset(connection) if i % 3 else connection.close()
            for thread in threads:
                thread.join()
            self.assertEqual(failures, [])

    def test_descriptors_come_back(self):
        with Relay() as relay:
            self.honest(relay)
            time.sleep(0.3)
            before = relay.descriptors()
            for i in range(400):
                connection = relay.dial()
                try:
                    if i % 5 == 1:
                        connection.sendall(b'PRLY')
                    if i % 5 == 2:
                        connection.sendall(b'PRLY' + bytes(44))
                    if i % 5 == 3:
                        connection.shutdown(socket.SHUT_WR)
                    if i % 5 == 4:
                        connection.sendall(wire.hello() + wire.header(wire.PUT, 10**7) + bytes(10**5))
                except OSError:
                    pass
                reset(connection) if i % 2 else connection.close()
            self.until(lambda: relay.descriptors() <= before, 20,
                       f'{relay.descriptors()} descriptors, {before} before')
            with wire.Session(relay.port) as session:
                self.assertEqual(session.status()['memory'], 0)

    def test_stop_under_load(self):
        for second_signal in (False, True):
            relay = Relay('--drain', '2s')
            served, outcomes = threading.Barrier(5), []

            def client():
                session = wire.Session(relay.port)
                payload, first = random.randbytes(3_000_000), True
                try:
                    while True:
                        if session.echo(payload) != payload:
                            outcomes.append('another answer')
                        if first:
                            served.wait(60)
                            first = False
                except (OSError, EOFError):
                    outcomes.append('ended')
            threads = [threading.Thread(target=client) for _ in range(4)]
            for thread in threads:
                thread.start()
            stuck = wire.Session(relay.port)
            stuck.socket.sendall(wire.header(wire.SINK, 1000) + b'x')
            served.wait(60)
            relay.process.send_signal(signal.SIGTERM)
            if second_signal:
                time.sleep(0.1)
                relay.process.send_signal(signal.SIGINT)
            self.assertEqual(relay.end(), 0, relay.lines)
            for thread in threads:
                thread.join()
            self.assertEqual(outcomes, ['ended'] * 4)

    def test_restarts_on_one_port(self):
        with Relay() as relay:
            port = relay.port
        for i in range(50):
            with Relay(port=str(port)) as relay:
                sessions = [wire.Session(port) for _ in range(2)]
                sessions[0].ping()
                if i % 2:
                    reset(sessions[1].socket)  # else the relay closes first: TIME_WAIT stays here
        self.assertEqual(relay.process.returncode, 0)

    def test_lifeline(self):
        """Its end ended all sessions at once, also those of clients that had nothing to do with it."""
        reading, writing = os.pipe()
        relay = Relay('--lifeline-fd', str(reading), pass_fds=(reading,))
        os.close(reading)
        self.honest(relay)
        session = wire.Session(relay.port)
        os.close(writing)
        self.until(lambda: not self.listens(relay.port), 10, 'it takes new sessions')
        self.assertEqual(session.echo(b'abc'), b'abc')
        self.assertIsNone(relay.process.poll())
        session.bye()
        self.assertEqual(relay.end(), 0, relay.lines)

    def test_lifeline_ends_with_nobody_there(self):
        reading, writing = os.pipe()
        relay = Relay('--lifeline-fd', str(reading), pass_fds=(reading,))
        os.close(reading)
        os.close(writing)
        self.assertEqual(relay.end(), 0, relay.lines)

    def test_lifeline_bounds_silent_sessions(self):
        reading, writing = os.pipe()
        relay = Relay('--lifeline-fd', str(reading), '--idle', '1s', '--handshake', '1s', pass_fds=(reading,))
        os.close(reading)
        session, stranger = wire.Session(relay.port), relay.dial()
        os.close(writing)
        self.assertEqual(relay.end(), 0, relay.lines)
        session.socket.close()
        stranger.close()

    @staticmethod
    def listens(port):
        with socket.socket() as probe:
            return probe.connect_ex(('127.0.0.1', port)) == 0

    def test_a_log_that_nobody_reads(self):
        """A full log pipe stopped the relay in a write, SIGTERM included."""
        reading, writing = os.pipe()
        process = subprocess.Popen([paths.relay, '0', '--bind', '127.0.0.1', '-verbose'], stderr=writing)
        try:
            line = b''
            while not (found := re.search(rb'listening on .*:(\d+)\n', line)):
                line += os.read(reading, 1)
            port = int(found.group(1))
            os.set_blocking(writing, False)
            with self.assertRaises(BlockingIOError):
                while True:
                    os.write(writing, bytes(512))
            os.set_blocking(writing, True)
            for _ in range(20):
                with wire.Session(port) as session:
                    self.assertEqual(session.echo(b'abc'), b'abc')
            process.terminate()
            self.assertEqual(process.wait(20), 0)
        finally:
            process.kill()
            process.wait()
            os.close(reading)
            os.close(writing)

    def test_socket_activation(self):
        with socket.create_server(('127.0.0.1', 0)) as listener:
            start = ('import os, sys; fd = int(sys.argv[1]); os.dup2(fd, 3) if fd != 3 else os.set_inheritable(3, True);'
                     'os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()));'
                     'os.execv(sys.argv[2], ["perfrelay"])')
            process = subprocess.Popen([sys.executable, '-c', start, str(listener.fileno()), paths.relay],
                                       pass_fds=(listener.fileno(),), stderr=subprocess.DEVNULL)
            try:
                with wire.Session(listener.getsockname()[1]) as session:
                    self.assertEqual(session.echo(b'abc'), b'abc')
            finally:
                process.terminate()
                self.assertEqual(process.wait(30), 0)

    def test_families(self):
        if not socket.has_ipv6:
            self.skipTest('no IPv6 in this Python')
        try:
            socket.create_server(('::1', 0), family=socket.AF_INET6).close()
        except OSError as error:
            self.skipTest(f'no IPv6 on the loopback: {error}')
        with Relay(bind=None) as relay:
            for host in ('127.0.0.1', '::1'):
                wire.Session(relay.port, host).bye()
        with Relay('-6', bind=None) as relay:
            wire.Session(relay.port, '::1').bye()
            with self.assertRaises(OSError):
                wire.Session(relay.port, '127.0.0.1')
        with Relay('-4', bind=None) as relay:
            wire.Session(relay.port, '127.0.0.1').bye()
            with self.assertRaises(OSError):
                wire.Session(relay.port, '::1')
            self.assertTrue(any('warning' in line for line in relay.lines), relay.lines)

    def test_one_line_a_session(self):
        with Relay() as relay:
            with wire.Session(relay.port) as session:
                session.ping()
                session.echo(bytes(1000))
                session.bye()
            relay.dial().close()
            self.until(lambda: any('session 1 from 127.0.0.1' in line for line in relay.lines), 10, 'no line')
        lines = [line for line in relay.lines if ' from ' in line]
        self.assertEqual(len(lines), 1, lines)
        for word in ('protocol 1.0', 'echo 1', 'ping 1', '1136 bytes in', '1144 bytes out', 'ok'):
            self.assertIn(word, lines[0])


class CommandLine(unittest.TestCase):
    def run_relay(self, *arguments, code=0):
        result = subprocess.run([paths.relay, *arguments], capture_output=True, text=True, timeout=30)
        self.assertEqual(result.returncode, code, result)
        return result

    def test_help_and_version(self):
        for spelling in ('-help', '--help', '-?'):
            result = self.run_relay(spelling)
            self.assertIn('perfrelay 8000', result.stdout)
            self.assertIn('--max-sessions', result.stdout)
            self.assertEqual(result.stderr, '')
        for spelling in ('-version', '--version'):
            self.assertRegex(self.run_relay(spelling).stdout, r'^perfrelay \d+\.\d+\.\d+\n$')

    def test_wrong_usage_is_one_line(self):
        for arguments, words in (((), 'port'), (('x',), 'x'), (('70000',), '70000'), (('-1',), '-1'),
                                 (('1', '2'), '2'), (('1', '--wrong'), '--wrong'),
                                 (('1', '--idle', '5'), '--idle'), (('1', '--idle', '0s'), '--idle'),
                                 (('1', '--max-payload', '64K'), '--max-payload'),
                                 (('1', '--max-sessions', '0'), '--max-sessions'),
                                 (('1', '--lifeline-fd', '99'), '--lifeline-fd 99'),
                                 (('1', 'two', 'three', 'four'), 'two three four'),
                                 (('1', '-4', '-6'), '-4'), (('1', '--bind'), '--bind')):
            result = self.run_relay(*arguments, code=2)
            self.assertEqual(result.stdout, '')
            self.assertEqual(result.stderr.count('\n'), 1, result.stderr)
            self.assertIn(words, result.stderr)

    def test_cannot_listen(self):
        with socket.create_server(('127.0.0.1', 0)) as taken:
            port = str(taken.getsockname()[1])
            result = self.run_relay(port, '--bind', '127.0.0.1', code=1)
            self.assertIn(port, result.stderr)
            self.assertIn('ss -ltnp', result.stderr)
            self.assertEqual(result.stderr.count('\n'), 1)
        for where in ('no.such.host.invalid', '192.0.2.1'):
            result = self.run_relay('0', '--bind', where, code=1)
            self.assertIn(where, result.stderr)
            self.assertEqual(result.stderr.count('\n'), 1)

    def test_bind_and_family_that_contradict(self):
        """It was called "no such host"."""
        for family, where in (('-4', '::1'), ('-6', '127.0.0.1')):
            result = self.run_relay('0', family, '--bind', where, code=1)
            self.assertIn('no address of the family asked for', result.stderr)

    def test_verbose_tells_of_strangers(self):
        with Relay('-verbose') as relay:
            connection = relay.dial()
            connection.sendall(b'GET /')
            closed_within(connection, 20)
            connection.close()
        self.assertTrue(any('stranger' in line for line in relay.lines), relay.lines)


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--relay', required=True)
    parser.add_argument('--client')
    _, rest = parser.parse_known_args(namespace=paths)
    # Sockets left open on purpose, to be found open by the relay, need no warning.
    unittest.main(argv=[sys.argv[0], *rest], warnings='ignore')
