#!/usr/bin/env python3
"""The estimate of machine code against a real GPU's counts, and the same in both engines.

usage: check_machine_code.py WARPMEM PAGE

The tables of PAGE are of today; the estimate's errors are no larger than BOUNDS, those of today rounded up, and smaller
than those of PTX one for one. Programs that run live in time, from a recording in time, and in the walk count the same.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import compare
import machine_code
from compare import compiled

DEVICE = "h100"
# Percent, of the estimate: mean absolute errors of the halves.
BOUNDS = {"first half": 12, "second half": 12}
SMALL = [("gemm", "--n", "64"), ("scan", "--n", "4096"), ("reduction", "--n", "16384")]


def require(right, what):
    if not right:
        raise AssertionError(what)


def check_errors(found):
    for half, bound in BOUNDS.items():
        own = [it for it in found if it.half == half]
        errors = {name: machine_code.mean_absolute(own, name) for name in ("ptx", "estimate")}
        require(errors["estimate"] <= bound, f"{half}: the mean error is {errors['estimate']:.1f} %, not {bound}")
        require(errors["estimate"] < errors["ptx"], f"{half}: no better than PTX one for one: {errors}")


def check_page(found, page):
    text = page.read_text()
    require(compare.with_sections(text, machine_code.sections(found)) == text,
            f"the tables of {page} are not of today: machine_code.py WARPMEM --write {page}")


def count(warpmem, folder, *words):
    path = Path(folder) / "counts.json"
    command, *rest = words
    subprocess.run([warpmem, command, "-q", "-m", "v100", "-s", "gpu.sm.count=4", *machine_code.SETTINGS, "--json", path,
                    *rest], check=True, capture_output=True)
    run = json.loads(path.read_text())
    components = [it["counters"] for it in run["components"] if it["path"].endswith(".machine_code")]
    require(len(components) == 4, f"components of {words}: {len(components)}")
    sums = {name: sum(it[name] for it in components) for name in components[0]}
    sums["executed"] = sum(it["warp_instructions"] for it in run["kernels"])
    return sums, [it.get("cycles") for it in run["kernels"]]


def check_engines(warpmem):
    for program, *arguments in SMALL:
        binary = compiled.program(warpmem, compare.ROOT / f"workloads/{program}.cu")
        with tempfile.TemporaryDirectory() as folder:
            recording = Path(folder) / "recording"
            subprocess.run([warpmem, "record", "-q", "-o", recording, "--", binary, *arguments], check=True,
                           capture_output=True)
            live, cycles = count(warpmem, folder, "run", "--engine", "clock", "--", binary, *arguments)
            walked, _ = count(warpmem, folder, "run", "--", binary, *arguments)
            replayed, again = count(warpmem, folder, "replay", "--engine", "clock", recording)
            require(live == walked == replayed, f"{program}: {live}, {walked}, {replayed}")
            require(cycles == again, f"{program}: {cycles} cycles live, {again} from a recording")
            require(0 < live["folded_instructions"] < live["executed"], f"{program}: {live}")


def main(words):
    warpmem, page = Path(words[0]).resolve(), Path(words[1])
    check_engines(warpmem)
    found = machine_code.counts(warpmem, DEVICE)
    print("\n".join(machine_code.summary_lines(found)))
    check_errors(found)
    check_page(found, page)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
