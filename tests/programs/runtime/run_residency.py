#!/usr/bin/env python3
"""Set-aside L2, access policies and compression, on machines that have them and one that has not.
usage: run_residency.py WARPMEM
"""
import sys

from run_program import expect, status_of

MIB = 1 << 20
SIZES = {"v100": (0, 0, 0), "a100": (30 * MIB, 128 * MIB, 1), "h100": (37.5 * MIB, 128 * MIB, 1),
         "h200": (45 * MIB, 128 * MIB, 1)}


def check_all(bench):
    program = bench.compile("residency.cu", flags=("-ldl",))
    for machine, sizes in SIZES.items():
        done = bench.run(program, int(sizes[0] > 0), options=["-q", "-m", machine])
        expect(done.returncode == 0, machine, done)
        told = tuple(map(int, done.stdout.split()[:3]))
        expect(told == sizes, f"{machine}: {told}", done)


if __name__ == "__main__":
    sys.exit(status_of(check_all, sys.argv[1]))
