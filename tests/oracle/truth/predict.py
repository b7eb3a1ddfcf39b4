#!/usr/bin/env python3
"""What warpmem predicts of the curves that were measured, on the clock engine.

usage: predict.py WARPMEM [--points PATTERN] [--compare] [--jobs N] [--output FILE]

Runs the programs of tests/oracle/gpu/programs, each so that it measures one point or a few cheap ones, on every
preset that has been measured, and writes predicted.csv. --points: only runs whose name (preset, program and
arguments) matches PATTERN, as in a shell; their rows take the place of those in the table. --compare: writes nothing,
and ends with 1 where the table does not say what the programs say now.
"""
import argparse
import concurrent.futures
import csv
import fnmatch
import subprocess
import sys
import time
from pathlib import Path

import tables

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "programs"))
import compiled

# clang unrolls no loop of volatile loads whose length it does not know, and says so.
FLAGS = ("-std=c++17", "-Wno-pass-failed")
PREDICTED = HERE / "predicted.csv"
COLUMNS = ["preset", "curve", "parameter", "value", "run"]
# Working sets in KiB: within each plateau, and two in each ramp; the programs make whole KiB of them.
LATENCIES = {"v100": [16, 64, 112, 150, 192, 512, 2048, 4096, 6144, 8192, 12288, 32768, 65536],
             "a100": [16, 64, 160, 220, 280, 512, 4096, 16384, 24576, 36864, 49152, 65536, 131072],
             "h100": [16, 64, 192, 256, 362, 1024, 4096, 16384, 32768, 49152, 65536, 131072],
             "h200": [16, 64, 192, 256, 362, 1024, 4096, 16384, 32768, 49152, 65536, 131072]}
L1_SETS = {"v100": [16, 64, 112, 160, 256, 512], "h100": [16, 64, 160, 224, 288, 512], "h200": [64, 512]}
L2_SETS = {"a100": [2, 8, 16, 28, 48, 128], "h100": [4, 16, 24, 32, 64, 128], "h200": [16, 32, 64]}  # MiB
BLOCKS = {"a100": 216, "h100": 264, "h200": 264}  # that fill each SM once
# Hops that are timed: where L2 does not hold all, as many as the programs timed that measured it. Of V100 and A100 it was
# another one, which goes through everything again and again.
ALL, TIMED = 3, 1 << 19
BEYOND = {"v100": 4096, "a100": 16384, "h100": 16384, "h200": 16384}  # KiB
# Streams: blocks of an SM and their threads. Arrays have to be larger than L2, together.
SHAPES = {"scale": [(1, 32), (1, 64), (2, 64), (2, 128), (2, 256), (2, 512), (2, 1024)],
          "triad": [(1, 64), (2, 128), (2, 1024)], "read": [(1, 64), (2, 128), (2, 1024)],
          "init": [(1, 64), (2, 1024)], "points3": [(1, 64), (2, 1024)]}
# Where L2 is large and so arrays are, those that take long are left out.
FEWER = {"h100": {**SHAPES, "triad": [(2, 128), (2, 1024)], "read": [(2, 1024)], "init": [], "points3": []},
         "h200": {"scale": [(1, 64), (2, 128), (2, 1024)], "read": [(2, 1024)]}}
ELEMENTS = {"v100": 1 << 20, "h100": 4 << 20, "h200": 4 << 20}
# Pages of so many MiB, of which a line each is loaded: how many, within 16 entries of 16 MiB (machines/variants/hopper-tlb.yaml)
# and beyond.
PAGES = {"h100": {2: [64, 192, 256, 512, 4096], 8: [32, 48], 16: [16, 24], 32: [16, 24, 1536], 64: [1024]},
         "h200": {2: [64, 192, 256, 512, 4096], 32: [16, 24, 1536]}}
TRANSLATED = "--only page-"
# Bytes of constants that a chain goes through; the programs measure these and some between.
CONSTANTS = [1024, 2000, 3125, 7627, 14895, 56815]
# These go over one array and not over two or three, so it is twice as long.
TIMES_AS_LONG = {"read": 2, "init": 2}


def hops(preset, kib):
    lines = kib * 8
    if kib <= BEYOND[preset]:
        return 131072
    return TIMED if preset in tables.OWN_DEVICES else ALL * lines


def runs():
    """Preset, program and arguments of each run; the name of a run is these words."""
    for preset, sizes in LATENCIES.items():
        for kib in sizes:
            yield preset, "latency", (f"--only ca-128 --smallest {kib} --largest {kib} --steps 1 --pages 0 --cold 0 "
                                      f"--passes 1 --repeats 1 --hops {hops(preset, kib)} --wake 0")
    for preset, sizes in L1_SETS.items():
        for kib in sizes:
            yield preset, "cache_bandwidth", (f"--only l1-4 --l1-least {kib} --l1 {kib} --l2 2 --work 256 --blocks 1 "
                                              "--repeats 1")
    for preset, sizes in L2_SETS.items():
        for mib in sizes:
            yield preset, "cache_bandwidth", (f"--only l2-parts --l2-least {mib << 10} --l2 {mib} --l1 16 "
                                              f"--blocks {BLOCKS[preset]} --repeats 1 --net 1")
    for preset in ("a100", "h100", "h200"):
        for only in ("l1-float", "l1-double", "l1-block"):
            yield preset, "strides", f"--only {only} --turns 8 --largest 33 --repeats 1"
    for preset, elements in ELEMENTS.items():
        for operation, shapes in FEWER.get(preset, SHAPES).items():
            length = elements * TIMES_AS_LONG.get(operation, 1)
            for blocks, threads in shapes:
                yield preset, "stream", (f"--only {operation} --block {threads} --blocks-of-sm {blocks} "
                                         f"--elements {length} --chains 1 --repeats 1 --wake 0 --net 1")
    for preset in tables.OWN_DEVICES:
        yield preset, "atomic_rates", "--only red --each 1 --blocks-per-sm 1 --largest 64 --repeats 1 --net 1"
        yield preset, "atomic_rates", ("--only red --each 4 --blocks-per-sm 2 --smallest 128 --largest 32768 --repeats 1 "
                                       "--net 1")
        for page, counts in PAGES[preset].items():
            for count in counts:
                yield preset, "latency", (f"{TRANSLATED}{page}MiB --smallest 4 --largest 4 --least-pages {count} "
                                          f"--pages {count} --page-span 65536 --cold 0 --repeats 1")
        for only in ("shared", "shared-same", "constant"):
            if (preset, only) != ("h200", "shared-same"):  # which was not measured
                yield preset, "strides", f"--only {only} --doubling 1 --turns 64 --largest 32 --repeats 1"
        for size in CONSTANTS:
            yield preset, "operations", f"--only constants --least {size} --most {size} --count 64 --repeats 1"
        yield preset, "overhead", "--only copies --launches 2 --largest 4096 --repeats 1 --clock 0"
        yield preset, "overhead", "--only graph --launches 50 --repeats 1 --clock 0"
        yield preset, "overhead", "--only gaps --launches 16 --repeats 1 --clock 0"


def machine(preset, words):
    """What a run is made on: where pages are measured, with the TLBs that the others leave out."""
    return tables.machine(preset) + ("+hopper-tlb" if TRANSLATED in words else "")


def name_of(run):
    return " ".join(run)


def predict(warpmem, run):
    """The table's rows of one run."""
    preset, program, words = run
    binary = compiled.program(warpmem, tables.GPU / f"programs/{program}.cu", flags=FLAGS)
    began = time.monotonic()
    said = subprocess.run([warpmem, "run", "-q", "-m", machine(preset, words), "--engine", "clock", "--", binary, *words.split()],
                          capture_output=True, text=True)
    if said.returncode != 0:
        sys.exit(f"error: {name_of(run)}: {said.stderr.strip()}")
    found = []
    for row in csv.DictReader(said.stdout.splitlines()):
        key = tables.curve_of({"program": program, **row})
        if key:
            found.append({"preset": preset, "curve": key[0], "parameter": key[1], "value": row["value"],
                          "run": f"{program} {words}"})
    print(f"{time.monotonic() - began:6.1f} s  {name_of(run)}", file=sys.stderr, flush=True)
    return found


def whole(old, new, chosen, every):
    """The rows of all runs, in their order: new ones where there are some."""
    of = {}
    for row in old + new:
        of.setdefault((row["preset"], row["run"]), [])
    for row in old:
        if (row["preset"], row["run"]) not in chosen:
            of[row["preset"], row["run"]].append(row)
    for row in new:
        of[row["preset"], row["run"]].append(row)
    return [row for preset, program, words in every for row in of.get((preset, f"{program} {words}"), [])]


def write(path, rows):
    with open(path, "w", newline="") as file:
        file.write("# What warpmem predicts of the curves that tables.py reads; made by predict.py.\n")
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main(words):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("warpmem", type=Path)
    parser.add_argument("--points", action="append")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--output", type=Path, default=PREDICTED)
    options = parser.parse_args(words)
    every = list(runs())
    chosen = [run for run in every
              if not options.points or any(fnmatch.fnmatch(name_of(run), it) for it in options.points)]
    if not chosen:
        parser.error(f"no run is called {options.points}; their names are those of {PREDICTED.name}, after the preset")
    old = tables.rows(PREDICTED) if PREDICTED.exists() else []
    warpmem = options.warpmem.resolve()
    new, keys = [], set()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for run, found in zip(chosen, pool.map(lambda run: predict(warpmem, run), chosen)):
            new += found
            keys.add((run[0], f"{run[1]} {run[2]}"))
            if not options.compare:  # after each, so that what was found is kept when it is ended
                write(options.output, whole(old, new, keys, every))
    if not options.compare:
        return 0
    before = [row for row in old if (row["preset"], row["run"]) in keys]
    wrong = [row for row in new if row not in before] + [row for row in before if row not in new]
    for row in wrong:
        which = "now" if row in new else "table"
        print(f"{which}: {row['preset']} {row['curve']} at {row['parameter']}: {row['value']}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
