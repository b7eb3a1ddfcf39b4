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

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import sanitized


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
    return {**os.environ, **sanitized.variables(warpmem)}


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
