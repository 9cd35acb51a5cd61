#!/usr/bin/env python3
"""perfclient doctor: what it finds of a good relay, of none, of something that is none, of a name that is none."""
import re

from support import Case, Peer, Relay, main


class Doctor(Case):
    def findings(self, result):
        """{what: [(ok, warn or FAIL, text)]}"""
        found = {}
        for line in result.stdout.splitlines():
            finding, what, text = re.fullmatch(r'(ok  |warn|FAIL)  (.{12})(.*)', line).groups()
            found.setdefault(what.strip(), []).append((finding.strip(), text))
        return found

    def test_this_machine_alone(self):
        found = self.findings(self.expect(self.perfclient('doctor'), 0))
        self.assertEqual(list(found), ['clock', 'timers', 'processors'])
        self.assertRegex(found['clock'][0][1], r'^[\d.]+ \wsa? a reading')

    def test_a_relay(self):
        with Relay() as relay:
            found = self.findings(self.expect(self.perfclient('doctor', f'127.0.0.1:{relay.port}'), 0))
        self.assertEqual(list(found)[3:], ['name', 'reach', 'relay', 'round trip', 'rate'])
        self.assertIn(f'127.0.0.1:{relay.port}', found['name'][0][1])
        self.assertRegex(found['relay'][0][1], r'protocol \d+\.\d+, can ECHO, SINK, SOURCE')
        self.assertRegex(found['rate'][0][1], r'bit/s up, [\d.]+ \wbit/s down')
        for what in ('name', 'reach', 'relay', 'rate'):
            self.assertEqual(found[what][0][0], 'ok', found[what])

    def test_nobody_there(self):
        found = self.findings(self.expect(self.perfclient('doctor', '127.0.0.1:1'), 3))
        self.assertEqual(found['reach'][0][0], 'FAIL')
        self.assertIn('is perfrelay running there?', found['reach'][0][1])
        self.assertNotIn('relay', found)

    def test_something_else_there(self):
        with Peer(lambda connection: connection.sendall(b'HTTP/1.1 400 Bad Request\r\n\r\n')) as peer:
            found = self.findings(self.expect(self.perfclient('doctor', f'127.0.0.1:{peer.port}'), 3))
        self.assertEqual(found['reach'][0][0], 'ok')
        self.assertEqual(found['relay'][0][0], 'FAIL')

    def test_a_name_that_is_none(self):
        found = self.findings(self.expect(self.perfclient('doctor', 'no-such-host.invalid:8000'), 3))
        self.assertEqual(found['name'][0][0], 'FAIL')
        self.assertNotIn('reach', found)

    def test_usage(self):
        self.one_line(self.expect(self.perfclient('doctor', 'localhost'), 2), 'no port')
        self.one_line(self.expect(self.perfclient('doctor', 'a:1', 'b:2'), 2), 'HOST:PORT')
        self.one_line(self.expect(self.perfclient('doctor', '--fast'), 2), '--fast')


if __name__ == '__main__':
    main()
