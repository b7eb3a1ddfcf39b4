#!/usr/bin/env python3
"""The memory of a replay in time depends on the machine and the blocks on it, not on the run's length.

usage: check_memory.py WARPMEM WORKLOADS

A stencil that fills all SMs of a V100 with 64 warps each, 4 and 40 launches of it. Skipped where the
address sanitizer keeps memory of its own.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[up]) for up in (1, 2)]
import compiled
import sanitized

MOST = 500e6 / 2**20  # MiB
GROWTH = 1.2          # the shorter has not seen every queue at its fullest
SKIPPED = 77


def peak(exe, program, steps, folder):
    """MiB that a replay of so many launches takes at most."""
    recording = Path(folder) / "steps.wmt"
    subprocess.run([exe, "record", "-q", "--any-order", "-o", recording, "--", program, "--width", "512",
                    "--height", "512", "--steps", str(steps)], check=True, stdout=subprocess.DEVNULL)
    child = subprocess.Popen([exe, "replay", "-q", "-e", "clock", "-j1", "-m", "v100", recording])
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0
    return used.ru_maxrss / 1024


def main(exe, workloads):
    exe = str(Path(exe).resolve())
    if sanitized.variables(exe):
        print("skipped: the sanitizers' own memory is most of what would be measured")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        program = compiled.program(exe, Path(workloads) / "stencil.cu")
        short, long = (peak(exe, program, steps, folder) for steps in (4, 40))
    print(f"{short:.1f} MiB for 4 launches, {long:.1f} MiB for 40")
    return 0 if long < MOST and long < GROWTH * short else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
