#!/usr/bin/env python3
"""Each kernel of diseases.cu gets exactly the advice that it needs, and the healthy ones none.

usage: check_advice.py SOURCE BUILD clang|nvcc. Exit status 77: skipped, no such compiler.
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("programs", "")]
import compiled
import sanitized

# By kernel: the rule and the kind of access; one line each, and nothing else anywhere.
EXPECTED = {
    "strided": ("uncoalesced", "load"),
    "one_field_of_structures": ("uncoalesced", "load"),
    "rows_by_thread": ("uncoalesced", "load"),
    "columns_of_a_tile": ("bank-conflict", "load"),
    "few_bins": ("privatise", "atomic"),
    "few_bins_in_shared": ("privatise", "atomic"),
    "stream_beside_a_table": ("bypass-l1", "load"),
    "four_scalars": ("vectorise", "load"),
    "product_without_tiles": ("shared-tile", "load"),
    **dict.fromkeys(["copy", "copy_vectors", "saxpy", "neighbours", "transpose_in_tiles", "reduction",
                     "many_bins", "many_bins_in_shared", "gather"]),
}
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}


def run(warpmem, *arguments, folder):
    done = subprocess.run([warpmem, *arguments], cwd=folder, capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(folder),
                               **sanitized.variables(warpmem)})
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done.stdout


def short(kernel):
    return kernel["signature"].split("(")[0]


def advice_of(annotation):
    """By kernel, what is advised anywhere in it, with the line that it is of."""
    found = {}
    for kernel in annotation["kernels"]:
        lines = [line for section in kernel["sections"] for line in section["lines"]]
        found[short(kernel)] = [(one, line) for line in lines for one in line.get("advice", [])]
    return found


def check_table(found):
    wrong = []
    assert set(found) == set(EXPECTED), set(found) ^ set(EXPECTED)
    for kernel, expected in EXPECTED.items():
        given = [(one["rule"], one["kind"].replace("reduction", "atomic")) for one, _ in found[kernel]]
        if given != ([expected] if expected else []):
            wrong.append(f"{kernel}: {[one['sentence'] for one, _ in found[kernel]] or 'none'}, "
                         f"not {expected}")
        for one, _ in found[kernel]:
            if not re.search(r"saves (up to )?[0-9][0-9.]* ?\w* of [0-9]", one["sentence"]):
                wrong.append(f"{kernel}: what is saved? {one['sentence']}")
    assert not wrong, "\n".join(wrong)


def l1_l2_bytes(path, kernel):
    kernels = json.loads(path.read_text())["kernels"]
    own = next(it for it in kernels if short(it) == kernel)
    return sum(it["counters"]["bytes_l1_l2"] for it in own["instructions"])


def check_bypass(warpmem, program, folder, advice):
    """What the advice says is saved, against the same run with that load sent around L1."""
    said = re.search(r"saves up to ([0-9.]+) (\w+) of", advice["sentence"])
    saved = float(said[1]) * UNITS[said[2]]
    settings = re.search(r"measure with (--set \S+ --set \S+)", advice["sentence"])[1].split()
    run(warpmem, "run", "-q", "--json", "before.json", program, folder=folder)
    run(warpmem, "run", "-q", *settings, "--json", "after.json", program, folder=folder)
    kernel = "stream_beside_a_table"
    before, after = (l1_l2_bytes(folder / name, kernel) for name in ("before.json", "after.json"))
    assert 0.7 * saved <= before - after <= 1.1 * saved, (before, after, saved)


def main(arguments):
    root, build, compiler = Path(arguments[0]).resolve(), Path(arguments[1]).resolve(), arguments[2]
    if not (shutil.which(compiler) or compiler == "nvcc" and Path("/usr/local/cuda/bin/nvcc").exists()):
        print(f"skipped: no {compiler}")
        return 77
    warpmem = build / "src/cli/warpmem"
    program = compiled.program(warpmem, root / "tests/cli/diseases.cu", compiler=compiler,
                               flags=["-lineinfo"] if compiler == "nvcc" else [])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(warpmem, "annotate", "-q", "--json", "lines.json", program, folder=folder)
        found = advice_of(json.loads((folder / "lines.json").read_text()))
        check_table(found)
        check_bypass(warpmem, program, folder, found["stream_beside_a_table"][0][0])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
