"""How a perfrelay starts, logs and ends: sockets handed over, life-lines, restarts, signals, families."""
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import relay_wire as wire
from relay_process import Relay, RelayTest, main, paths, reset


class Life(RelayTest):
    def test_stop_under_load(self):
        for second_signal, threads in ((False, '1'), (True, '1'), (False, '3'), (True, '3')):
            relay = Relay('--drain', '2s', '--threads', threads)
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

    def test_disk_full_under_the_log(self):
        with socket.create_server(('127.0.0.1', 0)) as probe:
            port = probe.getsockname()[1]
        with open('/dev/full', 'w') as full:
            process = subprocess.Popen([paths.relay, str(port), '--bind', '127.0.0.1', '-verbose'], stderr=full)
        try:
            self.until(lambda: self.listens(port), 20, 'it does not listen')
            for _ in range(20):
                with wire.Session(port) as session:
                    self.assertEqual(session.echo(b'abc'), b'abc')
        finally:
            process.terminate()
            self.assertEqual(process.wait(20), 0)

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


if __name__ == '__main__':
    main()
