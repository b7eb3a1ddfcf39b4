#!/usr/bin/env python3
"""Ends `warpmem record` by SIGKILL at random moments; what was written is read as far as it goes.

usage: check_killed.py SOURCE BUILD

`warpmem trace check` says which launches are whole, and those are the same as in a recording that
nobody ended: cut out of both, they do not differ. Exit status 77: skipped, as clang is missing.
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import sanitized

RUNS = 15


def main(source, build):
    if not (shutil.which("clang") or shutil.which("clang-14")):
        print("skipped: clang is not installed")
        return 77
    exe = Path(build).resolve() / "src/cli/warpmem"
    variables = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                 **sanitized.variables(exe)}

    def warpmem(*words, want=0):
        done = subprocess.run([exe, *words], cwd=folder, env={**variables, "HOME": folder},
                              capture_output=True, text=True)
        assert want is None or done.returncode == want, \
            f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def record(name):
        return subprocess.Popen([exe, "record", "-q", "-o", name, "--", "./killed"], cwd=folder,
                                env={**variables, "HOME": folder}, start_new_session=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    with tempfile.TemporaryDirectory() as folder:
        warpmem("cc", Path(source).resolve() / "tests/cli/killed.cu", "-o", "killed")
        begin = time.monotonic()
        assert record("whole.wmt").wait() == 0
        seconds = time.monotonic() - begin
        warpmem("trace", "check", "whole.wmt")
        dice, met = random.Random(7), set()
        for run in sanitized.share(exe, range(RUNS), 0, of=2):
            part = Path(folder) / "part.wmt"
            part.unlink(missing_ok=True)
            process = record("part.wmt")
            time.sleep(seconds * dice.random())
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            met.add(look(warpmem, part))
        print(f"runs ended within {seconds:.2f} s; whole launches: {sorted(met)}")
        assert len(met) >= 3, "the moments are too much alike"


def look(warpmem, part):
    """How many launches are whole; -1 when not even the recording's header is there."""
    if not part.exists():
        return -1
    done = warpmem("trace", "check", "part.wmt", want=None)
    if done.returncode == 0:
        return 60
    assert done.returncode == 2, done.stderr
    said = done.stdout + done.stderr
    if re.search("file is empty|ends before its header is whole|no recording", said):
        return -1
    assert "part.wmt: cut off at byte " in said, said
    replayed = warpmem("replay", "-q", "part.wmt", want=2)
    assert "cut off at byte" in replayed.stderr, replayed.stderr
    if "no launch is whole" in said:
        return 0
    several = re.search(r"launches 0 to (\d+) are whole", said)
    last = int(several[1]) if several else 0
    assert several or "launch 0 is whole" in said, said
    warpmem("trace", "cut", "part.wmt", "-o", "a.wmt", "--launches", f"0-{last}")
    warpmem("trace", "cut", "whole.wmt", "-o", "b.wmt", "--launches", f"0-{last}")
    differs = warpmem("trace", "diff", "a.wmt", "b.wmt")
    assert differs.stdout == "", differs.stdout
    warpmem("replay", "-q", "a.wmt")
    return last + 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
