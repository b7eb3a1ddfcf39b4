#!/usr/bin/env python3
"""Decides one program of studies/liang, and runs it under all of the study's solutions.

usage: check_liang.py WARPMEM SOURCE

The lists that the study has are those that the program's loads are decided to now, and so is the
partition of L1 and shared memory. Every point is
done; what is decided moves no more bytes between L1 and L2 than the better coarse choice, or a tenth
more, as it is decided by pairs and in another order of warps; and a list changes neither what the
program does nor how its loads are grouped. Of another program, the graph ranks all sets of a kernel's
loads as they are measured, or nearly so, and what is decided is the best of them, or nearly so.
"""
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[place] / folder)
                for place, folder in ((1, "workloads"), (2, ""))]
from check_program import environment
import sanitized

WORKLOAD, KERNEL = "SPM", "spmv_jds"


def bytes_moved(results, kind="l1"):
    return sum(part["counters"]["bytes_from_below"] + part["counters"]["bytes_to_below"]
               for part in results["components"] if part["kind"] == kind)


def check_lists(warpmem, study, folder):
    subprocess.run([sys.executable, study / "decide.py", warpmem, folder, WORKLOAD], check=True,
                   env=environment(warpmem), capture_output=True)
    lists = sorted(folder.glob("*.txt"))
    assert len(lists) == 7, lists
    for made in lists:
        selectors = [line for line in made.read_text().splitlines() if not line.startswith("#")]
        kept = [line for line in (study / "decisions" / made.name).read_text().splitlines()
                if KERNEL in line]
        assert selectors == kept, (made.name, selectors, kept)
        assert selectors, f"{made.name}: nothing bypasses"
    chosen, kept = (
        [line for line in (where / "partitions.yaml").read_text().splitlines() if f"{WORKLOAD}: " in line]
        for where in (folder, study / "decisions"))
    assert chosen == kept and len(chosen) == 4, (chosen, kept)
    made, kept = ((where / "estimates.yaml").read_text() for where in (folder, study / "decisions"))
    numbers = re.findall(rf"^(\w+): {{{WORKLOAD}: ([0-9.]+)}}$", made, re.M)
    assert len(numbers) == 3, made
    for machine, number in numbers:
        assert re.search(rf"^{machine}: {{.*\b{WORKLOAD}: {number}[,}}]", kept, re.M), (machine, number)


def check_points(warpmem, source, database):
    subprocess.run([warpmem, "study", "run", "--quiet", source / "studies/liang/study.yaml", "--workload",
                    WORKLOAD, "--database", database], check=True, cwd="/", env=environment(warpmem),
                   capture_output=True)
    points = {}
    for machine, status, results in sqlite3.connect(database).execute(
            "SELECT m.label, p.status, p.results FROM point p JOIN machine m ON m.id = p.machine_id"):
        assert status == "done", machine
        points[machine] = json.loads(results)
    assert len(points) == 12, sorted(points)
    requests = {machine: [(it["pc"], it["counters"]["executions"], it["counters"]["requests"])
                          for kernel in results["kernels"] for it in kernel["instructions"]]
                for machine, results in points.items()}
    assert len({json.dumps(it) for it in requests.values()}) == 1, "the same requests on each"
    for size in (16, 32, 48):
        moved = {name: bytes_moved(points[f"{name}{size}"])
                 for name in ("BypassAll", "CacheAll", "Heuristic", "Exact")}
        for name in ("Heuristic", "Exact"):
            assert moved[name] <= 1.1 * min(moved["BypassAll"], moved["CacheAll"]), (size, moved)
            assert moved[name] < max(moved["BypassAll"], moved["CacheAll"]), (size, moved)


def check_sets(warpmem, study):
    told = subprocess.run([sys.executable, study / "all_sets.py", warpmem, "GEM"], check=True, text=True,
                          env=environment(warpmem), stdout=subprocess.PIPE).stdout
    lines = [line.split() for line in told.splitlines()]
    assert [line[:4] for line in lines] == [["GEM", "gemm_update", "7", size] for size in ("16", "32", "48")], told
    for *_, correlation, decided in lines:
        assert float(correlation) >= 0.9 and 1 <= float(decided) <= 1.05, told


def main(warpmem, source):
    warpmem, source = Path(warpmem).resolve(), Path(source)
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "decisions")
        folder.mkdir()
        check_lists(warpmem, source / "studies/liang", folder)
        check_points(warpmem, source, Path(home, "liang.db"))
    if not sanitized.is_sanitized(warpmem):  # the same numbers, only slower
        check_sets(warpmem, source / "studies/liang")
    print("one program, seven lists, twelve points; all sets of another's loads")


if __name__ == "__main__":
    main(*sys.argv[1:])
