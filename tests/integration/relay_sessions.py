"""Sessions that a relay ends, or cannot hold: the run goes on, in a new one."""
import unittest

import relay_wire as wire
from support import QUICK, Case, Peer, Relay, main, paths

ROWS = ['--format', 'xml', '--format', 'xml:expat', '--format', 'xml+gzip', '--format', 'xml+lz4']


class Sessions(Case):
    def run_against(self, relay, *options):
        return self.perfclient('-net', f'127.0.0.1:{relay.port}', *ROWS, *options, paths.document)

    def test_documents_that_have_no_room_together(self):
        """All rows of a file were stored in one session: storage_full ended the run with exit 3."""
        for limit in ('--max-stored', '--max-memory'):
            with Relay(limit, '1200000') as relay:
                result = self.expect(self.run_against(relay, '-d', *QUICK), 0)
                self.assertNotIn('not representable', result.stdout)
                self.assertEqual(result.stdout.count('-DECODE main'), 4, result.stdout)

    def test_a_document_that_has_no_room_at_all(self):
        """The same for one row: it is not representable there, with the relay's reason."""
        with Relay('--max-stored', '500000') as relay:
            result = self.expect(self.run_against(relay, '-d', *QUICK), 0)
            self.assertIn('a session stores at most 500000 bytes', result.stdout)
            self.assertIn('GZXML-DECODE main', result.stdout)
            self.assertNotIn('XML:EXPAT-DECODE main', result.stdout)

    def test_memory_that_runs_out_in_mid_run(self):
        """The same in a round trip: the relay has no memory for the payload."""
        with Relay('--max-memory', '500000') as relay:
            result = self.expect(self.run_against(relay, *QUICK), 0)
            self.assertIn('GZXML-TRANSMIT main', result.stdout)
            self.assertIn('not representable', result.stdout)

    def test_runs_longer_than_a_session(self):
        """A run of one file longer than the relay's session limit ended with exit 3."""
        with Relay('--max-session', '1s') as relay:
            for direction in ([], ['-d'], ['-e']):
                self.expect(self.run_against(relay, *direction, '-r', '3', '-t', '800', '-wt', '0'), 0)

    def test_runs_that_are_silent_for_longer_than_a_relay_waits(self):
        """Verifying and slow codecs are silence to a relay."""
        with Relay('--idle', '1s') as relay:
            result = self.perfclient('-net', f'127.0.0.1:{relay.port}', '-r', '2', '-t', '0', '-wr', '0',
                                     '-wt', '0', '--format', 'xml', '--format', 'xml+brotli:11',
                                     paths.document)
            self.expect(result, 0)


class Greetings(Case):
    def greet(self, welcome):
        def handler(connection):
            connection.recv(wire.HELLO_SIZE)
            connection.sendall(welcome)
            while connection.recv(65536):
                pass
        return Peer(handler)

    def test_busy_for_ever(self):
        """BUSY with retry_after 0 was tried again for 10 s."""
        with self.greet(wire.error_frame(7, 0, 'closed to the public')) as peer:
            result = self.expect(self.perfclient('-net', f'127.0.0.1:{peer.port}', paths.document), 3)
            self.one_line(result, 'busy', 'closed to the public')
            self.assertEqual(len(peer.connections), 1)

    def test_a_relay_that_lacks_what_the_run_needs(self):
        """What WELCOME says of capabilities was not looked at."""
        for bit, options, name in ((0, [], 'ECHO in store form'), (2, ['-e'], 'SINK'),
                                   (1, ['--echo', 'cut-through'], 'ECHO cut-through'),
                                   (3, ['-d'], 'PUT and SOURCE')):
            with self.greet(wire.welcome(capabilities=0x1f & ~(1 << bit))) as peer:
                result = self.perfclient('-net', f'127.0.0.1:{peer.port}', *options, paths.document)
                self.one_line(self.expect(result, 3), 'cannot do ' + name)


if __name__ == '__main__':
    main()
