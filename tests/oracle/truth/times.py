#!/usr/bin/env python3
"""What warpmem predicts of the time that each kernel of workloads/ and programs/ took on an H100 and an H200.

usage: times.py WARPMEM [--only DEVICE:SET] [--program NAME] [--compare] [--jobs N] [--limit SECONDS]

Runs the programs of ../gpu/programs.csv on the preset of the device, on the clock engine, all their launches one
after another as they were measured (../gpu/DEVICE/launch_times.csv), and writes predicted_times.csv: cycles of all launches
of a kernel. A program that takes more than --limit seconds (300) of a processor is left out. --compare: writes nothing,
and ends with 1 where the table does not say what is found now.
"""
import argparse
import concurrent.futures
import csv
import sys
from pathlib import Path

import kernels
import tables

# Which sets of which devices; their use is in split.csv. The others are long.
SETS = [("h100", "default"), ("h100", "truth"), ("h200", "default")]
LEFT_OUT = {"spinlock"}  # its threads race: how long it spins is another number each time
TIMES = kernels.HERE / "predicted_times.csv"
COLUMNS = ["device", "set", "program", "arguments", "kernel", "launches", "cycles"]


def measured(device):
    """Durations in ns of a program's launches, in order, with the kernels' names."""
    found = {}
    for row in tables.rows(tables.GPU / device / "launch_times.csv"):
        if row["kind"] == "kernel":
            found.setdefault((row["program"], row["arguments"]), []).append((row["name"], int(row["ns"])))
    return found


def by_kernel(launches):
    """Of (kernel, amount) pairs: how many of each kernel, and the sum, in the order of their first launches."""
    found = {}
    for name, amount in launches:
        count, total = found.get(name, (0, 0))
        found[name] = count + 1, total + amount
    return found


def predict(warpmem, device, row, limit):
    """The table's rows of one program; none where it took too long."""
    theirs = measured(device)[row["program"], row["arguments"]]
    launches = kernels.launches(warpmem, tables.machine(device), row, "clock", limit)
    if launches is None:
        return []
    if len(launches) != len(theirs):
        sys.exit(f"error: {row['program']} {row['arguments']}: {len(launches)} launches, {len(theirs)} measured on {device}")
    ours = by_kernel((name, launch["cycles"]) for (name, _), launch in zip(theirs, launches))
    return [{"device": device, "set": row["set"], "program": row["program"], "arguments": row["arguments"], "kernel": name,
             "launches": count, "cycles": cycles} for name, (count, cycles) in ours.items()]


def key(row):
    return row["device"], row["set"], row["program"], row["arguments"]


def write(rows, order):
    old = tables.rows(TIMES) if TIMES.exists() else []
    new = {key(row) for row in rows}
    kept = [row for row in old if key(row) not in new and key(row) in order] + rows
    with open(TIMES, "w", newline="") as file:
        file.write("# Cycles of all launches of a kernel, as warpmem predicts them; made by times.py.\n")
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(kept, key=lambda row: order.index(key(row))))


def main(words):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("warpmem", type=Path)
    parser.add_argument("--only", action="append", help="a device and a set, as h100:default")
    parser.add_argument("--program", action="append")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=int, default=300)
    options = parser.parse_args(words)
    warpmem = options.warpmem.resolve()
    programs = tables.rows(tables.GPU / "programs.csv")
    every = [(device, row) for device, name in SETS for row in programs
             if row["set"] == name and row["program"] not in LEFT_OUT]
    order = [key({"device": device, **row}) for device, row in every]
    chosen = [(device, row) for device, row in every
              if (not options.only or f"{device}:{row['set']}" in options.only)
              and (not options.program or row["program"] in options.program)]
    found = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        started = [pool.submit(predict, warpmem, device, row, options.limit) for device, row in chosen]
        for one in concurrent.futures.as_completed(started):
            found += one.result()
            if not options.compare:
                write(found, order)
    if options.compare:
        old = {tuple(row.values()) for row in tables.rows(TIMES)}
        wrong = [row for row in found if tuple(map(str, row.values())) not in old]
        print("\n".join(f"not in the table: {row}" for row in wrong))
        return 1 if wrong else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
