#!/usr/bin/env python3
"""Fits the model of partitions of L1 and shared memory to the six programs that the paper trains
with, at their first inputs, and writes it where presets have theirs: machines/partition/. usage:
fit.py WARPMEM [FILE]

FILE is another place for the model. With the same warpmem, compiler and LAPACK it comes out the same to
the byte.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

from decide import HERE, MACHINE, compile_and_record, programs

TRAINED_WITH = ("BAA", "BFS", "EUF", "KMI", "SRP", "SRR")  # section V-D


def main(warpmem, model=HERE.parents[1] / "machines" / "partition" / f"{MACHINE}.yaml"):
    warpmem = Path(warpmem).resolve()
    with tempfile.TemporaryDirectory() as home:
        folder, recordings = Path(home), []
        for label, source, arguments in programs():
            if label not in TRAINED_WITH:
                continue
            # Every instruction: it is measured in time.
            recordings.append(folder / f"{label}.wmt")
            compile_and_record(warpmem, folder, source, recordings[-1], arguments, [])
        subprocess.run([warpmem, "bypass", "-m", MACHINE, "--fit", model, *recordings], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
