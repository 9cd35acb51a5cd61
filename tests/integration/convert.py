#!/usr/bin/env python3
"""perfclient convert through the program: formats in and out, exit statuses, pipes, atomic output.

Documents of others are looked at where they are: the corpus as in corpus.py, and the EXI vectors in
the folder shared/vectors/exi beside the checkout (or PERFRELAY_VECTORS); what is absent is skipped.
"""
import gzip
import hashlib
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from support import FolderCase, main, paths

KINDS = ('records', 'mixed', 'messages', 'deep')
INDENTED = '<a>\n  <b> </b>\n  <c xml:space="preserve"> <d/></c>\n</a>'


def shared(variable, *folders):
    return os.environ.get(variable) or os.path.join(paths.source, '..', 'shared', *folders)


class Convert(FolderCase):
    def convert(self, *words, code=0, stdin=b''):
        result = subprocess.run([paths.client, 'convert', *map(str, words)], input=stdin,
                                capture_output=True, timeout=300)
        self.assertEqual(result.returncode, code, f'{words}: {result.stderr[-500:]}')
        if code == 0:
            self.assertEqual(result.stderr, b'')
        return result

    def refused(self, code, word, *words, **how):
        result = self.convert(*words, code=code, **how)
        lines = result.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(word, lines[0])
        self.assertEqual(result.stdout, b'')

    def events(self, path, *options):
        return self.convert('--events', *options, path, '-').stdout

    def same_events(self, a, b):
        # Not assertEqual, whose report of the difference of two large texts takes minutes.
        self.assertTrue(self.events(a) == self.events(b), f'{a} and {b} differ')


class Formats(Convert):
    def specs(self):
        """Every SPEC of the table, and XML under every compressor."""
        text = self.expect(self.perfclient('--list-formats'), 0).stdout
        formats, _, compressors = re.split(r'\n(?:Options|Compressors)[^\n]*:\n', text)
        specs = [line[4:].split()[0].rstrip(',') for line in formats.splitlines()[1:] if line[4:5].strip()]
        specs += ['xml' + line.split()[0] for line in compressors.splitlines() if line.startswith('    +')]
        self.assertGreaterEqual(len(specs), 11, specs)
        return specs

    def test_every_format_and_back(self):
        for kind in KINDS:
            original = self.file(kind + '.xml')
            self.convert('--generate', kind + ':20kB', original)
            for spec in (spec + ':all' if spec in ('exi', 'transcode') else spec for spec in self.specs()):
                with self.subTest(f'{kind}, {spec}'):
                    there, back = self.file('there'), self.file('back.xml')
                    self.convert('--to', spec, original, there)
                    self.convert('--from', spec, there, back)
                    self.same_events(original, back)

    def test_outs_ending_says_what_to_write_and_content_what_to_read(self):
        self.convert(paths.document, self.file('a.xml.gz'))
        text = gzip.decompress(pathlib.Path(self.file('a.xml.gz')).read_bytes())
        self.assertEqual(text, self.convert(paths.document, '-').stdout)
        os.rename(self.file('a.xml.gz'), self.file('a.bin'))
        self.same_events(paths.document, self.file('a.bin'))
        for ending in ('zst', 'lz4', 'xml.br', 'gz.zst'):
            self.convert(paths.document, self.file('b.' + ending))
            self.same_events(paths.document, self.file('b.' + ending))

    def test_a_packed_file_is_input_of_a_run(self):
        self.convert(paths.document, self.file('a.xml.gz'))
        result = self.expect(self.perfclient('-q', '-xml', '-d', '-r', '1', '-t', '0', '-wr', '0', '-wt', '0',
                                             self.file('a.xml.gz')), 0)
        size = len(self.convert(paths.document, '-').stdout)
        self.assertIn(str(size), result.stdout)

    def test_pipes(self):
        text = self.convert('-', '-', stdin=b"<?xml version='1.0' encoding='ISO-8859-1'?><a b='\xe9'/>").stdout
        self.assertEqual(text, '<?xml version="1.0" encoding="UTF-8"?>\n<a b="é"/>'.encode())
        self.assertEqual(self.convert('--to', 'gzxml', '-', '-', stdin=text).stdout[:2], b'\x1f\x8b')
        packed = gzip.compress(text)
        self.assertEqual(self.convert('-', '-', stdin=packed).stdout, text)

    def test_idempotent(self):
        for content in ('<a/>', INDENTED, '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;\r\n&#13;</a>',
                        '<p:a xmlns:p="u" xmlns="v"><b xmlns="">&lt;]]&gt;<!--c--><?p q?></b></p:a>'):
            once = self.file('once.xml')
            self.convert(self.file('a.xml', content), once)
            self.same_events(self.file('a.xml'), once)
            self.assertEqual(self.convert(once, '-').stdout, pathlib.Path(once).read_bytes())


class Whitespace(Convert):
    def texts(self, *options):
        listing = self.events(self.file('a.xml', INDENTED), *options).decode()
        return [line[3:] for line in listing.splitlines() if line.startswith('CH')]

    def test_policies(self):
        kept = ['"\\n  "', '" "', '"\\n  "', '" "', '"\\n"']
        self.assertEqual(self.texts(), kept)
        self.assertEqual(self.texts('--ws', 'keep'), kept)
        self.assertEqual(self.texts('--ws=auto'), ['" "', '" "'])
        self.assertEqual(self.texts('-ws', 'drop'), [])

    def test_xml_stays_as_it_is_unless_told(self):
        source = self.file('a.xml', INDENTED)
        self.assertIn(b'\n  <b>', self.convert(source, '-').stdout)
        self.assertIn(b'<a><b> </b><c', self.convert('--ws', 'auto', source, '-').stdout)

    def test_a_run_says_what_it_dropped_and_reads_the_file_itself(self):
        source = self.file('a.xml', INDENTED)
        once = ['-r', '1', '-t', '0', '-wr', '0', '-wt', '0']
        run = self.expect(self.perfclient('-xml', *once, source), 0).stdout
        self.assertRegex(run, r'ws +auto: .*; 3 of .*a\.xml dropped')
        size = len(self.convert('--ws', 'auto', source, '-').stdout)
        self.assertIn(f'XML-SIZE {size} bytes', run)
        decode = self.expect(self.perfclient('-xml', '--format', 'xml:all', '-d', *once, source), 0).stdout
        self.assertIn(f'XML-SIZE {len(INDENTED)} bytes', decode)
        self.assertIn('--ws auto drops', decode)
        self.assertNotIn('FAILED', decode)
        keep = self.expect(self.perfclient('-xml', '--ws', 'keep', *once, source), 0).stdout
        self.assertRegex(keep, r'ws +keep: ')


class Generators(Convert):
    def test_the_same_seed_gives_the_same_bytes(self):
        seen = set()
        for kind in KINDS:
            for seed in ('1', '2'):
                runs = {hashlib.sha256(self.convert('--generate', kind, '--seed', seed, '-').stdout).hexdigest()
                        for _ in range(2)}
                self.assertEqual(len(runs), 1)
                seen |= runs
            self.assertEqual(self.convert('--generate', kind, '-').stdout,
                             self.convert('--generate', kind, '--seed', '1', '-').stdout)
        self.assertEqual(len(seen), 8)

    def test_runs_of_several(self):
        once = ['-r', '1', '-t', '0', '-wr', '0', '-wt', '0']
        words = [word for kind in KINDS for word in ('--generate', kind + ':10kB')]
        result = self.expect(self.perfclient('--format', 'xml:all', '-gzxml', *once, *words, paths.document), 0)
        self.assertIn('[5] file:', result.stdout)
        self.assertIn('generated deep:10kB seed 1', result.stdout)
        self.assertNotIn('not representable', result.stdout)


class Refusals(Convert):
    def test_what_cannot_be_read_is_exit_5_and_one_line(self):
        out = self.file('out.xml')
        self.refused(5, 'missing.xml', 'missing.xml', out)
        self.refused(5, 'line 1, column 6', self.file('bad.xml', '<a></b>'), out)
        self.refused(5, 'empty', self.file('empty.xml', ''), out)
        self.refused(5, '--from', self.file('text', 'hello'), out)
        self.refused(5, 'standard input', '-', out, stdin=b'')
        self.refused(5, 'SQLite by its first bytes', self.file('db', b'SQLite format 3\0' + bytes(100)), out)
        self.refused(5, 'gzip by its first bytes', self.file('cut.gz', gzip.compress(b'<a/>')[:-9]), out)
        self.refused(5, '--max-document', '--max-document', '10B', paths.document, out)
        self.refused(5, 'no.xsd: cannot be read', '-schema', self.file('no.xsd'), paths.document, out)
        bomb = self.file('bomb.gz', gzip.compress(bytes(50_000_000)))
        self.refused(5, 'bomb.gz', '--max-document', '1MB', bomb, out)
        self.assertFalse(os.path.exists(out))
        self.assertEqual([name for name in os.listdir(self.folder.name) if 'part' in name], [])

    def test_what_cannot_be_represented_is_exit_5(self):
        deep = self.file('deep.xml', '<a>' * 200 + '</a>' * 200)
        self.refused(5, 'xml:tinyxml2 cannot represent it', '--to', 'xml:tinyxml2', deep, self.file('out'))
        self.assertFalse(os.path.exists(self.file('out')))

    def test_usage_is_exit_2(self):
        for words in ([], ['a.xml'], ['a', 'b', 'c'], ['--to', 'nothing', 'a', 'b'],
                      ['--from', 'nothing', 'a', 'b'], ['--bogus', 'a', 'b'], ['--events', '--to', 'xml', 'a', 'b'],
                      ['-schema', '', 'a', 'b'], ['--generate', 'nothing', 'b']):
            self.refused(2, 'convert: ', *words)
        self.assertIn(b'Usage: perfclient convert', self.convert('--help').stdout)

    def test_output_that_cannot_be_written_is_exit_6(self):
        self.refused(6, 'no/out.xml', paths.document, self.file('no/out.xml'))
        self.refused(6, 'directory', paths.document, self.folder.name)
        with open('/dev/full', 'wb') as full:
            result = subprocess.run([paths.client, 'convert', paths.document, '-'], stdout=full,
                                    stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(result.returncode, 6)
        self.assertIn(b'standard output', result.stderr)

    def test_a_failed_conversion_leaves_what_was_there(self):
        out = self.file('out.xml', 'precious')
        self.refused(5, 'bad', self.file('bad.xml', '<a>'), out)
        self.assertEqual(pathlib.Path(out).read_text(), 'precious')
        self.convert(paths.document, out)
        self.same_events(paths.document, out)

    def test_in_may_be_out(self):
        both = self.file('both.xml', INDENTED)
        before = self.events(both)
        self.convert(both, both)
        self.assertEqual(self.events(both), before)

    def test_a_reader_that_goes_away(self):
        process = subprocess.Popen([paths.client, 'convert', '--generate', 'records:5MB', '-'],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.read(10)
        process.stdout.close()
        self.assertEqual(process.wait(60), 6)
        self.assertEqual(process.stderr.read(), b'')
        process.stderr.close()

    def test_ctrl_c_while_waiting_for_a_pipe(self):
        process = subprocess.Popen([paths.client, 'convert', '-', self.file('out.xml')],
                                   stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(b'<a>')
        process.stdin.flush()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 6)
        self.assertIn(b'interrupted', process.stderr.read())
        process.stdin.close()
        process.stderr.close()
        self.assertFalse(os.path.exists(self.file('out.xml')))


class OtherPeoplesDocuments(Convert):
    def test_the_corpus_converts_and_is_equal_under_events(self):
        corpus = shared('PERFRELAY_CORPUS', 'corpus')
        if not os.path.exists(os.path.join(corpus, 'INDEX.tsv')):
            self.skipTest(f'no corpus at {corpus}')
        with open(os.path.join(corpus, 'INDEX.tsv'), encoding='utf-8') as lines:
            documents = [os.path.join(corpus, line.split('\t')[0]) for line in list(lines)[1:]]
        for document in documents:
            with self.subTest(document):
                once, twice = self.file('once.xml'), self.file('twice.xml')
                self.convert(document, once)
                self.convert(once, twice)
                self.same_events(document, once)
                self.assertTrue(pathlib.Path(once).read_bytes() == pathlib.Path(twice).read_bytes())
        self.assertGreaterEqual(len(documents), 25)

    def test_listings_equal_those_of_the_vectors_where_options_keep_everything(self):
        vectors = shared('PERFRELAY_VECTORS', 'vectors', 'exi')
        if not os.path.exists(os.path.join(vectors, 'manifest.tsv')):
            self.skipTest(f'no vectors at {vectors}')
        compared = set()
        with open(os.path.join(vectors, 'manifest.tsv'), encoding='utf-8') as lines:
            for line in list(lines)[1:]:
                row = line.rstrip('\n').split('\t')
                options = row[3].split(',')
                if 'all' not in options or 'er' in options or row[2] != '-' or row[1] in compared:
                    continue
                if 'fragment' in options or any(option.startswith('sc') for option in options):
                    continue
                compared.add(row[1])
                with self.subTest(row[1]):
                    mine = self.events(os.path.join(vectors, row[1])).decode()
                    theirs = pathlib.Path(vectors, row[7]).read_bytes().decode()
                    self.assertEqual(self.without_quirks(mine), self.without_quirks(theirs))
        self.assertGreaterEqual(len(compared), 25)

    @staticmethod
    def without_quirks(listing):
        """That implementation drops xsi:schemaLocation and xsi:nil="false", whatever it preserves."""
        return [line for line in listing.split('\n')
                if 'schemaLocation = ' not in line and 'chemaLocation = ' not in line
                and not line.endswith('XMLSchema-instance}nil = "false"')]


if __name__ == '__main__':
    main()
