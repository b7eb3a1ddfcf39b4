#!/usr/bin/env python3
"""Runs a program that checks itself on a machine. usage: check_program.py WARPMEM MACHINE SOURCE [COMPILER [FLAG…]]

COMPILER is clang, which is `warpmem cc`, or nvcc. The program must say "NAME: PASS" and end with
status 0.
"""
import os
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[up]) for up in (1, 2)]
import compiled
import sanitized


def executable(warpmem, source, compiler="clang", *flags):
    """The path of the program that warpmem cc or nvcc makes of it."""
    return compiled.program(warpmem, source, compiler=compiler, flags=flags)


def environment(warpmem):
    return {**os.environ, **sanitized.variables(warpmem)}


def name_of(program):
    """What the source is called; a compiler other than clang leaves its mark behind a dash."""
    return Path(program).name.split("-")[0]


def main(warpmem, machine, source, compiler="clang", *flags):
    path = executable(warpmem, source, compiler, *flags)
    done = subprocess.run([warpmem, "run", "-q", "-m", machine, "--", path], capture_output=True,
                          text=True, timeout=240, env=environment(warpmem))
    print(done.stdout, done.stderr, sep="")
    passed = f"{name_of(path)}: PASS" in done.stdout
    return 0 if done.returncode == 0 and passed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
