# SPDX-License-Identifier: BSD-3-Clause
"""The vendor's public samples and applications: built by their own build files, unmodified, against
an installation of this build, they run as their documentation says.

DOCA_SAMPLES names a checkout of doca-samples (release 3.x). Without it, skipped.

usage: official.py BUILD PREFIX LIBDIR
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import e2e

SOURCE = os.environ.get('DOCA_SAMPLES')
BUILD, PREFIX, LIBDIR = sys.argv[1:4]
del sys.argv[1:4]

PE_SAMPLES = ['pe_async_stop', 'pe_event', 'pe_multi_context', 'pe_polling', 'pe_reactive',
              'pe_single_task_comp_cb', 'pe_task_error', 'pe_task_resubmit', 'pe_task_try_submit']
SAMPLES = {
    'dpu': ['doca_comch/comch_ctrl_path_server', 'doca_comch/comch_data_path_high_speed_server',
            'doca_common/sync_event_remote_pci', 'doca_common/cache_invalidate',
            'doca_common/clock_cross_timestamp', 'doca_common/graph',
            'doca_dma/dma_local_copy', 'doca_dma/dma_copy_dpu',
            *('doca_common/' + name for name in PE_SAMPLES)],
    'host': ['doca_comch/comch_ctrl_path_client', 'doca_comch/comch_data_path_high_speed_client',
             'doca_common/sync_event_local_pci', 'doca_dma/dma_copy_host',
             'doca_dma/dma_local_copy'],
}
DPA_SAMPLES = ['doca_dpa/dpa_kernel_launch', 'doca_dpa/dpa_nvqual']
APPLICATIONS = ['secure_channel', 'dma_copy']
CTRL_SERVICE = 'comch_ctrl_path_sample_server'

# The build files of DPA samples name the SDK's place. usage: sh -c IN_PLACE FOLDER SDK COMMAND...
IN_PLACE = '''
set -e
mkdir -p "$0/opt" && mount --rbind /opt "$0/opt" && mount -t tmpfs none /opt
ln -s "$0/opt/"* /opt/ && rm -f /opt/mellanox
mkdir -p /opt/mellanox && ln -s "$1" /opt/mellanox/doca
shift
exec "$@"
'''


def namespace():
    """What starts a program with mounts of its own; nothing: that is not allowed here."""
    command = ['unshare', '-m' if os.geteuid() == 0 else '-rm']
    try:
        allowed = subprocess.run([*command, 'true'], check=False, stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        return []
    return command if allowed.returncode == 0 else []


class Tree:
    """A copy of the checkout, and everything built in it for both sides."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix='softfield-official-')
        self.errors = {}
        self._stage()
        source = os.path.join(self.dir, 'source')
        shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns('.git', 'build', 'build-*'))
        for folder, _, files in os.walk(source):
            for file in files:
                if file.endswith('.public'):
                    shutil.copy(os.path.join(folder, file),
                                os.path.join(folder, file[:-len('.public')]))
        jobs = [(side, os.path.join('samples', sample), [])
                for side, samples in SAMPLES.items() for sample in samples]
        options = ['-Denable_all_applications=false',
                   *('-Denable_%s=true' % name for name in APPLICATIONS)]
        jobs += [(side, 'applications', options) for side in SAMPLES]
        self.in_place = namespace() if PREFIX == '/opt/mellanox/doca' else []
        if self.in_place:
            jobs += [('host', os.path.join('samples', sample), []) for sample in DPA_SAMPLES]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda job: self._build(*job), jobs))

    def _stage(self):
        subprocess.run(['meson', 'install', '-C', BUILD, '--no-rebuild', '--quiet', '--destdir',
                        os.path.join(self.dir, 'stage')], check=True, stdout=subprocess.DEVNULL)
        self.sdk = os.path.join(self.dir, 'stage', PREFIX.lstrip('/'))
        self.libdir = os.path.join(self.sdk, LIBDIR)

    def env(self, side):
        modules = 'pkgconfig-dpu' if side == 'dpu' else 'pkgconfig'
        return {'PKG_CONFIG_PATH': os.path.join(self.libdir, modules),
                'LD_LIBRARY_PATH': self.libdir}

    def _prefix(self, folder):
        if folder.split('/', maxsplit=1)[1] not in DPA_SAMPLES:
            return []
        return [*self.in_place, 'sh', '-c', IN_PLACE, tempfile.mkdtemp(dir=self.dir), self.sdk]

    def _build(self, side, folder, options):
        target = os.path.join(self.dir, side, os.path.basename(folder))
        prefix = self._prefix(folder) if '/' in folder else []
        for command in (['meson', 'setup', *options, target,
                         os.path.join(self.dir, 'source', folder)], ['ninja', '-C', target]):
            run = subprocess.run([*prefix, *command], check=False, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 env=dict(e2e.clean_environment(), **self.env(side)))
            if run.returncode:
                self.errors[side, os.path.basename(folder)] = run.stdout[-3000:]
                return

    def program(self, test, side, name):
        folder = 'applications/' + name if name in APPLICATIONS else name
        error = self.errors.get((side, folder.split('/', maxsplit=1)[0]))
        if error:
            test.fail('%s for %s was not built:\n%s' % (name, side, error))
        return os.path.join(self.dir, side, folder, 'doca_' + name)


class Official(e2e.Test):
    def setUp(self):
        super().setUp()
        self.folder = self.temp_dir()
        # The samples use fixed server names: each test has its own place for them.
        self.env = {'SOFTFIELD_RUNTIME_DIR': os.path.join(self.folder, 'run')}

    def start(self, side, name, *options, env=None, **more):
        command = [TREE.program(self, side, name), *options]
        env = dict(self.env, LD_LIBRARY_PATH=TREE.libdir, **(env or {}))
        return e2e.Process(self, command, env, **more)

    def check(self, process, *lines, status=0, errors=False):
        """It ends so, has printed all these lines, and nothing went wrong on the way."""
        if process.wait() != status:
            process.fail('exit status %d, not %d' % (process.popen.returncode, status))
        text = '\n'.join(process.lines) + process.log()
        for line in lines:
            if line not in text:
                process.fail('has not said: ' + line)
        if not errors and re.search(r'\]\[(ERR|CRT)\]', text):
            process.fail('reports errors')

    def check_pair(self, server, client, server_lines, client_lines):
        self.check(client, *client_lines)
        self.check(server, *server_lines)
        self.assertEqual(os.listdir(self.env['SOFTFIELD_RUNTIME_DIR']), [])


CTRL_SERVER_LINES = [
    'Starting the sample', 'CC server context is running. Waiting for clients to connect',
    'New client connected to server', "Message received: 'Message from the client'",
    'Task sent successfully', 'A client was disconnected from server',
    'CC server context has been stopped', 'Sample finished successfully',
]
CTRL_CLIENT_LINES = [
    'Starting the sample',
    'CC client context entered into starting state. Waiting for connection establishment',
    'CC client context is running. Sending message', 'Task sent successfully',
    "Message received: 'Message from the client'", 'CC client context has been stopped',
    'Sample finished successfully',
]
DATA_LINES = [
    'Got a new remote consumer with ID = [', 'Producer task sent successfully',
    'CC producer context is running. Posting message to consumer, waiting finish',
    'CC producer context has been stopped',
    'CC consumer context entered into starting state. Waiting consumer producer negotiation finish',
    'CC consumer context is running. Receiving message from producer, waiting finish',
    "Message received: 'Message from the client'", 'CC consumer context has been stopped',
    'Sample finished successfully',
]


class ControlPath(Official):
    def server(self, *options, **more):
        server = self.start('dpu', 'comch_ctrl_path_server', *options, **more)
        server.expect('CC server context is running')
        return server

    def client(self, *options, **more):
        return self.start('host', 'comch_ctrl_path_client', *options, **more)

    def peer(self, side, *options):
        return e2e.Peer(self, side, CTRL_SERVICE, *options, '--start', env=self.env)

    def test_pair(self):
        server = self.server()
        self.check_pair(server, self.client(), CTRL_SERVER_LINES, CTRL_CLIENT_LINES)

    def test_options(self):
        text = 'x' * 4000
        server = self.server('-p', '0000:03:00.0', '-r', '0000:b1:00.2', '--text', 'an answer')
        client = self.client('--pci-addr', 'b1:00.2', '-t', text)
        self.check(client, 'Sample finished successfully')
        self.check(server, "Message received: '%s'" % text, 'Sample finished successfully')

    def test_abstract_names(self):
        """The default: no runtime folder. This test alone shares the samples' names with others."""
        self.env = {}
        server = self.start('dpu', 'comch_ctrl_path_server', '-r', 'b1:00.3')
        line = server.expect('CC server context is running|Sample finished with errors')
        if 'errors' in line[0]:
            self.skipTest('somebody else runs the samples on this machine')
        self.check(self.client('-p', 'b1:00.3'), *CTRL_CLIENT_LINES)
        self.check(server, *CTRL_SERVER_LINES)

    def test_client_first(self):
        """It does not wait; its own exit status is 0 all the same."""
        client = self.client()
        self.check(client, 'CC client context entered into starting state',
                   'CC client context has been stopped', 'no server "%s"' % CTRL_SERVICE,
                   errors=True)
        self.assertNotIn('is running', '\n'.join(client.lines))

    def test_client_that_waits(self):
        client = self.client(env={'SOFTFIELD_CONNECT_WAIT': '3600s'})
        client.expect('CC client context entered into starting state')
        server = self.server()
        self.check_pair(server, client, CTRL_SERVER_LINES, CTRL_CLIENT_LINES)

    def test_refused(self):
        """A client of another function does not get in, and the server does not hear of it."""
        server = self.server('-r', 'b1:00.2')
        for function in ('b1:00.0', 'b1:00.3', 'b1:00.1'):
            client = self.client('-p', function)
            self.check(client, 'no server "%s"' % CTRL_SERVICE, errors=True)
        self.check(self.client('-p', 'b1:00.2'), *CTRL_CLIENT_LINES)
        self.check(server, *CTRL_SERVER_LINES)
        self.assertEqual('\n'.join(server.lines).count('New client connected'), 1)

    def test_second_server(self):
        server = self.server()
        second = self.start('dpu', 'comch_ctrl_path_server')
        self.check(second, 'a server named "%s" exists already' % CTRL_SERVICE,
                   'Sample finished with errors', status=1, errors=True)
        self.check_pair(server, self.client(), CTRL_SERVER_LINES, CTRL_CLIENT_LINES)

    def test_unknown_addresses(self):
        client = self.client('-p', '99:00.0')
        self.check(client, 'Matching device not found', 'Sample finished with errors', status=1,
                   errors=True)
        server = self.start('dpu', 'comch_ctrl_path_server', '-r', '99:00.0')
        self.check(server, 'Matching device not found', 'Sample finished with errors', status=1,
                   errors=True)

    def test_client_is_killed(self):
        """The server goes on, and serves the next one."""
        server = self.server()
        doomed = self.peer('client')
        doomed.expect('^state STARTING RUNNING$')
        doomed.kill()
        server.expect('New client connected to server')
        server.expect('A client was disconnected from server')
        self.check_pair(server, self.client(), CTRL_SERVER_LINES, CTRL_CLIENT_LINES)

    def test_server_is_killed(self):
        server = self.peer('server')
        server.expect('^state IDLE RUNNING$')
        client = self.client()
        server.expect('^message 0 23 Message from the client$')
        server.kill()
        self.check(client, 'CC client context is running',
                   'CC client context entered into stopping state',
                   'CC client context has been stopped', 'Sample finished successfully')

    def test_sample_is_killed(self):
        """The other way round: the sample dies, and leaves nothing behind."""
        self.server().kill()
        self.server().kill()
        client = self.peer('client')
        client.expect('^state STARTING IDLE$')
        client.quit()
        self.assertEqual(os.listdir(self.env['SOFTFIELD_RUNTIME_DIR']), [])


class DataPath(Official):
    def test_pair(self):
        server = self.start('dpu', 'comch_data_path_high_speed_server')
        server.expect('CC server context is running')
        client = self.start('host', 'comch_data_path_high_speed_client')
        self.check_pair(server, client, ['Server task sent successfully', *DATA_LINES],
                        ['Client task sent successfully', *DATA_LINES])
        for process in (server, client):
            number = re.search(r'remote consumer with ID = \[(\d+)\]', '\n'.join(process.lines))[1]
            self.assertNotIn(number, ('0', '65535'))


class SyncEvent(Official):
    def pair(self, *options):
        server = self.start('dpu', 'sync_event_remote_pci', '-d', '03:00.0', '-r', 'b1:00.0',
                            *options)
        client = self.start('host', 'sync_event_local_pci', '-d', 'b1:00.0', *options,
                            env={'SOFTFIELD_CONNECT_WAIT': '3600s'})
        self.check_pair(server, client, ['Received blob from remote side', 'Done',
                                         'Sample finished successfully'],
                        ['Exported DOCA Sync Event has been sent to remote side successfully',
                         'Waiting for sync event to be signaled from remote side',
                         'Sample finished successfully'])

    def test_synchronous(self):
        self.pair()

    def test_synchronous_atomic(self):
        self.pair('--atomic')

    def test_asynchronous(self):
        self.pair('--async', '--async-num-tasks', '4')

    def test_asynchronous_atomic(self):
        self.pair('--async', '--async-num-tasks', '4', '--atomic')


class Core(Official):
    def test_cache_invalidate(self):
        self.check(self.start('dpu', 'cache_invalidate'), 'Cache invalidate completed',
                   'All tasks are completed', 'Sample finished successfully')

    def test_clock_cross_timestamp(self):
        self.check(self.start('dpu', 'clock_cross_timestamp', '-p', '03:00.0', '-c', 'host_cycles',
                              '-n', 'nic_dpa'),
                   'Cross-timestamp - DOCA_CLOCK_HOST_COUNTER_CYCLES: ',
                   'Sample finished successfully')

    def test_graph(self):
        self.check(self.start('dpu', 'graph'), 'Instance 9 user callback',
                   'All instances completed', 'Sample finished successfully')


def add_pe_test(name, lines, **more):
    def test(self):
        self.check(self.start('dpu', name), *lines, 'Sample finished successfully', **more)
    setattr(Core, 'test_' + name, test)


for pe_sample in PE_SAMPLES:
    add_pe_test(pe_sample, {
        'pe_event': ['All tasks completed'],
        'pe_reactive': ['All tasks have completed. Stopping context'],
        'pe_async_stop': ['Stopping DMA in the middle', 'Task flushed with status'],
        'pe_task_error': ['CTX moved to stopping state unexpectedly',
                          'state changed from stopping to idle', 'Task failed with status'],
    }.get(pe_sample, ['All tasks are completed']), errors=pe_sample == 'pe_task_error')


class Dma(Official):
    def test_local_copy(self):
        self.check(self.start('dpu', 'dma_local_copy'),
                   'Success, memory copied and verified as correct', 'Sample finished successfully')

    def test_local_copy_is_for_the_dpu(self):
        self.check(self.start('host', 'dma_local_copy'), 'Local DMA copy can run only on the DPU',
                   status=1, errors=True)

    def copy(self, text, *options):
        files = ['-d', os.path.join(self.folder, 'descriptor'),
                 '-b', os.path.join(self.folder, 'buffer')]
        host = self.start('host', 'dma_copy_host', '-p', 'b1:00.0', '-t', text, *files)
        host.expect('Wait till the DPU has finished and press enter')
        dpu = self.start('dpu', 'dma_copy_dpu', '-p', '03:00.0', *files, *options)
        self.check(dpu, 'Remote DMA copy was done Successfully', 'Memory content: ' + text,
                   'Sample finished successfully')
        host.popen.stdin.write(b'\n')
        host.popen.stdin.flush()
        self.check(host, 'Sample finished successfully')

    def test_copy(self):
        self.copy('from the host')

    def test_copy_of_lists(self):
        self.copy('from the host in pieces', '-ns', '2', '-nd', '3')

    def test_host_is_killed(self):
        """Memory of a dead process cannot be read: an error, not a crash."""
        files = ['-d', os.path.join(self.folder, 'descriptor'),
                 '-b', os.path.join(self.folder, 'buffer')]
        host = self.start('host', 'dma_copy_host', '-p', 'b1:00.0', '-t', 'gone', *files)
        host.expect('Wait till the DPU has finished and press enter')
        host.kill()
        dpu = self.start('dpu', 'dma_copy_dpu', '-p', '03:00.0', *files)
        self.check(dpu, 'Sample finished with errors', status=1, errors=True)


class Dpa(Official):
    def setUp(self):
        super().setUp()
        if PREFIX != '/opt/mellanox/doca':
            self.skipTest('this build is not for the place that DPA samples want')
        if not TREE.in_place:
            self.skipTest('namespaces are not allowed here, or there is no unshare')

    def test_kernel_launch(self):
        self.check(self.start('host', 'dpa_kernel_launch', '--pf-device', 'mlx5_2'),
                   'Hello from kernel', 'Sample finished successfully')

    def test_nvqual(self):
        """On four units: it measures one, and runs as often on all of them at the same time."""
        others = ','.join(map(str, range(5, 256)))
        self.check(self.start('host', 'dpa_nvqual', '--pf-device', 'mlx5_2', '-test_dur', '1',
                              '-user_fac', '0.01', '-ex_eu', others),
                   '"used_harts": [1,2,3,4],', 'Sample finished successfully')


class Applications(Official):
    def pair(self, name, dpu_options, host_options):
        dpu = self.start('dpu', name, '-p', '03:00.0', '-r', 'b1:00.0', *dpu_options)
        host = self.start('host', name, '-p', 'b1:00.0', *host_options,
                          env={'SOFTFIELD_CONNECT_WAIT': '3600s'})
        return dpu, host

    def test_secure_channel(self):
        for size, count in (('1', '1000'), ('4096', '2000'), ('65535', '100')):
            options = ['-s', size, '-n', count]
            lines = ['Producer sent %s messages' % count, 'Consumer received %s messages' % count]
            dpu, host = self.pair('secure_channel', options, options)
            self.check_pair(dpu, host, ['Server connection established', *lines], lines)

    def copy(self, dpu_file, host_file, source, target):
        content = os.urandom(300000)
        with open(source, 'wb') as file:
            file.write(content)
        dpu, host = self.pair('dma_copy', ['-f', dpu_file], ['-f', host_file])
        self.check_pair(dpu, host, ['DMA copy was done Successfully'],
                        ['Final status message was successfully received'])
        with open(target, 'rb') as file:
            self.assertEqual(file.read(), content)

    def test_dma_copy_to_dpu(self):
        dpu_file, host_file = (os.path.join(self.folder, side) for side in ('dpu', 'host'))
        self.copy(dpu_file, host_file, source=host_file, target=dpu_file)

    def test_dma_copy_to_host(self):
        dpu_file, host_file = (os.path.join(self.folder, side) for side in ('dpu', 'host'))
        self.copy(dpu_file, host_file, source=dpu_file, target=host_file)


TREE = None


def setUpModule():
    global TREE
    if not SOURCE:
        raise unittest.SkipTest('DOCA_SAMPLES does not name a checkout of doca-samples')
    if not os.path.exists(os.path.join(SOURCE, 'samples', 'common.c')):
        raise RuntimeError('DOCA_SAMPLES=%s is no checkout of doca-samples' % SOURCE)
    TREE = Tree()


def tearDownModule():
    if TREE:
        shutil.rmtree(TREE.dir)


if __name__ == '__main__':
    e2e.main()
