#!/usr/bin/env python3
"""--stream works while bytes travel: over two namespaces, with a sender that is held, and over a
link of 2 Mbit/s that the kernel (tbf) shapes.

usage: streaming.py SCENARIO --client PERFCLIENT --relay PERFRELAY --document XML --probe STREAM_PROBE
"""
import re
import socket
import subprocess
import sys
import tempfile
import threading

import two_hosts
from two_hosts import Failed, finish, ip, need

HOLD_PORT = 8100


def held_sender(stage):
    """With half of the bytes sent and no more coming, about half of the events have been delivered."""
    for spec in ('xml', 'gzxml', 'xml:expat', 'xml+zstd'):
        payload = subprocess.run([stage.arguments.probe, spec, stage.arguments.document],
                                 check=True, capture_output=True).stdout
        sender = stage.network.relay.start([sys.executable, '-B', __file__, '--hold-half'],
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        stage.processes.append(sender)
        sender.stdin.write(len(payload).to_bytes(8, 'big') + payload)
        sender.stdin.flush()
        need(sender.stdout.readline() == b'listening\n', 'the sender does not listen')
        probe = stage.network.client.start(
            [stage.arguments.probe, spec, stage.arguments.document, stage.network.relay.address,
             str(HOLD_PORT)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        stage.processes.append(probe)
        timer = threading.Timer(60, probe.kill)
        timer.start()
        line = probe.stdout.readline()
        found = re.match(r'held: (\d+) of (\d+) bytes, (\d+) of (\d+) events', line)
        need(found, f'{spec}: "{line}" {probe.stderr.read() if not line else ""}')
        arrived, size, delivered, events = map(int, found.groups())
        need(arrived == len(payload) // 2, f'{spec}: {line}')
        # DEFLATE and zstd keep up to a block back.
        need(delivered > events * (0.4 if spec.startswith('xml:') or spec == 'xml' else 0.2),
             f'{spec}: {line}')
        need(delivered < events * 0.7, f'{spec}: {line}')
        sender.stdin.write(b'go on')
        sender.stdin.close()
        out, err = finish(probe, 60, 'the probe')
        timer.cancel()
        need(out == 'complete\n', f'{spec}: {out} {err}')
        print(spec, line, end='')


def hold_half():
    """In the other namespace: sends half of standard input's payload, and the rest when told to."""
    size = int.from_bytes(sys.stdin.buffer.read(8), 'big')
    payload = sys.stdin.buffer.read(size)
    with socket.create_server(('', HOLD_PORT)) as server:
        print('listening', flush=True)
        connection, _ = server.accept()
        with connection:
            connection.sendall(payload[:size // 2])
            sys.stdin.buffer.read()
            connection.sendall(payload[size // 2:])


def slow_link(stage):
    """At 2 Mbit/s most of the decoding hides behind the transfer."""
    for host in (stage.network.relay, stage.network.client):
        ip('netns', 'exec', host.name, 'tc', 'qdisc', 'add', 'dev', host.link, 'root', 'tbf',
           'rate', '2mbit', 'burst', '8kb', 'latency', '2s')
    # Much to decode, little to send.
    with tempfile.NamedTemporaryFile('w', suffix='.xml') as document:
        document.write('<list>' + ''.join(
            f'<item id="{i % 7}"><name>piece of iron</name><count>{i * i % 97}</count></item>'
            for i in range(150000)) + '</list>')
        document.flush()

        def total(*options):
            process = stage.network.client.start(
                [stage.arguments.client, '-net', f'{stage.network.relay.address}:{two_hosts.PORT}',
                 '-d', '-gzxml', '-r', '6', '-t', '0', '-wr', '1', '-wt', '0', *options,
                 document.name],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            stage.processes.append(process)
            out, err = finish(process, 200, f'perfclient {options}')
            need(process.returncode == 0, f'{options}: exit {process.returncode}: {err[-500:]}')
            need(re.search(r'GZXML-SIZE', out), out)

            def least(what):
                # A busy machine only adds to what the link takes.
                found = re.search(rf'GZXML-{what} main .* min ([\d.]+) (\w+)', out)
                need(found, f'no {what}:\n{out}')
                return float(found.group(1)) * {'us': 1e-6, 'ms': 1e-3, 's': 1}[found.group(2)]
            return least('TOTAL'), (least('DECODE') if not options else None)

        whole, decode = total()
        streamed, _ = total('--stream')
    print(f'whole {whole:.3f} s, of it decode {decode:.3f} s; streamed {streamed:.3f} s')
    need(whole - streamed > 0.5 * decode,
         f'whole {whole:.3f} s - streamed {streamed:.3f} s is not most of the decode, {decode:.3f} s')


if __name__ == '__main__':
    if sys.argv[1:] == ['--hold-half']:
        hold_half()
    else:
        two_hosts.main({'held_sender': held_sender, 'slow_link': slow_link}, ['probe'])
