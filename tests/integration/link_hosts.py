#!/usr/bin/env python3
"""--link between two hosts (namespaces), beside the kernel's own shaper (tbf) at the same rate.

usage: link_hosts.py kernel_shaper --client PERFCLIENT --relay PERFRELAY --document XML
"""
import re
import subprocess
import tempfile

import two_hosts
from two_hosts import finish, ip, need

SECONDS = {'us': 1e-6, 'ms': 1e-3, 's': 1}


def kernel_shaper(stage):
    """What an emulated link takes is what the kernel takes, each way, to 5 %."""
    for rate, size in (('2', 200_000), ('20', 1_000_000)):
        with tempfile.NamedTemporaryFile('w', suffix='.xml') as document:
            document.write('<list>' + 'x' * size + '</list>')
            document.flush()
            for way in ('-e', '-d'):
                # 66: the headers that tbf counts, Ethernet's included.
                emulated = transmit(stage, r'^rate=\S+ +XML +\d+ +([\d.]+) (\w+)', way, '--link',
                                    f'rate={rate}M,overhead=66', document.name)
                shape('add', stage, f'{rate}mbit')
                kernel = transmit(stage, r'^XML-TRANSMIT main .*median ([\d.]+) (\w+)', way, document.name)
                shape('del', stage)
                print(f'{rate} Mbit/s {way}: emulated {emulated:.4f} s, kernel {kernel:.4f} s')
                need(abs(emulated / kernel - 1) < 0.05, f'{way}: emulated {emulated} s, kernel {kernel} s')


def shape(what, stage, rate=None):
    for host in (stage.network.relay, stage.network.client):
        how = ['tbf', 'rate', rate, 'burst', '3200', 'latency', '4s'] if rate else []
        ip('netns', 'exec', host.name, 'tc', 'qdisc', what, 'dev', host.link, 'root', *how)


def transmit(stage, pattern, *options):
    process = stage.network.client.start(
        [stage.arguments.client, '-net', f'{stage.network.relay.address}:{two_hosts.PORT}', '-xml', '-r', '5',
         '-t', '0', '-wr', '1', '-wt', '0', *options], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    stage.processes.append(process)
    out, err = finish(process, 200, f'perfclient {options}')
    need(process.returncode == 0, f'{options}: exit {process.returncode}: {err[-500:]}')
    found = re.search(pattern, out, re.M)
    need(found, f'{options}: no {pattern} in\n{out}')
    return float(found.group(1)) * SECONDS[found.group(2)]


if __name__ == '__main__':
    two_hosts.main({'kernel_shaper': kernel_shaper})
