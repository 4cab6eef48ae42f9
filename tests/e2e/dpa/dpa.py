# SPDX-License-Identifier: BSD-3-Clause
"""Programs with DPA code from end to end, as dpacc and the libraries make them: kernels, threads,
message queues; and what is left of one that is killed."""

import unittest

import e2e


class Program(e2e.Test):
    def setUp(self):
        super().setUp()
        self.folder = self.temp_dir()

    def start(self, *command):
        return e2e.Process(self, [e2e.program(command[0]), *command[1:]],
                           env={'SOFTFIELD_RUNTIME_DIR': self.folder})


class Scene(Program):
    def play(self, *scene):
        process = self.start('scenes', *scene)
        self.assertEqual(process.wait(), 0, process.lines + [process.log()])
        self.assertEqual(process.lines, ['all is well'])
        self.check_nothing_left(self.folder)

    def test_kernels(self):
        """In chains of events, each started before what it waits for; RPCs with structs."""
        self.play('kernels')

    def test_endless(self):
        """A DPA is destroyed while kernels loop and wait on it."""
        self.play('endless')

    def test_relay(self):
        """Threads of a group trigger each other."""
        self.play('relay')

    def test_copies(self):
        """A thread is triggered by the reports of its asynchronous operations."""
        self.play('copies')

    def test_pests(self):
        """Threads are stopped, run again and destroyed right under their triggers."""
        self.play('pests')

    @unittest.skipUnless(e2e.may_copy_between_processes(), 'no process_vm_readv()')
    def test_rings(self):
        """A DPA empties rings in the heap of another process."""
        self.play('rings')

    def test_threads_traffic(self):
        self.play('threads-traffic')

    def test_kernel_traffic(self):
        self.play('kernel-traffic')

    def test_shared_traffic(self):
        """All workers have one execution unit."""
        self.play('shared-traffic')

    def test_broken_off(self):
        self.play('broken-off')

    @unittest.skipIf(e2e.SANITIZED, 'a child of a program with threads may inherit locks of the '
                                    "address sanitizer's allocator")
    def test_forks(self):
        """A child destroys what it has from its parent, or only ends; the parent goes on."""
        self.play('forks')

    def test_killed(self):
        for labour in ('0', '1'):
            victim = self.start('scenes', 'victim', labour)
            victim.expect('^talking$')
            victim.kill()
            self.check_nothing_left(self.folder)


class Sample(Program):
    def test_conversation(self):
        sample = self.start('sample_msgq', '3000')
        self.assertEqual(sample.wait(), 0, sample.lines + [sample.log()])
        self.assertRegex(sample.lines[0], r'^0000:\S+ has a DPA with \d+ execution units$')
        self.assertRegex(sample.lines[1], 'the DPA has posted 16 receives$')
        self.assertEqual(sample.lines[3],
                         'question 1: the sum of 2 numbers from 1 on?  answer: 3')
        self.assertRegex(sample.lines[-1], r'^3000 questions answered, each in [\d.]+ us')

    def test_help(self):
        for argument, status in (('--help', 0), ('none', 1), ('0', 1)):
            sample = self.start('sample_msgq', argument)
            self.assertEqual(sample.wait(), status)
            self.assertEqual(sample.lines[0], 'usage: doca_msgq [COUNT]')


if __name__ == '__main__':
    e2e.main()
