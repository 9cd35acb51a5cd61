#!/usr/bin/env python3
"""Planted faults are caught: no time for the row, exit status 4, the other rows unharmed."""
from support import QUICK, Case, CorruptingProxy, Relay, main, paths


class PlantedFaults(Case):
    def caught(self, result, *words):
        self.expect(result, 4)
        self.assertIn('FAILED', result.stdout)
        for word in words:
            self.assertIn(word, result.stdout + result.stderr)
        self.assertNotRegex(result.stdout, r'FAULTY-\w+ main', 'a faulty row got a time')
        self.assertRegex(result.stdout, r'XML-\w+ main', 'the sound row lost its time')

    def faulty(self, fault, *options):
        return self.perfclient('-xml', '--format', 'faulty:' + fault, *QUICK, '-r', '20', *options,
                               paths.document, program=paths.faulty)

    def test_a_codec_that_drops_an_attribute(self):
        self.caught(self.faulty('attribute'), 'attribute')

    def test_a_codec_that_flips_a_byte(self):
        self.caught(self.faulty('byte'), 'differs')

    def test_a_codec_that_flips_a_byte_later(self):
        self.caught(self.faulty('late-encode'), 'other bytes')

    def test_a_codec_that_drops_an_attribute_later(self):
        self.caught(self.faulty('late-decode'), 'other events')

    def test_faults_are_caught_over_a_network_too(self):
        with Relay() as relay:
            for fault in ('attribute', 'byte', 'late-encode', 'late-decode'):
                self.caught(self.faulty(fault, '-net', f'127.0.0.1:{relay.port}'))

    def test_a_relay_that_corrupts_a_byte(self):
        for options in ([], ['-d']):
            with Relay() as relay, CorruptingProxy(relay.port, 400_000) as proxy:
                result = self.perfclient('-xml', *options, '-net', f'127.0.0.1:{proxy.port}',
                                         *QUICK, paths.document)
                self.expect(result, 4)
                self.assertNotRegex(result.stdout, r'XML-\w+ main')

    def test_a_link_that_corrupts_a_byte_on_the_way_up(self):
        class Upwards(CorruptingProxy):
            def pass_on(self, connection):
                import socket, threading
                with socket.create_connection(('127.0.0.1', self.target)) as relay:
                    up = threading.Thread(target=self.corrupt, args=(connection, relay), daemon=True)
                    up.start()
                    while data := relay.recv(65536):
                        connection.sendall(data)

        for options in (['-e'], ['-d'], []):
            with Relay() as relay, Upwards(relay.port, 400_000) as proxy:
                result = self.perfclient('-xml', *options, '-net', f'127.0.0.1:{proxy.port}',
                                         *QUICK, paths.document)
                self.expect(result, 4)
                self.assertNotRegex(result.stdout, r'XML-\w+ main')


if __name__ == '__main__':
    main()
