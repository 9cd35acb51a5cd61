#!/usr/bin/env python3
"""Schemas through perfclient: -schema, -noschema, -strict, compile-schema, convert and explain."""
import os
import pathlib
import re
import tempfile

from support import QUICK, Case, main, paths

SCHEMA = '''<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:element name="order"><xs:complexType><xs:sequence>
<xs:element name="to" type="xs:token"/><xs:element name="grams" type="xs:int" maxOccurs="9"/>
</xs:sequence><xs:attribute name="id" type="xs:unsignedByte" use="required"/></xs:complexType>
</xs:element></xs:schema>'''
DOCUMENT = '<order id="7"><to>Ann</to><grams>+01</grams><grams>-5</grams></order>'
OTHER = '<order id="7"><to>Ann</to><kilos>1</kilos></order>'


class Schemas(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.xsd = self.file('order.xsd', SCHEMA)
        self.xml = self.file('order.xml', DOCUMENT)
        self.shipped = str(pathlib.Path(paths.document).with_name('test.xsd'))

    def file(self, name, content=None):
        path = os.path.join(self.folder.name, name)
        if content is not None:
            pathlib.Path(path).write_text(content, encoding='utf-8')
        return path

    def rows(self, *options):
        result = self.expect(self.perfclient(*options, *QUICK), 0)
        self.assertNotIn('FAILED', result.stdout)
        return result.stdout

    def size(self, out):
        return int(re.search(r'(?m)^EFX\S*-SIZE (\d+) bytes', out).group(1))

    def test_efxperfs_command_line(self):
        plain = self.size(self.rows('-xml', '-efx', paths.document))
        informed = self.size(self.rows('-xml', '-efx', '-schema', self.shipped, paths.document))
        strict = self.size(self.rows('-net', 'localhost', '-xml', '-efx', '-strict', '-schema',
                                     self.shipped, paths.document))
        self.assertLess(informed, plain)
        self.assertLess(strict, informed)
        again = self.size(self.rows('-efx', '-x', '-schema', self.shipped, paths.document))
        self.assertEqual(again, informed)
        zipped = self.size(self.rows('-efx', '-zip', '-schema', self.shipped, paths.document))
        self.assertLess(zipped, strict)

    def test_a_schema_holds_for_the_files_behind_it(self):
        out = self.rows('-efx', '-schema', self.xsd, self.xml, '-noschema', paths.document)
        sizes = [int(size) for size in re.findall(r'(?m)^EFX-SIZE (\d+) bytes', out)]
        self.assertEqual(len(sizes), 2)
        self.assertEqual(sizes[0], self.size(self.rows('-efx', '-schema', self.xsd, self.xml)))
        self.assertEqual(sizes[1], self.size(self.rows('-efx', paths.document)))

    def test_threads_share_one(self):
        self.rows('-efx', '-mt', '2', '-schema', self.xsd, self.xml)
        out = self.rows('-xml', '-efx', '-strict', '-mt', '2', '-schema', self.shipped, paths.document)
        self.assertIn('2 THREADS', out)

    def test_what_does_not_match(self):
        other = self.file('other.xml', OTHER)
        self.rows('-efx', '-xml', '-schema', self.xsd, other)
        out = self.rows('-efx', '-xml', '-strict', '-schema', self.xsd, other)
        self.assertIn('/order: element kilos where the schema has element grams', out)

    def test_compiled(self):
        cxs = self.file('order.cxs')
        self.expect(self.perfclient('compile-schema', self.xsd, cxs), 0)
        self.assertEqual(self.size(self.rows('-efx', '-strict', '-schema', cxs, self.xml)),
                         self.size(self.rows('-efx', '-strict', '-schema', self.xsd, self.xml)))
        shipped = self.file('test.cxs')
        self.expect(self.perfclient('compile-schema', self.shipped, shipped), 0)
        self.assertEqual(self.size(self.rows('-xml', '-efx', '-schema', shipped, paths.document)),
                         self.size(self.rows('-efx', '-schema', self.shipped, paths.document)))
        damaged = pathlib.Path(cxs).read_bytes()
        self.file('bad.cxs')
        pathlib.Path(self.file('bad.cxs')).write_bytes(damaged[:-3] + b'abc')
        wrong = self.expect(self.perfclient('-efx', '-schema', self.file('bad.cxs'), *QUICK,
                                            self.xml), 5)
        self.one_line(wrong, 'bad.cxs', 'damaged')

    def test_typed_rows_are_a_family_of_their_own(self):
        out = self.rows('-d', '--format', 'xml', '--format', 'xml:typed', '--format', 'exi',
                        '--format', 'exi:typed', '--format', 'xml:pugixml,typed', '-schema', self.shipped,
                        paths.document)
        self.assertIn('(typed values)', out)
        against = re.findall(r'(?m)^Speed against (\S+), pairs.*\n(?:FORMAT.*\n-.*\n)((?:[A-Z].*\n)+)', out)
        self.assertEqual([(first, [line.split()[0] for line in rows.splitlines()]) for first, rows in against],
                         [('XML', ['EFX']), ('XML:TYPED', ['EFX:TYPED', 'XML:PUGIXML,TYPED'])], out)
        self.assertIn('decode delivers values as numbers', self.row_note(out, 'EFX:TYPED'))
        self.one_line(self.expect(self.perfclient('--format', 'exi:typed', *QUICK, self.xml), 2),
                      'typed values need a schema', '-schema FILE.xsd')
        # Of files without one, such a row says so, and the others are measured.
        mixed = self.rows('-efx', '--format', 'exi:typed', '-schema', self.xsd, self.xml, '-noschema', self.xml)
        self.assertIn('typed values need a schema', mixed)

    def test_objects_carry_what_the_schema_says(self):
        out = self.rows('-amf3', '-hessian', '-javaser', '--format', 'json', '--format', 'cbor', '--format', 'msgpack',
                        '--format', 'bson', '--bind', 'schema', '-schema', self.shipped, paths.document)
        self.assertIn('values are what the schema says', out)
        self.one_line(self.expect(self.perfclient('-amf3', '--bind', 'schema', *QUICK, self.xml), 2),
                      '--bind schema', self.xml, '-schema FILE.xsd')
        graph = self.expect(self.perfclient('convert', '--graph', '--bind', 'schema', '-schema', self.xsd,
                                            self.xml, '-'), 0).stdout
        self.assertIn('["@id",{"t":"int","v":7}]', graph)
        self.assertNotIn('+01', graph)
        amf = self.file('a.amf')
        self.expect(self.perfclient('convert', '--bind', 'schema', '-schema', self.xsd, self.xml, amf), 0)
        back = self.expect(self.perfclient('convert', amf, '-'), 0).stdout
        self.assertIn('<grams>1</grams><grams>-5</grams>', back)
        self.one_line(self.expect(self.perfclient('convert', '--bind', 'schema', self.xml, amf), 2), '--schema FILE.xsd')

    def test_convert_and_explain(self):
        exi = self.file('a.exi')
        self.expect(self.perfclient('convert', '-schema', self.xsd, '--to',
                                    'exi:options,schemaId,strict', self.xml, exi), 0)
        back = self.expect(self.perfclient('convert', '-schema', self.xsd, '--events', exi, '-'), 0)
        self.assertIn('CH "1"', back.stdout)
        self.assertIn('order', self.expect(self.perfclient('explain', '-schema', self.xsd, exi),
                                           0).stdout)
        without = self.expect(self.perfclient('convert', exi, '-'), 5)
        self.one_line(without, 'needs a schema')
        types = self.expect(self.perfclient('convert', '-schema', 'xsd-types', self.xml,
                                            self.file('b.exi')), 0)
        self.assertEqual(types.stdout, '')

    def named(self, schema):
        return DOCUMENT.replace('<order', '<order xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
                                f'xsi:noNamespaceSchemaLocation="{schema}"', 1)

    def test_documents_name_their_schema(self):
        own = self.file('named.xml', self.named('order.xsd'))
        out = self.rows('-efx', '--schema-auto', own)
        self.assertIn(f'schema: {self.xsd} (xsi:noNamespaceSchemaLocation)\n', out)
        self.assertEqual(self.size(out), self.size(self.rows('-efx', '-schema', self.xsd, own)))
        # The location itself has no place in strict, and is left out.
        strict = self.rows('-efx', '-strict', '--schema-auto', own)
        self.assertEqual(self.size(strict),
                         self.size(self.rows('-efx', '-strict', '-schema', self.xsd, self.xml)))
        out = self.rows('-efx', '--schema-auto', own, self.xml, '-noschema', own)
        self.assertIn('schema: (the document names none)\n', out)
        sizes = [int(size) for size in re.findall(r'(?m)^EFX-SIZE (\d+) bytes', out)]
        plain = self.size(self.rows('-efx', self.xml))
        self.assertEqual(sizes[1], plain)
        self.assertGreater(sizes[2], sizes[0])

        for location, says in [('http://example.com/o.xsd', 'its schema http://example.com/o.xsd is not fetched'),
                               ('gone.xsd', 'there is no ')]:
            lost = self.file('lost.xml', self.named(location))
            wrong = self.expect(self.perfclient('-efx', '--schema-auto', *QUICK, lost), 5)
            self.one_line(wrong, lost, says, '--catalogue', '-schema')
            self.rows('-efx', '--schema-auto', '--catalogue', f'{location}={self.xsd}', lost)

        exi = self.file('named.exi')
        self.expect(self.perfclient('convert', '--schema-auto', '--to', 'exi:options,schemaId', own, exi), 0)
        back = self.expect(self.perfclient('convert', '--schema-auto', '--events', exi, '-'), 0)
        self.assertIn('CH "1"', back.stdout)
        self.assertIn('order', self.expect(self.perfclient('explain', '--schema-auto', exi), 0).stdout)
        self.rows('-efx', '--schema-auto', exi)
        self.one_line(self.expect(self.perfclient('convert', '--schema-auto', '-schema', self.xsd, exi, '-'), 2),
                      'exclude each other')

    def test_refusals(self):
        gone = self.file('gone.xsd', SCHEMA.replace(
            '<xs:element name="order">',
            '<xs:import namespace="urn:x" schemaLocation="http://example.com/x.xsd"/>'
            '<xs:element name="order">'))
        self.one_line(self.expect(self.perfclient('-efx', '-schema', gone, *QUICK, self.xml), 5),
                      'http://example.com/x.xsd is not fetched')
        local = self.file('x.xsd', '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" '
                                   'targetNamespace="urn:x"/>')
        self.rows('-efx', '--catalogue', f'http://example.com/x.xsd={local}', '-schema', gone,
                  self.xml)
        self.one_line(self.expect(self.perfclient('-efx', '-strict', *QUICK, self.xml), 2),
                      '-schema')
        self.one_line(self.expect(self.perfclient('-xml', '-strict', '-schema', self.xsd, *QUICK,
                                                  self.xml), 2), 'add -efx')
        self.one_line(self.expect(self.perfclient('compile-schema', self.xml, self.file('c')), 5),
                      'order.xml')


if __name__ == '__main__':
    main()
