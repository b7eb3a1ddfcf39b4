#!/usr/bin/env python3
"""The report of a study that was run: its numbers are those of `warpmem study table`, which computes
them by itself, and its loads are those of `warpmem replay`.

usage: check_report_study.py SOURCE BUILD

Exit status 77: skipped, as clang is missing.
"""
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import sanitized

STUDY = """
study: reported
title: A study to report
workloads:
  add: vecadd.cu --n 20000
  flip: transpose.cu --width 128 --height 128
machines:
  base: gtx480
  set: [gpu.sm.count=4]
  axes:
    l2: {96KiB: gpu.l2.size=96KiB, 768KiB: gpu.l2.size=768KiB}
    l1: {16KiB: gpu.l1.size=16KiB, 48KiB: [gpu.l1.size=48KiB, gpu.l1.ways=6]}
metrics:
  dram_read: dram.bytes_read
  dram_written: dram.bytes_written
  l1_misses: {value: l1.misses, title: L1 misses}
figures:
  bars:
    metric: l1_misses
    normalise: 96KiB, 16KiB
    mean: true
    machines: {l1: [48KiB, 16KiB]}
    paper: {"768KiB, 48KiB": {add: 0.5, mean: 0.75}}
  stack: {metric: [dram_read, dram_written], normalise: "768KiB, 48KiB", chart: stacked-bars, workloads: [flip]}
  lines: {metric: dram_read, x: l2, chart: lines, paper: {"96KiB, 16KiB": {mean: 1000}}}
claims:
  one: {text: holds, claim: "min(dram_read[96KiB, 16KiB]) > 0", paper: "0"}
  two: {text: fails, claim: "min(dram_read[96KiB, 16KiB]) < 0"}
"""


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id=data>(.*?)</script>', page, re.S)[1])


def same(ours, theirs, what):
    assert (ours is None) == (theirs is None), f"{what}: {ours} and {theirs}"
    assert ours is None or math.isclose(ours, theirs, rel_tol=1e-9), f"{what}: {ours} and {theirs}"


def check_figure(figure, table, study):
    """Each number of a chart against the table's row of that metric and machine."""
    parts, compared = len(figure["parts"]), 0
    titles = {"L1 misses": "l1_misses"}
    rows = {(row["metric"], row["machine"]): row for row in table["rows"]}
    for p, place in enumerate(figure["places"]):
        for s, series in enumerate(figure["series"]):
            at = p * len(figure["series"]) + s
            by_axis = figure["placeTitle"] != "workload"
            machine, column = (f"{place}, {series}", "mean") if by_axis else (series, place)
            for part, title in enumerate(figure["parts"]):
                row = rows[(titles.get(title, title), machine)]
                value = row["mean"] if column == "mean" else row["values"][column]
                same(figure["ours"][at * parts + part], value, f"{machine}, {column}")
                compared += 1
            if figure["paper"]:
                paper = {key: value for key, value in row["paper"].items()}
                same(figure["paper"][at], paper.get(column), f"paper: {machine}, {column}")
    return compared


def check_loads(study, replayed):
    """The point of the workload and machine that was replayed by hand."""
    machine = study["machines"].index("96KiB, 48KiB")
    point = next(p for p in study["points"] if (p["workload"], p["machine"]) == (1, machine))
    names = [counter[0] for counter in study["counters"]]
    for kernel, code, view in zip(replayed["kernels"], study["codes"][point["code"]], point["kernels"], strict=True):
        assert (code["signature"], view["launches"]) == (kernel["signature"], kernel["launches"])
        for instruction, said, row in zip(kernel["instructions"], code["instructions"], view["rows"], strict=True):
            assert said["text"] == instruction["text"] and said["line"] == instruction["source"]["line"]
            assert dict(zip(names, row)) == instruction["counters"], instruction
        for kind, counters in view["sums"].items():
            for name, value in counters.items():
                assert value == sum(c["counters"][name] for c in kernel["components"] if c["kind"] == kind)
    assert len(study["codes"]) == 2, "a program's code stands in the page more than once"


def check_pictures(page, drawn):
    """Each of the four machines has its picture, as machine graph draws it but for the title."""
    found = dict(re.findall(r'<img class=picture alt="([^"]*)" src="data:image/svg\+xml,([^"]*)">', page))
    assert len(found) == 4, sorted(found)
    bare = [re.sub("<title>.*?</title>", "", text) for text in
            (urllib.parse.unquote(found["96KiB, 48KiB"]), drawn)]
    assert bare[0] == bare[1], bare


def main(source, build):
    if not (shutil.which("clang") or shutil.which("clang-14")):
        print("skipped: clang is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        environment = {"PATH": f"{build / 'src/cli'}:/usr/local/bin:/usr/bin:/bin", "HOME": str(folder),
                       "LC_ALL": "C.UTF-8", **sanitized.variables(build / "src/cli/warpmem")}

        def warpmem(*words, status=0):
            done = subprocess.run(["warpmem", *map(str, words)], cwd=folder, env=environment, text=True,
                                  capture_output=True, timeout=200)
            assert done.returncode == status, done
            return done.stdout

        (folder / "study.yaml").write_text(STUDY)
        for name in ("vecadd.cu", "transpose.cu", "workload.h"):
            shutil.copy(source / "workloads" / name, folder)
        # A claim that fails is no failure of the run.
        warpmem("study", "run", "-q", "study.yaml", "-d", "results.db")
        before = (folder / "results.db").read_bytes()
        warpmem("report", "-q", "results.db", "-o", "report.html")
        assert (folder / "results.db").read_bytes() == before
        assert not list(folder.glob("results.db-*")), "the report leaves files beside the database"
        page = (folder / "report.html").read_text()
        study = data_of(page)["studies"][0]
        tables = [json.loads(line) for line in warpmem("study", "table", "study.yaml", "-d", "results.db",
                                                       "--json").splitlines() if line]
        assert [table["table"] for table in tables] == ["bars", "stack", "lines"]
        compared = [check_figure(figure, table, study) for figure, table in zip(study["figures"], tables, strict=True)]
        assert compared == [3 * 4, 2 * 4 * 2, 2 * 2], compared
        assert "verdict holds" in page and "verdict fails" in page
        warpmem("cc", "transpose.cu", "-o", "flip")
        warpmem("record", "-q", "-o", "flip.wmt", "-m", "gtx480", "--set", "gpu.sm.count=4", "--",
                "./flip", "--width", "128", "--height", "128")
        warpmem("replay", "-q", "flip.wmt", "-m", "gtx480", "--set", "gpu.sm.count=4", "--set", "gpu.l2.size=96KiB",
                "--set", "gpu.l1.size=48KiB", "--set", "gpu.l1.ways=6", "--json", "replayed.json")
        check_loads(study, json.loads((folder / "replayed.json").read_text()))
        check_pictures(page, warpmem("machine", "graph", "gtx480", "--set", "gpu.sm.count=4", "--set", "gpu.l2.size=96KiB",
                                     "--set", "gpu.l1.size=48KiB", "--set", "gpu.l1.ways=6", "--svg", "-"))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
