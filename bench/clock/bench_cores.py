#!/usr/bin/env python3
"""What CPU cores cost in time. usage: bench_cores.py WARPMEM MACHINE

Four cores replay made-up accesses, a quarter of them stores, on one thread of the host: all in L1, and a quarter
of them misses of L1 that L2 has. Rates are million accesses a second of processor time of the whole
command, and of the walk beside: medians of several runs.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 5
CORES = 4
ACCESSES = 400_000  # of each
GOAL = 3.0  # million accesses a second
LINE = 64


def hot(i):
    return i * 8 % 8192


def missing(i):
    """Every fourth access goes to the next line of 128 KiB, which L1 does not hold."""
    return 65536 + i // 4 * LINE % 131072 if i % 4 == 3 else hot(i)


def trace(file, core, address):
    with open(file, "w", encoding="ascii") as out:
        for i in range(ACCESSES):
            out.write(f"{'w' if i % 4 == 2 else 'r'} {(core + 1 << 28) + address(i):x} 8\n")


def replay(exe, machine, file, engine, json_file):
    child = subprocess.Popen([str(exe), "replay", "-q", "-e", engine, "-j1", "-m", machine,
                              "--json", str(json_file), str(file)])
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0
    return used.ru_utime + used.ru_stime


def counters(json_file, path):
    components = json.loads(json_file.read_text())["components"]
    return next(c["counters"] for c in components if c["path"] == path)


def measure(exe, machine, name, address, folder):
    file, out = folder / "cores.wmt", folder / "out.json"
    traces = [folder / f"{core}.din" for core in range(CORES)]
    for core, path in enumerate(traces):
        trace(path, core, address)
    subprocess.run([exe, "import", "-q", "-o", file, *traces], check=True)
    rates = {}
    for engine in ("walk", "clock"):
        seconds = [replay(exe, machine, file, engine, out) for _ in range(ROUNDS)]
        rates[engine] = CORES * ACCESSES / statistics.median(seconds) / 1e6
    l1, core = counters(out, "cpu0.core[0].l1"), counters(out, "cpu0.core[0].timing")
    print(f"{name:26} {rates['clock']:5.2f} M accesses/s in time ({rates['clock'] / GOAL:4.2f} of the goal), "
          f"{rates['walk']:5.2f} in the walk; {100 * l1['accesses_missed'] / l1['accesses']:4.1f} % missed L1, "
          f"{core['cycles'] / ACCESSES:4.2f} cycles an access")


def main():
    exe, machine = Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as name:
        measure(exe, machine, "all in L1", hot, Path(name))
        measure(exe, machine, "a quarter misses L1", missing, Path(name))


main()
