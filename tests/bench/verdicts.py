#!/usr/bin/env python3
"""What the words faster, slower, equivalent and undecided are worth, by planted speeds.

    verdicts.py PLANTED_SPEEDS [PAIRS]      20 pairs each by default; about 3 minutes

Each pair is a run of its own, --processes 5: a format against itself under another name, and against
itself slowed by a tenth. Of the first at most one in 20 may be called faster or slower; of the second
none faster or equivalent, and 18 in 20 slower. Exits 1 when that does not hold.
"""
import collections
import re
import subprocess
import sys

FORMATS = ('xml', 'exi', 'amf3', 'json', 'hessian2', 'cbor', 'msgpack')
DOCUMENTS = ('records:20kB', 'mixed:20kB', 'messages')
WORDS = ('faster', 'slower', 'equivalent', 'undecided')


def verdict(program, spec, planted, document, number):
    words = [program, '--format', spec, '--format', f'{planted}:{spec}', '--generate', document, '--seed', str(number),
             '--processes', '5', '-wr', '3', '-wt', '100', '-r', '20', '-t', '200']
    result = subprocess.run(words, capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        sys.exit(f'{" ".join(words)}: status {result.returncode}: {result.stderr}')
    table = result.stdout.split('Speed against ')[1]
    assert 'of 5 processes' in table.splitlines()[0], table
    row = next(line for line in table.splitlines() if line.startswith(f'{planted}:{spec} '))
    # The last column: encode and decode together.
    said = re.findall(rf'({"|".join(WORDS)})[^()]*\([^()]*\)', row)
    return said[-1], row.split(None, 1)[1]


def main():
    program = sys.argv[1]
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    held = True
    for planted in ('twin', 'slow'):
        counts = collections.Counter()
        for number in range(pairs):
            spec = FORMATS[number % len(FORMATS)]
            document = DOCUMENTS[number % len(DOCUMENTS)]
            word, row = verdict(program, spec, planted, document, number + 1)
            counts[word] += 1
            print(f'{planted}:{spec:10} {document:14} {word:11} {row}', flush=True)
        print(f'{planted}: ' + ', '.join(f'{counts[word]} {word}' for word in WORDS))
        if planted == 'twin':
            held &= counts['faster'] + counts['slower'] <= pairs / 20
        else:
            held &= counts['faster'] + counts['equivalent'] == 0 and counts['slower'] >= pairs * 18 / 20
    print('holds' if held else 'DOES NOT HOLD')
    return 0 if held else 1


if __name__ == '__main__':
    sys.exit(main())
