#!/usr/bin/env python3
"""The second set of the study of Anssari has Parboil's sizes, and all else from the first.

usage: check_anssari_parboil.py WARPMEM SOURCE

The arguments in studies/anssari/parboil.yaml are held against Parboil's data sets, said in its own terms. Machines,
metrics, figures and claims must be those of study.yaml to the letter. One figure is run with all nine workloads made
small, and SpMV is run at its size: each element of the matrix is read once, so that what DRAM is asked for
has a bound that follows from the size.
"""
import math
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "workloads"), str(Path(__file__).parent)]
from check_anssari import SIZES, counters
from check_program import environment

WATER_BOX = 40.972  # Angstroms along x, the longest side of watbox.sl40 with its padding
CUTOFF = 12  # Angstroms
FIGURE = "4.4"  # tracker and policy with all sharers, and with one
ROWS, ELEMENTS = 146689, 3636643  # of Dubcova3


def arguments(text):
    """The numbers in each workload's arguments, by option."""
    found = {}
    for name, line in re.findall(r"^  (\w+): \w+\.cu (.*)$", text, flags=re.MULTILINE):
        found[name] = {option: int(number) for option, number in re.findall(r"--([\w-]+) (\d+)", line)}
    return found


def check_sizes(of):
    """What Parboil's data sets have, and what ours make of it."""
    cells = math.ceil(WATER_BOX / 4)
    sgemm = of["sgemm"]["n"] ** 3 / (1024 * 992 * 1056)
    expected = {
        "bfs": of["bfs"]["n"] == 1000000,
        "cutcp": [of["cutcp"][side] for side in ("width", "height", "depth")] == [cells] * 3
                 and 4 * of["cutcp"]["reach"] == CUTOFF,
        "gridding": of["gridding"]["n"] == 2655910
                    and [8 * of["gridding"]["width"], 8 * of["gridding"]["height"],
                         4 * of["gridding"]["depth"]] == [256] * 3,
        "histo": (of["histo"]["width"], of["histo"]["height"], of["histo"]["bins"]) == (996, 1040, 256 * 4096),
        "lbm": [of["lbm"][side] for side in ("width", "height", "depth")] == [120, 120, 150],
        "mriq": (of["mriq"]["n"], of["mriq"]["samples"]) == (64 ** 3, 2048),
        "sgemm": 1 <= sgemm < 1.1,
        "spmv": of["spmv"]["n"] == ROWS and abs(of["spmv"]["per-row"] - ELEMENTS / ROWS) < 0.5,
        "stencil": [of["stencil"][side] for side in ("width", "height", "depth")] == [512, 512, 64],
    }
    assert set(of) == set(expected), f"other workloads: {sorted(of)}"
    wrong = [name for name, right in expected.items() if not right]
    assert not wrong, f"not Parboil's size: {wrong}"


def small(text):
    """The study with small workloads."""
    for name, line in SIZES.items():
        text, count = re.subn(rf"^(  {name}: \w+\.cu) .*$", rf"\1 {line}", text, flags=re.MULTILINE)
        assert count == 1, name
    return text


def check_small(database):
    """All points of the figure are there; claim 10 needs no others, and all but 14 need more."""
    with sqlite3.connect(database) as connection:
        points = connection.execute("SELECT status FROM point").fetchall()
        holds = dict(connection.execute("SELECT id, holds FROM claim"))
    assert points == [("done",)] * (2 * len(SIZES)), points
    decided = {claim for claim, verdict in holds.items() if verdict is not None}
    assert len(holds) == 14 and decided == {"10", "14"}, f"decided {decided} of {len(holds)}"


def check_spmv(database):
    """Rows are 1 to 49 long, 25 on average: elements lie within a hundredth of 25 a row."""
    with sqlite3.connect(database) as connection:
        points = connection.execute("SELECT status, results FROM point").fetchall()
    assert len(points) == 2, f"{len(points)} points"
    matrix = 0.99 * 25 * ROWS * 8  # a value and a column, four bytes each
    for status, results in points:
        assert status == "done"
        read = counters(results)["dram"]["bytes_read"]
        # And at most twice that: x is near, and lines are full.
        assert matrix < read < 2 * matrix, f"{read} bytes read of a matrix of {matrix:.0f}"


def main(exe, source):
    exe, source = Path(exe).resolve(), Path(source).resolve()
    first, second = ((source / "studies/anssari" / name).read_text() for name in ("study.yaml", "parboil.yaml"))
    shared = [text[text.index("\nmachines:"):] for text in (first, second)]
    assert shared[0] == shared[1], "machines, metrics, figures and claims differ between the two sets"
    check_sizes(arguments(second))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "small.yaml").write_text(small(second))
        (folder / "whole.yaml").write_text(second)
        variables = {**environment(exe), "WARPMEM_WORKLOADS": str(source / "workloads")}

        def run(study, *words):
            done = subprocess.run([exe, "study", "run", "-j", "2", "--figure", FIGURE, "--database", f"{study}.db",
                                   f"{study}.yaml", *words],
                                  cwd=folder, env=variables, capture_output=True, text=True)
            assert done.returncode == 0, f"{study}: {done.returncode}\n{done.stderr}"

        run("small")
        check_small(folder / "small.db")
        run("whole", "--workload", "spmv")
        check_spmv(folder / "whole.db")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
