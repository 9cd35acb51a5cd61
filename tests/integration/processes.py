#!/usr/bin/env python3
"""--processes N: fresh processes, one report; what goes wrong in one of them; stopping them."""
import os
import pathlib
import re
import signal
import subprocess
import tempfile

from support import QUICK, Case, main, paths


class Processes(Case):
    def test_merged_in_one_report(self):
        result = self.expect(self.perfclient(*QUICK, '--processes', 3, '-xml', '-efx', '--generate', 'records:5kB'), 0)
        self.assertRegex(result.stdout, r'Speed against XML, pairs from \d+ rounds of 3 processes')
        self.assertIn('XML-ENCODE cold ', result.stdout)
        self.assertIn('median of 3 processes', result.stdout)
        runs = int(re.search(r'XML-ENCODE main \d+ms / (\d+) runs', result.stdout.replace('.', ''))[1])
        self.assertGreaterEqual(runs, 9, '3 runs of 3 processes')
        one = self.expect(self.perfclient(*QUICK, '-xml', '-efx', '--generate', 'records:5kB'), 0).stdout
        self.assertNotIn('processes', one.split('How they were measured')[0])

    def test_over_the_relay(self):
        result = self.expect(self.perfclient(*QUICK, '--processes', 2, '-net', 'localhost', '-xml', '-gzxml', '--generate',
                                             'records:5kB'), 0)
        self.assertIn('of 2 processes', result.stdout)

    def test_faults_stay_faults(self):
        result = self.perfclient(*QUICK, '--processes', 2, '-xml', '--format', 'faulty:byte', '--generate', 'records:5kB',
                                 program=paths.faulty)
        self.expect(result, 4)
        self.assertEqual(result.stderr.count('verification failed'), 1, result.stderr)
        self.assertIn('FAULTY FAILED', result.stdout)

    def start(self, *options):
        """A running perfclient, once the first process measures: its progress says so."""
        process = subprocess.Popen([paths.client, '-wt', '0', '-wr', '1', *options], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if ': main, ' in line:
                return process
        self.fail(f'it does not begin: {process.communicate()}')

    def test_a_file_that_changes(self):
        """The second process reads another document: no number of it is taken."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'a.xml')
            pathlib.Path(path).write_text('<a>' + '<b>1</b>' * 1000 + '</a>')
            process = self.start('-t', '1500', '--processes', '2', '-xml', path)
            pathlib.Path(path).write_text('<a>another</a>')
            out, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 6, err)
            self.assertIn('process 2 of 2: ' + path + ' has changed', err)
            self.assertIn('XML-ENCODE main', out)

    def test_stopped(self):
        process = self.start('-t', '1500', '--processes', '9', '-xml', '-efx', '--generate', 'records:5kB')
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 6, err)
        self.assertTrue(out.startswith('partial'), out[:200])
        self.assertIn('XML-ENCODE main', out)

    def test_stopped_in_another(self):
        process = self.start('-t', '1500', '--processes', '9', '-xml', '-efx', '--generate', 'records:5kB')
        for line in process.stderr:
            if '(process 2 of 9): main, ' in line:
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 6, err)
        self.assertTrue(out.startswith('partial'), out[:200])
        self.assertRegex(out, r'rounds of 2 processes')

    def test_refused(self):
        for value in ('0', '101', 'x'):
            self.one_line(self.expect(self.perfclient('--processes', value, '--generate', 'records'), 2), '--processes')
        self.one_line(self.expect(self.perfclient('--processes', '2', '-xml', '-', stdin='<a/>'), 2), 'standard input')
        # The word that processes are started with is none for users.
        self.expect(self.perfclient('as-process', '1', '2', '-xml', 'x.xml'), 5)


if __name__ == '__main__':
    main()
