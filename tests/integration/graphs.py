#!/usr/bin/env python3
"""Objects through perfclient: what is in an input, databases, generated data sets, the predecessors' figures."""
import gzip
import json
import os
import pathlib
import re
import sqlite3
import unittest

from support import FolderCase, main, paths

SCHEMA = '''
CREATE TABLE "lab.Town"(id INTEGER PRIMARY KEY, name TEXT, country TEXT, population INTEGER);
CREATE TABLE "lab.Company"(id INTEGER PRIMARY KEY, name TEXT,
                           town INTEGER REFERENCES "lab.Town" ON DELETE RESTRICT);
CREATE TABLE "lab.Employee"(id INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, hired INTEGER, age INTEGER,
    salary INTEGER, manager BOOLEAN, company INTEGER REFERENCES "lab.Company",
    town INTEGER REFERENCES "lab.Town" ON DELETE RESTRICT);
'''
TREES = ('json', 'json:nlohmann', 'cbor', 'msgpack', 'bson')


def objects_of(graph):
    """Every object of a graph in the neutral notation, by its id."""
    found = {}

    def look(value):
        if isinstance(value, dict):
            if value.get('t') == 'object':
                found[value['id']] = value
            for inner in value.values():
                look(inner)
        elif isinstance(value, list):
            for inner in value:
                look(inner)
    look(graph)
    return found


def fill(path, graph):
    """The database that an object mapper would keep the companies in."""
    objects = objects_of(graph)
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    for one in objects.values():
        fields = dict(one['levels'][0]['fields'])
        row = {}
        for name, value in fields.items():
            if value['t'] == 'list':
                continue
            if value['t'] in ('ref', 'object'):
                row[name] = dict(objects[value['id']]['levels'][0]['fields'])['id']['v']
            else:
                row[name] = value['v']
        names = ', '.join(row)
        database.execute(f'INSERT INTO "{one["type"]}"({names}) VALUES({", ".join("?" * len(row))})',
                         list(row.values()))
    database.commit()
    database.close()


class Graphs(FolderCase):
    def graph(self, *words):
        return self.expect(self.perfclient('convert', '--graph', *words, '-'), 0).stdout

    def test_the_companies_wherever_they_come_from(self):
        generated = self.graph('--generate', 'company')
        java = self.file('company.ser')
        self.expect(self.perfclient('convert', '--generate', 'company', java), 0)
        self.assertEqual(os.path.getsize(java), 49824)
        self.assertEqual(self.graph(java), generated)
        database = self.file('company.db')
        fill(database, json.loads(generated))
        self.assertEqual(self.graph('--sqlite', database), generated)
        self.assertEqual(self.graph(database), generated)
        packed = self.file('company.db.gz')
        pathlib.Path(packed).write_bytes(gzip.compress(pathlib.Path(database).read_bytes()))
        self.assertEqual(self.graph(packed), generated)
        shared = pathlib.Path(paths.source) / '../shared/data/company.ser'
        if shared.exists():
            self.assertEqual(self.graph(shared), generated)

    def test_the_other_data_sets(self):
        for kind, size in (('objects', 366565), ('strings', 529149)):
            java = self.file(kind + '.ser')
            self.expect(self.perfclient('convert', '--generate', kind, java), 0)
            self.assertEqual(os.path.getsize(java), size)
        self.assertEqual(self.graph('--generate', 'strings:2', '--seed', '1'),
                         self.graph('--generate', 'strings:2', '--seed', '1'))
        self.one_line(self.expect(self.perfclient('convert', '--generate', 'company:many', '-'), 2), 'many')

    def test_trees_keep_what_is_shared(self):
        java = self.file('company.ser')
        self.expect(self.perfclient('convert', '--generate', 'company:100', java), 0)
        amf = self.file('direct.amf')
        self.expect(self.perfclient('convert', java, amf), 0)
        shown = set()
        for spec in TREES:
            tree = self.file('tree')
            self.expect(self.perfclient('convert', '--to', spec, java, tree), 0)
            shown.add(self.graph('--from', spec, tree))
            again = self.file('again.amf')
            self.expect(self.perfclient('convert', '--from', spec, tree, again), 0)
            self.assertEqual(os.path.getsize(again), os.path.getsize(amf), spec)
        self.assertEqual(len(shown), 1)
        self.assertIn('"t":"ref"', shown.pop())

    def test_documents_of_xml_come_back_from_trees(self):
        events = self.expect(self.perfclient('convert', '--events', '--ws', 'auto', paths.document, '-'), 0).stdout
        for spec in TREES:
            tree, back = self.file('tree'), self.file('back.xml')
            self.expect(self.perfclient('convert', '--to', spec, paths.document, tree), 0)
            self.expect(self.perfclient('convert', '--from', spec, tree, back), 0)
            self.assertEqual(self.expect(self.perfclient('convert', '--events', back, '-'), 0).stdout, events, spec)

    def test_json_is_somebodys_or_the_notation(self):
        plain, neutral = self.file('plain.json'), self.file('neutral.json')
        pathlib.Path(plain).write_text('{"t": 1, "list": [true, null, 1.5]}')
        graph = json.loads(self.graph(plain))
        self.assertEqual(graph['t'], 'map')
        self.assertEqual(graph['entries'][0], [{'t': 'string', 'v': 't'}, {'t': 'int', 'v': 1}])
        pathlib.Path(neutral).write_text(json.dumps(graph))
        self.assertEqual(json.loads(self.graph(neutral)), graph)
        self.assertEqual(json.loads(self.graph('--from', 'json', neutral)), graph)
        pathlib.Path(neutral).write_text('{"t":"list","id":0,"items":[{"t":"ref","id":5}]}')
        self.one_line(self.expect(self.perfclient('convert', '--graph', neutral, '-'), 5), 'neutral.json')

    def test_hostile_databases(self):
        database = self.file('bad.db')
        for content in (b'', b'no database', b'SQLite format 3\0', b'SQLite format 3\0' + b'\xff' * 4080):
            pathlib.Path(database).write_bytes(content)
            done = self.expect(self.perfclient('convert', '--graph', '--sqlite', database, '-'), 5)
            self.one_line(done, 'bad.db')
        self.one_line(self.expect(self.perfclient('convert', '--graph', '--sqlite', self.file('none.db'), '-'), 5), 'none.db')
        self.one_line(self.expect(self.perfclient('-amf3', '--sqlite', self.file('none.db')), 5), 'none.db')
        self.one_line(self.expect(self.perfclient('convert', '--graph', '--sqlite', database, database, '-'), 2), 'OUT alone')

    def test_a_database_is_measured(self):
        database = self.file('company.db')
        fill(database, json.loads(self.graph('--generate', 'company:50')))
        done = self.expect(self.perfclient('-amf3', '--format', 'json', '--format', 'bson', '-r', '3', '-t', '1',
                                           '-wr', '1', '-wt', '0', '--sqlite', database), 0)
        for title in ('AMF3', 'JSON', 'BSON'):
            self.assertRegex(done.stdout, rf'(?m)^{title}-SIZE \d')

    def test_the_predecessors_figures(self):
        words = ('-amf3', '--format', 'xml+deflate', '-repeat', '20', '-time', '0', '-wr', '0', '-wt', '0',
                 '--generate', 'company:50')
        for _ in range(2):
            done = self.expect(self.perfclient(*words, cwd=self.folder.name), 0)
        for label in ('Platform                   : AMF3', 'AMF3 output size           : ', 'Iterations                 : 2',
                      'Total serialization time   : ', 'Total deserialization time : ',
                      'Avg Time (microseconds)  Data size (kbytes)'):
            self.assertIn(label, done.stdout)
        lines = pathlib.Path(self.file('generated-company-50-seed-20090901-amf3.csv')).read_text().splitlines()
        self.assertEqual(lines[0], 'Date,Amf3 Size,Iterations,Serialization Time,Deserialization Time')
        self.assertEqual(len(lines), 3)
        self.assertTrue(re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ,\d+,2\d,\d+,\d+', lines[1]), lines[1])
        self.assertEqual(os.listdir(self.folder.name), ['generated-company-50-seed-20090901-amf3.csv'])
        self.perfclient('-xml', '-r', '3', '-t', '0', paths.document, cwd=self.folder.name)
        self.assertEqual(len(os.listdir(self.folder.name)), 1)
        self.expect(self.perfclient(*words, '--save', 'kept', cwd=self.folder.name), 0)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ['generated-company-50-seed-20090901-amf3.csv', 'kept'])
        self.assertIn('generated-company-50-seed-20090901-amf3.csv', os.listdir(self.file('kept')))


if __name__ == '__main__':
    main()
