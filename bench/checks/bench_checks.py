#!/usr/bin/env python3
"""What `warpmem run --check` costs: processor time of a run with a check, in runs without one.
usage: bench_checks.py WARPMEM WORKLOADS

Runs take turns, and medians of their ratios are printed.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 5
PROGRAMS = [("gemm", ["--variant", "tiled", "--n", "256"]),
            ("reduction", ["--n", "1000000"]),
            ("bfs", ["--variant", "queue", "--n", "100000"])]


def seconds(warpmem, options, program, arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([warpmem, "run", "-q", *options, "--", program, *arguments], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main(warpmem, workloads):
    print("processor time of a run with a check, in runs without (medians of "
          f"{ROUNDS}): alone, and with the walk on v100")
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in PROGRAMS:
            program = Path(folder) / name
            subprocess.run([warpmem, "cc", Path(workloads) / f"{name}.cu", "-o", program],
                           check=True)
            for check in ("init", "race", "leak", "all"):
                ratios = []
                for base in (["--no-memory"], []):
                    pairs = [seconds(warpmem, [*base, "--check", check], program, arguments) /
                             seconds(warpmem, base, program, arguments) for _ in range(ROUNDS)]
                    ratios.append(statistics.median(pairs))
                print(f"{name:10} {check:5} {ratios[0]:5.2f} {ratios[1]:5.2f}", flush=True)


if __name__ == "__main__":
    os.environ.pop("WARPMEM_CHECK", None)
    sys.exit(main(*sys.argv[1:]))
