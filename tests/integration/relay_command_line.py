"""perfrelay's command line: help, wrong usage in one line, exit statuses."""
import socket
import subprocess
import unittest

from relay_process import Relay, closed_within, main, paths


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
            text = self.run_relay(spelling).stdout
            self.assertRegex(text, r'^perfrelay \d+\.\d+\.\d+\ncommit: ')
            self.assertIn('features: TLS 1.3', text)

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
    main()
