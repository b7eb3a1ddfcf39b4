#!/usr/bin/env python3
"""Runs all of studies/anssari/study.yaml, with the workloads at small sizes.

usage: check_anssari.py WARPMEM SOURCE

At these sizes the claims need not hold. What is checked must be so at any size: that every point is
done and every claim can be told; what the designs may not change; that what a tracker's L1s supply
is missing at L2, byte for byte; that a point is what `warpmem replay` gives by hand, and its energy
the events times the thesis' table.
"""
import json
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workloads"))
from check_program import environment

SIZES = {
    "bfs": "--variant blocks --n 4000 --degree 4 --block 128",
    "cutcp": "--width 3 --height 2 --depth 2",
    "gridding": "--n 1000 --width 2 --height 2 --depth 2",
    "histo": "--width 70 --height 50 --bins 500 --range 60 --ranges 5",
    "lbm": "--variant aos --width 32 --height 8 --depth 4",
    "mriq": "--n 1000 --samples 100 --chunk 100",
    "sgemm": "--variant update --n 64",
    "spmv": "--n 16384 --per-row 2",  # enough warps an SM for its gather to contend
    "stencil": "--width 64 --height 16 --depth 8 --steps 2",
}
SIZES_OF_L2 = ["128KiB", "256KiB", "512KiB", "1MiB"]
POINTS = 9 * (4 * 3 + 6)
# Table 4.3, in picojoules a read and a write: L1 of two ports, one tracker, 1 MiB of L2, DRAM.
TABLE = {"l1": (30.5, 44.5), "tracker": (2.3, 3.9), "l2": (99.7, 96.1), "dram": (4480, 4480)}
WIRE = 0.144 * 14  # picojoules a byte


def small_study(source):
    """The study file, with other arguments to its workloads."""
    text, changed = (source / "studies/anssari/study.yaml").read_text(), []

    def shrink(match):
        changed.append(match[1])
        return f"  {match[1]}: {match[2]} {SIZES[match[1]]}\n"

    text = re.sub(r"^  (\w+): (\w+\.cu) .*\n", shrink, text, flags=re.MULTILINE)
    assert sorted(changed) == sorted(SIZES), f"the study has other workloads: {changed}"
    return text


def read_points(path):
    """The results and the metrics of each point, by workload and machine."""
    database = sqlite3.connect(path)
    points = {}
    for key, workload, machine, status, results in database.execute(
            "SELECT p.id, w.label, m.label, p.status, p.results FROM point p "
            "JOIN workload w ON w.id = p.workload_id JOIN machine m ON m.id = p.machine_id"):
        assert status == "done", f"{workload} on {machine}"
        metrics = dict(database.execute("SELECT name, value FROM metric WHERE point_id = ?", [key]))
        points[workload, machine] = results, metrics
    assert len(points) == POINTS, len(points)
    claims = database.execute("SELECT id, holds FROM claim").fetchall()
    assert len(claims) == 14 and all(holds in (0, 1) for _, holds in claims), claims
    return points


def counters(results):
    """The counters of the kernels' components, added up by kind."""
    sums = {}
    for kernel in json.loads(results)["kernels"]:
        for component in kernel["components"]:
            kind = sums.setdefault(component["kind"], {})
            for name, value in component["counters"].items():
                kind[name] = kind.get(name, 0) + value
    return sums


def same(left, right, kind, names):
    for name in names:
        assert left[kind][name] == right[kind][name], f"{kind} {name}"


def check_tracker(base, tracker):
    """It leaves L1 and what is written alone, and L2 is asked for what no other L1 supplied."""
    assert "tracker" not in base and tracker["tracker"]["lookups"] > 0
    same(base, tracker, "l1", set(base["l1"]) - {"bytes_from_below"})
    same(base, tracker, "sm", base["sm"])
    same(base, tracker, "l2", ["bytes_from_above", "store_accesses"])
    supplied = tracker["tracker"]["remote_bytes"]
    for kind, name in (("l1", "bytes_from_below"), ("l2", "bytes_to_above")):
        assert base[kind][name] == tracker[kind][name] + supplied, f"{kind} {name}"
    return supplied


def check_policies(base, policy, exclusive, masks):
    """What lies above L2 is as it was; L2's masks save fetches and no write-back."""
    for name in ("load_accesses", "store_accesses", "atomic_accesses"):
        same(base, policy, "l1", [name])
    for other in (exclusive, masks):
        same(policy, other, "l1", policy["l1"])
        same(policy, other, "tracker", policy["tracker"])
    same(policy, masks, "dram", ["bytes_written"])
    assert masks["dram"]["bytes_read"] <= policy["dram"]["bytes_read"], "masks fetch more"
    return base["l1"]["allocations"] - policy["l1"]["allocations"]


def check_energy(sums, metrics):
    """The events of one point, with a tracker and 1 MiB, times table 4.3."""
    l1, tracker, l2, dram = (sums[kind] for kind in ("l1", "tracker", "l2", "dram"))
    events = {
        "l1": (l1["load_accesses"] + tracker["hits"], l1["store_accesses"] + l1["fills"] // 4),
        "tracker": (tracker["lookups"],
                    tracker["sharers_added"] + tracker["sharers_removed"] + tracker["cleared"]),
        "l2": (l2["load_accesses"] + l2["atomic_accesses"] + l2["write_backs"],
               l2["store_accesses"] + l2["atomic_accesses"] + l2["writeback_accesses"]
               + l2["fills"]),
        "dram": (dram["read_bursts"], dram["write_bursts"]),
    }
    total = metrics["energy_interconnect"]
    for structure, (reads, writes) in events.items():
        picojoules = reads * TABLE[structure][0] + writes * TABLE[structure][1]
        assert abs(metrics[f"energy_{structure}"] - picojoules) <= 1e-9 * picojoules, structure
        total += picojoules
    moved = l2["bytes_from_above"] + l2["bytes_to_above"] + tracker["remote_bytes"]
    assert metrics["energy_interconnect"] > moved * WIRE, "headers cost something"
    assert abs(metrics["energy"] - total) <= 1e-9 * total, "the sum of the structures"


def check_points(points):
    supplied, kept_out = 0, {}
    for workload in SIZES:
        of = {machine: counters(results) for (name, machine), (results, _) in points.items()
              if name == workload}
        for size in SIZES_OF_L2:
            supplied += check_tracker(of[f"{size}, base"], of[f"{size}, tracker"])
        designs = ("base", "policy", "exclusive", "masks")
        kept_out[workload] = check_policies(*(of[f"1MiB, {design}"] for design in designs))
        for machine, sums in of.items():
            metrics = points[workload, machine][1]
            assert metrics["dram_bytes"] == sums["dram"]["bytes_read"] + sums["dram"]["bytes_written"]
    assert supplied > 0, "no tracker ever found anything"
    assert kept_out["spmv"] > 0 and kept_out["stencil"] == 0, f"lines not taken: {kept_out}"


def main(exe, source):
    exe, source = Path(exe).resolve(), Path(source).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "study.yaml").write_text(small_study(source))
        variables = {**environment(exe), "WARPMEM_WORKLOADS": str(source / "workloads")}

        def warpmem(*words):
            done = subprocess.run([exe, *words], cwd=folder, env=variables, capture_output=True,
                                  text=True)
            assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stderr}"
            return done.stdout

        out = warpmem("study", "run", "-j", "2", "study.yaml")
        assert f"{POINTS} points, {POINTS} replayed" in out, out
        points = read_points(folder / "anssari.db")
        check_points(points)
        results, metrics = points["stencil", "1MiB, tracker"]
        check_energy(counters(results), metrics)

        program = json.loads(results)["command"][0]
        recording = program.replace("program-", "recording-") + ".wmt"
        warpmem("replay", "-q", "-m", "anssari", "--set", "gpu.energy.table=anssari-22nm", "--set",
                "gpu.l2.size=1MiB", "--set", "gpu.tracker.present=true", "--json", "hand.json",
                recording)
        assert json.loads((folder / "hand.json").read_text()) == json.loads(results), \
            "a replay by hand counts otherwise"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
