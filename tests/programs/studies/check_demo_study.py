#!/usr/bin/env python3
"""The study of ./dev demo shows a claim of the thesis that does not hold, as the whole study does.

usage: check_demo_study.py WARPMEM SOURCE

Only what claim 1 needs of studies/anssari/small.yaml is run, at its own sizes.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workloads"))
from check_program import environment

NEEDED = {"l2": ("128KiB", "1MiB"), "design": ("base", "tracker")}


def claims(text):
    """The text of each claim, by its id."""
    return {match[1]: match[0] for match in
            re.finditer(r'^  "(\w+)":\n(?:    .*\n)*', text[text.index("\nclaims:"):], re.MULTILINE)}


def claim_alone(text):
    """The study with what claim 1 needs: no figures, no other claim, a third of the machines."""
    first = claims(text)["1"]
    kept = []
    for line in text[:text.index("\nfigures:")].splitlines():
        value = re.match(r"      (\w+): ", line)
        if not value or any(value[1] in values for values in NEEDED.values()):
            kept.append(line)
    return "\n".join(kept) + "\nclaims:\n" + first


def main(warpmem, source):
    warpmem, folder = Path(warpmem).resolve(), Path(source) / "studies/anssari"
    small, whole = ((folder / name).read_text() for name in ("small.yaml", "study.yaml"))
    assert claims(small)["1"] == claims(whole)["1"], "claim 1 is the thesis' own in both"
    with tempfile.TemporaryDirectory(prefix="warpmem-test-") as name:
        study = Path(name) / "small.yaml"
        study.write_text(claim_alone(small))
        run = subprocess.run([warpmem, "study", "run", study], cwd=name, capture_output=True, text=True,
                             env=environment(warpmem))
        assert run.returncode == 0 and "12 points, 12 replayed" in run.stdout, run.stdout + run.stderr
        assert "claims: 0 hold, 1 do not, 0 undecided" in run.stdout, run.stdout
        check = subprocess.run([warpmem, "study", "check", study], cwd=name, capture_output=True,
                               text=True, env=environment(warpmem))
        assert check.returncode == 1 and "1  does not hold" in check.stdout, check.stdout
    print("as it should be")


if __name__ == "__main__":
    main(*sys.argv[1:])
