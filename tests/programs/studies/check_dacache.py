#!/usr/bin/env python3
"""Runs one program of studies/dacache/study.yaml under all of its policies, under Fermi's hash, on four SMs
and one memory partition, with fewer rows, and with misses explained.

usage: check_dacache.py WARPMEM SOURCE

What is checked must be so whatever the policies do to the time: that every point is done; that they
change neither what the program does nor how its loads are grouped; that only constrained variants
stall or pass for want of a line; that on this program, whose rows are read line by line, DaCache and
CCWS do what they are for; and that the number of threads changes nothing.
"""
import json
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workloads"))
from check_program import environment

WORKLOAD = "SPMV"
FIGURES = "8a,8a others,11,12,13"
# What is smaller, and what is counted besides: each is there once in the study.
CHANGES = {
    "spmv.cu --variant scalar --n 30720": "spmv.cu --variant scalar --n 4096",
    "  base: dacache-2015 ": "  set: [gpu.sm.count=4, gpu.dram.channels=1, gpu.dram.bandwidth=29.57GB/s,"
                             " gpu.l2.slices=1, gpu.l2.size=128KiB]\n  base: dacache-2015 ",
    "engine: clock\n": "engine: clock\nexplain: true\n",
}
BYPASSES = {"DaCache", "S0+Bypass", "S1+Bypass", "S2+Bypass", "S3+Bypass", "Promo1", "Promo2",
            "Promo3", "Promo5", "PromoMRU"}
POLICIES = BYPASSES | {"LRU", "RRIP", "DIP", "Uncon", "Stall", "Static0", "Static1", "Static2",
                       "Static3", "CCWS", "PIPP", "SHiP"}
GROUPS = {"coherent": ["cached", "missed_1", "missed_2"],
          "divergent": ["cached", "missed_1", "missed_2", "missed_more", "missed_32"]}


def smaller_study(source, folder):
    text = (source / "studies/dacache/study.yaml").read_text()
    for old, new in CHANGES.items():
        assert text.count(old) == 1, f"the study has {text.count(old)} times: {old}"
        text = text.replace(old, new)
    (folder / "study.yaml").write_text(text)
    return folder / "study.yaml"


def read_points(path):
    """The kernels' counters of each point, added up by kind, and its cycles; by machine."""
    points = {}
    for machine, status, results in sqlite3.connect(path).execute(
            "SELECT m.label, p.status, p.results FROM point p JOIN machine m ON m.id = p.machine_id"):
        assert status == "done", machine
        sums = {}
        kernels = json.loads(results)["kernels"]
        for kernel in kernels:
            for component in kernel["components"]:
                kind = sums.setdefault(component["kind"], {})
                for name, value in component["counters"].items():
                    kind[name] = kind.get(name, 0) + value
        points[machine] = sums, sum(kernel["cycles"] for kernel in kernels)
    assert set(points) == POLICIES, sorted(points)
    return points


KINDS = ["cold", "same_warp", "other_warp", "refused", "dropped", "unallocated"]


def check_policy(name, sums, base):
    l1, unit = sums["l1"], sums["memory_unit"]
    assert sums["sm"] == base["sm"], f"{name}: another program"
    for group, parts in GROUPS.items():
        loads = f"{group}_loads"
        assert l1[loads] == base["l1"][loads] > 0, f"{name}: {loads}"
        assert l1[loads] == sum(l1[f"{loads}_{part}"] for part in parts), f"{name}: {loads} in parts"
    assert (l1["refusals"] > 0) <= (name in BYPASSES), f"{name} passes"
    assert l1["bypasses"] == base["l1"]["bypasses"], f"{name}: past L1 without a look"
    assert name not in BYPASSES or unit["stalled_way"] == 0, f"{name} stalls"
    why = sums["l1_explained"]
    assert l1["accesses_missed"] == sum(why[f"accesses_{kind}"] for kind in KINDS), f"{name}: misses"
    assert why["accesses_cold"] == base["l1_explained"]["accesses_cold"] > 0, f"{name}: cold"
    assert (why["accesses_refused"] > 0) <= (l1["refusals"] > 0), f"{name}: refused"
    issued = sums["issue"]["issued"]
    assert issued == sum(value for key, value in sums["issue"].items()
                         if key.startswith("issued_by_")), f"{name}: who issued"


def check_threads(exe, source, folder):
    program, recording = folder / "spmv", folder / "spmv.wmt"

    def warpmem(*words):
        subprocess.run([exe, *words], check=True, env=environment(exe), stdout=subprocess.DEVNULL)

    warpmem("cc", source / "workloads/spmv.cu", "-o", program)
    warpmem("record", "-q", "-o", recording, "--", program, "--variant", "scalar", "--n", "1024",
            "--per-row", "10", "--block", "128")
    for variant in ("dacache", "dacache-stall", "ccws"):
        results = []
        for threads in (1, 2, 4):
            out = folder / f"{threads}.json"
            warpmem("replay", "-q", "-e", "clock", "-m", f"dacache-2015+{variant}", f"-j{threads}",
                    "--json", out, recording)
            results.append(out.read_bytes())
        assert len(set(results)) == 1, f"{variant} depends on the threads"


def main(exe, source):
    exe, source = Path(exe).resolve(), Path(source).resolve()
    with tempfile.TemporaryDirectory() as name:
        database = Path(name) / "dacache.db"
        done = subprocess.run(
            [exe, "study", "run", "-j", "2", "--workload", WORKLOAD, "--figure", FIGURES,
             "--database", database,
             smaller_study(source, Path(name))], env=environment(exe), capture_output=True,
            text=True)
        assert f"{len(POLICIES)} points, {len(POLICIES)} replayed" in done.stdout, \
            done.stdout + done.stderr
        points = read_points(database)
        check_threads(exe, source, Path(name))
    base, cycles = points["LRU"]
    for policy, (sums, _) in points.items():
        check_policy(policy, sums, base)
    missed, other = base["l1"]["accesses_missed"], base["l1_explained"]["accesses_other_warp"]
    assert other > 0.5 * missed, "warps do not displace each other's lines"
    assert any(points[policy][0]["l1"]["refusals"] > 0 for policy in BYPASSES), "nobody passes"
    assert points["Stall"][0]["memory_unit"]["stalled_way"] > 0, "Stall does not"
    whole = points["DaCache"][0]["l1"]["divergent_loads_cached"]
    assert whole > 1.2 * base["l1"]["divergent_loads_cached"], "DaCache keeps no loads whole"
    assert points["DaCache"][1] < 0.95 * cycles, "and is no faster"
    sums, fewer = points["CCWS"]
    assert sums["load_throttle"]["lost_lines"] > 0 < sums["load_throttle"]["held"], "CCWS does nothing"
    assert sums["l1"]["accesses_missed"] < 0.5 * base["l1"]["accesses_missed"], "CCWS keeps no lines"
    assert fewer < 0.7 * cycles, "CCWS is no faster"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
