#!/usr/bin/env python3
"""Holds the clock engine to Accel-Sim: the same traces on a description of the same machine.

usage: check_accelsim_clock.py WARPMEM

The traces lie in accelsim/, in Accel-Sim's text format (tracer version 5, sm_70 SASS): a vector
addition of 100,000 elements, a matrix product of 128×128×128 and a 3×3 convolution over 512×512.
ANSWERS is what Accel-Sim (trace mode, its tested configuration SM7_QV100) counted; the machine is
accelsim/sm7-qv100.yaml. What is not equal has a number in DEVIATIONS.md.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import sanitized

# Cycles have the launch's own 5,000 in them. Accesses, misses and pending hits are of sectors.
LAUNCH = 5000
ANSWERS = {
    "vectoradd100k": {"warp instructions": 50021, "thread instructions": 1400576, "cycles": 6856,
                      "L1 accesses": 37500, "L1 misses": 37500, "L2 accesses": 37500,
                      "L2 misses": 37500, "DRAM reads": 25000, "latency": 623},
    "gemm128": {"warp instructions": 439808, "thread instructions": 13959168, "cycles": 63636,
                "L1 accesses": 593920, "L1 misses": 43008, "L2 accesses": 307200,
                "L2 misses": 6144, "DRAM reads": 6144, "latency": 233},
    "conv512": {"warp instructions": 384032, "thread instructions": 11735160, "cycles": 11708,
                "L1 accesses": 372300, "L1 misses": 92216, "L2 accesses": 92216,
                "L2 misses": 65408, "DRAM reads": 32768, "latency": 412},
}
# Equal whatever the time; the rest is where the order of requests makes no difference.
EQUAL = {
    "vectoradd100k": ["warp instructions", "thread instructions", "L1 accesses", "L1 misses",
                      "L2 accesses", "L2 misses", "DRAM reads"],
    "gemm128": ["warp instructions", "thread instructions", "L1 accesses", "L1 misses",
                "L2 accesses", "L2 misses", "DRAM reads"],
    "conv512": ["warp instructions", "thread instructions", "L1 accesses", "L2 misses"],
}
POINTS = 2.0    # of hit rates, in hundredths
WITHIN = 0.20   # of cycles and of the mean latency
NEAR = 0.04     # of counts that time decides


def replay(exe, name, folder):
    out = folder / f"{name}.json"
    done = subprocess.run([exe, "replay", "-q", "--engine", "clock", "-m",
                           HERE / "accelsim" / "sm7-qv100.yaml", "--json", out,
                           HERE / "accelsim" / f"{name}.traceg.xz"],
                          capture_output=True, text=True, env=sanitized.variables(exe))
    assert done.returncode == 0, done.stderr
    return json.loads(out.read_text())


def counts(results):
    (kernel,), sums = results["kernels"], {}
    for part in results["components"]:
        for name, value in part.get("counters", {}).items():
            key = (part["kind"], name)
            sums[key] = sums.get(key, 0) + value
    return {"warp instructions": kernel["warp_instructions"],
            "thread instructions": kernel["thread_instructions"],
            "cycles": kernel["cycles"],
            "L1 accesses": sums["l1", "hits"] + sums["l1", "misses"],
            "L1 misses": sums["l1", "misses"],
            "L2 accesses": sums["l2", "hits"] + sums["l2", "misses"],
            "L2 misses": sums["l2", "misses"],
            "DRAM reads": sums["dram", "read_bursts"],
            "latency": sums["memory_unit", "round_trip_cycles"]
            / sums["memory_unit", "requests_replied"]}


def hit_rate(values, level):
    return 100 * (1 - values[f"{level} misses"] / values[f"{level} accesses"])


def compare(name, ours):
    theirs, wrong = ANSWERS[name], []

    def check(what, mine, other, ok):
        print(f"{name:14} {what:20} {mine:12.2f} {other:12.2f}{'' if ok else '   <-- too far'}")
        if not ok:
            wrong.append(f"{name}: {what}: {mine} and not {other}")

    for what in ["warp instructions", "thread instructions", "L1 accesses", "L1 misses",
                 "L2 accesses", "L2 misses", "DRAM reads"]:
        same = what in EQUAL[name]
        off = abs(ours[what] - theirs[what])
        check(what, ours[what], theirs[what], off == 0 if same else off <= NEAR * theirs[what])
    for level in ("L1", "L2"):
        mine, other = hit_rate(ours, level), hit_rate(theirs, level)
        check(f"{level} hit rate", mine, other, abs(mine - other) <= POINTS)
    for what, mine, other in (("cycles", ours["cycles"], theirs["cycles"]),
                              ("without the launch", ours["cycles"] - LAUNCH,
                               theirs["cycles"] - LAUNCH),
                              ("mean latency", ours["latency"], theirs["latency"])):
        check(what, mine, other, abs(mine - other) <= WITHIN * other)
    return wrong


def main(exe):
    wrong = []
    exe = Path(exe).resolve()
    print(f"{'':14} {'':20} {'ours':>12} {'Accel-Sim':>12}")
    with tempfile.TemporaryDirectory() as folder:
        for name in ANSWERS:
            wrong += compare(name, counts(replay(exe, name, Path(folder))))
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    main(*sys.argv[1:])
