#!/usr/bin/env python3
"""Kernels that wait for what they launched.
usage: run_waits.py WARPMEM ENGINE CASE

ENGINE is "none" (no memory system), "walk" or "clock"; CASE is a part of waits.cu, "limits" (the
parts again where the machine has room for one kernel at a time), or "refused" (what cannot hold such
kernels says so). Each part is run twice, and gives the same to the byte. Skipped (77) without nvcc.
"""
import json
import shutil
import sys
import tempfile
from pathlib import Path

from run_program import Bench, Failed, expect

SKIPPED = 77
FLAGS = ["-rdc=true", "-DCUDA_FORCE_CDP1_IF_SUPPORTED", "-D__CDPRT_SUPPRESS_SYNC_DEPRECATION_WARNING"]
ENGINES = {"none": ["--no-memory"], "walk": [], "clock": ["--engine", "clock"]}
# Few SMs: a full machine is soon full.
SMALL = ["-m", "v100", "--set", "gpu.sm.count=4"]
# Kernels of each part, and how often they are launched (0: as often as blocks do).
LAUNCHES = {"sorts": {"sort": 1199}, "fills": {"full": 1, "add": 0}, "larges": {"large": 1 + 8 + 24},
            "deeps": {"deep": 24}, "togethers": {"together": 1, "add": 0}, "parts": {"handed": 1, "divergent": 1, "moves": 1, "says": 1},
            "streams": {"full": 3, "add": 0}}


def run(bench, program, part, *options):
    out = bench.folder / "out.json"
    done = bench.run(program, part, options=["-q", *SMALL, *options, "--json", str(out)])
    expect(done.returncode == 0 and done.stdout.endswith("PASS\n"), f"{part} {options}", done)
    if part == "parts":
        expect(done.stdout == "1\n2\n3\n4\nPASS\n", "what parent and child print", done)
    return json.loads(out.read_text()), out.read_bytes()


def check_part(bench, program, engine, part):
    results, before = run(bench, program, part, *engine)
    _, again = run(bench, program, part, *engine)
    expect(before == again, f"two runs of {part} differ")
    launches = {kernel["name"]: kernel["launches"] for kernel in results["kernels"]}
    for kernel, wanted in LAUNCHES[part].items():
        found = [count for name, count in launches.items() if f"{len(kernel)}{kernel}" in name]
        expect(len(found) == 1 and (found[0] == wanted or wanted == 0), f"{kernel}: {launches}")


def faults(bench, program, engine, _):
    done = bench.run(program, "faults", options=["-q", *SMALL, *engine])
    expect(done.returncode in (0, 1) and "PASS" in done.stdout, "a child that faults", done)
    expect("_Z3addPii" in done.stderr and done.stderr.count("error:") == 1, "which kernel", done)


def limits(bench, program, engine, _):
    for part in ("sorts", "fills", "togethers", "larges", "parts", "streams"):
        run(bench, program, part, *engine, "--set", "device.concurrent_kernels=1")


def refused(bench, program, engine, _):
    words = {811: "compute capability 9.0", 801: "use warpmem run"}
    for code, options in ((811, ["-m", "h100"]), (801, ["--check", "memory"])):
        done = bench.run(program, "refused", code, options=["-q", *engine, *options])
        expect("PASS" in done.stdout and words[code] in done.stderr, f"{code}", done)
    done = bench.command("record", "-q", "-o", "w.wmt", "--", program, "refused", 801)
    expect("PASS" in done.stdout and "a recording has launches" in done.stderr, "recording", done)


def main(warpmem, engine, case):
    if shutil.which("nvcc") is None and not Path("/usr/local/cuda/bin/nvcc").exists():
        print("skipped: nvcc is not installed")
        return SKIPPED
    special = {"faults": faults, "limits": limits, "refused": refused}
    with tempfile.TemporaryDirectory(prefix="warpmem-test-") as folder:
        bench = Bench(str(Path(warpmem).resolve()), "nvcc", folder)
        try:
            program = bench.compile("waits.cu", flags=FLAGS)
            special.get(case, check_part)(bench, program, ENGINES[engine], case)
        except Failed as failure:
            print(failure)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
