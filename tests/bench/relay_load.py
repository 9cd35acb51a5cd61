#!/usr/bin/env python3
"""What a relay bears, against iperf3's single stream over the same loopback in the same run; and a soak.

    tests/bench/relay_load.py BUILD_DIRECTORY                     about a minute: SINK of 1 MiB against iperf3, in turn
    tests/bench/relay_load.py BUILD_DIRECTORY --soak 1h           64 sessions of ECHO, SINK and SOURCE: memory and descriptors
                                                                  are looked at every 10 s, and must not grow
The relay listens on a free port of the loopback. Exit status 1 when SINK is below 85 % of iperf3, or something
grows, is lost or wrong. Never run by ctest: its outcome is the machine's.
"""
import argparse
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import time

ROUNDS, SECONDS, BOUND = 5, 3, 0.85


class Relay:
    def __init__(self, build, *options):
        self.process = subprocess.Popen([os.path.join(build, 'bin', 'perfrelay'), '0', '--bind', '127.0.0.1', *options],
                                        stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if found := re.search(r'listening on .*:(\d+)', line):
                self.port = int(found.group(1))
                break
        else:
            sys.exit('perfrelay does not start')
        # Lines of sessions that end are few; nobody has to read them.

    def end(self):
        self.process.terminate()
        self.process.wait(30)
        self.process.stderr.close()

    def resident(self):
        with open(f'/proc/{self.process.pid}/status') as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith('VmRSS'))

    def descriptors(self):
        return len(os.listdir(f'/proc/{self.process.pid}/fd'))


def free_port():
    with socket.create_server(('127.0.0.1', 0)) as probe:
        return probe.getsockname()[1]


def iperf3(seconds):
    port = free_port()
    server = subprocess.Popen(['iperf3', '-s', '-1', '-p', str(port), '-B', '127.0.0.1'], stdout=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with open('/proc/net/tcp') as table:
                if re.search(f'0100007F:{port:04X} 00000000:0000 0A', table.read()):
                    break
            time.sleep(0.02)
        result = subprocess.run(['iperf3', '-c', '127.0.0.1', '-p', str(port), '-t', str(seconds), '-O', '1', '-J'],
                                capture_output=True, text=True, check=True, timeout=seconds + 30)
        return json.loads(result.stdout)['end']['sum_received']['bits_per_second'] / 8e6
    finally:
        server.terminate()
        server.wait()


def load(build, port, *options):
    result = subprocess.run([os.path.join(build, 'bin', 'perfclient'), 'load', *options, f'127.0.0.1:{port}'],
                            capture_output=True, text=True)
    if result.returncode:
        sys.exit(f'perfclient load: exit {result.returncode}: {result.stderr}')
    return result.stdout


def against_iperf3(build):
    relay = Relay(build)
    ratios = []
    for number in range(ROUNDS):
        theirs = iperf3(SECONDS)
        text = load(build, relay.port, '--time', f'{SECONDS}s')
        ours = float(re.search(r'sink +\d+ +\S+ +(\S+)', text).group(1))
        ratios.append(ours / theirs)
        print(f'round {number + 1}: iperf3 {theirs:.0f} MB/s, SINK of 1 MiB {ours:.0f} MB/s, ratio {ours / theirs:.2f}', flush=True)
    relay.end()
    median = statistics.median(ratios)
    print(f'median ratio {median:.2f}, bound {BOUND}')
    return median >= BOUND


def soak(build, duration, sessions):
    relay = Relay(build)
    load(build, relay.port, '--connections', sessions, '--kind', 'mixed', '--time', '2s')  # what it keeps warm
    time.sleep(1)
    memory, descriptors = relay.resident(), relay.descriptors()
    client = subprocess.Popen([os.path.join(build, 'bin', 'perfclient'), 'load', '--connections', sessions, '--kind', 'mixed',
                               '--time', duration, f'127.0.0.1:{relay.port}'], stdout=subprocess.PIPE, text=True)
    peaks = []
    while client.poll() is None:
        peaks.append(relay.resident())
        time.sleep(min(10, 1 if len(peaks) < 10 else 10))
    text = client.stdout.read()
    time.sleep(2)
    left, open_now = relay.resident(), relay.descriptors()
    relay.end()
    half = len(peaks) // 2
    flat = max(peaks[half:]) <= max(peaks[:half]) * 1.1 + (8 << 20) if half else True
    print(text, end='')
    print(f'resident: {memory >> 20} MiB before, {max(peaks) >> 20} MiB at most, {left >> 20} MiB after; '
          f'descriptors: {descriptors} before, {open_now} after; {"flat" if flat else "it GREW"}')
    return client.returncode == 0 and flat and open_now <= descriptors


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('build')
    parser.add_argument('--soak', metavar='TIME')
    parser.add_argument('--sessions', default='64')
    arguments = parser.parse_args()
    held = soak(arguments.build, arguments.soak, arguments.sessions) if arguments.soak else against_iperf3(arguments.build)
    sys.exit(0 if held else 1)
