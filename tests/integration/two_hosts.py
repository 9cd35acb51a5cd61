#!/usr/bin/env python3
"""Two hosts: network namespaces joined by a veth pair, perfrelay in one, perfclient in the other.

usage: two_hosts.py SCENARIO --client PERFCLIENT --relay PERFRELAY --document XML

Needs root and network namespaces; without them it exits 77 (skipped) and says why, but fails when
CI=true. Everything it starts it ends, by pid; the namespaces go with it.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

PORT = 8000
SERVED_WITHIN = 20  # seconds until the next client has its result
LONG = ['-r', '1000000', '-t', '60000', '-wr', '1', '-wt', '0']
SHORT = ['-r', '3', '-t', '100', '-wr', '1', '-wt', '0']


class Failed(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Failed(what)


def ip(*words, check=True):
    return subprocess.run(['ip', *words], check=check, capture_output=True, text=True)


class Host:
    """A network namespace with one interface and a process or two in it."""

    def __init__(self, name, address):
        self.name, self.address, self.link = name, address, None

    def start(self, command, **options):
        return subprocess.Popen(['ip', 'netns', 'exec', self.name, *command], **options)

    def set_link(self, state):
        ip('-n', self.name, 'link', 'set', self.link, state)


class Network:
    """Two hosts, 10.83.0.1 and 10.83.0.2, and a cable between them."""

    def __enter__(self):
        tag = f'pr{os.getpid()}'
        self.relay = Host(tag + 'r', '10.83.0.1')
        self.client = Host(tag + 'c', '10.83.0.2')
        self.made = []
        try:
            for host in (self.relay, self.client):
                ip('netns', 'add', host.name)
                self.made.append(host)
                host.link = 'v' + host.name[-8:]
            ip('link', 'add', self.relay.link, 'netns', self.relay.name, 'type', 'veth',
               'peer', 'name', self.client.link, 'netns', self.client.name)
            for host in (self.relay, self.client):
                ip('-n', host.name, 'addr', 'add', host.address + '/24', 'dev', host.link)
                host.set_link('up')
                ip('-n', host.name, 'link', 'set', 'lo', 'up')
        except (subprocess.CalledProcessError, OSError) as error:
            self.__exit__()
            raise Unavailable(getattr(error, 'stderr', None) or str(error)) from error
        return self

    def __exit__(self, *_):
        for host in self.made:
            ip('netns', 'del', host.name, check=False)


class Unavailable(Exception):
    pass


class Stage:
    """The network with a relay that listens, and ways to run clients against it."""

    def __init__(self, network, arguments, relay_options=()):
        self.network, self.arguments, self.relay_options = network, arguments, relay_options
        self.processes = []
        self.log = tempfile.NamedTemporaryFile(prefix='perfrelay', suffix='.log')
        self.relay = self.start_relay()

    def start_relay(self):
        relay = self.network.relay.start([self.arguments.relay, str(PORT), *self.relay_options], stderr=self.log)
        self.processes.append(relay)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            need(relay.poll() is None, 'the relay ended at once: ' + self.relay_log())
            listening = ip('netns', 'exec', self.network.relay.name, 'cat', '/proc/net/tcp',
                           '/proc/net/tcp6', check=False).stdout
            if re.search(rf':{PORT:04X} \S+ 0A ', listening):
                return relay
            time.sleep(0.05)
        raise Failed('the relay does not listen: ' + self.relay_log())

    def relay_log(self):
        with open(self.log.name, errors='replace') as log:
            return log.read()[-2000:]

    def client(self, *options, host=None):
        """On its host, or on the relay's own."""
        command = [self.arguments.client, '-net', f'{self.network.relay.address}:{PORT}', '-xml',
                   '-gzxml', *options, self.arguments.document]
        process = (host or self.network.client).start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                            stdin=subprocess.DEVNULL, text=True)
        self.processes.append(process)
        return process

    def honest_client(self, what='the next client', host=None):
        started = time.monotonic()
        process = self.client(*SHORT, host=host)
        out, err = finish(process, 60, what)
        took = time.monotonic() - started
        need(process.returncode == 0, f'{what}: exit {process.returncode}: {err[-500:]}')
        need(took < SERVED_WITHIN, f'{what}: served after {took:.1f} s')
        return out

    def busy_client(self):
        """A client in the middle of its transfers."""
        process = self.client(*LONG)
        for line in process.stderr:  # its progress, once something of it has been measured
            if ': main, ' in line:
                break
        time.sleep(1)
        need(process.poll() is None, f'the long run ended by itself: {process.returncode}')
        return process

    def end(self):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()
            for pipe in (process.stdout, process.stderr):
                if pipe:
                    pipe.close()
        self.log.close()


def finish(process, seconds, what):
    try:
        return process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Failed(f'{what} did not end within {seconds} s') from None


def directions(stage):
    for option in ([], ['-d'], ['-e']):
        process = stage.client(*SHORT, *option)
        out, err = finish(process, 60, f'perfclient {option}')
        need(process.returncode == 0, f'{option}: exit {process.returncode}: {err[-500:]}')
        for word in ('network-host', 'XML-SIZE', 'GZXML-SIZE', 'main', 'FILENAME'):
            need(word in out, f'{option}: no "{word}" in the output:\n{out}')


def client_gone(stage, vanish):
    """The relay serves the next client after one has vanished in mid-transfer."""
    lost = stage.busy_client()
    vanish(stage, lost)
    stage.honest_client()
    need(stage.relay.poll() is None, 'the relay has ended')


def client_killed(stage):
    client_gone(stage, lambda _, client: client.kill())


def client_stopped(stage):
    client_gone(stage, lambda _, client: client.send_signal(signal.SIGSTOP))


def client_unplugged(stage):
    def unplug(stage, client):
        stage.network.client.set_link('down')
        time.sleep(1)
        client.kill()
        client.wait()
        stage.network.client.set_link('up')
    client_gone(stage, unplug)


def half_open(stage):
    """The client's host goes for good, without a word: its session ends all the same."""
    lost = stage.busy_client()
    stage.network.client.set_link('down')
    lost.kill()
    lost.wait()
    stage.honest_client('a client on the relay\'s host', host=stage.network.relay)
    deadline = time.monotonic() + 40
    while f'session 1 from {stage.network.client.address}' not in stage.relay_log():
        need(time.monotonic() < deadline, 'the session of a host that is gone does not end')
        time.sleep(0.2)
    stage.honest_client('the client after that', host=stage.network.relay)


half_open.relay_options = ['--progress', '3s', '--idle', '4s']


def relay_gone(stage, vanish):
    """The client notices, exits 3, and shows what it has measured."""
    client = stage.busy_client()
    vanish(stage)
    started = time.monotonic()
    out, err = finish(client, 60, 'the client')
    took = time.monotonic() - started
    need(client.returncode == 3, f'exit {client.returncode}, not 3: {err[-500:]}')
    need(took < SERVED_WITHIN, f'noticed after {took:.1f} s')
    need('partial' in out, f'not marked partial:\n{out}')
    need(re.search(r'XML-\w+ main \d+ms / [1-9]\d* runs', out), f'no row measured so far:\n{out}')


def relay_killed(stage):
    relay_gone(stage, lambda stage: stage.relay.kill())


def relay_unplugged(stage):
    relay_gone(stage, lambda stage: stage.network.relay.set_link('down'))


SCENARIOS = {f.__name__: f for f in (directions, client_killed, client_stopped, client_unplugged, half_open,
                                     relay_killed, relay_unplugged)}


def main(scenarios, more_arguments=()):
    parser = argparse.ArgumentParser()
    parser.add_argument('scenario', choices=scenarios)
    for name in ('client', 'relay', 'document', *more_arguments):
        parser.add_argument('--' + name, required=True)
    arguments = parser.parse_args()
    try:
        with Network() as network:
            scenario = scenarios[arguments.scenario]
            stage = Stage(network, arguments, getattr(scenario, 'relay_options', ()))
            try:
                scenario(stage)
            except Failed:
                print('the relay said:\n' + stage.relay_log(), file=sys.stderr)
                raise
            finally:
                stage.end()
    except Unavailable as why:
        print(f'SKIP: no network namespaces here: {why}')
        sys.exit(1 if os.environ.get('CI') == 'true' else 77)
    except Failed as why:
        print(f'FAILED: {why}')
        sys.exit(1)


if __name__ == '__main__':
    main(SCENARIOS)
