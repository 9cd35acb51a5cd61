#!/usr/bin/env python3
"""Every document of a corpus of real ones, all engines, in memory and through a relay: verified, or
"not representable" with a reason; never a failure, never a crash.

The corpus is no part of the project: the folder named by PERFRELAY_CORPUS, with an INDEX.tsv whose
first column is a path; else the folder shared/corpus beside the checkout. Without it the test is skipped.
"""
import os
import re

from support import Case, Relay, main, paths

ONCE = ['-r', '1', '-t', '0', '-wr', '0', '-wt', '0']
FORMATS = ['--format', 'xml:all', '--format', 'gzxml']


def corpus():
    return os.environ.get('PERFRELAY_CORPUS') or os.path.join(paths.source, '..', 'shared', 'corpus')


class Corpus(Case):
    def documents(self):
        index = os.path.join(corpus(), 'INDEX.tsv')
        with open(index, encoding='utf-8') as lines:
            return [os.path.join(corpus(), line.split('\t')[0]) for line in list(lines)[1:]]

    def check(self, result, document):
        """Every row has a result: verified and timed, or not representable with a reason."""
        self.expect(result, 0)
        verified = refused = 0
        for title in ('XML', 'XML:LIBXML2', 'XML:EXPAT', 'XML:TINYXML2', 'XML:PUGIXML', 'GZXML'):
            timed = re.search(rf'^{title}-\w+ main \d+.*\n(?:.*\n)*?{title}-SIZE \d+ bytes', result.stdout, re.M)
            reason = re.search(rf'^{title} not representable: \S', result.stdout, re.M)
            self.assertTrue(bool(timed) != bool(reason), f'{document}: {title}:\n{result.stdout}')
            verified, refused = verified + bool(timed), refused + bool(reason)
        return verified, refused

    def run_all(self, *options):
        documents = self.documents()
        for document in documents:
            with self.subTest(document):
                rows, refused = self.check(self.perfclient(*FORMATS, *ONCE, *options, document), document)
                print(f'{os.path.basename(document)}: {rows} verified, {refused} not representable')
        self.assertGreaterEqual(len(documents), 25)

    def test_in_memory(self):
        self.run_all()

    def test_decode_of_the_files_themselves(self):
        self.run_all('-d')
        self.run_all('-d', '--ws', 'keep')

    def test_through_a_relay(self):
        with Relay() as relay:
            self.run_all('-net', f'127.0.0.1:{relay.port}')


if __name__ == '__main__':
    main(lambda: None if os.path.exists(os.path.join(corpus(), 'INDEX.tsv')) else f'no corpus at {corpus()}')
