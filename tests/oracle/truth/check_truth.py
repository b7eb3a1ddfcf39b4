#!/usr/bin/env python3
"""The truth suite: its arithmetic, its tables, its page, and that the cheapest predictions are those of now.

usage: check_truth.py WARPMEM PAGE SCRIPT

SCRIPT is the report's script of charts, as page.py has it. Predictions that are dearer are made by ./dev truth.
"""
import contextlib
import io
import math
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import kernels
from kernels import compiled
import page
import predict
import tables
import times

# Runs of seconds: of each program and preset where there is one.
POINTS = ["*latency* --smallest 16 --largest 16 *", "*latency* --smallest 512 *",
          "v100 cache_bandwidth* --l1-least 16 *", "*strides*",
          "h100 latency --only page-16MiB*", "h100 operations*",
          "v100 stream *--only scale --block 1024 --blocks-of-sm 2 *", "h100 overhead*", "h100 atomic_rates*"]
KERNELS = ["3", "7", "12", "20"]
TIMES = ["fdtd2d", "conv2d", "vecadd"]
# The programs that only this suite has, at sizes of a second and less.
SMALL = {"backprop_layer": "--n 256", "binomial_blocks": "--n 4",
         "btree_search": "--n 3000 --count 50 --ranges 20 --length 100", "convolution_separable": "--n 256", "dct_rows": "--n 64",
         "gemm_in_memory": "--n 48", "histogram64": "--log 16 --blocks 5", "hotspot": "--n 70",
         "merge_blocks": "--log 12", "microbenchmarks": "--variant shared-latency", "mriq_constant": "--n 512 --samples 100",
         "nearest": "--n 300", "needleman_wunsch": "--n 80", "quasirandom": "--n 3000",
         "sgemm_tile": "--m 128 --n 32 --k 24", "sobol_dimensions": "--n 3000 --dimensions 3 --blocks 8",
         "srad_picture": "--rows 100 --columns 77 --steps 2", "walsh_steps": "--log 13 --variant convolve"}


def require(right, what):
    if not right:
        raise AssertionError(what)


def check_arithmetic():
    points = {"1": 10.0, "4": 30.0}
    require([page.measured_at(points, it) for it in ("1", "2", "4", "8")] == [10, 20, 30, None], "a value between two")
    require(page.number("2 x 96") == 192 and page.number("16.5") == 16.5, "the number of a parameter")
    # Errors of 1 and 3 about a mean of 4: the root of (1 + 9) / 2, over 4.
    require(math.isclose(page.nrmse([(3, 2), (9, 6)]), math.sqrt(5) / 4), "a normalised root mean square error")
    ours, theirs = {"a": 60, "b": 41, "c": 9, "d": 0}, {"a": 50, "b": 50, "c": 5, "d": 5}
    require(kernels.equal(ours, theirs, [("a", "b")]), "101 is 100 within 2 %")
    require(not kernels.equal(ours, theirs, [("c", "d"), ("a", "b")]), "9 is not 10, though 101 is 100")
    # Two launches whose constant caches fetch 5 + 7 sectors: ten hits of L2, and two more that were misses.
    launches = [{"levels": [{"kind": "l2", "counters": {"load_hits": hits, "load_misses": 3}},
                            {"kind": "constant", "counters": {"fills": fills}}]} for hits, fills in ((4, 5), (6, 7))]
    found = kernels.counts(launches)
    require((found["L2_RH"], found["L2_RM"]) == (0, 4), "what constant caches fetch is none of L1's requests")


def share_of_judges(names, use):
    return sum(use[name] == "judge" for name in names) / len(names)


def check_tables():
    use, measured, predicted = tables.split(), tables.measured(), tables.predicted()
    require(set(use.values()) == {"fit", "judge"}, f"uses {set(use.values())}")
    require(set(predicted) <= set(measured), f"predicted, not measured: {set(predicted) - set(measured)}")
    counters = [("counters", row["number"]) for row in tables.rows(tables.HERE / "measured/counters.csv")]
    cycles = [("cycles", f"{row['suite']} {row['workload']}")
              for row in tables.rows(tables.HERE / "measured/cycles.csv")]
    timed = [("times", f"{device}:{name}") for device, name in times.SETS]
    require({("times", f"{row['device']}:{row['set']}") for row in tables.rows(times.TIMES)} == set(timed),
            f"{times.TIMES.name} has not the sets of times.py")
    require(all(ours > 0 and theirs > 0 for _, ours, theirs in page.timed_kernels()), "a kernel that takes no time")
    for names in (list(measured), counters, cycles, timed):
        require(all(name in use for name in names), f"no use is said of {[name for name in names if name not in use]}")
        require(share_of_judges(names, use) >= 0.5, f"fewer than half of {names[0]} and the others judge")
    made = {(row["preset"], row["run"]) for row in tables.rows(predict.PREDICTED)}
    wanted = {(preset, f"{program} {words}") for preset, program, words in predict.runs()}
    require(made == wanted, f"predicted.csv lacks {sorted(wanted - made)}, and has {sorted(made - wanted)}")
    for path in (tables.HERE / "measured").glob("*.csv"):
        require(path.read_text().startswith("# "), f"{path} does not say where it is from")
    tried = {kind: {row["name"] for row in tables.rows(tables.HERE / "programs.csv") if row["table"] == kind}
             for kind in ("counters", "cycles")}
    for path, kind, column in ((kernels.KERNELS, "counters", "number"), (kernels.CYCLES, "cycles", "name")):
        require({row[column] for row in tables.rows(path)} == tried[kind], f"{path.name} is not of programs.csv")


def check_programs(warpmem):
    """That those of this suite are all tried, and compute what they say they do."""
    names = {path.stem for path in (tables.HERE / "programs").glob("*.cu")}
    tried = {row["program"] for row in tables.rows(tables.HERE / "programs.csv")}
    require(names <= tried, f"no row of programs.csv has {names - tried}")
    require(names == set(SMALL), f"no small size is known of {names - set(SMALL)}; there is no {set(SMALL) - names}")
    for name, words in SMALL.items():
        command = [warpmem, "run", "-q", "--", compiled.program(warpmem, kernels.source(name)), *words.split()]
        done = subprocess.run(command, capture_output=True, text=True)
        require(done.returncode == 0 and "PASS" in done.stdout, f"{name} {words}: {done.stdout}{done.stderr}")


def quiet(work, words):
    """Whether it found nothing, and what it said."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = work([str(word) for word in words])
    return status == 0, said.getvalue()


def check_page(path, charts):
    right, said = quiet(page.main, [path, "--charts", charts, "--check"])
    require(right, said)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy.write_text(path.read_text().replace("| 16 | ", "| 17 | ", 1).replace("a load that L1 serves", "a load", 1))
        shutil.copytree(path.parent / "pictures", Path(folder) / "pictures")
        right, said = quiet(page.main, [copy, "--charts", charts, "--check"])
        require(not right and copy.name in said, "a page with another word was not found")


def check_predictions(warpmem):
    chosen = [word for it in POINTS for word in ("--points", it)]
    right, said = quiet(predict.main, [warpmem, "--compare", *chosen])
    require(right, f"{said}predictions are not of today: ./dev truth")
    right, said = quiet(kernels.main, [warpmem, "--compare", *[word for it in KERNELS for word in ("--only", it)]])
    require(right, f"{said}predictions are not of today: ./dev truth")
    words = ["--only", "h100:default", *[word for it in TIMES for word in ("--program", it)]]
    right, said = quiet(times.main, [warpmem, "--compare", *words])
    require(right, f"{said}predictions are not of today: ./dev truth")
    with tempfile.TemporaryDirectory() as folder:
        rows = tables.rows(predict.PREDICTED)
        rows[0]["value"] = f"{float(rows[0]['value']) + 1:g}"
        predict.PREDICTED = Path(folder) / "predicted.csv"
        predict.write(predict.PREDICTED, rows)
        name = f"{rows[0]['preset']} {rows[0]['run']}"
        right, said = quiet(predict.main, [warpmem, "--compare", "--points", name])
        require(not right and "now:" in said and "table:" in said, "a value that is another was not found")


def main(words):
    warpmem, path, charts = (Path(word).resolve() for word in words)
    check_arithmetic()
    check_tables()
    check_programs(warpmem)
    check_page(path, charts)
    check_predictions(warpmem)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
