"""Nobody in who does not belong: secrets, lists of addresses, and what strangers can make the relay do."""
import os
import secrets
import signal
import socket
import subprocess
import tempfile
import time

import relay_wire as wire
from relay_process import Relay, RelayTest, closed_within, main, paths, resident

SECRET = b'a secret for tests, and for nothing else'


class Secrets(RelayTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = self.write('secret', SECRET + b'\n')

    def write(self, name, text, mode=0o600):
        path = os.path.join(self.folder.name, name)
        with open(path, 'wb') as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def perfclient(self, relay, *options, env=None, code=0):
        document = self.write('document.xml', b'<a><b>c</b></a>')
        result = subprocess.run([paths.client, '-net', f'127.0.0.1:{relay.port}', '-xml', '-r', '1', '-t', '0', '-wr', '0',
                                 '-wt', '0', *options, document], capture_output=True, text=True, timeout=60,
                                env=dict(os.environ, **(env or {})))
        self.assertEqual(result.returncode, code, result)
        if code:
            self.assertEqual(result.stderr.count('\n'), 1, result.stderr)
        return result

    def test_who_knows_it_is_served(self):
        with Relay('--secret-file', self.file) as relay:
            self.honest(relay, secret=SECRET)
            self.perfclient(relay, '--secret-file', self.file)
            self.perfclient(relay, env={'PERFRELAY_SECRET': SECRET.decode()})
            for command in ('status', 'doctor'):
                result = subprocess.run([paths.client, command, '--secret-file', self.file, f'127.0.0.1:{relay.port}'],
                                        capture_output=True, text=True, timeout=60)
                self.assertEqual(result.returncode, 0, result)
            with wire.Session(relay.port, secret=SECRET) as session:
                self.assertEqual(session.status()['served'], 6)

    def test_no_secret(self):
        with Relay('--secret-file', self.file) as relay:
            error = self.perfclient(relay, code=3).stderr
            self.assertIn('--secret-file', error)
            # Requests in place of AUTH are neither answered nor run.
            with relay.dial() as connection:
                connection.sendall(wire.hello() + wire.header(wire.ECHO, 100) + bytes(100))
                closed, got = closed_within(connection, 20)
                self.assertTrue(closed)
                self.assertEqual(len(got), 80)
            self.honest(relay, secret=SECRET)

    def test_wrong_secret_takes_its_time(self):
        other = self.write('other', secrets.token_hex(32).encode())
        with Relay('--secret-file', self.file) as relay:
            start = time.monotonic()
            with self.assertRaises(wire.Refused) as refused:
                wire.Session(relay.port, secret=b'wrong')
            self.assertGreaterEqual(time.monotonic() - start, 1)
            self.assertEqual(refused.exception.code, wire.AUTHENTICATION)
            self.assertIn('authentication', self.perfclient(relay, '--secret-file', other, code=3).stderr)
            self.until(lambda: any('wrong secret from 127.0.0.1' in line for line in relay.lines), 10, relay.lines)
            self.honest(relay, secret=SECRET)

    def test_replay(self):
        """What was good for one connection is nothing to another: its nonces are others."""
        with Relay('--secret-file', self.file) as relay:
            greeting = wire.hello()

            def shake(prove):
                with relay.dial() as connection:
                    connection.sendall(greeting)
                    answer = b''
                    while len(answer) < 80:
                        answer += connection.recv(80 - len(answer))
                    mine = prove(answer)
                    connection.sendall(wire.header(wire.AUTH, 32) + mine)
                    return mine, connection.recv(24)[0]
            good, kind = shake(lambda answer: wire.proof(SECRET, 'c', greeting, answer))
            self.assertEqual(kind, wire.AUTH)
            self.assertEqual(shake(lambda _: good)[1], wire.ERROR)
            # The relay's own proof sent back to it is none of a client's.
            self.assertEqual(shake(lambda answer: wire.proof(SECRET, 's', greeting, answer))[1], wire.ERROR)

    def test_truncated_handshake(self):
        with Relay('--secret-file', self.file, '--handshake', '1s') as relay:
            greeting = wire.hello()
            for cut in (1, 24, 47, 48, 49, 71, 72, 103):
                with relay.dial() as connection:
                    connection.sendall((greeting + wire.header(wire.AUTH, 32) + bytes(32))[:cut])
                    closed, got = closed_within(connection, 20)
                    self.assertTrue(closed, f'{cut} bytes')
                    self.assertEqual(len(got), 80 if cut >= 48 else 0, f'{cut} bytes')
            self.honest(relay, secret=SECRET)

    def test_downgrade(self):
        """A client with a secret talks to no relay that asks for none, or that does not know it."""
        with Relay() as relay:
            self.assertIn('asks for no secret', self.perfclient(relay, '--secret-file', self.file, code=3).stderr)
        for impostor, words in ((lambda _: bytes(32), 'does not know the secret'),
                                (lambda sent: sent[72:104], 'does not know the secret')):
            with socket.create_server(('127.0.0.1', 0)) as listener:
                class Impostor:
                    port = listener.getsockname()[1]
                document = self.write('document.xml', b'<a/>')
                process = subprocess.Popen([paths.client, '-net', f'127.0.0.1:{Impostor.port}', '--secret-file', self.file,
                                            '-xml', document], stderr=subprocess.PIPE, text=True)
                connection, _ = listener.accept()
                with connection:
                    sent = connection.recv(48)
                    connection.sendall(wire.welcome(auth=1))
                    while len(sent) < 104:
                        sent += connection.recv(104 - len(sent))
                    connection.sendall(wire.header(wire.AUTH, 32) + impostor(sent))
                    _, error = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 3, error)
                self.assertIn(words, error)

    def test_strangers_cost_no_place(self):
        """HELLO without AUTH takes none of the places, however often."""
        with Relay('--secret-file', self.file, '--max-sessions', '1', '--handshake', '1h') as relay:
            waiting = [relay.dial() for _ in range(300)]
            for connection in waiting:
                connection.sendall(wire.hello())
            self.honest(relay, secret=SECRET)
            with wire.Session(relay.port, secret=SECRET):
                with self.assertRaises(wire.Refused) as refused:
                    wire.Session(relay.port, secret=SECRET)
                self.assertEqual(refused.exception.code, wire.BUSY)
            for connection in waiting:
                connection.close()

    def test_memory_of_10000_half_open_handshakes(self):
        with Relay('--secret-file', self.file, '--handshake', '1h') as relay:
            self.honest(relay, secret=SECRET)
            before = resident(relay.process.pid)
            waiting = []
            for _ in range(10_000):
                waiting.append(relay.dial())
                waiting[-1].sendall(wire.hello())
                if len(waiting) > 4500:
                    waiting.pop(0).close()  # of those the relay has shown out already
            self.honest(relay, secret=SECRET)
            grown = resident(relay.process.pid) - before
            self.assertLess(grown, 4096 * 16384, f'{grown >> 20} MiB')
            self.assertLess(relay.descriptors(), 4096 + 100)
            for connection in waiting:
                connection.close()

    def test_secrets_that_will_not_do(self):
        for name, text, mode, words in (('open', SECRET, 0o644, 'chmod 600'), ('short', b'short\n', 0o600, '5 bytes'),
                                        ('long', bytes(5000), 0o600, 'bytes'), ('missing', None, 0, 'No such file')):
            path = self.write(name, text, mode) if text else os.path.join(self.folder.name, name)
            for command in ([paths.relay, '0'], [paths.client, '-net', '127.0.0.1:1', 'x.xml']):
                result = subprocess.run([*command, '--secret-file', path], capture_output=True, text=True, timeout=60)
                self.assertEqual(result.returncode, 2, result)
                self.assertIn(words, result.stderr)
                self.assertEqual(result.stderr.count('\n'), 1)
                self.assertNotIn(SECRET.decode(), result.stderr)

    def test_hangup_reads_secret_and_list_again(self):
        other = secrets.token_hex(32).encode()
        allow = self.write('allow', b'# nobody here\n192.0.2.0/24\n')
        with Relay('--secret-file', self.file, '--allow-file', allow) as relay:
            def hang_up(words):
                seen = len(relay.lines)
                relay.process.send_signal(signal.SIGHUP)
                self.until(lambda: any(words in line for line in relay.lines[seen:]), 10, relay.lines)
            with relay.dial() as connection:
                self.assertEqual(closed_within(connection, 20), (True, b''))
            self.write('allow', b'192.0.2.0/24, 127.0.0.0/8\n')
            hang_up('reloaded')
            with wire.Session(relay.port, secret=SECRET) as session:
                self.write('secret', other)
                hang_up('reloaded')
                self.assertEqual(session.echo(b'abc'), b'abc')  # as it began
            self.honest(relay, secret=other)
            with self.assertRaises(wire.Refused):
                wire.Session(relay.port, secret=SECRET)
            self.write('secret', b'short')
            hang_up('not reloaded')
            self.honest(relay, secret=other)

    def test_lists(self):
        for allow, served in ((['127.0.0.1'], True), (['10.0.0.0/8', '127.0.0.0/8'], True), (['::1, fd00::/8'], False),
                              (['0.0.0.0/0'], True), (['::/0'], True)):
            with Relay(*(word for text in allow for word in ('--allow', text))) as relay:
                if served:
                    self.honest(relay)
                else:
                    with relay.dial() as connection:
                        connection.settimeout(20)
                        try:
                            connection.sendall(wire.hello())
                            self.assertEqual(connection.recv(100), b'')
                        except OSError:
                            pass
                    self.until(lambda: any('not in --allow' in line for line in relay.lines), 10, relay.lines)
        for wrong in ('10.0.0.0/33', '10.0.0.1/8', 'host', '::1/129', '/8'):
            result = subprocess.run([paths.relay, '0', '--allow', wrong], capture_output=True, text=True, timeout=60)
            self.assertEqual((result.returncode, result.stderr.count('\n')), (2, 1), result)
            self.assertIn(wrong, result.stderr)

    def test_an_open_relay_warns(self):
        for options, loud in (([], True), (['--allow', '127.0.0.1'], False), (['--secret-file', self.file], False)):
            with Relay('-4', *options, bind=None) as relay:
                self.honest(relay, secret=SECRET if '--secret-file' in options else None)
            self.assertEqual(any('ANYONE' in line for line in relay.lines), loud, relay.lines)


if __name__ == '__main__':
    main()
