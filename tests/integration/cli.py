#!/usr/bin/env python3
"""perfclient as its users meet it: results, errors in one line, exit statuses."""
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import tempfile
import time

from support import QUICK, Case, Peer, Relay, main, paths, wait_until


class Results(Case):
    def test_bare_prints_help(self):
        result = self.expect(self.perfclient(), 0)
        self.assertIn('perfclient', result.stdout)
        self.assertIn('-net', result.stdout)

    def test_in_memory(self):
        result = self.expect(self.perfclient(*QUICK, paths.document), 0)
        size = os.path.getsize(paths.document)
        self.assertIn(f'test.xml ({size} bytes)', result.stdout)
        for word in ('XML-ENCODE main', 'XML-DECODE main', 'GZXML-SIZE', 'XML:TINYXML2', 'EFX-SIZE',
                     'FORMAT'):
            self.assertIn(word, result.stdout)

    def test_efxperfs_table_for_efxperfs_modes(self):
        for option in ([], ['-zip'], ['-lexical']):
            result = self.expect(self.perfclient('-xml', '-gzxml', '-efx', *option, *QUICK,
                                                 paths.document), 0)
            for word in ('EFX', 'SIZE*', 'DECODE**', 'FILENAME'):
                self.assertIn(word, result.stdout)
        result = self.expect(self.perfclient('-efx', '-transcode', *QUICK, paths.document), 0)
        self.assertIn('TRANSCODE-ENCODE main', result.stdout)

    def test_a_decode_test_reads_the_files_own_bytes(self):
        result = self.expect(self.perfclient('-xml', '-d', *QUICK, paths.document), 0)
        size = os.path.getsize(paths.document)
        self.assertIn(f'XML-SIZE {size} bytes', result.stdout)
        self.assertNotIn('ENCODE', result.stdout)

    def test_every_engine_and_compressor(self):
        formats = ['xml:all', 'gzxml', 'xml+deflate', 'xml+zstd:3', 'xml+brotli:5', 'xml+lz4']
        options = [word for spec in formats for word in ('--format', spec)]
        result = self.expect(self.perfclient(*options, *QUICK, paths.document), 0)
        self.assertNotIn('not representable', result.stdout)
        self.assertNotIn('FAILED', result.stdout)

    def test_standard_input(self):
        result = self.expect(self.perfclient('-xml', *QUICK, '-', stdin='<a b="1">x</a>'), 0)
        self.assertIn('XML-SIZE', result.stdout)

    def test_several_files_a_row_each(self):
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for i in range(3):
                names.append(os.path.join(folder, f'd{i}.xml'))
                pathlib.Path(names[-1]).write_text(f'<a>{"x" * i}</a>')
            result = self.expect(self.perfclient('-xml', *QUICK, *names), 0)
            for i in range(3):
                self.assertIn(f'[{i + 1}] file:', result.stdout)

    def test_directories_and_patterns_are_data_sets(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, 'deep'))
            for i in range(7):
                pathlib.Path(folder, 'deep' if i % 2 else '', f'd{i}.xml').write_text(f'<a>{"<b>x</b>" * 20 * i}</a>')
            pathlib.Path(folder, 'notes.txt').write_text('none of them')
            for inputs, files in (([folder], 7), ([os.path.join(folder, '*.xml')], 4),
                                  ([os.path.join(folder, 'deep'), os.path.join(folder, 'd[02].xml')], 5)):
                out = self.expect(self.perfclient('-xml', '-gzxml', *QUICK, *inputs), 0).stdout
                self.assertEqual(len(re.findall(r'(?m)^\[\d+\] file:', out)), files, out)
                self.assertIn('geometric means of ratios to XML', out)
                row = re.search(r'(?m)^GZXML +(\d+) +([\d.]+)( \()?', out)
                self.assertEqual(int(row.group(1)), files)
                self.assertEqual(bool(row.group(3)), files >= 6)

    def test_what_an_engine_cannot_carry_has_a_reason_and_no_time(self):
        with tempfile.NamedTemporaryFile('w', suffix='.xml') as file:
            file.write('<a>' * 150 + '</a>' * 150)
            file.flush()
            both = self.expect(self.perfclient('--format', 'xml:all', *QUICK, file.name), 0)
            self.assertIn('not representable', both.stdout)
            only = self.expect(self.perfclient('--format', 'xml:tinyxml2', *QUICK, file.name), 5)
            self.assertIn('not representable', only.stdout)

    def test_network_localhost(self):
        result = self.expect(self.perfclient('-net', 'localhost', *QUICK, paths.document), 0)
        self.assertIn('network-host = localhost', result.stdout)
        for word in ('XML-TRANSMIT main', 'XML-TOTAL main', 'GZXML-SIZE'):
            self.assertIn(word, result.stdout)

    def test_network_in_each_direction_and_both_echo_forms(self):
        with Relay() as relay:
            for options in (['-d'], ['-e'], [], ['--echo', 'cut-through']):
                self.expect(self.perfclient('-net', f'127.0.0.1:{relay.port}', '-xml', '-gzxml',
                                            *options, *QUICK, paths.document), 0)
            self.expect(self.perfclient('-net', f'net://127.0.0.1:{relay.port}', '-xml', *QUICK,
                                        paths.document), 0)

    def test_localhost_with_a_port_uses_the_relay_that_listens_there(self):
        with Relay('-v') as relay:
            self.expect(self.perfclient('-net', f'localhost:{relay.port}', '-xml', *QUICK,
                                        paths.document), 0)
            self.assertTrue(wait_until(lambda: any('session' in line for line in relay.lines), 5))

    def test_netrelay_is_the_relay(self):
        relay = subprocess.Popen([paths.client, '-netrelay', '0', '-v'], stderr=subprocess.PIPE,
                                 text=True)
        try:
            line = relay.stderr.readline()
            while line and 'listening' not in line:
                line = relay.stderr.readline()
            port = re.search(r'listening on .*:(\d+)', line).group(1)
            self.expect(self.perfclient('-net', f'127.0.0.1:{port}', '-xml', *QUICK,
                                        paths.document), 0)
        finally:
            relay.terminate()
            relay.wait(20)
            relay.stderr.close()

    def test_no_colour_when_piped(self):
        result = self.perfclient('-xml', *QUICK, paths.document)
        self.assertNotIn('\x1b', result.stdout + result.stderr)

    def test_quiet_prints_the_tables_alone(self):
        result = self.expect(self.perfclient('-q', '-xml', *QUICK, paths.document), 0)
        self.assertEqual(result.stderr, '')
        self.assertNotIn('warmup', result.stdout)
        self.assertIn('FILENAME', result.stdout)


class Errors(Case):
    def refused(self, code, words, *options, **how):
        result = self.perfclient(*options, **how)
        self.expect(result, code)
        self.one_line(result, *words)
        return result

    def test_inputs(self):
        with tempfile.TemporaryDirectory() as folder:
            empty = os.path.join(folder, 'empty.xml')
            pathlib.Path(empty).touch()
            bad = os.path.join(folder, 'bad.xml')
            pathlib.Path(bad).write_text('<a>\n  <b></c>\n</a>')
            cut = os.path.join(folder, 'cut.xml')
            pathlib.Path(cut).write_text('<a>')
            self.refused(5, ['missing.xml', 'No such file'], '-xml', 'missing.xml')
            os.mkdir(os.path.join(folder, 'none'))
            self.refused(5, ['none', 'directory'], '-xml', os.path.join(folder, 'none'))
            self.refused(5, ['empty.xml'], '-xml', empty)
            self.refused(5, ['bad.xml', 'line 2', 'mismatched tag'], '-xml', bad)
            self.refused(5, ['cut.xml', 'line 1'], '-xml', cut)
            self.refused(5, ['-'], '-xml', '-', stdin='no xml at all')

    def test_a_bad_file_does_not_cost_the_others(self):
        result = self.perfclient('-xml', *QUICK, 'missing.xml', paths.document)
        self.expect(result, 5)
        self.assertIn('XML-DECODE main', result.stdout)

    def test_memory_that_does_not_suffice(self):
        """std::bad_alloc ended in abort, and what was measured before was lost."""
        def limited(kilobytes, *files):
            return self.perfclient(*QUICK, *files, program='/bin/sh', before=[
                '-c', f'ulimit -v {kilobytes}; exec "$0" "$@"', paths.client])
        if limited(400000, '--version').returncode != 0:
            self.skipTest('a sanitizer needs more address space than any limit leaves')
        with tempfile.TemporaryDirectory() as folder:
            large = os.path.join(folder, 'large.xml')
            with open(large, 'w') as file:
                file.write('<r>' + '<row><a>1</a><b>text</b></row>' * 2_000_000 + '</r>')
            result = self.expect(limited(400000, '-xml', paths.document, large), 5)
            self.one_line(result, 'large.xml', 'memory')
            self.assertIn('XML-DECODE main', result.stdout)

    def test_options(self):
        self.refused(2, ['--formt', '--format'], '--formt', 'xml', paths.document)
        self.refused(2, ['xml:pugi', 'xml:pugixml'], '--format', 'xml:pugi', paths.document)
        self.refused(2, ['soup'], '-t', 'soup', paths.document)
        self.refused(2, ['file'], '-xml')

    def test_plan_runs_nothing(self):
        result = self.expect(self.perfclient('-xml', '-gzxml', '--link', 'dsl', '--plan', '-net', 'localhost:1',
                                             paths.document), 0)
        for words in (r'Would be measured: .*test\.xml', r'\nXML +9\d+ ', r'\ndsl +GZXML +[\d.]+ s +\d+ ',
                      r'\nIn all about [\d.]+ s: measuring [\d.]+ s, links '):
            self.assertRegex(result.stdout, words)
        self.assertNotIn('XML-ENCODE', result.stdout)

    def test_a_budget_cuts_and_says_so(self):
        result = self.expect(self.perfclient('-xml', '-gzxml', '--link', 'dsl', '--budget', '2s', paths.document), 0)
        self.assertRegex(result.stdout, r'budget +2\.00 s; cut: warm-up of 1\.00 s and 5 runs cut to .* of each '
                                        r'format; --link-time 20\.0 s cut to ')
        self.refused(2, ['--budget', 'unit'], '--budget', '5', paths.document)

    def test_connections(self):
        closed = socket.create_server(('127.0.0.1', 0))
        port = closed.getsockname()[1]
        closed.close()
        self.refused(3, [f'127.0.0.1:{port}', 'refused'], '-net', f'127.0.0.1:{port}', '-xml', paths.document)
        self.refused(3, ['no-such-host.invalid'], '-net', 'no-such-host.invalid:8000', '-xml', paths.document)
        self.refused(2, ['port'], '-net', 'host2', '-xml', paths.document)

    def test_peers_that_are_no_relay(self):
        def zeros(connection):
            for _ in range(100_000):
                connection.sendall(bytes(65536))

        def echo(connection):
            while data := connection.recv(65536):
                connection.sendall(data)

        peers = {
            'silent': lambda c: time.sleep(60),
            'closes': lambda c: c.close(),
            'http': lambda c: (c.sendall(b'HTTP/1.1 400 Bad Request\r\n\r\n'), time.sleep(60)),
            'random': lambda c: (c.sendall(random.Random(1).randbytes(100_000)), time.sleep(60)),
            'zeros': zeros,
            'ff': lambda c: (c.sendall(b'PRLY' + b'\xff' * 4096), time.sleep(60)),
            'echo': echo,
        }
        for name, handler in peers.items():
            with self.subTest(name), Peer(handler) as peer:
                started = time.monotonic()
                self.refused(3, [f'127.0.0.1:{peer.port}'], '-net', f'127.0.0.1:{peer.port}', '-xml', *QUICK,
                             paths.document)
                self.assertLess(time.monotonic() - started, 20)


    def test_words_of_a_peer_cannot_harm_a_terminal(self):
        text = b'\x1b]0;title\x07\nperfclient: everything verified'
        # ERROR 1 (malformed) as proto/wire/README.md has it: header, code, zero, retry, text.
        def crc32c(data):
            crc = 0xffffffff
            for byte in data:
                crc ^= byte
                for _ in range(8):
                    crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
            return crc ^ 0xffffffff

        def lie(connection):
            connection.recv(48)
            body = (1).to_bytes(2, 'big') + bytes(2) + bytes(4) + text
            head = b'\x1f\0\0\0' + bytes(4) + len(body).to_bytes(8, 'big')
            connection.sendall(head + crc32c(head + bytes(4)).to_bytes(4, 'big') + bytes(4) + body)
            time.sleep(5)

        with Peer(lie) as peer:
            result = self.refused(3, ['everything verified', '\\x1b'], '-net', f'127.0.0.1:{peer.port}', '-xml', *QUICK, paths.document)
            self.assertNotIn('\x1b', result.stderr)


class Signals(Case):
    LONG = ['-xml', '-gzxml', '-r', '1000000', '-t', '60000', '-wr', '1', '-wt', '0']

    def long_run(self, *options):
        return subprocess.Popen([paths.client, *self.LONG, *options, paths.document],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def interrupted(self, process, signals):
        for line in process.stderr:  # plain progress: what comes next is being timed
            if ': main, ' in line:
                break
        time.sleep(2)
        for number in signals:
            process.send_signal(number)
            time.sleep(0.1)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 6, err)
        self.assertIn('partial', out)
        self.assertRegex(out, r'XML-DECODE main \d+ms / [1-9]')

    def test_ctrl_c_prints_what_there_is(self):
        self.interrupted(self.long_run(), [signal.SIGINT])
        self.interrupted(self.long_run('-net', 'localhost'), [signal.SIGINT])

    def test_a_second_ctrl_c_stops_at_once(self):
        self.interrupted(self.long_run(), [signal.SIGINT, signal.SIGINT])
        self.interrupted(self.long_run('-net', 'localhost'), [signal.SIGINT, signal.SIGINT])

    def test_results_that_cannot_be_written_are_no_success(self):
        with open('/dev/full', 'w') as full:
            result = subprocess.run([paths.client, '-q', '-xml', *QUICK, paths.document], stdout=full,
                                    stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(result.returncode, 6)
        self.assertIn('cannot write', result.stderr)

    def test_convergence_is_demanded(self):
        result = self.perfclient('-xml', '--require-convergence', '-r', '3', '-t', '0', paths.document)
        self.expect(result, 7)  # three runs have no interval

    def test_the_relay_of_localhost_goes_with_its_client(self):
        for number in (signal.SIGKILL, signal.SIGINT):
            process = self.long_run('-net', 'localhost')
            try:
                children = f'/proc/{process.pid}/task/{process.pid}/children'
                self.assertTrue(wait_until(lambda: pathlib.Path(children).read_text().split(), 20))
                relay = int(pathlib.Path(children).read_text().split()[0])
                time.sleep(1)
                process.send_signal(number)
                process.communicate(timeout=60)
                self.assertTrue(wait_until(lambda: gone(relay), 10), 'the relay is still there')
            finally:
                if process.poll() is None:
                    process.kill()
                    process.communicate()


def gone(pid):
    try:
        with open(f'/proc/{pid}/stat') as stat:
            return stat.read().rsplit(')', 1)[1].split()[0] == 'Z'
    except FileNotFoundError:
        return True


if __name__ == '__main__':
    main()
