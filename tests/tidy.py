#!/usr/bin/env python3
"""clang-tidy over the product's files; those that it found clean before are left out.

BUILD is a folder configured by the preset clang; it need not be built. That a file is clean is kept in
BUILD/tidy/ under a hash of all that the answer depends on: the file with its headers as the preprocessor
shows them, comments too (NOLINT), the compiler's options, .clang-tidy, clang-tidy's version. Findings are
printed as they come; exit status 1 when there are any.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Not tests: GoogleTest's macros cost minutes a file and teach nothing.
PRODUCT = ('common', 'proto', 'relay', 'client')


def compile_words(entry):
    """The compiler and its options, without a launcher, the output and the input."""
    words = shlex.split(entry['command'])
    while os.path.basename(words[0]) == 'ccache':
        words.pop(0)
    at = words.index('-o')
    del words[at:at + 2]
    return [word for word in words if word not in ('-c', entry['file'])]


class Tidy:
    def __init__(self, build, tool):
        self.build = build
        self.tool = tool
        version = subprocess.run([tool, '--version'], capture_output=True, check=True).stdout
        self.common = version + (ROOT / '.clang-tidy').read_bytes()
        self.clean = build / 'tidy'
        self.clean.mkdir(exist_ok=True)

    def stamp(self, entry):
        words = compile_words(entry)
        shown = subprocess.run([*words, '-E', '-C', entry['file']], cwd=entry['directory'],
                               capture_output=True, check=True).stdout
        parts = hashlib.sha256(self.common + '\0'.join(words).encode() + b'\0' + shown)
        return self.clean / parts.hexdigest()

    def check(self, entry):
        """What clang-tidy says of the file, "" when it is clean, None when that was known."""
        try:
            stamp = self.stamp(entry)
        except subprocess.CalledProcessError as error:
            return error.stderr.decode(errors='replace')
        if stamp.exists():
            return None
        done = subprocess.run([self.tool, '-p', str(self.build), '--quiet', entry['file']],
                              capture_output=True, text=True)
        if done.returncode == 0:
            stamp.write_text(entry['file'] + '\n')
            return ''
        return done.stdout or done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path, metavar='BUILD')
    parser.add_argument('files', nargs='*', metavar='FILE', help='only those whose path ends like this')
    parser.add_argument('-j', type=int, default=os.cpu_count(), metavar='N', help='so many at once')
    options = parser.parse_intermixed_args()
    tool = shutil.which('clang-tidy-14') or shutil.which('clang-tidy')
    if tool is None:
        sys.exit('tests/tidy.py: no clang-tidy')
    build = options.build.resolve()
    entries = [entry for entry in json.loads((build / 'compile_commands.json').read_text())
               if entry['file'].startswith(tuple(f'{ROOT}/{folder}/' for folder in PRODUCT))
               and (not options.files or entry['file'].endswith(tuple(options.files)))]
    if not entries:
        sys.exit(f'tests/tidy.py: no such file in {build}/compile_commands.json')
    tidy = Tidy(build, tool)
    findings = known = 0
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for said in pool.map(tidy.check, entries):
            known += said is None
            if said:
                findings += 1
                print(said, flush=True)
    print(f'clang-tidy: {len(entries)} files, {known} known to be clean, {findings} with findings')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
