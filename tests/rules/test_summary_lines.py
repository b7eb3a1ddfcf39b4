#!/usr/bin/env python3
"""What tools/test_summary.py makes of meson's logs, and that each test which skips says why.

usage: test_summary_lines.py SOURCE
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = [
    ({"name": "good", "result": "OK"}, None),
    ({"name": "expected", "result": "EXPECTEDFAIL"}, None),
    ({"name": "bad", "result": "FAIL"}, "failed: bad (LOG)"),
    ({"name": "one", "result": "SKIP", "stdout": "skipped: nvcc is not installed\n"},
     "skipped: nvcc is not installed: one, two"),
    ({"name": "two", "result": "SKIP", "stderr": "a warning\nskipped: nvcc is not installed\n"}, None),
    ({"name": "tap", "result": "SKIP", "stdout": "1..1\nok - moves::avx2  # SKIP this processor has no AVX2\n"},
     "skipped: this processor has no AVX2: tap"),
    ({"name": "mute", "result": "SKIP", "stdout": "some output\n"},
     "failed: mute: skipped without a reason (LOG)"),
]
SKIPS = re.compile(r"(return|exit\() ?\(?(77|SKIPPED)\)?;?$|exit 77")


def summary(lines):
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "testlog.json")
        log.write_text("".join(json.dumps(line) + "\n" for line in lines))
        done = subprocess.run([sys.executable, SOURCE / "tools/test_summary.py", log], capture_output=True,
                              text=True)
        return done.returncode, done.stdout.replace(str(log), "LOG").splitlines()


def check_summary():
    status, lines = summary([run for run, _ in RUNS])
    assert status == 1, status
    for _, wanted in RUNS:
        assert wanted is None or wanted in lines, (wanted, lines)
    assert lines[-1] == "2 passed, 2 failed, 3 skipped", lines
    assert summary([RUNS[0][0], RUNS[3][0]]) == (0, ["skipped: nvcc is not installed: one",
                                                     "1 passed, 0 failed, 1 skipped"])
    assert summary([])[0] == 1


def check_skips():
    """Whoever ends with 77 has said why just before."""
    mute, found = [], 0
    for path in sorted((SOURCE / "tests").rglob("*")):
        if path.suffix not in (".py", ".c", ".build", ".sh") or path == Path(__file__).resolve():
            continue
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines):
            if SKIPS.search(line.strip()):
                found += 1
                if not any("skipped: " in before for before in lines[max(0, number - 2):number + 1]):
                    mute.append(f"{path.relative_to(SOURCE)}:{number + 1}: skips without a reason")
    assert not mute, "\n".join(mute)
    assert found > 10, found


NO_TERMINAL = """
import pty, runpy, sys
def openpty():
    raise OSError("out of pty devices")
pty.openpty = openpty
sys.argv = [sys.argv[1], sys.argv[2], "nowhere", "keys"]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def check_terminal():
    """Where no pseudo-terminal can be had, pressing keys is skipped."""
    done = subprocess.run([sys.executable, "-c", NO_TERMINAL, SOURCE / "tests/cli/check_completion.py", SOURCE],
                          capture_output=True, text=True)
    assert done.returncode == 77, done
    assert done.stdout == "skipped: there is no pseudo-terminal here (out of pty devices)\n", done


SOURCE = Path(sys.argv[1]).resolve()
check_summary()
check_skips()
check_terminal()
