#!/usr/bin/env python3
"""Runs a program that checks itself on a machine. usage: check_program.py WARPMEM MACHINE PROGRAM

PROGRAM is an executable, or a .cu file that `warpmem cc` makes one of. It must say "NAME: PASS" and
end with status 0.
"""
import os
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[up]) for up in (1, 2)]
import compiled
import sanitized


def executable(warpmem, program):
    """The program's path; compiled when it is a source."""
    return compiled.program(warpmem, program) if program.endswith(".cu") else program


def environment(warpmem):
    return {**os.environ, **sanitized.variables(warpmem)}


def name_of(program):
    return Path(program).name.removesuffix("-nvcc")


def main(warpmem, machine, program):
    path = executable(warpmem, program)
    done = subprocess.run([warpmem, "run", "-q", "-m", machine, "--", path], capture_output=True,
                          text=True, timeout=240, env=environment(warpmem))
    print(done.stdout, done.stderr, sep="")
    passed = f"{name_of(path)}: PASS" in done.stdout
    return 0 if done.returncode == 0 and passed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
