#!/usr/bin/env python3
"""What keeps advice from being measured is said, and the rest of the annotation is there all the same.

usage: check_unmeasured.py SOURCE BUILD. Exit status 77: skipped, no clang.
"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("programs", "")]
import compiled
import sanitized

RULE = "bypass-l1"


class Annotated:
    def __init__(self, warpmem, folder, program):
        self.warpmem, self.folder, self.program = warpmem, folder, program

    def __call__(self, *options, how="plain", status=0):
        """The annotation of a run, and the one advice of its kernel, if there is one."""
        (self.folder / "lines.json").unlink(missing_ok=True)
        done = subprocess.run(
            [self.warpmem, "annotate", "--json", "lines.json", "--report", "lines.txt", *options, "--",
             self.program, how],
            cwd=self.folder, capture_output=True, text=True,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(self.folder),
                 "TMPDIR": str(self.folder / "temporary"), **sanitized.variables(self.warpmem)})
        assert done.returncode == status, f"{options} {how}: {done.returncode}\n{done.stdout}{done.stderr}"
        left = list((self.folder / "temporary").iterdir())
        assert not left, f"{options} {how}: left behind: {left}"
        annotation = json.loads((self.folder / "lines.json").read_text())
        advice = [one for kernel in annotation["kernels"] for section in kernel["sections"]
                  for line in section["lines"] for one in line.get("advice", []) if one["rule"] == RULE]
        text = " ".join((self.folder / "lines.txt").read_text().split())
        reason = annotation.get("not_measured")
        assert ("Advice was not measured: " in text) == (reason is not None), (reason, text[-400:])
        assert reason is None or f"Advice was not measured: {reason}." in text, (reason, text[-400:])
        return annotation.get("measured"), reason, advice, done.stderr


def main(source, build):
    if not (shutil.which("clang") or shutil.which("clang-14")):
        print("skipped: clang is not installed")
        return 77
    warpmem = Path(build).resolve() / "src/cli/warpmem"
    program = compiled.program(warpmem, Path(source).resolve() / "tests/cli/unmeasured.cu", compiler="clang",
                               flags=[])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "temporary").mkdir()
        annotated = Annotated(warpmem, folder, program)

        how, reason, (advice,), said = annotated()
        assert (how, reason, advice["basis"], said) == ("walk", None, "measured", ""), (how, reason, said)
        plain = advice["trials"]

        how, reason, (advice,), said = annotated(how="fault")
        assert (how, reason, advice["trials"]) == ("walk", None, plain), "without what failed"
        assert "out of bounds" in said and "recording" not in said, said

        how, reason, (advice,), _ = annotated("--measure", "none")
        assert (how, reason, advice["basis"]) == (None, "that was not requested", "estimate"), reason

        how, reason, advice, _ = annotated("--limit-instructions", "60k", status=3)
        assert how is None and all(one["basis"] == "estimate" for one in advice), advice
        assert not advice or reason == "the run was stopped at its limit", reason

        how, reason, advice, _ = annotated(how="streams")
        assert how is None and all(one["basis"] == "estimate" for one in advice), advice
        assert not advice or "--serial-streams" in reason, reason
        how, reason, advice, _ = annotated("--serial-streams", how="streams")
        assert (how, reason, [one["basis"] for one in advice]) == ("walk", None, ["measured"]), reason

        how, reason, (advice,), _ = annotated("--set", "gpu.l1.bypass=none")
        assert (how, reason, advice["basis"]) == (None, None, "estimate"), "no list can be said"
        assert "measure with" not in advice["sentence"], advice
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
