#!/usr/bin/env python3
"""Runs a program that checks itself on a machine. usage: check_program.py WARPMEM MACHINE PROGRAM

PROGRAM is an executable, or a .cu file that `warpmem cc` makes one of. It must say "NAME: PASS" and
end with status 0.
"""
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def executable(warpmem, program):
    """The program's path; compiled for the time being when it is a source."""
    if not program.endswith(".cu"):
        yield program
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(program).stem
        subprocess.run([warpmem, "cc", "-Wall", "-Werror", program, "-o", path], check=True)
        yield str(path)


def environment(warpmem):
    """For runs: a sanitized runtime wants the sanitizer's library loaded before the program's own."""
    variables = dict(os.environ)
    if b"libasan.so" in Path(warpmem).read_bytes():
        library = subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True,
                                 capture_output=True, text=True).stdout.strip()
        # Faults of the simulated device's memory are signals that the runtime handles, and its state
        # lives as long as the program.
        variables |= {"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0"}
    return variables


def name_of(program):
    return Path(program).name.removesuffix("-nvcc")


def main(warpmem, machine, program):
    with executable(warpmem, program) as path:
        done = subprocess.run([warpmem, "run", "-q", "-m", machine, "--", path],
                              capture_output=True, text=True, timeout=240,
                              env=environment(warpmem))
    print(done.stdout, done.stderr, sep="")
    passed = f"{name_of(path)}: PASS" in done.stdout
    return 0 if done.returncode == 0 and passed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
