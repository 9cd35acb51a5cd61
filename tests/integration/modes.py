#!/usr/bin/env python3
"""--stream and -multithread through the program: what is measured, what is shown, what is refused."""
import re
import unittest

from support import QUICK, Case, CorruptingProxy, Relay, main, paths


class Stream(Case):
    def test_every_direction(self):
        for option, columns in (([], ('ENC+SEND', 'WAIT', 'RECV+DEC', 'TOTAL')),
                                (['-d'], ('WAIT', 'RECV+DEC', 'TOTAL')),
                                (['-e'], ('ENC+SEND', 'WAIT', 'TOTAL'))):
            result = self.expect(self.perfclient('-net', 'localhost', '--stream', '-xml', '-gzxml',
                                                 *option, *QUICK, paths.document), 0)
            for column in columns:
                self.assertRegex(result.stdout, rf'\bXML-{re.escape(column)} main ')
                self.assertRegex(result.stdout, rf'GZXML-{re.escape(column)} main ')
                self.assertIn(column, result.stdout)
            self.assertNotIn('XML-TRANSMIT', result.stdout)
            self.assertRegex(result.stdout, r'(enc\+send|recv\+dec) +(en|de)coded')

    def test_the_sizes_are_those_without(self):
        sizes = []
        for option in ([], ['--stream']):
            out = self.expect(self.perfclient('-net', 'localhost', *option, '-xml', *QUICK,
                                              paths.document), 0).stdout
            sizes.append(re.search(r'XML-SIZE (\d+)', out).group(1))
        self.assertEqual(sizes[0], sizes[1])

    def test_an_engine_that_cannot_is_refused_for_its_row(self):
        result = self.expect(self.perfclient('-net', 'localhost', '--stream', '-xml', '--format',
                                             'xml:tinyxml2', *QUICK, paths.document), 0)
        self.assertIn('XML:TINYXML2 not representable: cannot encode while bytes travel',
                      result.stdout)
        self.assertRegex(result.stdout, r'XML-TOTAL main ')

    def test_what_it_excludes(self):
        for words in (['--stream'], ['--stream', '--echo', 'cut-through', '-net', 'localhost']):
            result = self.expect(self.perfclient(*words, '-xml', paths.document), 2)
            self.one_line(result, '--stream')

    def test_damage_on_the_way_is_found(self):
        with Relay() as relay, CorruptingProxy(relay.port, 700_000) as proxy:
            result = self.perfclient('-net', f'127.0.0.1:{proxy.port}', '--stream', '-xml', *QUICK,
                                     paths.document)
        self.expect(result, 4)
        self.assertIn('FAILED', result.stdout)


class Threads(Case):
    def test_the_table_of_threads(self):
        for network in ([], ['-net', 'localhost']):
            out = self.expect(self.perfclient('-mt', '2', *network, '-xml', '-gzxml', *QUICK,
                                              paths.document), 0).stdout
            self.assertIn('2 THREADS', out)
            self.assertRegex(out, r'(?m)^XML +[\d.]+ +\S+ +[\d.]+ +[\d.]+x +[\d.]+ [\d.]+  ')
            self.assertRegex(out, r'(?m)^GZXML +[\d.]+ ')

    def test_one_thread_has_nothing_to_gain(self):
        out = self.expect(self.perfclient('-mt', '1', '-xml', *QUICK, paths.document), 0).stdout
        self.assertIn('1 THREAD', out)
        self.assertNotIn('GAIN', out)

    def test_the_next_word_only_if_it_is_a_number(self):
        out = self.expect(self.perfclient('-xml', *QUICK, '-mt', paths.document), 0).stdout
        self.assertIn('Threads', out)

    def test_each_thread_has_a_session(self):
        with Relay() as relay:
            self.expect(self.perfclient('-mt', '3', '-net', f'127.0.0.1:{relay.port}', '-xml',
                                        *QUICK, paths.document), 0)
        sessions = [line for line in relay.lines if re.search(r'session \d+ from', line)]
        self.assertEqual(len(sessions), 3, relay.lines)
        for line in sessions:
            self.assertRegex(line, r'echo [1-9]')

    def test_a_relay_without_room_for_all(self):
        with Relay('--max-sessions', '1') as relay:
            result = self.perfclient('-mt', '2', '-net', f'127.0.0.1:{relay.port}', '-xml', *QUICK,
                                     paths.document)
        self.expect(result, 3)
        self.one_line(result, 'busy')

    def test_a_fault_in_one_thread_is_found(self):
        result = self.perfclient('-mt', '2', '--format', 'faulty:late-decode', *QUICK,
                                 paths.document, program=paths.faulty)
        self.expect(result, 4)

    def test_numbers_that_are_none(self):
        for count in ('0', '257', '99999999999999999999'):
            result = self.expect(self.perfclient('-mt', count, '-xml', paths.document), 2)
            self.one_line(result, '-mt', count)


if __name__ == '__main__':
    main()
