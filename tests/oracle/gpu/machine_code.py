#!/usr/bin/env python3
"""The estimate of machine code (gpu.sm.machine_code) beside the instructions that a real GPU counted.

usage: machine_code.py WARPMEM [--device h100] [--programs NAME,...] [--write PAGE]

The workloads at their default sizes run on the preset of the device's name, once with estimated machine code; what
is compared with smsp__inst_executed.sum are the PTX warp instructions, one for one, and the estimate. A line a
kernel and the mean errors of both halves are printed, or stand in PAGE between its marks
(docs/gpu-measurements.md). Rules of the estimate may be checked against the first half, the programs with an even
index in the table of counters; the second half judges them.
"""
import argparse
import math
import sys
from pathlib import Path

import compare

SETTINGS = ("-s", "gpu.sm.machine_code=estimated")
COUNTER = "smsp__inst_executed.sum"
HALVES = ("first half", "second half")


class Count:
    """Of a kernel's launches: PTX warp instructions, the estimate, and what was measured."""

    def __init__(self, kernel, half):
        self.program, self.title, self.half = kernel.program, kernel.title(), half
        self.ptx = sum(it["warp_instructions"] for it in kernel.launches)
        self.estimate = sum(compare.level(it, "machine_code", "machine_instructions") for it in kernel.launches)
        self.measured = sum(compare.value(row, COUNTER) for row in kernel.rows)

    def error(self, name):
        return 100 * (getattr(self, name) / self.measured - 1)


def programs(device):
    """All of the default set, in the order of the table."""
    return list(dict.fromkeys(row["program"] for row in compare.table(device, "counters")
                              if row["set"] == "default" and row["program"] not in compare.LEFT_OUT))


def counts(warpmem, device, chosen=None):
    order = programs(device)
    return [Count(kernel, HALVES[order.index(kernel.program) % 2])
            for kernel in compare.kernels(warpmem, device, SETTINGS, chosen) if kernel.launches]


def mean_absolute(found, name):
    return compare.mean([abs(it.error(name)) for it in found])


def geometric(found, name):
    """The geometric mean of how many times as many, or as few, they are."""
    logs = [abs(math.log(getattr(it, name) / it.measured)) for it in found]
    return 100 * (math.exp(compare.mean(logs)) - 1)


def summary_lines(found):
    yield "| | kernels | PTX one for one: mean error, % | geometric, % | estimate: mean error, % | geometric, % |"
    yield "|---|---:|---:|---:|---:|---:|"
    for half in (*HALVES, "all"):
        own = [it for it in found if half in (it.half, "all")]
        if own:
            yield (f"| {half} | {len(own)} | {mean_absolute(own, 'ptx'):.1f} | {geometric(own, 'ptx'):.1f} | "
                   f"{mean_absolute(own, 'estimate'):.1f} | {geometric(own, 'estimate'):.1f} |")


def kernel_lines(found):
    yield "| half | program | kernel | PTX | estimate | measured | error of PTX, % | of the estimate, % |"
    yield "|---|---|---|---:|---:|---:|---:|---:|"
    for half in HALVES:
        for it in (it for it in found if it.half == half):
            yield (f"| {half.split()[0]} | {it.program} | {it.title} | {it.ptx} | {it.estimate} | {it.measured:.0f} | "
                   f"{it.error('ptx'):+.1f} | {it.error('estimate'):+.1f} |")


def sections(found):
    return {"machine code": list(summary_lines(found)), "machine code by kernel": list(kernel_lines(found))}


def main(words):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("warpmem", type=Path)
    parser.add_argument("--device", default="h100")
    parser.add_argument("--programs", type=lambda text: text.split(","))
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args(words)
    made = sections(counts(asked.warpmem.resolve(), asked.device, asked.programs))
    if asked.write:
        asked.write.write_text(compare.with_sections(asked.write.read_text(), made))
    else:
        print("\n\n".join("\n".join(lines) for lines in made.values()))


if __name__ == "__main__":
    main(sys.argv[1:])
