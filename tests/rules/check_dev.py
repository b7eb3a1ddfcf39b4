#!/usr/bin/env python3
"""./dev says what it is doing, on a terminal also how far it is. usage: check_dev.py SOURCE"""
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

NINJA = """rule make
  command = %s
  description = making $out
build one: make
build two: make one
build three: make two
default three
"""


def shell(folder, script, **options):
    """Runs functions of a copy of ./dev, which is sourced for its help."""
    return subprocess.run(["bash", "-c", f"set -- help; . ./dev >/dev/null; set +e; {script}"], cwd=folder, text=True,
                          timeout=60, **options)


def project(folder, command):
    (folder / "out").mkdir(exist_ok=True)
    for name in ("one", "two", "three"):
        (folder / "out" / name).unlink(missing_ok=True)
    (folder / "out/build.ninja").write_text(NINJA % command)


def check_compile(folder):
    project(folder, "touch $out")
    done = shell(folder, "compile out", capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "compiling into out/: 3 steps\n"), done
    done = shell(folder, "compile out", capture_output=True)
    assert (done.returncode, done.stderr) == (0, ""), done
    project(folder, "false")
    done = shell(folder, "(compile out)", capture_output=True)
    assert done.returncode == 2 and "FAILED" in done.stderr and "error: the build failed" in done.stderr, done


def read_all(terminal):
    """What was written to the other end. One read need not give all of it, and the last one fails on Linux."""
    text = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            part = b""
        if not part:
            return text.decode()
        text += part


def check_terminal(folder):
    try:
        ours, theirs = pty.openpty()
    except OSError as error:
        print(f"without a pseudo-terminal ({error}): how far a build is was not looked at")
        return
    project(folder, "touch $out")
    done = shell(folder, "compile out", stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = read_all(ours)
    assert done.returncode == 0 and "2 of 3 steps" in shown and "3 of 3 steps" in shown, (done, shown)


def check_demo(folder):
    warpmem = folder / "build/src/cli/warpmem"
    warpmem.parent.mkdir(parents=True)
    warpmem.write_text("#!/bin/sh\necho did \"$1\"; echo \"did $1\" >&2\n")
    warpmem.chmod(0o755)
    done = shell(folder, "setup() { :; }; build_release() { :; }; demo", capture_output=True)
    assert done.returncode == 0, done
    lines = done.stderr.splitlines()
    steps = [line for line in lines if line.startswith("[")]
    assert [line[:5] for line in steps] == [f"[{step}/5]" for step in range(1, 6)], lines
    # Nothing that takes time comes before what says so.
    order = [steps.index(line) + 1 if line in steps else line.removeprefix("did ") for line in lines]
    assert order == [1, 2, 3, "cc", 4, "run", "run", 5, "study", "report"], order


def main(source):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "dev").write_text((source / "dev").read_text())
        check_compile(folder)
        check_terminal(folder)
        check_demo(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
