"""The real perfrelay among clients, strangers and accidents: whatever they do, the next honest client
is served."""
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import relay_wire as wire
from relay_process import SCRIPT, Relay, RelayTest, closed_within, main, paths, reset


class Faults(RelayTest):
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
        self.eight_at_once()

    def test_eight_at_once_on_three_threads(self):
        self.eight_at_once('--threads', '3')

    def eight_at_once(self, *options):
        with Relay(*options) as relay:
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

    def stuck_client(self, relay, request, then):
        """A process that sends `request` (Python source of bytes) after WELCOME, and `then` happens to it."""
        client = ('import sys; sys.path.insert(0, sys.argv[2]); import relay_wire as w; s = w.Session(int(sys.argv[1]));'
                  f's.socket.sendall({request}); print("there", flush=True); import time; time.sleep(1000)')
        process = subprocess.Popen([sys.executable, '-c', client, str(relay.port), SCRIPT], stdout=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        then(process)
        return process

    def test_stopped_client(self):
        with Relay('--progress', '1s') as relay, self.unharmed(relay):
            process = self.stuck_client(relay, 'w.header(w.PUT, 10**8) + bytes(10**6)',
                                        lambda process: process.send_signal(signal.SIGSTOP))
            self.honest(relay)
            self.until(lambda: any('stopped arriving' in line for line in relay.lines), 20, 'it is still waited for')
            process.kill()
            process.wait()

    def test_zero_window(self):
        """Peers that ask and never read: their sessions end, their memory comes back."""
        with Relay('--progress', '1s') as relay, self.unharmed(relay):
            sessions = [wire.Session(relay.port) for _ in range(4)]
            for number, session in enumerate(sessions):
                session.call(wire.PUT, bytes(8_000_000), wire.ACK, aux=1)
                if number % 2:
                    session.socket.sendall(wire.header(wire.SOURCE, 8, aux=1) + struct.pack('>II', 10_000, 0))
                else:
                    session.socket.sendall(wire.header(wire.ECHO, 8_000_000, flags=wire.STORE) + bytes(8_000_000))
            self.honest(relay)
            self.until(lambda: sum('no progress' in line for line in relay.lines) == 4, 20, relay.lines)
            for session in sessions:
                session.socket.close()

    def test_slow_reader(self):
        """Slow is not dead: it gets every byte, and holds up nobody."""
        with Relay('--progress', '1s') as relay, self.unharmed(relay):
            payload = random.randbytes(3_000_000)
            with wire.Session(relay.port) as session:
                session.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32768)
                session.socket.sendall(wire.header(wire.ECHO, len(payload), flags=wire.STORE) + payload)
                session.read(24)
                got = b''
                while len(got) < len(payload):
                    got += session.read(min(300_000, len(payload) - len(got)))
                    time.sleep(0.3)
                    if len(got) == 900_000:
                        self.honest(relay)
                self.assertEqual(got, payload)
                session.bye()

    def test_slow_loris(self):
        """HELLO byte by byte ends with the handshake's time, a header that stops with the progress rule."""
        with Relay('--handshake', '1s', '--progress', '1s') as relay, self.unharmed(relay):
            strangers = [relay.dial() for _ in range(200)]
            session = wire.Session(relay.port)
            session.socket.sendall(wire.header(wire.SINK, 1000)[:11])
            left = set(strangers)
            for byte in wire.hello():
                for connection in list(left):
                    try:
                        connection.sendall(bytes([byte]))
                    except OSError:
                        left.remove(connection)
                if not left:
                    break
                time.sleep(0.1)
            self.assertEqual(left, set())
            with self.assertRaises(wire.Refused) as refused:
                session.answer(wire.ACK)
            self.assertEqual(refused.exception.code, wire.TIMED_OUT)
            session.socket.close()
            for connection in strangers:
                connection.close()

    def test_half_close(self):
        """Who has said all still gets what is owed."""
        with Relay() as relay, self.unharmed(relay):
            payload = random.randbytes(2_000_000)
            with wire.Session(relay.port) as session:
                for flags in (wire.STORE, wire.STORE):
                    session.socket.sendall(wire.header(wire.ECHO, len(payload), flags=flags) + payload)
                    if flags == wire.STORE:
                        self.assertEqual(session.answer(wire.DATA), payload)
                session.socket.sendall(wire.header(wire.PING, 16) + bytes(16))
                session.socket.shutdown(socket.SHUT_WR)
                self.assertEqual(session.answer(wire.PONG), bytes(16))
                self.assertEqual(closed_within(session.socket, 20), (True, b''))
            self.until(lambda: any('echo 2' in line and line.endswith('ok\n') for line in relay.lines), 10, relay.lines)

    def test_reset(self):
        with Relay() as relay, self.unharmed(relay):
            for sent in (b'', wire.header(wire.SINK, 10**6), wire.header(wire.PUT, 10**6) + bytes(10**5),
                         wire.header(wire.ECHO, 10**6) + bytes(10**6), wire.header(wire.STAT, 0) * 100):
                session = wire.Session(relay.port)
                session.socket.sendall(sent)
                reset(session.socket)
            self.honest(relay)

    def test_garbage(self):
        """After a valid HELLO, too: an ERROR that says so, or silence, and never the end of the relay."""
        with Relay('--progress', '1s') as relay, self.unharmed(relay):
            seed = random.randrange(1 << 32)
            chance = random.Random(seed)
            for _ in range(150):
                session = wire.Session(relay.port)
                good = wire.header(chance.randrange(1, 0x20), chance.choice((0, 8, 16, 24, 100)), chance.choice((0, 1, 128)))
                bad = bytearray(good + chance.randbytes(chance.randrange(60)))
                if chance.random() < 0.5:
                    bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
                try:
                    session.socket.sendall(bad)
                except OSError:
                    pass
                session.socket.close()
            with wire.Session(relay.port) as session:
                session.socket.sendall(chance.randbytes(64))
                with self.assertRaises(wire.Refused) as refused:
                    session.answer(wire.DATA)
                self.assertEqual(refused.exception.code, 1, f'seed {seed}')

    def test_wrong_version(self):
        with Relay() as relay, self.unharmed(relay):
            for major in (0, 2, 255):
                with relay.dial() as connection:
                    connection.sendall(wire.hello(major))
                    closed, got = closed_within(connection, 20)
                    self.assertTrue(closed)
                    self.assertEqual(got[0], wire.ERROR)
                    self.assertIn(f'version 1.0, the client {major}.0'.encode(), got)

    def test_oversize_lengths(self):
        with Relay() as relay, self.unharmed(relay):
            for kind in (wire.ECHO, wire.SINK, wire.PUT, 0x33):
                for length in ((1 << 28) + 1, 1 << 32, 1 << 63, (1 << 64) - 1):
                    with wire.Session(relay.port) as session:
                        session.socket.sendall(wire.header(kind, length))
                        with self.assertRaises(wire.Refused) as refused:
                            session.answer(wire.DATA)
                        self.assertEqual(refused.exception.code, 4)

    def test_session_65(self):
        with Relay() as relay, self.unharmed(relay):
            sessions = [wire.Session(relay.port) for _ in range(64)]
            with self.assertRaises(wire.Refused) as refused:
                wire.Session(relay.port)
            self.assertEqual(refused.exception.code, wire.BUSY)
            self.assertIn('64', refused.exception.text)
            for session in sessions:
                session.ping()
                session.bye()
            self.until(lambda: sum('session' in line and 'ok' in line for line in relay.lines) >= 64, 20, relay.lines)

    def test_2000_idle_connections(self):
        for options in ([], ['--threads', '4']):
            with Relay('--handshake', '1h', *options) as relay, self.unharmed(relay):
                idle = [relay.dial() for _ in range(2000)]
                self.until(lambda: relay.descriptors() >= 2000, 20, relay.descriptors())
                for _ in range(5):
                    self.honest(relay)
                for connection in idle:
                    connection.close()

    def test_clock_jump(self):
        """The wall clock leaps by a day, forward and back: no deadline is of its making."""
        library = next((path for path in ('/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
                                          '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1')
                        if os.path.exists(path)), None)
        if library is None:
            self.skipTest('no libfaketime; Debian package faketime')
        with tempfile.NamedTemporaryFile('w') as offset:
            def leap(by):
                offset.seek(0)
                offset.write(f'{by}\n')
                offset.truncate()
                offset.flush()
            leap('+0')
            environment = dict(os.environ, LD_PRELOAD=library, FAKETIME_TIMESTAMP_FILE=offset.name, FAKETIME_NO_CACHE='1',
                               FAKETIME_DONT_FAKE_MONOTONIC='1', DONT_FAKE_MONOTONIC='1',
                               ASAN_OPTIONS='verify_asan_link_order=0')
            with Relay('--idle', '30s', env=environment) as relay:
                with wire.Session(relay.port) as session:
                    for by in ('+1d', '-1d', '+365d', '+0'):
                        leap(by)
                        time.sleep(0.6)  # two sweeps
                        self.assertEqual(session.echo(b'abc'), b'abc')
                        self.honest(relay)
                    session.bye()
                dates = {line[:10] for line in relay.lines if 'session' in line}
                self.assertGreater(len(dates), 1, 'the clock did not jump')


if __name__ == '__main__':
    main()
