"""TLS on both programs: who is believed, what each meets that speaks something else, and that measuring goes on
as without."""
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import unittest

import relay_wire as wire
from relay_process import Relay, RelayTest, closed_within, main, paths, resident

KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']


@unittest.skipUnless(shutil.which('openssl'), 'no openssl; Debian package openssl')
class Tls(RelayTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for authority in ('ca', 'foreign'):
            cls.openssl('req', '-x509', *KEY, '-keyout', cls.path(authority + '.key'), '-out', cls.path(authority + '.pem'),
                        '-subj', '/CN=' + authority, '-days', '2')
        cls.certify('relay', 'IP:127.0.0.1,DNS:localhost')
        cls.certify('elsewhere', 'IP:192.0.2.1,DNS:example.org')
        cls.certify('expired', 'IP:127.0.0.1', days='-1')
        cls.certify('client', 'DNS:client')
        cls.certify('stranger', 'DNS:client', authority='foreign')
        with open(cls.path('document.xml'), 'w') as file:
            file.write('<a>' + '<b c="d">e</b>' * 5000 + '</a>')

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    @staticmethod
    def openssl(*words):
        subprocess.run(['openssl', *words], check=True, capture_output=True, timeout=60)

    @classmethod
    def certify(cls, name, names, authority='ca', days='2'):
        request = cls.path(name + '.csr')
        cls.openssl('req', *KEY, '-keyout', cls.path(name + '.key'), '-out', request, '-subj', '/CN=' + name,
                    '-addext', 'subjectAltName=' + names)
        cls.openssl('x509', '-req', '-in', request, '-CA', cls.path(authority + '.pem'), '-CAkey', cls.path(authority + '.key'),
                    '-copy_extensions', 'copy', '-days', days, '-out', cls.path(name + '.pem'))

    def own(self, name):
        return ['--tls-cert', self.path(name + '.pem'), '--tls-key', self.path(name + '.key')]

    def trust(self, name='ca'):
        return ['--tls-ca', self.path(name + '.pem')]

    def context(self, client=None):
        context = ssl.create_default_context(cafile=self.path('ca.pem'))
        if client:
            context.load_cert_chain(self.path(client + '.pem'), self.path(client + '.key'))
        return context

    def perfclient(self, relay, *options, code=0, words='', host='127.0.0.1'):
        result = subprocess.run([paths.client, '-net', f'{host}:{relay.port}', '-xml', '-gzxml', '-r', '2', '-t', '0',
                                 '-wr', '1', '-wt', '0', *options, self.path('document.xml')], capture_output=True, text=True,
                                timeout=120)
        self.assertEqual(result.returncode, code, result)
        if code:
            self.assertEqual(result.stderr.count('\n'), 1, result.stderr)
        self.assertIn(words, result.stdout + result.stderr)

    def test_measured_as_without(self):
        """Every direction, streamed, on several threads; the report says what stands between."""
        with Relay(*self.own('relay')) as relay, self.tls_unharmed(relay):
            for options in ([], ['-d'], ['-e'], ['--echo', 'cut-through'], ['--stream'], ['--stream', '-d'], ['-mt', '3']):
                self.perfclient(relay, *self.trust(), *options, words='TLS 1.3, TLS_')
            self.perfclient(relay, *self.trust(), host='localhost', code=3 if self.first_of_localhost() == '::1' else 0)

    @staticmethod
    def first_of_localhost():
        return socket.getaddrinfo('localhost', 1, type=socket.SOCK_STREAM)[0][4][0]

    def tls_unharmed(self, relay):
        descriptors = relay.descriptors()

        class After:
            def __enter__(_):
                pass

            def __exit__(_, *failure):
                if not failure[0]:
                    self.honest(relay, tls=self.context())
                    self.until(lambda: relay.descriptors() <= descriptors, 20, 'descriptors are lost')
        return After()

    def test_another_implementation(self):
        with Relay(*self.own('relay')) as relay:
            with wire.Session(relay.port, tls=self.context()) as session:
                self.assertEqual(session.socket.version(), 'TLSv1.3')
                for size in (0, 1, 16384, 16385, 3_000_000):
                    payload = os.urandom(size)
                    self.assertEqual(session.echo(payload), payload)
                session.call(wire.PUT, payload, wire.ACK, aux=7)
                session.socket.sendall(wire.header(wire.SOURCE, 8, aux=7) + bytes([0, 0, 0, 3, 0, 0, 0, 0]))
                for _ in range(3):
                    self.assertEqual(session.answer(wire.DATA), payload)
                session.bye()

    def test_secret_within(self):
        secret = self.path('secret')
        with open(os.open(secret, os.O_CREAT | os.O_WRONLY, 0o600), 'w') as file:
            file.write('0123456789abcdef')
        with Relay(*self.own('relay'), '--secret-file', secret) as relay:
            self.perfclient(relay, *self.trust(), '--secret-file', secret, words='secret proved by both, TLS 1.3')
            self.perfclient(relay, *self.trust(), code=3, words='--secret-file')

    def test_certificates_that_will_not_do(self):
        for name, words in (('elsewhere', 'IP address mismatch'), ('expired', 'expired')):
            with Relay(*self.own(name)) as relay:
                self.perfclient(relay, *self.trust(), code=3, words=words)
        with Relay(*self.own('relay')) as relay:
            self.perfclient(relay, *self.trust('foreign'), code=3, words='certificate')
            self.perfclient(relay, '--tls-ca', 'system', code=3, words='certificate')
            self.honest(relay, tls=self.context())

    def test_clients_need_one(self):
        with Relay(*self.own('relay'), *self.trust(), '-4', bind=None) as relay:
            self.perfclient(relay, *self.trust(), *self.own('client'))
            self.honest(relay, tls=self.context('client'))
            self.perfclient(relay, *self.trust(), code=3, words='127.0.0.1')
            self.perfclient(relay, *self.trust(), *self.own('stranger'), code=3)
            self.honest(relay, tls=self.context('client'))
            self.assertFalse(any('ANYONE' in line for line in relay.lines), relay.lines)

    def test_plain_to_tls_and_the_reverse(self):
        with Relay(*self.own('relay'), '--handshake', '2s') as relay:
            self.perfclient(relay, code=3, words='--tls-ca')
            for sent in (wire.hello(), b'GET / HTTP/1.1\r\n\r\n', bytes(64), b''):
                with relay.dial() as connection:
                    connection.sendall(sent)
                    self.assertEqual(closed_within(connection, 20), (True, b''))
            self.honest(relay, tls=self.context())
        with Relay() as relay:
            self.perfclient(relay, *self.trust(), code=3, words='does a relay with --tls-cert listen there')
            self.honest(relay)

    def test_downgrade(self):
        with Relay(*self.own('relay')) as relay:
            context = self.context()
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            with self.assertRaises((ssl.SSLError, OSError)):
                wire.Session(relay.port, tls=context)
            self.honest(relay, tls=self.context())

    def test_truncated_and_damaged_handshakes(self):
        with Relay(*self.own('relay'), '--handshake', '2s') as relay, self.tls_unharmed(relay):
            outgoing = ssl.MemoryBIO()
            hello = self.context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname='127.0.0.1')
            with self.assertRaises(ssl.SSLWantReadError):
                hello.do_handshake()
            first = outgoing.read()
            for cut in (1, 5, 6, 100, len(first) - 1):
                with relay.dial() as connection:
                    connection.sendall(first[:cut])
                    self.assertTrue(closed_within(connection, 20)[0], f'{cut} bytes')
            for at in range(0, len(first), 7):
                with relay.dial() as connection:
                    connection.sendall(first[:at] + bytes([first[at] ^ 0x55]) + first[at + 1:])

    def test_forged_end(self):
        """An end of stream without TLS's goodbye, which anybody on the way can forge, is no good end."""
        with Relay(*self.own('relay')) as relay:
            session = wire.Session(relay.port, tls=self.context())
            session.ping()
            raw = socket.socket(fileno=os.dup(session.socket.fileno()))
            raw.shutdown(socket.SHUT_WR)
            self.until(lambda: any('session 1' in line for line in relay.lines), 20, relay.lines)
            line = next(line for line in relay.lines if 'session 1' in line)
            self.assertIn('broke', line)
            raw.close()
            session.socket.close()

    def test_memory_of_half_open_handshakes(self):
        with Relay(*self.own('relay'), '--handshake', '1h') as relay:
            self.honest(relay, tls=self.context())
            before = resident(relay.process.pid)
            silent = [relay.dial() for _ in range(1000)]
            begun = []
            for _ in range(1000):
                begun.append(relay.dial())
                begun[-1].sendall(b'\x16\x03\x01\x02\x00\x01')
            self.honest(relay, tls=self.context())
            grown = resident(relay.process.pid) - before
            self.assertLess(grown, 1000 * 131_072, f'{grown >> 20} MiB')
            for connection in silent + begun:
                connection.close()

    def test_hangup_reads_certificates_again(self):
        for suffix in ('.pem', '.key'):
            shutil.copy(self.path('elsewhere' + suffix), self.path('changing' + suffix))
        with Relay(*self.own('changing')) as relay:
            self.perfclient(relay, *self.trust(), code=3, words='mismatch')
            for suffix in ('.pem', '.key'):
                shutil.copy(self.path('relay' + suffix), self.path('changing' + suffix))
            relay.process.send_signal(signal.SIGHUP)
            self.until(lambda: any('reloaded' in line for line in relay.lines), 20, relay.lines)
            self.perfclient(relay, *self.trust())

    def test_files_that_will_not_do(self):
        relay, client = [paths.relay, '0', '--bind', '127.0.0.1'], [paths.client, '-net', '127.0.0.1:1', self.path('document.xml')]
        for command, options in ((relay, ['--tls-cert', self.path('relay.pem')]), (relay, ['--tls-key', self.path('relay.key')]),
                                 (relay, self.trust()), (relay, self.own('missing')),
                                 (relay, ['--tls-cert', self.path('relay.pem'), '--tls-key', self.path('client.key')]),
                                 (relay, [*self.own('relay'), '--tls-ca', self.path('document.xml')]),
                                 (client, self.own('client')), (client, self.trust('missing')),
                                 (client, [*self.trust(), '--tls-cert', self.path('client.pem')])):
            result = subprocess.run([*command, *options], capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 2, result)
            self.assertTrue(re.search('--tls-(cert|key|ca)', result.stderr), result.stderr)
            self.assertEqual(result.stderr.count('\n'), 1, result.stderr)


if __name__ == '__main__':
    main()
