#!/usr/bin/env python3
"""--link: rows sent for real over emulated links, and what keeps them from it."""
import os
import re
import shutil
import socket
import tempfile
import threading

import support
from support import Case, Peer, Relay, paths

ONE_RUN = ['-r', '1', '-t', '0', '-wr', '1', '-wt', '0', '--seed', '7']
SENT = re.compile(r'^(\S+)\s+(XML|GZXML|EFX)\s+(\d+)\s+([\d.]+) (us|ms|s)\s+([\d.]+) (us|ms|s)\s+([\d.]+) (us|ms|s)'
                  r'\s+([+-][\d.]+) %(!?)\s+', re.M)
FORMATS = ['-xml', '-gzxml', '-efx']


def sent(output):
    """(link, format) -> runs, deviation from the model in percent; of the table of what was sent."""
    table = output[output.index('Sent for real, each byte'):]
    return {(found.group(1), found.group(2)): (int(found.group(3)), float(found.group(10)))
            for found in SENT.finditer(table)}


class OldRelay(Peer):
    """Passes everything on to a relay, and keeps from it that the client knows of LINK."""

    def __init__(self, port):
        self.target = port
        super().__init__(self.pass_on)

    def pass_on(self, connection):
        with socket.create_connection(('127.0.0.1', self.target)) as relay:
            hello = bytearray()
            while len(hello) < 48:
                more = connection.recv(48 - len(hello))
                if not more:
                    return
                hello += more
            hello[11] &= ~(1 << 5)
            relay.sendall(hello)
            back = threading.Thread(target=self.copy, args=(relay, connection), daemon=True)
            back.start()
            self.copy(connection, relay)
            relay.shutdown(socket.SHUT_WR)
            back.join(10)

    @staticmethod
    def copy(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass


class Links(Case):
    def setUp(self):
        self.small = os.path.join(paths.source, 'tests', 'data', 'contract', 'records.xml')

    def test_what_is_sent_takes_what_the_model_says(self):
        links = ['edge', 'slow-3g', '3g', 'vsat-64', 'rate=2M,rtt=200ms,jitter=5ms,cold']
        words = [word for link in links for word in ('--link', link)]
        for last in (False, True):  # once more if the machine was busy elsewhere
            result = self.expect(self.perfclient(*FORMATS, *words, '--link-time', '1s', *ONE_RUN, self.small), 0)
            found = sent(result.stdout)
            self.assertEqual({key[0] for key in found}, set(links), result.stdout)
            self.assertEqual(len(found), 15, result.stdout)
            if all(abs(off) < 5 for _, off in found.values()) or last:
                break
        for key, (runs, off) in found.items():
            self.assertLess(abs(off), 5, f'{key}\n{result.stdout}')
            self.assertGreaterEqual(runs, 1)
        self.assertIn('Points of the curves, sent for real', result.stdout)
        self.assertIn('Links, emulated by the relay at ', result.stdout)

    def test_every_way_to_send(self):
        with Relay() as relay:
            for way in (['-e'], ['-d'], ['--echo', 'cut-through'], ['--stream'], ['-d', '--stream']):
                result = self.expect(self.perfclient(
                    *FORMATS[:2], '-net', f'127.0.0.1:{relay.port}', *way, '--link', 'rate=1M,rtt=40ms',
                    '--link-time', '300ms', *ONE_RUN, self.small), 0)
                found = sent(result.stdout)
                self.assertEqual(len(found), 2, f'{way}\n{result.stdout}')

    def test_what_would_take_too_long_is_modelled(self):
        result = self.expect(self.perfclient('-xml', '--link', 'lora-sf12', '--link', 'eth1000', '--link',
                                             'rate=1M,rtt=60s', '--link-time', '1s', *ONE_RUN, self.small), 0)
        self.assertNotIn('Sent for real', result.stdout)
        for reason in (r'lora-sf12, XML: a transfer takes [\d.]+ s, more than --link-time 1.00 s',
                       r'eth1000, XML: links faster than 500 Mbit/s are not emulated',
                       r'rate=1M,rtt=60s, XML: nothing would arrive for 30.0 s, and sessions end then'):
            self.assertRegex(result.stdout, reason)

    def test_no_time_is_no_emulation(self):
        result = self.expect(self.perfclient('-xml', '--link', 'gprs', '--link-time', '0', *ONE_RUN, self.small), 0)
        self.assertIn('Links, not emulated: --link-time 0', result.stdout)

    def test_a_relay_that_knows_no_links(self):
        with Relay() as relay, OldRelay(relay.port) as old:
            result = self.expect(self.perfclient('-xml', '-net', f'127.0.0.1:{old.port}', '--link', 'lte',
                                                 *ONE_RUN, self.small), 0)
        self.assertRegex(result.stdout, r'Links, not emulated: the relay at 127.0.0.1:\d+ cannot do LINK')
        self.assertIn('On links, modelled', result.stdout)

    def test_without_a_relay_links_are_modelled(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(paths.client, folder)
            result = self.expect(self.perfclient('-xml', '--link', 'lte', *ONE_RUN, self.small, program=alone,
                                                 env={'PATH': folder}), 0)
        self.assertRegex(result.stdout, r'Links, not emulated: .*perfrelay')
        self.assertIn('On links, modelled', result.stdout)

    def test_threads_share_the_link(self):
        result = self.expect(self.perfclient('-xml', '-mt', '2', '--link', 'lte', *ONE_RUN, self.small), 0)
        self.assertIn('Links, not emulated: several threads share the link', result.stdout)

    def test_emulate_is_about_links(self):
        self.one_line(self.expect(self.perfclient('--emulate', self.small), 2), '--emulate', '--link')


if __name__ == '__main__':
    support.main()
