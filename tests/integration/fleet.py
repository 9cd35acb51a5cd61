#!/usr/bin/env python3
"""deploy/ansible and deploy/kubernetes: the playbook run over sshd in two network namespaces, a relay in one, a client in
the other; the manifests' structure (kubectl has no dry run without a cluster's API to ask).

usage: fleet.py playbook|manifests --client PERFCLIENT --relay PERFRELAY --source SOURCE --document XML
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import two_hosts
from two_hosts import Failed, Network, Unavailable, need


def sshd(host, folder):
    """An sshd of our own in the namespace, on port 22 of its address."""
    for tool in ('ssh', 'sshd', 'ssh-keygen', 'ansible-playbook', 'start-stop-daemon'):
        need_tool(tool)
    key = os.path.join(folder, host.name)
    subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key], check=True)
    config = key + '.config'
    with open(config, 'w') as file:
        file.write(f'ListenAddress {host.address}:22\nHostKey {key}\nAuthorizedKeysFile {folder}/user.pub\nStrictModes no\n'
                   f'UsePAM no\nPermitRootLogin yes\nPidFile none\nSubsystem sftp internal-sftp\n')
    os.makedirs('/run/sshd', exist_ok=True)
    return host.start([shutil.which('sshd') or '/usr/sbin/sshd', '-D', '-e', '-f', config], stderr=subprocess.DEVNULL)


def need_tool(name):
    if not shutil.which(name, path=os.environ.get('PATH', '') + ':/usr/sbin:/sbin'):
        print(f'SKIP: no {name}; Debian packages ansible-core, openssh-server')
        sys.exit(1 if os.environ.get('CI') == 'true' else 77)


def play(network, folder, arguments, *words):
    environment = dict(os.environ, ANSIBLE_HOST_KEY_CHECKING='False', ANSIBLE_LOCAL_TEMP=folder + '/local', ANSIBLE_PIPELINING='1',
                       ANSIBLE_SSH_ARGS='-o ControlMaster=no -o ControlPath=none', ANSIBLE_NOCOWS='1',
                       ANSIBLE_REMOTE_TEMP=folder + '/remote', HOME=folder, LC_ALL='C.UTF-8')
    process = network.client.start(
        ['ansible-playbook', '-i', folder + '/inventory', os.path.join(arguments.source, 'deploy/ansible/fleet.yml'), *words],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    out, _ = two_hosts.finish(process, 300, 'ansible-playbook')
    need(process.returncode == 0, f'ansible-playbook {words}: exit {process.returncode}:\n{out[-3000:]}')
    return out


def playbook(arguments):
    with Network() as network, tempfile.TemporaryDirectory() as folder:
        subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', folder + '/user'], check=True)
        servers = [sshd(host, folder) for host in (network.relay, network.client)]
        with open(folder + '/inventory', 'w') as file:
            common = (f'ansible_user=root ansible_ssh_private_key_file={folder}/user ansible_python_interpreter={sys.executable} '
                      f'ansible_ssh_common_args="-o UserKnownHostsFile={folder}/known"')
            file.write(f'[relays]\nrelay ansible_host={network.relay.address} {common}\n'
                       f'[clients]\nclient ansible_host={network.client.address} {common}\n')
        values = {'packages': '', 'pid_file': folder + '/pid', 'log_file': folder + '/log', 'work': folder + '/work',
                  'secret_file': folder + '/secret', 'remote_secret': folder + '/there/secret',
                  'results': folder + '/results', 'documents': arguments.document,
                  'relay_program': arguments.relay, 'client_program': arguments.client,
                  'client_options': ['-xml', '-gzxml', '-r', '2', '-t', '0', '-wr', '0', '-wt', '0']}
        extra = ['-e', str(values).replace("'", '"'), '-e', 'ansible_service_mgr=none']
        time.sleep(0.5)
        try:
            play(network, folder, arguments, *extra)
            with open(folder + '/results/client.txt') as file:
                text = file.read()
            for word in ('GZXML', f'{network.relay.address}:8000', 'secret proved by both'):
                need(word in text, f'no {word} in the result:\n{text}')
            again = play(network, folder, arguments, *extra, '--tags', 'relays')
            need('changed=0' in again.split('relay ')[-1], f'set up twice, it changes something:\n{again[-1500:]}')
            play(network, folder, arguments, *extra, '--tags', 'stop')
        finally:
            for server in servers:
                server.terminate()
                server.wait()
            if os.path.exists(folder + '/pid'):
                with open(folder + '/pid') as file:
                    os.kill(int(file.read()), signal.SIGKILL)
        need(not os.path.exists(folder + '/pid'), 'the relay still runs')


def manifests(arguments):
    try:
        import yaml
    except ImportError:
        print('SKIP: no yaml; Debian package python3-yaml')
        sys.exit(77)
    documents = []
    for name in ('perfrelay.yaml', 'perfclient.yaml'):
        with open(os.path.join(arguments.source, 'deploy/kubernetes', name)) as file:
            documents += list(yaml.safe_load_all(file))
    by_kind = {document['kind']: document for document in documents}
    need(set(by_kind) == {'Deployment', 'Service', 'Job'}, f'kinds: {set(by_kind)}')
    versions = {'Deployment': 'apps/v1', 'Service': 'v1', 'Job': 'batch/v1'}
    for kind, version in versions.items():
        need(by_kind[kind]['apiVersion'] == version, f'{kind} is {by_kind[kind]["apiVersion"]}')
    relay, service, job = by_kind['Deployment']['spec'], by_kind['Service']['spec'], by_kind['Job']['spec']
    labels = relay['template']['metadata']['labels']
    need(relay['selector']['matchLabels'].items() <= labels.items(), 'the Deployment does not select its pods')
    need(service['selector'].items() <= labels.items(), 'the Service does not select them')
    container, client = (spec['template']['spec']['containers'][0] for spec in (relay, job))
    ports = {port['name']: port['containerPort'] for port in container['ports']}
    need(service['ports'][0]['targetPort'] in ports and str(ports['relay']) == container['args'][0], 'ports differ')
    need(container['livenessProbe']['httpGet']['port'] in ports, 'the probe asks another port')
    need(job['completionMode'] == 'Indexed' and job['completions'] >= job['parallelism'], 'the Job')
    need(f'perfrelay:{service["ports"][0]["port"]}' in client['args'], 'clients go elsewhere')
    for spec, one in ((relay, container), (job, client)):
        pod = spec['template']['spec']
        need({mount['name'] for mount in one['volumeMounts']} == {volume['name'] for volume in pod['volumes']}, 'mounts')
        need(pod['securityContext']['runAsNonRoot'] and one['securityContext']['readOnlyRootFilesystem'], 'confinement')
    # What they are started with is what the programs take: the relay with --version in place of serving.
    words = [word.replace('/secret/secret', '/dev/null') for word in container['args']]
    result = subprocess.run([arguments.relay, *words], capture_output=True, text=True, timeout=60)
    need(result.returncode == 2 and 'secret' in result.stderr, f'the relay refuses its words: {result.stderr}')


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('scenario', choices=['playbook', 'manifests'])
    for name in ('client', 'relay', 'source', 'document'):
        parser.add_argument('--' + name, required=True)
    parsed = parser.parse_args()
    try:
        {'playbook': playbook, 'manifests': manifests}[parsed.scenario](parsed)
    except Unavailable as why:
        print(f'SKIP: no network namespaces here: {why}')
        sys.exit(1 if os.environ.get('CI') == 'true' else 77)
    except Failed as why:
        print(f'FAILED: {why}')
        sys.exit(1)
