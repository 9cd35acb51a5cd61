#!/usr/bin/env python3
"""EXI through perfclient: efxperf's modes, EXI files as inputs, --save, convert --trace, explain."""
import gzip
import os
import pathlib
import re

from support import QUICK, FolderCase, main, paths

NAMESPACES = ('<a>\n  <p:b xmlns:p="u" c="1" p:d="2" xml:lang="en">x<q:t xmlns:q="v" '
              'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="q:t">1</q:t></p:b>'
              '<!--y-->\n</a>')


class Exi(FolderCase):
    def exi(self, name, *options, source=None):
        path = self.file(name)
        self.expect(self.perfclient('convert', *options, source or paths.document, path), 0)
        return path

    def run_rows(self, *options):
        result = self.expect(self.perfclient(*options, *QUICK), 0)
        self.assertNotIn('FAILED', result.stdout)
        return result.stdout

    def size(self, out, title):
        return int(re.search(rf'(?m)^{re.escape(title)}-SIZE (\d+) bytes', out).group(1))


class Efxperf(Exi):
    """The command lines that efxperf's users type."""
    MODES = ('-net', 'localhost', '-xml', '-gzxml', '-efx')

    def test_round_trip_and_each_direction(self):
        for option, phases in (([], ('ENCODE', 'TRANSMIT', 'DECODE', 'TOTAL')),
                               (['-d'], ('TRANSMIT', 'DECODE')), (['-e'], ('ENCODE', 'TRANSMIT'))):
            out = self.run_rows(*self.MODES, *option, paths.document)
            self.assertIn('network-host = ', out)
            for title in ('XML', 'GZXML', 'EFX'):
                for phase in phases:
                    self.assertRegex(out, rf'(?m)^{title}-{phase} main \S+ / [1-9]\d* runs')
            self.assertLess(self.size(out, 'EFX'), self.size(out, 'XML'))

    def test_zip_is_the_same_row_compressed(self):
        bare = self.run_rows(*self.MODES, paths.document)
        out = self.run_rows(*self.MODES, '-zip', paths.document)
        self.assertEqual(len(re.findall(r'(?m)^\S+-SIZE ', out)), 3, 'no row is added')
        size = next(int(found) for found in re.findall(r'(?m)^EFX\S*-SIZE (\d+)', out))
        self.assertLess(size, self.size(bare, 'EFX'))

    def test_streamed(self):
        out = self.run_rows(*self.MODES, '--stream', paths.document)
        self.assertRegex(out, r'(?m)^EFX-ENC\+SEND main ')
        self.assertRegex(out, r'(?m)^EFX-RECV\+DEC main ')

    def test_transcode(self):
        out = self.run_rows(*self.MODES, '-transcode', paths.document)
        self.assertEqual(self.size(out, 'TRANSCODE'), self.size(out, 'EFX'))

    def test_an_exi_file_is_an_input_like_any_other(self):
        source = self.exi('test.exi')
        out = self.run_rows(*self.MODES, source)
        own = os.path.getsize(source)
        self.assertIn(f'test.exi ({own} bytes)', out)
        self.assertEqual(self.size(out, 'EFX'), own)
        for option in (['-d'], ['-e'], ['-d', '--stream'], ['--stream'], ['-d', '-transcode']):
            self.run_rows(*self.MODES, *option, source)


class OwnBytes(Exi):
    """In a decode test an EXI file is decoded as it is, where a row's options read it."""

    def test_options_in_the_header(self):
        source = self.exi('a.exi', '--to', 'exi:options,cookie,align=comp,blockSize=50,all')
        own = os.path.getsize(source)
        out = self.run_rows('-d', '-efx', '--format', 'exi:align=byte', '-xml', source)
        self.assertEqual(self.size(out, 'EFX'), own)
        self.assertIn("note: decodes the file's own bytes", self.row_note(out, 'EFX'))
        self.assertNotEqual(self.size(out, 'EFX:ALIGN=BYTE'), own)
        self.assertIn('note: decodes what its encoder wrote: the file was read by exi',
                      self.row_note(out, 'EFX:ALIGN=BYTE'))
        # In the other directions everybody encodes.
        self.assertNotEqual(self.size(self.run_rows('-efx', source), 'EFX'), own)

    def test_options_out_of_band(self):
        spec = 'exi:align=byte,prefixes,comments'
        source = self.exi('a.bin', '--to', spec)
        own = os.path.getsize(source)
        out = self.run_rows('-d', '--from', spec, '--format', spec, '-efx', source)
        self.assertEqual(self.size(out, 'EFX:ALIGN=BYTE,PREFIXES,COMMENTS'), own)
        self.assertIn(f'decodes what its encoder wrote: the file was read by {spec}',
                      self.row_note(out, 'EFX'))
        wrong = self.expect(self.perfclient('-d', '-efx', '--from', 'exi', *QUICK, source), 5)
        self.one_line(wrong, source, 'EXI ')

    def test_packed_and_under_a_whitespace_policy(self):
        xml = self.file('n.xml', NAMESPACES)
        exi = self.exi('n.exi', '--ws', 'keep', source=xml)
        packed = self.exi('n.exi.gz', '--ws', 'keep', source=xml)
        for source in (exi, packed):
            out = self.run_rows('-d', '-efx', '-xml', '--format', 'xml:all', '--format',
                                'exi:prefixes', '-transcode', source)
            self.assertEqual(self.size(out, 'EFX'), os.path.getsize(exi))
            self.assertIn('--ws auto drops', self.row_note(out, 'EFX'))
            self.assertNotIn('not representable', out)
        self.run_rows('-efx', '-xml', '--format', 'xml:all', exi)

    def test_a_note_that_holds_for_one_file_names_it(self):
        exi = self.exi('n.exi', source=self.file('n.xml', NAMESPACES))
        out = self.run_rows('-d', '-efx', self.file('n.xml'), exi)
        self.assertIn(f"note: decodes the file's own bytes ({exi})", self.row_note(out, 'EFX'))


class Save(Exi):
    def test_every_row_leaves_what_it_encoded(self):
        kept = self.file('kept/deeper')
        out = self.run_rows('-xml', '-gzxml', '-efx', '-zip', '-transcode', '--save', kept,
                            paths.document)
        names = sorted(os.listdir(kept))
        self.assertEqual(names, ['test.xml.exi-align-comp.exi', 'test.xml.transcode-align-comp.exi',
                                 'test.xml.xml-gzip.xml.gz', 'test.xml.xml.xml'])
        for name in names:
            self.assertRegex(out, rf'(?m)^\S+-SAVED {re.escape(os.path.join(kept, name))}$')
        exi = pathlib.Path(self.exi('a.exi', '--to', 'exi:align=comp')).read_bytes()
        self.assertEqual(pathlib.Path(kept, names[0]).read_bytes(), exi)
        self.assertEqual(pathlib.Path(kept, names[1]).read_bytes(), exi)
        xml = pathlib.Path(self.exi('a.xml', '--ws', 'auto')).read_bytes()
        self.assertEqual(gzip.decompress(pathlib.Path(kept, names[2]).read_bytes()), xml)
        self.assertEqual(pathlib.Path(kept, names[3]).read_bytes(), xml)

    def test_a_decode_test_keeps_what_is_decoded(self):
        kept = self.file('kept')
        self.run_rows('-d', '-xml', '-mt', '2', '--save', kept, paths.document)
        self.assertEqual(pathlib.Path(kept, 'test.xml.xml.xml').read_bytes(),
                         pathlib.Path(paths.document).read_bytes())

    def test_inputs_of_one_name(self):
        kept = self.file('kept')
        os.mkdir(self.file('other'))
        first = self.file('a.xml', '<a/>')
        second = self.file('other/a.xml', '<b/>')
        self.run_rows('-xml', '--save', kept, first, second)
        self.assertEqual(sorted(os.listdir(kept)), ['a.xml.xml.2.xml', 'a.xml.xml.xml'])

    def test_where_nothing_can_be_kept(self):
        blocked = self.file('blocked', 'a file')
        result = self.expect(self.perfclient('-xml', '--save', blocked, *QUICK, paths.document), 6)
        self.one_line(result, '--save', blocked)
        self.assertEqual(result.stdout, '')
        os.makedirs(self.file('kept/test.xml.xml.xml'))
        result = self.expect(self.perfclient('-xml', '--save', self.file('kept'), *QUICK,
                                             paths.document), 6)
        self.one_line(result, '--save', 'test.xml.xml.xml', 'a directory')
        self.assertIn('XML-DECODE main', result.stdout, 'the run goes on')


class Trace(Exi):
    def trace(self, *options):
        result = self.expect(self.perfclient('convert', '--trace', *options, '-'), 0)
        return result.stdout.splitlines()

    def test_each_event(self):
        source = self.exi('n.exi', '--to', 'exi:prefixes,comments', source=self.file('n.xml', NAMESPACES))
        lines = self.trace('--from', 'exi:prefixes,comments', source)
        self.assertEqual(lines[0].split(), ['#', 'OFFSET', 'CODE', 'BITS', 'EVENT'])
        events = [line[38:] for line in lines[1:]]
        self.assertEqual(events[:3], ['header', 'SD', 'SE(*) {}a'])
        for event in ('SE(*) {u}b', 'NS "p" "u"', 'AT(*) {}c = "1"', 'CH "x"', 'CM "y"', 'EE', 'ED'):
            self.assertTrue(any(event in found for found in events), (event, events))
        kinds = [event.split()[0].replace('(*)', '') for event in events]
        listing = self.perfclient('convert', '--events', '--from', 'exi:prefixes,comments', source,
                                  '-').stdout.splitlines()
        self.assertEqual(sorted(kind for kind in kinds if kind != 'header'),
                         sorted(line.split()[0] for line in listing))

    def test_every_alignment_has_the_same_events(self):
        seen = []
        for alignment in ('bit', 'byte', 'pre', 'comp'):
            source = self.exi('a.exi', '--to', f'exi:options,align={alignment}')
            lines = self.trace(source)
            seen.append([line[38:].split(' = ')[0].split(' "')[0] for line in lines[1:]
                         if not re.match(r'(value|packed)', line[38:])])
            self.assertEqual(any('packed: ' in line for line in lines), alignment == 'comp')
            self.assertEqual(any(line[38:].startswith('value ') for line in lines),
                             alignment in ('pre', 'comp'))
        for other in seen[1:]:
            self.assertEqual(other, seen[0])

    def test_a_broken_stream_up_to_where_it_breaks(self):
        source = self.exi('a.exi')
        content = pathlib.Path(source).read_bytes()
        pathlib.Path(source).write_bytes(content[:len(content) // 2])
        result = self.expect(self.perfclient('convert', '--trace', source, '-'), 5)
        self.one_line(result, 'a.exi', 'EXI 4')
        self.assertGreater(len(result.stdout.splitlines()), 100)

    def test_what_has_none(self):
        result = self.expect(self.perfclient('convert', '--trace', paths.document, '-'), 5)
        self.one_line(result, 'cannot say where its bits go')


class Explain(Exi):
    def numbers(self, out, heading):
        """name: bytes, of the table under `heading`."""
        lines = out[out.index(heading):].splitlines()[2:]
        found = {}
        for line in lines:
            match = re.match(r'.*?\s([\d.-]+)\s+[\d.-]+ %(?:\s+[\d.]+(?=\s))?\s+(\S.*)$', line)
            if not match:
                break
            found[match.group(2)] = float(match.group(1))
        return found

    def test_the_parts_are_the_file(self):
        for options in ('exi', 'exi:options,align=byte', 'exi:options,all,align=pre',
                        'exi:options,align=comp'):
            source = self.exi('a.exi', '--to', options)
            out = self.expect(self.perfclient('explain', '--all', source), 0).stdout
            size = os.path.getsize(source)
            self.assertIn(f'{source}: exi, {size} bytes', out)
            kinds = self.numbers(out, '  KIND\n')
            whole = kinds['all events'] + kinds['header'] + kinds['padding']
            self.assertAlmostEqual(whole, size, delta=0.2)
            self.assertLess(kinds['padding'], 1)
            names = self.numbers(out, '  NAME\n')
            self.assertGreater(len(names), 20)
            self.assertAlmostEqual(sum(names.values()), kinds['all events'],
                                   delta=0.2 + 0.05 * len(names))
            self.assertEqual('UNPACKED' in out, 'comp' in options)

    def test_errors_in_one_line(self):
        for words, code, said in ((['a', 'b'], 2, 'one FILE'), ([], 2, 'one FILE'),
                                  (['--frm', 'x', 'a'], 2, '--frm'), (['--from'], 2, 'needs a value'),
                                  (['-schema', 'a.xsd', 'a'], 5, 'a.xsd'),
                                  (['--from', 'exo', 'a'], 2, 'exo'),
                                  ([self.file('none.exi')], 5, 'none.exi'),
                                  ([paths.document], 5, 'cannot say')):
            result = self.expect(self.perfclient('explain', *words), code)
            self.one_line(result, said)
        self.assertIn('Usage: perfclient explain',
                      self.expect(self.perfclient('explain', '--help'), 0).stdout)


if __name__ == '__main__':
    main()
