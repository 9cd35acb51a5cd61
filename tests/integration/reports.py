#!/usr/bin/env python3
"""Reports in files: JSON that its published schema describes however a run ends, JSON Lines, CSV in SQLite and pandas,
Markdown, saved reports shown again and put together."""
import csv
import importlib
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

from support import QUICK, Case, Relay, main, paths


SMALL = ['--generate', 'records:20kB']
# One that documents take too long over, one that they are sent over.
LINKS = ['--link', 'gprs', '--link', 'down=400M,up=400M,rtt=1ms', '--link-time', '300ms']


def module(name):
    """A Debian package's module, or the test is skipped."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise unittest.SkipTest(f'python3-{name} is not installed')


class Reports(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def file(self, name, content=None):
        path = os.path.join(self.folder.name, name)
        if content is not None:
            pathlib.Path(path).write_text(content)
        return path

    def valid(self, document):
        """What the schema says, and no member that it does not know."""
        jsonschema = module('jsonschema')
        schema = json.loads(pathlib.Path(paths.source, 'client/report/report.schema.json').read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        for definition in schema['$defs'].values():
            definition['additionalProperties'] = False
        schema['$defs']['report']['properties'] |= {'format': True, 'schema_version': True}
        jsonschema.Draft202012Validator(schema).validate(document)

    def saved(self, *words, code=0, name='out.json', **how):
        """The report of a run that ends with `code`."""
        path = self.file(name)
        self.expect(self.perfclient('--json', path, *words, **how), code)
        return self.load(path, code)

    def load(self, path, code):
        document = json.loads(pathlib.Path(path).read_text())
        self.valid(document)
        self.assertEqual(document['exit_code'], code)
        self.assertEqual(os.listdir(self.folder.name).count(os.path.basename(path)), 1)
        return document


class Endings(Reports):
    """The document is whole and valid in each."""

    def test_success(self):
        document = self.saved('-xml', '-gzxml', '-efx', *QUICK, '--link', 'gprs', '--link', 'dsl', '--link-time', '0', paths.document)
        self.assertEqual(document['results']['status'], 'ok')
        rows = document['files'][0]['rows']
        self.assertEqual([row['codec']['title'] for row in rows], ['XML', 'GZXML', 'EFX'])
        self.assertEqual(len(document['files'][0]['results']['links']), 6)
        self.assertEqual(len(document['files'][0]['results']['crossovers']), 3)
        self.assertGreaterEqual(sum(rows[0]['main']['documents']), 3)

    def test_every_way_to_measure(self):
        for words in (['-d'], ['-e'], ['-mt', '2'], ['-net', 'localhost'], ['-net', 'localhost', '--stream'],
                      ['-net', 'localhost', '-d'], ['-amf3', '-hessian']):
            with self.subTest(words):
                self.saved('-xml', '-gzxml', *words, *QUICK, *SMALL)

    def test_verification_failure(self):
        document = self.saved('-xml', '--format', 'faulty:attribute', *QUICK, *SMALL, code=4,
                              program=paths.faulty)
        self.assertEqual(document['results']['status'], 'error')
        self.assertEqual([row['status'] for row in document['files'][0]['rows']], ['timed', 'failed'])
        self.assertIn('verification failed', document['messages'][0])

    def test_refused_connection_and_lost_relay(self):
        document = self.saved('-net', '127.0.0.1:1', '-xml', *QUICK, *SMALL, code=3)
        self.assertEqual(document['files'], [])
        with Relay() as relay:
            path = self.file('lost.json')
            client = subprocess.Popen([paths.client, '--json', path, '-net', f'127.0.0.1:{relay.port}', '-xml', '-t', '60s',
                                       *SMALL], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      cwd=self.folder.name)
            self.wait_for_turns(client)
            relay.process.kill()
            client.communicate(timeout=60)
        self.assertEqual(client.returncode, 3)
        document = self.load(path, 3)
        self.assertTrue(document['partial'])
        self.assertIn('lost the relay', document['messages'][0])

    def wait_for_turns(self, client):
        """Until it measures."""
        for line in client.stderr:
            if ': main' in line:
                time.sleep(0.3)
                return
        self.fail('it never came to measure')

    def test_interrupted(self):
        for times in (1, 2):
            path = self.file(f'interrupted{times}.json')
            client = subprocess.Popen([paths.client, '--json', path, '-xml', '-gzxml', '-t', '60s', '-wt', '10', *SMALL],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder.name)
            self.wait_for_turns(client)
            for _ in range(times):
                client.send_signal(signal.SIGINT)
                time.sleep(0.05)
            client.communicate(timeout=60)
            self.assertEqual(client.returncode, 6)
            document = self.load(path, 6)
            self.assertEqual(document['results']['status'], 'partial')
            self.assertTrue(document['files'][0]['rows'][0]['main']['total_ns'])

    def test_bad_input(self):
        bad = self.file('bad.xml', '<a></b>')
        document = self.saved('-xml', *QUICK, bad, *SMALL, code=5)
        self.assertIn('mismatched tag', document['files'][0]['error'])
        self.assertEqual(document['files'][1]['rows'][0]['status'], 'timed')
        self.saved('-xml', 'missing.xml', code=5)
        deep = self.file('deep.xml', '<a>' * 150 + '</a>' * 150)
        self.saved('--format', 'xml:tinyxml2', *QUICK, deep, code=5)

    def test_usage(self):
        document = self.saved('--formt', 'xml', *SMALL, code=2)
        self.assertIn('did you mean', document['messages'][0])
        self.saved('--format', 'nothing', *SMALL, code=2)

    def test_not_converged(self):
        self.saved('-xml', '--require-convergence', '-r', '3', '-t', '0', '-wr', '0', '-wt', '0', *SMALL, code=7)

    def test_where_it_cannot_be_written(self):
        for path in (self.file('none/out.json'), self.folder.name):
            result = self.expect(self.perfclient('--json', path, '-xml', *QUICK, *SMALL), 2)
            self.one_line(result, '--json', path)
            self.assertEqual(result.stdout, '')
        self.one_line(self.expect(self.perfclient('--json', '-', '--csv', '-', '-xml', *SMALL), 2), '--csv')

    def test_standard_output_in_place_of_the_tables(self):
        result = self.expect(self.perfclient('-amf3', '--json', '-', '-r', '2', '-t', '0', '-wr', '0', '-wt', '0',
                                             '--generate', 'company:5'), 0)
        self.valid(json.loads(result.stdout))


class Forms(Reports):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls('test_csv_in_sqlite')
        cls.paths = {kind: case.file('out.' + kind) for kind in ('json', 'jsonl', 'csv', 'markdown')}
        words = [word for kind, path in cls.paths.items() for word in ('--' + kind, path)]
        cls.result = case.expect(case.perfclient(
            '-xml', '-gzxml', '--format', 'xml:tinyxml2', *QUICK, *LINKS, *words, paths.document, case.file('deep, "150".xml', '<a>' * 150 + '</a>' * 150)), 0)

    def setUp(self):
        self.document = self.load(self.paths['json'], 0)

    def runs(self):
        for file in self.document['files']:
            for row in file['rows']:
                for stage in ('warmup', 'main'):
                    for i, documents in enumerate(row[stage].get('documents', [])):
                        yield file['name'], row['codec']['spec'], stage, documents, row[stage]['total_ns'][i]

    def test_csv_in_sqlite(self):
        with open(self.paths['csv'], newline='') as file:
            header, *lines = csv.reader(file)
        database = sqlite3.connect(':memory:')
        database.execute(f'CREATE TABLE runs ({", ".join(name + " NUMERIC" for name in header)})')
        database.executemany(f'INSERT INTO runs VALUES ({", ".join("?" * len(header))})', lines)
        found = database.execute('SELECT file, format, stage, documents, round(total_ns * documents) FROM runs '
                                 'WHERE stage <> "" ORDER BY rowid').fetchall()
        self.assertEqual(len(found), len(list(self.runs())))
        for one, other in zip(found, self.runs()):
            self.assertEqual(one[:4], other[:4])
            self.assertAlmostEqual(one[4], other[4], delta=one[3])
        refused = database.execute('SELECT why FROM runs WHERE status = "not representable"').fetchall()
        self.assertEqual(len(refused), 1)
        self.assertIn('150 deep', refused[0][0])
        database.close()

    def test_csv_in_pandas(self):
        frame = module('pandas').read_csv(self.paths['csv'])
        main = frame[frame.stage == 'main']
        for row in self.document['files'][0]['rows']:
            of_row = main[(main.format == row['codec']['spec']) & (main.file == self.document['files'][0]['name'])]
            self.assertAlmostEqual(of_row.encode_ns.median(), row['results']['times_ns']['encode']['median'], delta=1)

    def test_json_lines(self):
        lines = [json.loads(line) for line in pathlib.Path(self.paths['jsonl']).read_text().splitlines()]
        self.assertEqual(lines[0]['type'], 'report')
        self.assertEqual(lines[-1], {'type': 'end', 'exit_code': 0, 'status': 'ok'})
        self.assertEqual([line['total_ns'] for line in lines if line['type'] == 'run'], [run[4] for run in self.runs()])
        self.assertEqual(sum(line['type'] == 'row' for line in lines), 6)

    def test_markdown_renders(self):
        markdown = module('markdown')
        html = markdown.markdown(pathlib.Path(self.paths['markdown']).read_text(), extensions=['tables'])
        tables = html.split('<table>')[1:]
        self.assertGreaterEqual(len(tables), 6, html)  # rows of two files, links, cross-overs, sent, curves
        results = self.document['files'][0]['results']
        sent = next(table for table in tables if '<th' in table and '>Late<' in table)
        self.assertEqual(sent.count('<tr>') - 1, len(results['sent']))
        self.assertGreater(len(results['sent']), 0)
        self.assertIn('Modelled alone:', html)
        for table in tables:
            widths = {row.count('<td') + row.count('<th') for row in table.split('<tr>')[1:]}
            self.assertEqual(len(widths), 1, table)
        for row in self.document['files'][0]['rows']:
            self.assertIn(f'>{row["size"]}</td>', html)
        self.assertNotIn('|', html)

    def test_shown_again(self):
        again = self.expect(self.perfclient('report', self.paths['json']), 0)
        self.assertEqual(again.stdout, self.result.stdout)
        for kind, path in self.paths.items():
            result = self.expect(self.perfclient('report', self.paths['json'], '--' + kind, '-'), 0)
            self.assertEqual(result.stdout, pathlib.Path(path).read_bytes().decode().replace('\r\n', '\n'), kind)

    def test_several_put_together(self):
        other = self.file('other.json')
        self.expect(self.perfclient('-xml', *QUICK, *LINKS, '--json', other, '--generate', 'records:5kB'), 0)
        merged = self.file('merged.json')
        self.expect(self.perfclient('report', self.paths['json'], other, '--json', merged), 0)
        document = self.load(merged, 0)
        self.assertEqual([file['part'] for file in document['files']], [0, 0, 1])
        text = self.expect(self.perfclient('report', merged), 0).stdout
        for name in ('test.xml', 'records'):
            self.assertIn(name, text)
        unlike = self.file('unlike.json')
        self.expect(self.perfclient('-xml', '-d', *QUICK, '--json', unlike, paths.document), 0)
        self.one_line(self.expect(self.perfclient('report', other, unlike), 2), 'direction', 'other.json', 'unlike.json')

    def test_what_is_no_report(self):
        for name, content in (('a.json', '{}'), ('b.json', '{"format": '), ('c.json', ''), ('d.json', '[' * 100000)):
            self.one_line(self.expect(self.perfclient('report', self.file(name, content)), 5), name)
        self.one_line(self.expect(self.perfclient('report', 'missing.json'), 5), 'missing.json')
        self.one_line(self.expect(self.perfclient('report'), 2), 'FILE.json')
        broken = self.document
        broken['files'][0]['rows'][0]['main']['total_ns'][0] = 'soon'
        path = self.file('e.json', json.dumps(broken))
        self.one_line(self.expect(self.perfclient('report', path), 5), 'e.json', 'files/0/rows/0/main/total_ns')

    def test_the_schema_that_it_prints(self):
        published = pathlib.Path(paths.source, 'client/report/report.schema.json').read_text()
        self.assertEqual(self.expect(self.perfclient('report', '--schema'), 0).stdout, published)


class Compare(Reports):
    def report(self, name, factor=1):
        """A saved report, its times multiplied."""
        document = json.loads(json.dumps(self.measured))
        for row in document['files'][0]['rows']:
            for column in ('encode_ns', 'decode_ns', 'total_ns'):
                row['main'][column] = [round(time * factor) for time in row['main'][column]]
        return self.file(name, json.dumps(document))

    def setUp(self):
        self.measured = self.saved('-xml', '-gzxml', '-r', '30', '-t', '100', '-wr', '2', '-wt', '0', *SMALL)

    def test_the_same_is_no_regression(self):
        result = self.expect(self.perfclient('compare', '--fail-above', '5%', self.report('a.json'), self.report('b.json')), 0)
        self.assertIn('0 regressions of more than 5.0 %', result.stdout)
        self.assertNotIn('SLOWER', result.stdout)

    def test_slower_by_more_than_the_limit(self):
        old, new = self.report('a.json'), self.report('b.json', 1.5)
        result = self.expect(self.perfclient('compare', '--fail-above', '5%', old, new), 1)
        self.assertRegex(result.stdout, r'XML +ENCODE .*\+50\.\d % .*SLOWER: regression')
        result = self.expect(self.perfclient('compare', old, new), 0)
        self.assertIn('SLOWER', result.stdout)
        result = self.expect(self.perfclient('compare', '--fail-above=80', old, new), 0)
        result = self.expect(self.perfclient('compare', '--fail-above', '5%', new, old), 0)
        self.assertIn('faster', result.stdout)

    def test_unlike_runs_are_refused(self):
        old = self.report('a.json')
        decode, other = self.file('decode.json'), self.file('other.json')
        self.expect(self.perfclient('-xml', '-d', *QUICK, '--json', decode, *SMALL), 0)
        self.one_line(self.expect(self.perfclient('compare', old, decode), 2), 'direction')
        self.measured['files'][0]['content'] = '00000000'
        self.one_line(self.expect(self.perfclient('compare', old, self.report('b.json')), 2), 'another document')
        self.expect(self.perfclient('-xml', *QUICK, '--json', other, paths.document), 0)
        self.one_line(self.expect(self.perfclient('compare', old, other), 2), 'no row')

    def test_usage(self):
        old = self.report('a.json')
        for words, said in ((['--fail-above', 'much', old, old], '--fail-above'), ([old], 'NEW.json'), (['--limit', old, old], '--limit')):
            self.one_line(self.expect(self.perfclient('compare', *words), 2), said)
        self.one_line(self.expect(self.perfclient('compare', old, 'missing.json'), 5), 'missing.json')


if __name__ == '__main__':
    main()
