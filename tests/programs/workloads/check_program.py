#!/usr/bin/env python3
"""Runs a program that checks itself on a machine. usage: check_program.py WARPMEM MACHINE PROGRAM

It must say "NAME: PASS" and end with status 0.
"""
import subprocess
import sys
from pathlib import Path


def main(warpmem, machine, program):
    name = Path(program).name.removesuffix("-nvcc")
    done = subprocess.run([warpmem, "run", "-q", "-m", machine, "--", program],
                          capture_output=True, text=True, timeout=240)
    print(done.stdout, done.stderr, sep="")
    return 0 if done.returncode == 0 and f"{name}: PASS" in done.stdout else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
