#!/usr/bin/env python3
"""The examples of README.md run: every "$ perfclient ..." line of a console block exits 0. Measurements are
shortened by options behind their own."""
import os
import pathlib
import re
import shlex
import tempfile

from support import Case, main, paths


COMMANDS = ('convert', 'compile-schema', 'explain', 'train-dictionary', 'report', 'compare', 'doctor')


class Readme(Case):
    def test_examples(self):
        text = pathlib.Path(paths.source, 'README.md').read_text()
        examples = []
        for block in re.findall(r'```console\n(.*?)```', text, re.S):
            examples += [line[2:] for line in block.splitlines() if line.startswith('$ ')]
        self.assertGreaterEqual(len(examples), 4)
        with tempfile.TemporaryDirectory() as folder:  # examples write files
            os.symlink(os.path.join(os.path.abspath(paths.source), 'tests'), os.path.join(folder, 'tests'))
            for example in examples:
                with self.subTest(example):
                    program, *words = shlex.split(example)
                    self.assertEqual(program, 'perfclient')
                    if words[0] not in COMMANDS:
                        words += ['-wt', '100', '-wr', '1', '-t', '200', '-r', '3']
                    self.expect(self.perfclient(*words, cwd=folder), 0)

    def test_every_path_named_exists(self):
        text = pathlib.Path(paths.source, 'README.md').read_text()
        for path in re.findall(r'\]\(([^)#:]+)\)', text) + re.findall(r'`((?:deploy|tests|proto|relay|client|common)/[\w./]*)`', text):
            self.assertTrue(os.path.exists(os.path.join(paths.source, path)), path)


if __name__ == '__main__':
    main()
