#!/usr/bin/env python3
"""Object documents through the program: the sizes that the systems succeeded published, every format of either
model for every kind of input, in memory and through a relay.

The data sets are made by `--generate`; with PERFRELAY_OBJECT_DATA naming a folder, or the folder shared/data beside
the checkout, also read from the files that other libraries wrote. Without them those tests are skipped."""
import os
import re
import tempfile
import unittest

from support import QUICK, Case, main, paths

ONCE = ['-r', '1', '-t', '1', '-wr', '0', '-wt', '0']
# AMF3 as GraniteDS and BlazeDS write it, Hessian 2 as Caucho does, Java serialization as the JDK does.
SIZES = {'small-list-objects': (351_532, 341_726, 366_565), 'company': (30_621, 29_765, 49_824),
         'big-list-strings': (518_683, 511_793, 529_149)}
GENERATED = {'objects': 'small-list-objects', 'company': 'company', 'strings': 'big-list-strings'}
OBJECTS = ('-amf3', '-hessian', '-javaser')


def sizes(output):
    """{"AMF3": 30621} of the run lines."""
    return {title: int(size) for title, size in re.findall(r'(?m)^(\S+)-SIZE (\d+) bytes$', output)}


def data(name):
    folder = os.environ.get('PERFRELAY_OBJECT_DATA') or os.path.join(paths.source, '..', 'shared', 'data')
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        raise unittest.SkipTest(f'no data sets at {folder} (PERFRELAY_OBJECT_DATA)')
    return path


class Objects(Case):
    def run_in(self, folder, *words):
        return self.expect(self.perfclient(*words, cwd=folder), 0).stdout

    def expect_sizes(self, output, wanted):
        found = sizes(output)
        self.assertEqual((found['AMF3'], found['HESSIAN2'], found['JAVASER']), wanted)

    def test_generated_data_sets_have_the_published_sizes(self):
        with tempfile.TemporaryDirectory() as folder:
            for kind, name in GENERATED.items():
                self.expect_sizes(self.run_in(folder, *OBJECTS, *ONCE, '--generate', kind), SIZES[name])

    def test_files_have_the_published_sizes(self):
        for name, wanted in SIZES.items():
            path = data(name + '.ser')
            with tempfile.TemporaryDirectory() as folder:
                self.expect_sizes(self.run_in(folder, *OBJECTS, *ONCE, path), wanted)

    def test_what_other_libraries_wrote_is_read(self):
        for name, (amf3, hessian, _) in SIZES.items():
            with tempfile.TemporaryDirectory() as folder:
                for file, title, size in ((f'{name}.granite31.amf', 'AMF3', amf3),
                                          (f'{name}.hessian2.h2', 'HESSIAN2', hessian)):
                    found = sizes(self.run_in(folder, '-amf3', '-hessian', '-xml', *ONCE, data(file)))
                    self.assertEqual(found[title], size, file)
                    self.assertEqual(set(found), {'AMF3', 'HESSIAN2', 'XML'})

    def test_rows_of_both_models_in_memory_and_through_a_relay(self):
        with tempfile.TemporaryDirectory() as folder:
            made = os.path.join(folder, 'company.ser')
            self.expect(self.perfclient('convert', '--generate', 'company:50', made), 0)
            for network in ([], ['-net', 'localhost'], ['-net', 'localhost', '-d'], ['-net', 'localhost', '-e']):
                out = self.run_in(folder, *network, *OBJECTS, '-xml', '-gzxml', '-efx', *QUICK, made)
                self.assertEqual(set(sizes(out)), {'AMF3', 'HESSIAN2', 'JAVASER', 'XML', 'GZXML', 'EFX'}, out)
                self.assertNotIn('FAILED', out)
                self.assertNotIn('not representable', out)
                self.assertRegex(out, r'\(keeps references\)\n(.*\n)*\(tree\)')
                self.assertRegex(out, r'mapping +objects as XML')

    def test_every_kind_of_input_is_the_same_document(self):
        with tempfile.TemporaryDirectory() as folder:
            first = os.path.join(folder, 'company.ser')
            self.expect(self.perfclient('convert', '--generate', 'company:20', first), 0)
            wanted = sizes(self.run_in(folder, '-hessian', *ONCE, first))
            for ending in ('xml', 'xml.gz', 'exi', 'amf', 'h2', 'hessian'):
                file = os.path.join(folder, 'company.' + ending)
                self.expect(self.perfclient('convert', first, file), 0)
                out = self.run_in(folder, '-hessian', *ONCE, file)
                self.assertEqual(sizes(out), wanted, ending)
                shown = ending in ('xml', 'xml.gz', 'exi')
                self.assertEqual('mapping   objects as XML' in out, shown, out)

    # A file that no writer of ours makes: JSON with blanks, AMF3 that spells a text out again.
    def test_a_decode_test_reads_the_files_own_bytes(self):
        titles = {'ser': 'JAVASER', 'amf': 'AMF3', 'h2': 'HESSIAN2', 'json': 'JSON', 'cbor': 'CBOR', 'mpk': 'MSGPACK',
                  'bson': 'BSON'}
        formats = [*OBJECTS, *(word for name in ('json', 'cbor', 'msgpack', 'bson') for word in ('--format', name))]
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.join(folder, 'made.' + ending) for ending in titles]
            for file in files:
                self.expect(self.perfclient('convert', '--generate', 'company:20', file), 0)
            foreign = {'foreign.json': b'[ "text" , "text" , { "a" : 1.50 } ]\n',
                       'foreign.amf': bytes.fromhex('09 05 01 06 09 74657874 06 09 74657874')}
            for name, content in foreign.items():
                files.append(os.path.join(folder, name))
                with open(files[-1], 'wb') as file:
                    file.write(content)
            for file in files:
                own = titles[file.rsplit('.', 1)[1]]
                out = self.run_in(folder, '-d', *formats, *ONCE, file)
                self.assertEqual(sizes(out)[own], os.path.getsize(file), out)
                for title in titles.values():
                    self.assertEqual("decodes the file's own bytes" in self.row_note(out, title), title == own, out)
                written = sizes(self.run_in(folder, '-e', *formats, *ONCE, file))[own]
                self.assertEqual(written < os.path.getsize(file), 'foreign' in file, file)

    def test_a_document_of_xml_comes_back_from_objects(self):
        with tempfile.TemporaryDirectory() as folder:
            listing = ['--events', '--ws', 'auto']
            wanted = self.run_in(folder, 'convert', *listing, paths.document, '-')
            wanted = '\n'.join(line for line in wanted.splitlines() if not line.startswith(('CM', 'PI', 'DT')))
            for ending in ('amf', 'h2', 'ser'):
                for bind in ('text', 'typed'):
                    file = os.path.join(folder, 'test.' + ending)
                    self.run_in(folder, 'convert', '--bind', bind, paths.document, file)
                    back = self.run_in(folder, 'convert', '--events', file, '-')
                    self.assertEqual(back.strip(), wanted.strip(), (ending, bind))

    def test_the_mapping_is_printed(self):
        out = self.run_in(None, '-amf3', '-xml', *ONCE, paths.document)
        self.assertRegex(out, r'mapping +text: ')
        typed = self.run_in(None, '-amf3', '-xml', '--bind', 'typed', *ONCE, paths.document)
        self.assertRegex(typed, r'mapping +typed: ')
        self.assertLess(sizes(typed)['AMF3'], sizes(out)['AMF3'])
        self.assertNotIn('mapping', self.run_in(None, '-xml', *ONCE, paths.document))
        result = self.expect(self.perfclient('-amf3', '--bind', 'json', paths.document), 2)
        self.one_line(result, '--bind', 'json')

    def test_profiles_repeat_the_old_comparison(self):
        with tempfile.TemporaryDirectory() as folder:
            formats = [word for profile in ('blazeds', 'graniteds') for word in ('--format', f'amf3:profile={profile}')]
            found = sizes(self.run_in(folder, *formats, *ONCE, '--generate', 'objects'))
            self.assertEqual(set(found.values()), {351_532}, found)

    def test_damaged_objects_are_refused_in_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            whole = os.path.join(folder, 'company.ser')
            self.expect(self.perfclient('convert', '--generate', 'company:20', whole), 0)
            with open(whole, 'rb') as file:
                content = file.read()
            for name, wrong in (('cut.ser', content[:-10]), ('cut.amf', b'\x09\xff'), ('cut.h2', b'\x58\x49'),
                                ('fake.amf', b'\x0a\x13\x13#document\x05a b\x06\x01')):
                path = os.path.join(folder, name)
                with open(path, 'wb') as file:
                    file.write(wrong)
                self.one_line(self.expect(self.perfclient('-amf3', '-xml', *ONCE, path), 5), name)


if __name__ == '__main__':
    main()
