#!/usr/bin/env python3
"""What warpmem predicts of kernels and workloads whose counters and cycles were measured on a Quadro V100.

usage: kernels.py WARPMEM [--only NAME] [--compare] [--jobs N] [--limit SECONDS]

Runs the programs of programs.csv, from workloads/ or programs/, on the preset v100 at that card's clock: for
measured/counters.csv untimed, and those that are a program's first launch and equal in L1's requests and in shared
and constant accesses in time too; for measured/cycles.csv in time. Writes predicted_kernels.csv and
predicted_cycles.csv. A timed run that takes more than --limit seconds (300) of a processor is left out.
--compare: writes nothing, and ends with 1 where the tables do not say what is found now.
"""
import argparse
import concurrent.futures
import csv
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tables

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FOLDERS = [ROOT / "workloads", HERE / "programs"]
sys.path.insert(0, str(HERE.parents[1] / "programs"))
import compiled

# Of the Quadro V100 where it is not as the preset, a Tesla V100: the clock is that of Accel-Sim's configuration
# SM7_QV100; the memory's is not published, and fitted so that the workload mem-bw, which only reads, takes what it
# took (split.csv: fit).
CLOCK, MEMORY_CLOCK = "device.clock=1132MHz", "1600ps"
# Cycles of workloads have what the profiler's clock counts of each launch besides its blocks: -gpgpu_kernel_launch_latency
# of the same configuration, and what the workloads nn and 3dconv (fit) take beyond their kernels: 5700 and 4900.
PROFILED = "gpu.launch_latency=5000"
SECTOR = 32
LEVELS = [("L1_RH", "l1", "load_hits"), ("L1_RM", "l1", "load_misses"), ("L1_WH", "l1", "store_hits"),
          ("L1_WM", "l1", "store_misses"), ("CC_ACC", "sm", "constant_accesses"), ("SHRD_ACC", "sm", "shared_accesses"),
          ("L2_RH", "l2", "load_hits"), ("L2_RM", "l2", "load_misses"), ("L2_WH", "l2", "store_hits"),
          ("L2_WM", "l2", "store_misses"), ("DRAM_Rd", "dram", "bytes_read"), ("DRAM_Wr", "dram", "bytes_written")]
# What has to be equal, within EQUAL, for a kernel to be equal in work as L1 sees it, and as L2 does.
EQUAL = 0.02
OF_L1 = [("L1_RH", "L1_RM"), ("L1_WH", "L1_WM")]
OF_L2 = [("L2_RH", "L2_RM"), ("L2_WH", "L2_WM")]
KERNELS, CYCLES = HERE / "predicted_kernels.csv", HERE / "predicted_cycles.csv"


def source(program):
    return next(path for folder in FOLDERS if (path := folder / f"{program}.cu").exists())


def memory(folder):
    """The setting of the Quadro's memory: the V100's but for its clock."""
    rows = (ROOT / "machines/dram/hbm2.yaml").read_text()
    path = Path(folder) / "quadro.yaml"
    path.write_text(re.sub(r"^- clock \S+", f"- clock {MEMORY_CLOCK}", rows, flags=re.M))
    return f"gpu.dram.device={path}"


def launches(warpmem, machine, row, engine, limit, more=()):
    """The launches of a program on a machine, or None where it took too long. `more`: words for warpmem."""
    binary = compiled.program(warpmem, source(row["program"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        command = [warpmem, "run", "-q", "-m", machine, "--engine", engine, "--per-launch", *more, "--json", path, "--",
                   binary, *row["arguments"].split()]
        began = time.monotonic()
        said = subprocess.run(["bash", "-c", f"ulimit -t {limit}; exec \"$@\"", "bash", *command], capture_output=True,
                              text=True)
        print(f"{time.monotonic() - began:6.1f} s  {machine} {row['program']} {row['arguments']} ({engine})",
              file=sys.stderr, flush=True)
        if not path.exists() and ("signal" in said.stderr or said.returncode > 128):
            return None
        if said.returncode != 0:
            sys.exit(f"error: {row['program']} {row['arguments']}: {said.stderr.strip()}")
        return json.loads(path.read_text())["launches"]


def run(warpmem, row, engine, limit, more=()):
    """The same on the Quadro, of the launches that are counted."""
    chosen = ["--launches", row["launches"]] if row["launches"] else []
    with tempfile.TemporaryDirectory() as folder:
        settings = [word for setting in [CLOCK, memory(folder), *more] for word in ("--set", setting)]
        return launches(warpmem, tables.machine("v100"), row, engine, limit, [*settings, *chosen])


def counts(launches):
    def total(kind, counter):
        return sum(it["counters"].get(counter, 0) for launch in launches for it in launch["levels"]
                   if it["kind"] == kind)

    found = {name: total(kind, counter) // (SECTOR if kind == "dram" else 1) for name, kind, counter in LEVELS}
    # The Quadro's counters of L2 have what L1 requests (see binomialOptions: constants were read, and all from DRAM).
    # Constant caches fetch the same sectors again and again: all hits, and misses where there are no more of those.
    fetched = total("constant", "fills")
    hits = min(found["L2_RH"], fetched)
    return {**found, "L2_RH": found["L2_RH"] - hits, "L2_RM": found["L2_RM"] - (fetched - hits)}


def equal(ours, theirs, pairs):
    """Whether the sums of the counters of each pair are."""
    sums = [[sum(float(row[name]) for name in pair) for row in (ours, theirs)] for pair in pairs]
    return all(abs(mine - other) <= EQUAL * other for mine, other in sums)


def kernel(warpmem, row, limit):
    theirs = next(it for it in tables.rows(HERE / "measured/counters.csv") if it["number"] == row["name"])
    found = counts(run(warpmem, row, "walk", limit))
    # Launches before it would have to be timed too.
    timed = row["launches"] == "0" and equal(found, theirs, OF_L1 + [("CC_ACC", "SHRD_ACC")])
    made = run(warpmem, row, "clock", limit) if timed else None
    return {"number": row["name"], **found, "Elapsed_Cycles": sum(it["cycles"] for it in made) if made else ""}


def workload(warpmem, row, limit):
    made = run(warpmem, row, "clock", limit, [PROFILED])
    return {"name": row["name"], "cycles": sum(it["cycles"] for it in made) if made else ""}


WORK = {"counters": kernel, "cycles": workload}
TABLES = {"counters": (KERNELS, "Kernels of measured/counters.csv as warpmem counts them"),
          "cycles": (CYCLES, "Workloads of measured/cycles.csv in warpmem's cycles")}


def table(path, told, rows, names):
    """Writes the rows, and those that stand there of names that were not run; in the order of the names."""
    of = {next(iter(row.values())): row for row in [*(tables.rows(path) if path.exists() else []), *rows]}
    with open(path, "w", newline="") as file:
        file.write(f"# {told}; made by kernels.py.\n")
        writer = csv.DictWriter(file, next(iter(of.values())), lineterminator="\n")
        writer.writeheader()
        writer.writerows(of[name] for name in names if name in of)


def differences(path, rows):
    old = {next(iter(row.values())): row for row in tables.rows(path)}
    for row in rows:
        now = {name: str(value) for name, value in row.items()}
        then = old.get(next(iter(now.values())))
        if now != then:
            print(f"{path.name}: now {now}, in the table {then}")
            yield row


def main(words):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("warpmem", type=Path)
    parser.add_argument("--only", action="append", help="a kernel's number or a workload's name")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=int, default=300)
    options = parser.parse_args(words)
    warpmem = options.warpmem.resolve()
    programs = tables.rows(HERE / "programs.csv")
    chosen = [row for row in programs if not options.only or row["name"] in options.only]
    found = {"counters": [], "cycles": []}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        started = {pool.submit(WORK[row["table"]], warpmem, row, options.limit): row["table"] for row in chosen}
        for one in concurrent.futures.as_completed(started):
            kind = started[one]
            found[kind].append(one.result())
            if not options.compare:  # after each, so that what was found is kept when it is ended
                table(*TABLES[kind], found[kind], [it["name"] for it in programs if it["table"] == kind])
    if options.compare:
        return 1 if [*differences(KERNELS, found["counters"]), *differences(CYCLES, found["cycles"])] else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
