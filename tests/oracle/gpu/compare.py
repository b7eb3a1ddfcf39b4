#!/usr/bin/env python3
"""What warpmem says of programs that were measured on a real GPU, beside what its counters said.

usage: compare.py WARPMEM [--device h100] [--write PAGE]

The workloads at their default sizes run on the preset of the device's name; a line a kernel and the mean errors
are printed, or stand in PAGE between its marks (docs/gpu-measurements.md). Each launch was counted alone with
empty caches: L1 is compared over all launches, which empty it here too, L2 and DRAM over each program's first.
"""
import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parents[1] / "programs"))
import compiled

# Turns of a spinning loop are no work of the program: as many as others take time.
LEFT_OUT = {"spinlock"}
# Below that many bytes of DRAM, what the profiler and the launch itself read is not small beside it.
LEAST_DRAM = 256 << 10
GLOBAL = "_pipe_lsu_mem_global_op_"
# Of the coalescer: its name, the kinds of instruction and their counter here, and the metrics.
REQUESTS = [("load requests", ("load",), "executions", (f"l1tex__t_requests{GLOBAL}ld.sum",)),
            ("load sectors", ("load",), "sectors", (f"l1tex__t_sectors{GLOBAL}ld.sum",)),
            ("store requests", ("store",), "executions", (f"l1tex__t_requests{GLOBAL}st.sum",)),
            ("store sectors", ("store",), "sectors", (f"l1tex__t_sectors{GLOBAL}st.sum",)),
            ("atomic requests", ("atomic", "reduction"), "executions",
             (f"l1tex__t_requests{GLOBAL}red.sum", f"l1tex__t_requests{GLOBAL}atom.sum"))]


def table(device, name):
    with open(HERE / device / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def value(row, name):
    return float(row.get(name) or 0)


# As the profiler does before each launch that it counts.
COLD = ["--set", "gpu.l2.host_write_allocate=false"]


def run_program(warpmem, device, program, launches, settings=()):
    binary = compiled.program(warpmem, ROOT / f"workloads/{program}.cu")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        said = subprocess.run([warpmem, "run", "-q", "-m", device, *COLD, *settings, "--launch-count", str(launches),
                               "--per-launch", "--json", path, "--", binary], check=True, capture_output=True, text=True)
        return {**json.loads(path.read_text()), "output": said.stdout}


def level(launch, kind, counter):
    return sum(it["counters"].get(counter, 0) for it in launch["levels"] if it["kind"] == kind)


class Kernel:
    """The launches of one kernel of a program, ours and the GPU's."""

    def __init__(self, program, output, kernel, launches, rows):
        self.program, self.output, self.name = program, output, kernel["name"]
        self.launches, self.rows = launches, rows
        self.first = bool(launches) and launches[0]["launch"] == 0
        self.instructions = [it for it in kernel["instructions"] if it["space"] in ("global", "generic")]

    def title(self):
        plain = re.match(r"_ZL?(\d+)(.*)", self.name)
        return plain[2][:int(plain[1])] if plain else self.name

    def requests(self, kinds, counter, metrics):
        ours = sum(it["counters"].get(counter, 0) for it in self.instructions if it["kind"] in kinds)
        return ours, sum(value(row, metric) for row in self.rows for metric in metrics)

    def l1(self):
        """Hit rates of loads, in percent; None where there are none."""
        hits = sum(level(it, "l1", "load_hits") for it in self.launches)
        sectors = hits + sum(level(it, "l1", "load_misses") for it in self.launches)
        theirs = sum(value(row, f"l1tex__t_sectors{GLOBAL}ld.sum") for row in self.rows)
        hit = sum(value(row, f"l1tex__t_sectors{GLOBAL}ld_lookup_hit.sum") for row in self.rows)
        return (100 * hits / sectors, 100 * hit / theirs) if sectors and theirs else None

    def l2_sectors(self):
        """Sectors that L1 reads from L2, over all launches."""
        ours = sum(level(it, "l2", "load_hits") + level(it, "l2", "load_misses") for it in self.launches)
        return ours, sum(value(row, "lts__t_sectors_srcunit_tex_op_read.sum") for row in self.rows)

    def l2(self):
        """Hit rates of reads in the program's first launch, in percent."""
        launch, row = self.launches[0], self.rows[0]
        hits, misses = level(launch, "l2", "load_hits"), level(launch, "l2", "load_misses")
        theirs = value(row, "lts__t_sectors_srcunit_tex_op_read.sum")
        hit = value(row, "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum")
        return (100 * hits / (hits + misses), 100 * hit / theirs) if hits + misses and theirs else None

    def dram(self, ours, theirs):
        return level(self.launches[0], "dram", ours), value(self.rows[0], theirs)


def kernels(warpmem, device, settings=(), chosen=None):
    """Of all programs of the default set, or of those chosen, in the order of the table."""
    rows, found = {}, []
    for row in table(device, "counters"):
        if row["set"] == "default" and row["program"] not in LEFT_OUT and \
                (chosen is None or row["program"] in chosen):
            rows.setdefault(row["program"], []).append(row)
    for program, own in rows.items():
        run = run_program(warpmem, device, program, len(own), settings)
        # clang mangles a static kernel as one of its file.
        names = [run["kernels"][it["kernel"]]["name"].replace("_ZL", "_Z") for it in run["launches"]]
        if names != [row["kernel"] for row in own]:
            sys.exit(f"error: {program} launches {names}, and launched {[row['kernel'] for row in own]}")
        for number, kernel in enumerate(run["kernels"]):
            mine = [i for i, it in enumerate(run["launches"]) if it["kernel"] == number]
            found.append(Kernel(program, run["output"], kernel, [run["launches"][i] for i in mine], [own[i] for i in mine]))
    return found


def relative(ours, theirs):
    return abs(ours - theirs) / theirs if theirs else float(ours != 0)


def mean(values):
    return sum(values) / len(values) if values else 0.0


def summary(found):
    """What is compared: how many kernels there are of it, and the mean and largest error."""
    for name, kinds, counter, metrics in REQUESTS:
        pairs = [kernel.requests(kinds, counter, metrics) for kernel in found]
        yield f"{name}, %", [100 * relative(*pair) for pair in pairs if pair[0] or pair[1]]
    yield "L1 hit rate of loads, points", [abs(pair[0] - pair[1]) for pair in (it.l1() for it in found) if pair]
    yield "sectors that L1 reads from L2, %", [100 * relative(*pair) for pair in (it.l2_sectors() for it in found)
                                               if pair[1]]
    first = [kernel for kernel in found if kernel.first]
    yield "L2 hit rate of reads, points", [abs(pair[0] - pair[1]) for pair in (it.l2() for it in first) if pair]
    pairs = [kernel.dram("bytes_read", "dram__bytes_read.sum") for kernel in first]
    yield "bytes read from DRAM, %", [100 * relative(*pair) for pair in pairs if pair[1] >= LEAST_DRAM]


def summary_lines(found):
    yield "| compared | kernels | equal | mean error | largest |"
    yield "|---|---:|---:|---:|---:|"
    for name, errors in summary(found):
        equal = sum(error < 0.005 for error in errors)
        yield f"| {name} | {len(errors)} | {equal} | {mean(errors):.2f} | {max(errors, default=0):.2f} |"


def pair_text(pair, form):
    return f"{form.format(pair[0])} / {form.format(pair[1])}" if pair else "-"


def kernel_lines(found):
    """Of each program's first kernel, which had cold caches in both."""
    yield "| program | kernel | L1 hits, % | L2 reads, Ki sectors | L2 hits, % | DRAM reads, KiB |"
    yield "|---|---|---:|---:|---:|---:|"
    for kernel in found:
        if kernel.first:
            sectors = tuple(it / 1024 for it in kernel.l2_sectors())
            dram = tuple(it / 1024 for it in kernel.dram("bytes_read", "dram__bytes_read.sum"))
            yield (f"| {kernel.program} | {kernel.title()} | {pair_text(kernel.l1(), '{:.1f}')} | "
                   f"{pair_text(sectors, '{:.1f}')} | {pair_text(kernel.l2(), '{:.1f}')} | {pair_text(dram, '{:.0f}')} |")


# What is taken from curves.csv: program, variant, parameter, what is said of it here, with its unit last; and whether
# the clock engine says it too.
POINTS = [("latency", "ca-128", "65536", "a load that L1 serves, cycle", True),
          ("latency", "cg-128", "1048576", "a load that L2 serves, cycle", True),
          ("latency", "page-32MiB", "16", "the same, a line of each of 16 pages of 32 MiB, cycle", False),
          ("latency", "page-32MiB", "24", "the same, of 24 of them, cycle", False),
          ("latency", "ca-128", "39903232", "a load in 38 MiB, some of it in the far half, cycle", False),
          ("latency", "cold-random", "1024", "a load that DRAM serves, cycle", False),
          ("operations", "ld.shared", "1", "a load of shared memory, cycle", True),
          ("operations", "atom.global.add", "1", "an atomic in L2 with its result, cycle", True),
          ("operations", "ld.const by working set", "1024", "a load of a constant, cycle", True),
          ("operations", "ld.const by working set", "14895", "the same of 15 KB of them, cycle", True),
          ("strides", "l1-float", "1", "a warp's load, stride 1 word, cycle/instruction", True),
          ("strides", "l1-float", "9", "the same, stride 9, cycle/instruction", True),
          ("strides", "l1-float", "32", "the same, stride 32, cycle/instruction", True),
          ("strides", "constant", "8", "a warp's load of 8 different constants, cycle/instruction", True),
          ("strides", "shared-load float", "2", "a warp's load of shared memory, stride 2, cycle/instruction", True),
          ("cache_bandwidth", "l1-16", "196608", "L1 by each SM, byte/cycle/SM", False),
          ("cache_bandwidth", "l2-parts", "25165824", "L2 from 24 MiB, GB/s", False),
          ("cache_bandwidth", "l2-parts", "262144000", "DRAM, GB/s", False),
          ("cache_bandwidth", "sm-read", "1", "one SM alone from L2, byte/cycle/SM", False),
          ("cache_bandwidth", "sm-write", "1", "one SM alone to L2, byte/cycle/SM", False),
          ("atomic_rates", "red", "1", "reductions to one address, lane/ns", False),
          ("overhead", "graph", "1", "an empty kernel of a graph, ns", False),
          ("overhead", "launch-gap", "1", "from a kernel to the next, ns", False)]
# clang unrolls no loop of volatile loads whose length it does not know, and says so.
FLAGS = ("-std=c++17", "-Wno-pass-failed")
# What the clock engine is asked for them.
ASKED = [("latency", "--smallest 64 --largest 64 --steps 1 --pages 0 --cold 0"),
         ("latency", "--smallest 1024 --largest 1024 --steps 1 --pages 0 --cold 0"),
         ("operations", "--count 64 --repeats 1"), ("strides", "--turns 8 --repeats 1")]


def nearest(rows, program, variant, parameter, unit):
    """The medians of that point in each run, or of the nearest parameter that was measured."""
    rows = [row for row in rows if (row["program"], row["variant"], row["unit"]) == (program, variant, unit)]
    least = min(abs(float(row["parameter"]) - float(parameter)) for row in rows)
    return [float(row["value"]) for row in rows if abs(float(row["parameter"]) - float(parameter)) == least]


def span_text(values):
    """One number, or two where runs differ by more than 2 %."""
    low, high = min(values), max(values)
    return f"{sum(values) / len(values):.4g}" if high <= 1.02 * low else f"{low:.4g} to {high:.4g}"


def curves(warpmem, device):
    """The rows that the programs print under the clock engine."""
    rows = []
    for program, words in ASKED:
        binary = compiled.program(warpmem, HERE / f"programs/{program}.cu", flags=FLAGS)
        said = subprocess.run([warpmem, "run", "-q", "-m", device, "--engine", "clock", "--", binary, *words.split()],
                              check=True, capture_output=True, text=True).stdout
        rows += [{"program": program, **row} for row in csv.DictReader(said.splitlines())]
    return rows


def point_lines(measured, simulated):
    yield "| | measured | warpmem |"
    yield "|---|---:|---:|"
    for program, variant, parameter, words, both in POINTS:
        point = (program, variant, parameter, words.rsplit(", ", 1)[1])
        ours = span_text(nearest(simulated, *point)) if both else ""
        yield f"| {words} | {span_text(nearest(measured, *point))} | {ours} |"


# The same of devices beside one another, and what fills them.
BESIDE = [*(point[:4] for point in POINTS),
          ("stream", "scale 16 x 128", "2048", "a stream scaled by 16 blocks of 128 threads an SM, GB/s")]
DEVICES = ["h100", "h200"]


def device_lines(devices):
    tables = [table(device, "curves") for device in devices]
    yield f"| | {' | '.join(devices)} |"
    yield "|---|" + "---:|" * len(devices)
    for program, variant, parameter, words in BESIDE:
        point = (program, variant, parameter, words.rsplit(", ", 1)[1])
        yield f"| {words} | {' | '.join(span_text(nearest(rows, *point)) for rows in tables)} |"


# Of counted.csv: experiment, variant, parameters.
KNOWN = [("load", "ca from byte 0", ("32", "64", "128")), ("load", "ca from byte 4", ("4",)),
         ("load", "L2::128B from byte 0", ("128",)), ("load", "lanes active", ("8",)),
         ("store", "all", ("8", "16", "24", "32", "64")), ("store", "4 bytes", ("4", "8", "32")),
         ("store", "16 and 16 bytes", ("32",)), ("mixed", "load, store, load", ("1048576",)),
         ("mixed", "store, load", ("1048576",)), ("mixed", "the same line for all warps", ("64",)),
         ("mixed", "red.u32", ("1", "1048576")), ("again", "L1, 4 passes", ("229376", "262144", "393216")),
         ("again", "L2, each block its own, 4 passes", ("33521664", "41631744", "45957120")),
         ("again", "L2, all blocks the same, 2 passes", ("25165824", "33554432")),
         ("inside", "constant load 4", ("0", "1")), ("inside", "nothing", ("1",))]


def known_lines(rows):
    yield "| access | parameter | L1 sectors (hits) | L2 reads (hits) | of the other half | DRAM KiB read, written | us |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    found = {(row["experiment"], row["variant"], row["parameter"]): row for row in rows}
    for experiment, variant, parameters in KNOWN:
        for parameter in parameters:
            row = found[experiment, variant, parameter]
            sectors = sum(value(row, f"l1tex__t_sectors{GLOBAL}{it}.sum") for it in ("ld", "st", "red"))
            hits = sum(value(row, f"l1tex__t_sectors{GLOBAL}{it}_lookup_hit.sum") for it in ("ld", "st", "red"))
            read = "lts__t_sectors_srcunit_tex_op_read"
            yield (f"| {experiment}: {variant} | {parameter} {row['unit']} | {sectors:.0f} ({hits:.0f}) | "
                   f"{value(row, read + '.sum'):.0f} ({value(row, read + '_lookup_hit.sum'):.0f}) | "
                   f"{value(row, 'lts__t_sectors_srcunit_ltcfabric.sum'):.0f} | "
                   f"{value(row, 'dram__bytes_read.sum') / 1024:.0f}, {value(row, 'dram__bytes_write.sum') / 1024:.0f} | "
                   f"{value(row, 'gpu__time_duration.sum') / 1000:.1f} |")


def with_sections(page, sections):
    """The page's text with the lines of each section between "<!-- name -->" and "<!-- end -->"."""
    for name, lines in sections.items():
        mark = f"<!-- {name} -->"
        before, rest = page.split(mark + "\n", 1)
        page = f"{before}{mark}\n" + "\n".join(lines) + "\n<!-- end -->" + rest.split("<!-- end -->", 1)[1]
    return page


def all_sections(warpmem, device, found):
    return {"points": list(point_lines(table(device, "curves"), curves(warpmem, device))),
            "known": list(known_lines(table(device, "counted"))),
            "devices": list(device_lines(DEVICES)), "summary": list(summary_lines(found)), "kernels": list(kernel_lines(found))}


def main(words):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("warpmem", type=Path)
    parser.add_argument("--device", default="h100")
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args(words)
    warpmem = asked.warpmem.resolve()
    sections = all_sections(warpmem, asked.device, kernels(warpmem, asked.device))
    if asked.write:
        asked.write.write_text(with_sections(asked.write.read_text(), sections))
    else:
        print("\n\n".join("\n".join(lines) for lines in sections.values()))


if __name__ == "__main__":
    main(sys.argv[1:])
