#!/usr/bin/env python3
"""What recordings cost: to make, to keep, to replay. usage: bench_recording.py WARPMEM WORKLOADS
[RAW_SIZE]

Times are processor time of the whole command, medians of several runs that take turns, so that
another load on the machine falls on both sides of a ratio. Where a rate is the goal the best run is
told, too: another load on the same core, or the other half of it, makes a rate lower, never higher.
"""
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 5  # of what costs; passes over several machines take longer and get fewer
RATE_ROUNDS = 15
COSTS = [("gemm", "--variant naive --n 320", 1.5), ("gemm", "--variant tiled --n 512", 1.5),
         ("bfs", "--variant queue --n 400000", 3), ("bfs", "--variant topology --n 200000", 3)]
SIZES = [("vecadd", "--n 33554432", 0.6), ("gemm", "--variant naive --n 512", 0.6),
         ("gemm", "--variant tiled --n 512", 0.6), ("stencil", "--width 4096 --height 4096", 0.6),
         ("bfs", "--variant queue --n 400000", None), ("spmv", "--variant vector --n 100000", None)]
BESIDE_RAW = ("gemm", "bfs", "spmv")
REPLAYS = [("gemm", "--variant naive --n 512"), ("bfs", "--variant queue --n 400000"),
           ("spmv", "--variant vector --n 100000")]
DIVIDED = [("gemm", "--variant naive --n 768"), ("stencil", "--width 4096 --height 4096"),
           ("bfs", "--variant queue --n 1000000"), ("spmv", "--variant vector --n 1200000"),
           ("conv2d", "--width 8192 --height 4096")]
VARIANTS = ["gpu.l1.replacement=fifo", "gpu.l2.replacement=srrip", "gpu.l2.size=3MiB"]


def spent(*command):
    """Seconds of processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def elapsed(*command):
    before = time.monotonic()
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - before


def medians(*commands, rounds=ROUNDS, measure=spent):
    times = [[measure(*command) for command in commands] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times)]


def costs(exe, programs, folder):
    print("cost of recording, in runs without an engine (goal: gemm 1.5, bfs 3, in any order)")
    out = folder / "cost.wmt"
    for name, arguments, goal in COSTS:
        line = ["--", programs[name], *arguments.split()]
        alone, loose, ordered = medians([exe, "run", "-q", "--no-memory", *line],
                                        [exe, "record", "-q", "--any-order", "-o", out, *line],
                                        [exe, "record", "-q", "-o", out, *line])
        print(f"{name} {arguments:32} run {alone:5.2f} s, any order {loose / alone:4.2f} times, "
              f"the machine's order {ordered / alone:4.2f} times")


def sizes(exe, programs, folder, raw_size):
    print("bytes of the file a memory instruction of a warp (goal: 0.6 on vecadd, gemm, stencil); "
          "beside it zstd, level 3, of one record of 16 bytes a lane access (address 8, pc 4, warp 2, "
          "bytes 1, lane 1)")
    for name, arguments, _ in SIZES:
        out = folder / "size.wmt"
        spent(exe, "record", "-q", "-o", out, "--", programs[name], *arguments.split())
        told = subprocess.run([exe, "trace", "info", out], check=True, capture_output=True, text=True)
        count = int(re.search(r"memory instructions\s+(\d+)", told.stdout).group(1))
        size = out.stat().st_size
        line = f"{name} {arguments:32} {size / count:6.3f} of {count} instructions"
        if name in BESIDE_RAW and raw_size is not None:
            told = subprocess.run([raw_size, out], check=True, capture_output=True, text=True)
            records, raw, packed = (int(word) for word in told.stdout.split()[::2])
            line += (f"; zstd of {records / 1e6:.1f} M records {packed / count:.1f}, "
                     f"{packed / size:.1f} times as much (uncompressed {raw / size:.0f} times)")
        print(line)


def replays(exe, programs, folder):
    print("replay on v100 (goals: 15 M line accesses/s on one core; four machines on two cores at "
          "least 3 times four passes)")
    for name, arguments in REPLAYS:
        file, out = folder / f"{name}.wmt", folder / "replay.json"
        spent(exe, "record", "-q", "-o", file, "--", programs[name], *arguments.split())
        spent(exe, "replay", "-q", "-j1", "--json", out, file)
        components = json.loads(out.read_text())["components"]
        lines = sum(component["counters"]["requests"] for component in components
                    if component["kind"] == "sm")
        passes = [[exe, "replay", "-q", "-j1", *(["--set", v] if v else []), file]
                  for v in [None, *VARIANTS]]
        both = [exe, "replay", "-q", "-j2", *(w for v in VARIANTS for w in ("--variant", v)), file]
        alone = [spent(*passes[0]) for _ in range(RATE_ROUNDS)]
        *four, one = medians(*passes, both, rounds=3)
        *waited, waited_for_one = medians(*passes, both, rounds=3, measure=elapsed)
        print(f"{name} {arguments:32} {lines / statistics.median(alone) / 1e6:5.1f} M line accesses/s "
              f"(best of {RATE_ROUNDS}: {lines / min(alone) / 1e6:.1f}); four machines "
              f"{sum(waited) / waited_for_one:4.2f} times, {2 * sum(four) / one:4.2f} by processor "
              "time, were both cores free")


def threads(exe, programs, folder):
    print("replay on v100 by several threads, the time that one takes by the time that they take (goal: "
          "two 1.6 times as fast, more no slower; it takes as many processors as threads that are free)")
    for name, arguments in DIVIDED:
        file = folder / "divided.wmt"
        spent(exe, "record", "-q", "-o", file, "--", programs[name], *arguments.split())
        one, *others = medians(*([exe, "replay", "-q", f"-j{count}", file] for count in (1, 2, 4, 8)),
                               measure=elapsed)
        print(f"{name} {arguments:32} one {one:5.2f} s, two {one / others[0]:4.2f} times as fast, "
              f"four {one / others[1]:4.2f}, eight {one / others[2]:4.2f}")


def memory(exe, programs, folder):
    file = folder / "large.wmt"
    spent(exe, "record", "-q", "--any-order", "--memory-only", "-o", file, "--", programs["gemm"],
          "--variant", "naive", "--n", "1184")
    child = subprocess.Popen([str(exe), "replay", "-q", "-j1", str(file)])
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0
    told = subprocess.run([exe, "trace", "info", file], check=True, capture_output=True, text=True)
    count = int(re.search(r"memory instructions\s+(\d+)", told.stdout).group(1))
    print(f"a replay of {count / 1e6:.0f} M memory instructions takes {used.ru_maxrss / 1024:.0f} MiB "
          "of memory (goal: under 200 MB for 100 M)")


def main(exe, workloads, raw_size=None):
    exe = Path(exe).resolve()
    if raw_size is None and (exe.parents[2] / "bench/recording/raw_size").exists():
        raw_size = exe.parents[2] / "bench/recording/raw_size"
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        programs = {}
        for name in sorted({row[0] for row in COSTS + SIZES + REPLAYS + DIVIDED}):
            programs[name] = folder / name
            subprocess.run([exe, "cc", Path(workloads) / f"{name}.cu", "-o", programs[name]],
                           check=True)
        costs(exe, programs, folder)
        sizes(exe, programs, folder, raw_size)
        replays(exe, programs, folder)
        threads(exe, programs, folder)
        memory(exe, programs, folder)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    main(*sys.argv[1:])
