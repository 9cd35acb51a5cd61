"""Vectors of AMF3, Hessian 2 and Java serialization through perfclient itself.

    vectors.py FOLDER --client perfclient [--every N]

FOLDER has manifest.tsv and manifest-bad.tsv (its README says what their columns mean). A good vector
is shown by `convert --graph` as its JSON, in the neutral notation; converted to its own format it is
the same bytes again, where the format leaves no choice, and else an equal value. A malformed one ends
with exit status 5 and one line, with little memory and in little time; one that is only deep with 5 or
0. With --every N only each Nth is tried. Exit status: 0 all as they should be, 1 not, 77 there is no such folder.
"""
import argparse
import csv
import json
import pathlib
import resource
import subprocess
import sys

SPEC = {'amf3': 'amf3', 'hessian2': 'hessian2', 'jos': 'javaser'}
# Forms that a writer may choose otherwise; what they mean has to come back.
FREE = ('hessian2/binary-chunk', 'hessian2/list-variable', 'amf3/string-cesu8')
MEMORY = 512 << 20  # of a program that is handed a malformed vector


class Run:
    def __init__(self, client, folder):
        self.client = client
        self.folder = folder
        self.faults = []
        self.checked = 0

    def perfclient(self, *words, little_memory=False):
        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        return subprocess.run([self.client, 'convert', *map(str, words)], capture_output=True, timeout=60,
                              preexec_fn=limit if little_memory else None)

    def fault(self, vector, text):
        self.faults.append(f'{vector}: {text}')

    def good(self, row):
        file = self.folder / row['file']
        spec = SPEC[row['format']]
        self.checked += 1
        shown = self.perfclient('--graph', '--from', spec, file, '-')
        if shown.returncode != 0:
            return self.fault(row['id'], f'exit {shown.returncode}: {shown.stderr.decode()}')
        expected = json.loads((self.folder / row['json']).read_bytes())
        if json.loads(shown.stdout) != expected:
            return self.fault(row['id'], f'shown as {shown.stdout[:300]}')
        again = self.perfclient('--from', spec, '--to', spec, file, '-')
        if again.returncode != 0:
            return self.fault(row['id'], f'written: exit {again.returncode}: {again.stderr.decode()}')
        if not row['id'].startswith(FREE):
            if again.stdout != file.read_bytes():
                self.fault(row['id'], f'written as {again.stdout.hex()[:300]}')
            return None
        piped = subprocess.run([self.client, 'convert', '--graph', '--from', spec, '-', '-'], input=again.stdout,
                               capture_output=True, timeout=60)
        if piped.returncode != 0 or json.loads(piped.stdout) != expected:
            self.fault(row['id'], f'written and shown as {piped.stdout[:300]}')
        return None

    def bad(self, row):
        self.checked += 1
        done = self.perfclient('--graph', '--from', SPEC[row['format']], self.folder / row['file'], '-',
                               little_memory=not sanitized(self.client))
        wanted = {'error': (5,), 'policy': (0, 5), 'no-crash': (0, 5)}[row['expect']]
        if done.returncode not in wanted:
            self.fault(row['id'], f'exit {done.returncode}, not {wanted}: {done.stderr.decode()[-300:]}')
        elif done.returncode == 5 and len(done.stderr.decode().strip().splitlines()) != 1:
            self.fault(row['id'], f'not one line: {done.stderr.decode()[:300]}')


def sanitized(client):
    """A sanitizer's shadow is larger than any limit."""
    return b'__asan_init' in pathlib.Path(client).read_bytes()


def rows(path):
    with open(path, newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('--client', required=True)
    parser.add_argument('--every', type=int, default=1)
    options = parser.parse_args()
    if not (options.folder / 'manifest.tsv').exists():
        print(f'SKIP: no vectors at {options.folder}')
        return 77
    run = Run(options.client, options.folder)
    for row in rows(options.folder / 'manifest.tsv')[::options.every]:
        run.good(row)
    for row in rows(options.folder / 'manifest-bad.tsv')[::options.every]:
        run.bad(row)
    print(f'{run.checked} vectors, {len(run.faults)} faults')
    for fault in run.faults:
        print(fault)
    return 1 if run.faults or run.checked == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
