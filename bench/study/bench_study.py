#!/usr/bin/env python3
"""How long a whole paper takes: every point of studies/anssari from nothing, programs compiled and
recorded too. usage: bench_study.py WARPMEM STUDY

One run, as it takes minutes: the time is the goal's, the ratio to its processor time says how busy
the machine was.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main(exe, study):
    exe, study = Path(exe).resolve(), Path(study).resolve()
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        done = subprocess.run([exe, "study", "run", "-j2", study], cwd=folder, check=True,
                              capture_output=True, text=True)
        elapsed = time.monotonic() - begin
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        points = int(re.search(r"(\d+) points", done.stdout).group(1))
        print(f"{study.parent.name}: {points} points, two at a time, in {elapsed:.0f} s "
              f"({spent.ru_utime + spent.ru_stime:.0f} s of processor time, {os.cpu_count()} processors "
              "seen; goal: under 600 s on two)")
        print(done.stdout.strip().splitlines()[-1])


if __name__ == "__main__":
    main(*sys.argv[1:3])
