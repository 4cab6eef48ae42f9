#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command line while iceoryx's daemon is up, with memory pools for our sizes."""
import subprocess
import sys
import tempfile

POOLS = [(256, 2000), (4352, 2000), (65792, 600), (1048832, 300)]  # bytes, chunks


def config():
    text = "[general]\nversion = 1\n[[segment]]\n"
    for size, count in POOLS:
        text += f"[[segment.mempool]]\nsize = {size}\ncount = {count}\n"
    return text


def main():
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(config())
        file.flush()
        with subprocess.Popen(["iox-roudi", "-c", file.name, "-m", "off"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as daemon:
            for line in daemon.stdout:
                if "ready for clients" in line:
                    break
            else:
                sys.exit("iox-roudi did not start")
            try:
                status = subprocess.run(sys.argv[1:], check=False).returncode
            finally:
                daemon.terminate()
                daemon.stdout.read()
    sys.exit(status)


if __name__ == "__main__":
    main()
