#!/usr/bin/env python3
"""Runs every line of the table in docs/workloads.md and compares what it counts with the table.

usage: documented_numbers.py [--bless] WARPMEM SOURCE

With --bless the table is rewritten to what is counted now. Rows look like
  | `gemm --variant tiled` | asked | sectors a request | L1 hits | L1-L2 | DRAM |
and are counted over the kernels of a run on the v100 preset.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from check_program import environment
import compiled


def size(count):
    for unit in ("B", "KiB", "MiB"):
        if count < 1000 or unit == "MiB":
            return f"{count:.3g} {unit}" if count < 1000 else f"{count:.0f} {unit}"
        count /= 1024
    return None


def counted(warpmem, folder, line):
    name, *arguments = line.split()
    results = folder / "results.json"
    subprocess.run([warpmem, "run", "-q", "-m", "v100", "--json", results, "--", folder / name,
                    *arguments], check=True, capture_output=True, env=environment(warpmem))
    asked = sectors = requests = hits = looked_up = l1_l2 = dram = 0
    for kernel in json.loads(results.read_text())["kernels"]:
        for instruction in kernel["instructions"]:
            counters = instruction["counters"]
            if instruction["space"] in ("global", "generic"):
                asked += counters["bytes_requested"]
                sectors += counters["sectors"]
                requests += counters["requests"]
                hits += counters["l1.hits"]
                looked_up += counters["l1.hits"] + counters["l1.misses"]
        for component in kernel["components"]:
            counters = component["counters"]
            if component["kind"] == "l1":
                l1_l2 += counters["bytes_from_below"] + counters["bytes_to_below"]
            if component["kind"] == "dram":
                dram += counters["bytes_read"] + counters["bytes_written"]
    rate = f"{100 * hits / looked_up:.0f} %" if looked_up else "-"
    return [size(asked), f"{sectors / requests:.1f}", rate, size(l1_l2), size(dram)]


def main(arguments):
    bless = "--bless" in arguments
    warpmem, source = [a for a in arguments if a != "--bless"]
    page = Path(source) / "docs/workloads.md"
    text, wrong, rows = page.read_text().splitlines(), 0, 0
    with tempfile.TemporaryDirectory() as made_here:
        folder = Path(made_here)
        for i, line in enumerate(text):
            row = re.match(r"\| `([^`]+)` \|", line)
            if not row:
                continue
            rows += 1
            name = row[1].split()[0]
            if not (folder / name).exists():
                made = compiled.program(warpmem, Path(source) / f"workloads/{name}.cu")
                (folder / name).symlink_to(made)
            now = "| " + " | ".join([f"`{row[1]}`", *counted(warpmem, folder, row[1])]) + " |"
            if now != line:
                wrong += 1
                print(f"{page.name}:{i + 1}:\n  written {line}\n  counted {now}")
                text[i] = now
    if bless:
        page.write_text("\n".join(text) + "\n")
        return 0
    print(f"{rows} rows, {wrong} differ")
    return 1 if wrong or rows < 10 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
