#!/usr/bin/env python3
"""What profilers call sectors a request, and the words of reports.

usage: check_requests.py SOURCE BUILD sectors   an array of structures, one of arrays, one value
       check_requests.py SOURCE BUILD explain   every head and counter that is printed is explained

Exit status 77: no clang.
"""
import csv
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

# Kernel: sectors a request, and per cent of their bytes requested, of its load.
EXPECTED = {"of_structures": (32.0, 12.5), "of_arrays": (4.0, 100.0), "of_one": (1.0, 100.0)}


def run(warpmem, *arguments, folder):
    done = subprocess.run([warpmem, *arguments], cwd=folder, capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(folder),
                               "COLUMNS": "200", **sanitized.variables(warpmem)})
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done.stdout


def tables(text):
    """The rows of a report by the heads of their table, which stand behind a blank line."""
    for part in text.split("\n\n"):
        lines = part.splitlines()
        heads = re.split(r"  +", lines[0].strip())
        yield heads, [re.split(r"  +", line.strip()) for line in lines[1:] if line.strip()]


def ratios(counted):
    return counted["ratios"]["sectors_per_request"], counted["ratios"]["bytes_used_percent"]


def check_json(path):
    kernels = json.loads(path.read_text())["kernels"]
    assert len(kernels) == len(EXPECTED)
    for kernel in kernels:
        expected = EXPECTED[kernel["signature"].split("(")[0]]
        load = next(it for it in kernel["instructions"]
                    if it["kind"] == "load" and it["space"] == "global")
        assert ratios(load) == expected, load
        requests = kernel["requests"]["load"]
        assert ratios(requests) == expected and requests["requests"] == 4096 // 32, requests
        assert ratios(kernel["requests"]["store"]) == (4.0, 100.0)
        assert all("ratios" not in it for it in kernel["instructions"]
                   if it["space"] == "parameter"), "kernel parameters are no requests"


def check_csv(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    for name, (sectors, used) in EXPECTED.items():
        def of(where, counter):
            return [float(row["value"]) for row in rows
                    if name in row["kernel"] and where in row["where"] and row["counter"] == counter]
        assert of("requests of loads", "sectors_per_request") == [sectors]
        assert of("requests of loads", "bytes_used_percent") == [used]
        assert sorted(of("pc ", "sectors_per_request")) == sorted([sectors, 4.0])


def check_text(text):
    found = dict()
    for heads, rows in tables(text):
        if heads[0] == "Requests":
            assert heads == ["Requests", "loads", "sect/req", "used", "stores", "sect/req", "used"]
            found["kernels"] = {row[0]: (float(row[2]), float(row[3].strip("%"))) for row in rows
                                if row[0] in EXPECTED}
        if heads[0] == "Costliest at":
            at = heads.index("sect/req") + 1  # the opcode's column has no head
            found["instructions"] = {(float(row[at]), float(row[at + 1].strip("%"))) for row in rows}
    assert found["kernels"] == EXPECTED, found
    assert {(32.0, 12.5), (4.0, 100.0)} <= found["instructions"], found
    assert "sect/req: sectors of 32 bytes that a warp's request touches" in " ".join(text.split())


def check_annotation(path, text):
    lines = [line for kernel in json.loads(path.read_text())["kernels"]
             for section in kernel["sections"] for line in section["lines"]]
    of = {line["text"].strip(): line["counters"] for line in lines if "counters" in line}
    # Load and store of a line together.
    for words, sectors in (("out[i] = all[i].mass;", 36), ("out[i] = mass[i];", 8)):
        line = next(line for line in lines if line["text"].strip() == words)
        assert line["ratios"]["sectors_per_request"] == sectors / 2, (line, of)
    assert re.search(r"^line access sect/req used ", text, re.M), text
    assert "used: bytes requested, of those sectors' bytes" in " ".join(text.split())


def check_sectors(warpmem, program, folder):
    text = run(warpmem, "run", "--json", "run.json", "--csv", "run.csv", program, folder=folder)
    check_text(text)
    check_json(folder / "run.json")
    check_csv(folder / "run.csv")
    text = run(warpmem, "annotate", "--json", "lines.json", "--html", "lines.html", program,
               folder=folder)
    check_annotation(folder / "lines.json", text)
    page = (folder / "lines.html").read_text()
    assert '<td title="sect/req">18.0</td>' in page and "<dt>used</dt>" in page


def check_explain(warpmem, program, folder):
    run(warpmem, "record", "-q", "-o", "run.wmt", program, folder=folder)
    printed, counters = set(), set()
    for options in (["--explain", "-m", "anssari", "-s", "gpu.energy.table=anssari-22nm"],
                    ["--explain", "-m", "gtx480", "-s", "gpu.tlb.present=true"],
                    ["-e", "clock", "--sample", "500"],
                    ["-e", "clock", "-s", "gpu.interconnect.topology=butterfly"]):
        text = run(warpmem, "replay", *options, "--json", "run.json", "run.wmt", folder=folder)
        for heads, rows in tables(text):
            printed.update(heads if len(heads) > 1 else [])
        for kind, declared in json.loads((folder / "run.json").read_text())["counters"].items():
            counters.update([kind, *declared["counters"]])
            counters.add(f"{kind}.{next(iter(declared['counters']))}")
    text = run(warpmem, "annotate", program, folder=folder)
    printed.update(next(line for line in text.splitlines() if line.startswith("line ")).split()[1:])
    text = run(warpmem, "bypass", "-m", "gtx480", "--measure", "clock", program, folder=folder)
    for heads in [re.split(r"  +", line.strip()) for line in text.splitlines()]:
        if heads[0] in ("ld", "cached"):
            printed.update(heads)
    assert {"ld", "saves alone", "E on", "saves, predicted", "measured"} <= printed, printed
    assert {"Rates, GB/s", "sect/req", "MSHR full", "3 oldest", "cold", "bank", "Energy", "TLBs",
            "in switches"} <= printed, printed
    assert {"sectors", "waited_memory", "unused_bytes", "l1.accesses"} <= counters
    for name in sorted(printed):
        said = run(warpmem, "explain", name, folder=folder)
        assert "a column of reports" in said and "says" in said, f"{name}: {said}"
    for name in sorted(counters):
        said = run(warpmem, "explain", name, folder=folder)
        assert "a counter\n" in said or "counters of each" in said, f"{name}: {said}"
    said = run(warpmem, "explain", "sect/req", folder=folder)
    assert "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio" in said
    print(f"{len(printed)} heads and {len(counters)} counters are explained")


def main(arguments):
    source, build, what = Path(arguments[0]).resolve(), Path(arguments[1]).resolve(), arguments[2]
    if not shutil.which("clang") and not shutil.which("clang-14"):
        print("skipped: no clang")
        return 77
    warpmem = build / "src/cli/warpmem"
    program = compiled.program(warpmem, source / "tests/cli/layouts.cu")
    with tempfile.TemporaryDirectory() as folder:
        {"sectors": check_sectors, "explain": check_explain}[what](warpmem, program, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
