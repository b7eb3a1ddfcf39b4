#!/usr/bin/env python3
"""Counts what crosses between the sides of the three machines of studies/garcia-llc/grace_hopper.py, by hand.

usage: check_grace_hopper.py WARPMEM SOURCE

A thread writes a picture of 1024 lines and a histogram of 8, which stay in its core's L2, and a kernel alone counts:
each of these lines goes to the GPU once, from the CPU's caches and not from memory, and none comes back.
In time, the lines written before the range is profiled are in the caches, and the work is longer than its kernel.
"""
import sys
import tempfile
from pathlib import Path

PICTURE = "--width 256 --height 128 --bins 256 --threads 0"  # 4 bytes a point and a bin
LINES = (256 * 128 + 256) * 4 // 128


def main(warpmem, source):
    sys.path.insert(0, str(Path(source) / "studies/garcia-llc"))
    import grace_hopper
    warpmem, failures = Path(warpmem).resolve(), 0
    with tempfile.TemporaryDirectory() as folder:
        program = grace_hopper.compiled(warpmem, "collaborative/image_histogram", folder)
        for machine in grace_hopper.MACHINES:
            cores, kernels, locked = grace_hopper.measure(warpmem, program, PICTURE, machine)
            accesses, (_, _, to_cores, _) = cores
            _, (_, in_last, to_kernels, memory) = kernels
            found = (to_cores, to_kernels, in_last or 0, memory, locked[0][1])
            if found != (0, LINES, 0, 0, 0) or accesses < 256 * 128 or not 0 < locked[1][0] < locked[1][1]:
                failures += 1
                print(f"{machine}: {found}, {accesses} accesses of cores, {locked[1]} of SMs locked")
            all_of_it, of_kernels = grace_hopper.measure_time(warpmem, program, PICTURE, machine)
            if not 0 < of_kernels < all_of_it:
                failures += 1
                print(f"{machine}: {all_of_it} microseconds, {of_kernels} of kernels")
    print(f"{failures} wrong, {len(grace_hopper.MACHINES)} machines")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
