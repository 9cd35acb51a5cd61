#!/usr/bin/env python3
"""Dictionaries for small documents: trained, used in measurements and conversions, refused when damaged."""
import os
import pathlib
import re
import tempfile

from support import QUICK, Case, main


class Dictionary(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def file(self, name, content=None):
        path = os.path.join(self.folder.name, name)
        if content is not None:
            pathlib.Path(path).write_bytes(content)
        return path

    def train(self, name, *options, code=0):
        path = self.file(name)
        return path, self.expect(self.perfclient('train-dictionary', *options, path), code)

    def refused(self, code, words, *options):
        result = self.expect(self.perfclient(*options), code)
        self.one_line(result, *words)
        return result

    def test_trained_used_and_shown(self):
        path, result = self.train('m.dict', '--generate', 'messages', '--samples', 200, '--size', '8KiB')
        self.assertLessEqual(os.path.getsize(path), 8192)
        said = re.search(r'dictionary \d+, (\d+) bytes, from 180 documents of \d+ bytes each \(xml\)\n'
                         r'20 others: \d+ bytes each, by zstd (\d+), with the dictionary (\d+)\n', result.stdout)
        self.assertTrue(said, result.stdout)
        self.assertEqual(int(said[1]), os.path.getsize(path))
        # A message that it has not seen.
        spec = f'xml+zstd:dict={path}'
        run = self.expect(self.perfclient(*QUICK, '--format', 'xml+zstd', '--format', spec, '--generate', 'messages',
                                          '--seed', 77777), 0).stdout
        plain, small = (int(re.search(title + r'-SIZE (\d+) bytes', run)[1])
                        for title in (r'XML\+ZSTD', r'XML\+ZSTD:DICT=m\.dict'))
        self.assertLess(small * 2, plain)
        self.assertIn(f'XML+ZSTD:DICT=m.dict needs {said[1]} bytes more, which both sides hold', run)
        # In rows, a column.
        rows = self.expect(self.perfclient('-q', *QUICK, '--format', 'xml', '--format', 'xml+gzip', '--format', 'xml+zstd',
                                           '--format', spec, '--generate', 'messages'), 0).stdout
        self.assertRegex(rows, r'RATIO +SHARED')
        self.assertRegex(rows, rf'XML\+ZSTD:DICT=m\.dict +\d+ +[\d.]+ +{said[1]} ')
        self.assertRegex(rows, r'XML\+ZSTD +\d+ +[\d.]+ +- ')

    def test_other_formats_and_files(self):
        documents = []
        for i in range(60):
            text = f'<o n="{i}"><a>{i * 37 % 101} pieces of article {i * 7919 % 1009}</a><b>colour {i % 7}</b></o>'
            documents.append(self.file(f'{i}.xml', text.encode()))
        path, result = self.train('exi.dict', '--for', 'exi', '--size', '1KiB', *documents)
        self.assertIn('from 54 documents', result.stdout)
        self.expect(self.perfclient(*QUICK, '--format', f'exi+zstd:dict={path}', documents[3]), 0)
        # The same samples, the same dictionary.
        again, _ = self.train('again.dict', '--for', 'exi', '--size', '1KiB', *documents)
        self.assertEqual(pathlib.Path(path).read_bytes(), pathlib.Path(again).read_bytes())

    def test_convert_both_ways(self):
        path, _ = self.train('c.dict', '--generate', 'messages', '--samples', 100)
        original, packed, back = self.file('o.xml'), self.file('o.zst'), self.file('b.xml')
        spec = f'xml+zstd:dict={path}'
        self.expect(self.perfclient('convert', '--generate', 'messages', original), 0)
        self.expect(self.perfclient('convert', '--to', spec, original, packed), 0)
        self.expect(self.perfclient('convert', '--from', spec, packed, back), 0)
        events = [self.expect(self.perfclient('convert', '--events', f, '-'), 0).stdout for f in (original, back)]
        self.assertEqual(*events)
        self.refused(5, ['packed with a dictionary', 'zstd:dict=FILE'], 'convert', packed, back)
        other, _ = self.train('other.dict', '--generate', 'records:2kB', '--samples', 100)
        self.refused(5, ['packed with a dictionary, and this is not it'], 'convert', '--from',
                     f'xml+zstd:dict={other}', packed, back)
        # A measurement reads it as well.
        self.expect(self.perfclient(*QUICK, '-xml', '--from', spec, packed), 0)

    def test_damaged_dictionaries(self):
        path, _ = self.train('d.dict', '--generate', 'messages', '--samples', 100)
        whole = pathlib.Path(path).read_bytes()
        document = self.file('x.xml', b'<a>text</a>')
        for name, content, word in (('cut', whole[:40], 'damaged or cut short'), ('none', b'<a/>', 'no zstd dictionary'),
                                    ('empty', b'', 'is empty'), ('zeros', whole[:8] + bytes(200), 'damaged')):
            bad = self.file(name + '.dict', content)
            self.refused(5, [bad, word], '--format', f'xml+zstd:dict={bad}', document)
            self.refused(5, [bad, word], 'convert', '--to', f'xml+zstd:dict={bad}', document, self.file('out'))
            self.refused(5, [bad, word], 'convert', '--from', f'xml+zstd:dict={bad}', document, self.file('out'))
        self.refused(5, ['/nowhere.dict', 'cannot be read'], '--format', 'xml+zstd:dict=/nowhere.dict', document)
        self.refused(2, ['dict=FILE'], '--format', 'xml+zstd:dict', document)
        self.refused(2, ['option'], '--format', f'xml+gzip:dict={path}', document)

    def test_training_refuses(self):
        document = self.file('one.xml', b'<a>text</a>')
        out = self.file('never.dict')
        self.refused(5, ['too few to train on'], 'train-dictionary', document, out)
        self.refused(5, ['missing.xml'], 'train-dictionary', self.file('missing.xml'), out)
        self.refused(5, ['line 1'], 'train-dictionary', self.file('bad.xml', b'<a>'), out)
        self.refused(2, ['IN and OUT'], 'train-dictionary', out)
        self.refused(2, ['IN and OUT'], 'train-dictionary')
        self.refused(2, ["'1'", 'from 256'], 'train-dictionary', '--size', '1', document, out)
        self.refused(2, ['no format'], 'train-dictionary', '--for', 'nothing', document, out)
        self.refused(2, ['without a compressor'], 'train-dictionary', '--for', 'xml+gzip', document, out)
        self.refused(2, ['several formats'], 'train-dictionary', '--for', 'xml:all', document, out)
        self.refused(2, ['--bogus'], 'train-dictionary', '--bogus', document, out)
        self.refused(6, ['/nowhere/'], 'train-dictionary', '--generate', 'messages', '--samples', '60', '/nowhere/x.dict')
        self.assertFalse(os.path.exists(out))
        help_text = self.expect(self.perfclient('train-dictionary', '--help'), 0).stdout
        self.assertIn('Exit codes', help_text)


if __name__ == '__main__':
    main()
