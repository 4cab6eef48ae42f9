# SPDX-License-Identifier: BSD-3-Clause
"""What SOFTFIELD_LOG shows of a conversation: enough to see where it ended."""
import os

import e2e


class Log(e2e.Test):
    def test_life(self):
        env = {'SOFTFIELD_LOG': 'debug'}
        server = self.server(env=env)
        client = self.client(env=env)
        client.quit()
        server.expect('^disconnect 0$')
        server.quit()
        for text in ('topology built-in: cards 1', 'comch server .*: IDLE to RUNNING',
                     'listening as "%s" for function 0000:b1:00.0' % self.name,
                     'connection of "%s": open, to process %d of user' % (self.name,
                                                                          client.popen.pid),
                     'connection of "%s": closed: ' % self.name,
                     'comch server .*: RUNNING to (STOPPING|IDLE)'):
            self.assertRegex(server.log(), text)
        for text in ('comch client .*: IDLE to STARTING',
                     'server "%s" is process %d, which answers in doca_pe_progress' % (
                         self.name, server.popen.pid),
                     'comch client .*: STARTING to RUNNING',
                     'connection of "%s": open, to process %d of user' % (self.name,
                                                                          server.popen.pid)):
            self.assertRegex(client.log(), text)

    def test_silence(self):
        """The ordinary case is nothing to warn of."""
        server = self.server()
        client = self.client()
        client.quit()
        server.expect('^disconnect 0$')
        server.quit()
        self.assertNotRegex(client.log() + server.log(), r'\[(CRT|ERR|WRN|DBG)\]')

    def test_waiting(self):
        env = {'SOFTFIELD_LOG': 'debug', 'SOFTFIELD_CONNECT_WAIT': '60s'}
        client = e2e.Peer(self, 'client', self.name, '--start', env=env)
        client.expect('^state IDLE STARTING$')
        server = self.server()
        client.expect('^state STARTING RUNNING$')
        client.quit()
        server.quit()
        self.assertRegex(client.log(), 'no server "%s" for function 0000:b1:00.0 yet, waiting' %
                         self.name)

    def test_no_folder(self):
        """A runtime folder that is none is named, on either side."""
        path = os.path.join(self.temp_dir(), 'file')
        with open(path, 'w', encoding='ascii'):
            pass
        client = self.refused_client(env={'SOFTFIELD_RUNTIME_DIR': path})
        self.assertIn('runtime folder %s: Not a directory' % path, client.log())


if __name__ == '__main__':
    e2e.main()
