#!/usr/bin/env python3
"""Ten times the grid takes less than 1.1 times the memory. usage: check_resident.py WARPMEM PROGRAM.cu

The peak resident set of the program's own process, the simulator in it, is what the operating system
accounts to the waited-for child.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import sanitized

SMALL, LARGE, LIMIT = 20_000, 200_000, 1.1


def peak_kib(warpmem, program, blocks):
    """Of a fresh process tree: the largest resident set of any of its processes."""
    pid = os.fork()
    if pid == 0:
        environment = {**os.environ, **sanitized.variables(warpmem)}
        os.execve(warpmem, [warpmem, "run", "-q", "-m", "v100", "--", program, str(blocks)], environment)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, f"{blocks} blocks: wait status {status}"
    return usage.ru_maxrss


def main(warpmem, source):
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "many_blocks")
        subprocess.run([warpmem, "cc", source, "-o", program], check=True,
                       env={**os.environ, **sanitized.variables(warpmem)})
        small, large = (peak_kib(warpmem, program, blocks) for blocks in (SMALL, LARGE))
    print(f"{SMALL} blocks: {small} KiB; {LARGE} blocks: {large} KiB; ratio {large / small:.3f}")
    return 1 if large >= LIMIT * small else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
