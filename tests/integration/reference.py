"""Man pages and completions: made from the option tables, and such that their readers take them."""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

paths = argparse.Namespace()


def render(program, kind):
    words = [paths.relay, '--reference', kind] if program == 'perfrelay' else [paths.client, 'reference', kind]
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout


class References(unittest.TestCase):
    def checked_by(self, shell, text, *words):
        if not shutil.which(shell):
            self.skipTest(f'no {shell}')
        with tempfile.NamedTemporaryFile('w') as file:
            file.write(text)
            file.flush()
            result = subprocess.run([shell, *(word.replace('FILE', file.name) for word in words)], capture_output=True,
                                    text=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ''), result)
        return result.stdout

    def options(self, program):
        path = paths.relay if program == 'perfrelay' else paths.client
        text = subprocess.run([path, '--help'], capture_output=True, text=True, check=True, timeout=60).stdout
        return set(re.findall(r'^  (?:-\S+?,\s?)*(--?[a-z][\w-]*)', text, re.MULTILINE))

    def test_man_pages(self):
        for program in ('perfrelay', 'perfclient'):
            text = render(program, 'man')
            self.assertTrue(text.startswith(f'.TH {program.upper()} 1 '))
            plain = text.replace('\\-', '-').replace('\\e', '\\')
            for option in self.options(program):
                self.assertIn(option, plain, program)
            if shutil.which('man'):
                result = subprocess.run(['man', '--warnings', '-E', 'UTF-8', '-l', '-Tutf8', '-Z', '-'], input=text, text=True,
                                        capture_output=True, timeout=60)
                self.assertEqual((result.returncode, result.stderr), (0, ''))

    def test_bash(self):
        for program, typed, offered in (('perfrelay', '--thr', '--threads'), ('perfclient', '--secret', '--secret-file'),
                                        ('perfclient', 'conv', 'convert'), ('perfclient', '-warmup-', '-warmup-time')):
            script = render(program, 'bash') + f'\nCOMP_WORDS=({program} {typed}) COMP_CWORD=1; _{program}; echo "${{COMPREPLY[@]}}"\n'
            self.assertIn(offered, self.checked_by('bash', script, 'FILE').split())
        choice = render('perfclient', 'bash') + '\nCOMP_WORDS=(perfclient --echo c) COMP_CWORD=2; _perfclient; echo "${COMPREPLY[@]}"\n'
        self.assertEqual(self.checked_by('bash', choice, 'FILE'), 'cut-through\n')

    def test_zsh(self):
        for program in ('perfrelay', 'perfclient'):
            self.checked_by('zsh', render(program, 'zsh'), '-n', 'FILE')

    def test_fish(self):
        for program, typed, offered in (('perfrelay', '--thr', '--threads'), ('perfclient', '--secret', '--secret-file')):
            script = render(program, 'fish') + f"\ncomplete -C '{program} {typed}'\n"
            self.assertIn(offered, self.checked_by('fish', script, '--no-config', 'FILE'))

    def test_what_there_is_not(self):
        for words in ([paths.relay, '--reference', 'x'], [paths.client, 'reference', 'x'], [paths.client, 'reference']):
            result = subprocess.run(words, capture_output=True, text=True, timeout=60)
            self.assertEqual((result.returncode, result.stderr.count('\n')), (2, 1), result)


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--relay', required=True)
    parser.add_argument('--client', required=True)
    _, rest = parser.parse_known_args(namespace=paths)
    unittest.main(argv=[sys.argv[0], *rest])
