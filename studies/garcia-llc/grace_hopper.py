#!/usr/bin/env python3
"""The programs whose CPU and GPU share memory, on the machines of García Flores and on one like Grace
Hopper: who serves the accesses of cores and kernels, and what crosses between the two sides
(docs/studies/grace-hopper.md has the table that this prints); with --time, how long smaller runs of some
take, of threads and kernels together (the page's second table).

usage: grace_hopper.py [--time] WARPMEM [PROGRAM...]
"""
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINE = 128  # bytes, of all coherent levels of the three machines
# By machine: the GPU's lowest cache, whose peers are all of the CPU; the first coherent one of SMs,
# which does their atomics; the last-level cache of the cores.
MACHINES = {
    "cpu-gpu-shared-llc": ("l2", "l1", "llc"),
    "cpu-gpu-split-llc": ("l3", "l1", "cpu_l3"),
    "grace-hopper": ("l2", "l2", "cpu_l3"),
}
PROGRAMS = {
    "frontier_search": ("collaborative/frontier_search", "--width 512 --height 512"),
    "padding": ("collaborative/padding", "--rows 1024 --columns 1023"),
    "compaction": ("collaborative/compaction", "--n 1048576"),
    "linked_list": ("collaborative/linked_list", "--n 4096"),
    "linked_list unlink": ("collaborative/linked_list", "--n 4096 --variant unlink"),
    "image_histogram": ("collaborative/image_histogram", "--width 1536 --height 1024"),
    "in_place_transpose": ("collaborative/in_place_transpose", "--rows 197 --columns 12800"),
    "ransac": ("collaborative/ransac", "--n 5922"),
    "task_queue": ("collaborative/task_queue", "--pictures 64 --width 352 --height 288"),
    "layer_training": ("managed/layer_training", "--n 65536"),
    "needleman_wunsch": ("managed/needleman_wunsch", "--n 1024"),
    "pathfinder": ("managed/pathfinder", "--rows 101 --columns 100000"),
}
# And how far Hopper's L2 may be from the directory: 100 ns, in cycles of its SMs.
FAR = "gpu.l2.link_latency=198"
# In time, and of what the programs mark as their work, behind the writing of the input.
TIMED = {
    "image_histogram": ("collaborative/image_histogram", "--width 384 --height 256"),
    "task_queue": ("collaborative/task_queue", "--pictures 8 --width 176 --height 144"),
    "compaction": ("collaborative/compaction", "--n 65536"),
    "linked_list unlink": ("collaborative/linked_list", "--n 4096 --variant unlink"),
    "ransac": ("collaborative/ransac", "--n 5922"),
    "needleman_wunsch": ("managed/needleman_wunsch", "--n 256"),
}


class Counters:
    """The sums of counters over the instances of a level, of cores' or of kernels' accesses."""

    def __init__(self, result, on_cores):
        self.sums = {}
        for kernel in result["kernels"]:
            if bool(kernel.get("on_cores")) == on_cores:
                for component in kernel["components"]:
                    level = level_of(component)
                    for name, value in component["counters"].items():
                        self.sums[level, name] = self.sums.get((level, name), 0) + value

    def of(self, level, name):
        return self.sums.get((level, name), 0)


def level_of(component):
    """l1, cpu_l3.coherence, directory, …: a component's path without instances."""
    path = component["path"].split(".")
    kept = [re.sub(r"\[\d+\]", "", part) for part in path if not re.match(r"(gpu\d|sm|core|cpu\d)\b", part)]
    return ("cpu_" if path[0].startswith("cpu") else "") + ".".join(kept)


def served(counters, first, second, last, across):
    """The accesses of the first level; and of these how many were served by that and the second level,
    by the last level, by the other side, and by memory."""
    accesses, missed = counters.of(first, "accesses"), counters.of(second, "accesses_missed")
    beyond = counters.of(last, "accesses_missed") if last else missed
    # A line that the other side gives misses in a last-level cache of one side and hits in one of both.
    memory = beyond if last == "llc" else beyond - across
    in_last = missed - across - memory if last else None
    shares = [accesses - missed, in_last, across, memory]
    assert all(share is None or share >= 0 for share in shares), shares
    return accesses, shares


def row(result, machine):
    side, atomics, last = MACHINES[machine]
    cores, kernels = Counters(result, True), Counters(result, False)
    to_cores = cores.of(f"{side}.coherence", "bytes_to_peers") // LINE
    to_kernels = kernels.of(f"{side}.coherence", "bytes_from_peers") // LINE
    gpu_last = last if last == "llc" else "l3" if side == "l3" else None
    one = served(cores, "cpu_l1", "cpu_l2", last, to_cores)
    other = served(kernels, "l1", "l2", gpu_last, to_kernels)
    if last != "llc":
        forwards = cores.of("directory", "forwards") + kernels.of("directory", "forwards")
        assert forwards == to_cores + to_kernels, (forwards, to_cores, to_kernels)
    locked = [(whose.of(f"{level}.coherence", "locked_hits"), whose.of(f"{level}.coherence", "locked_operations"))
              for whose, level in ((cores, "cpu_l1"), (kernels, atomics))]
    return one, other, locked


def percent(part, whole):
    if not whole:
        return "–"
    value = 100 * part / whole
    return f"{value:.0f}" if value >= 9.95 or value == 0 else f"{value:.1f}"


def cells(one, other, locked):
    for accesses, shares in (one, other):
        yield f"{accesses / 1000:,.0f}"
        yield from ("" if share is None else percent(share, accesses) for share in shares)
    across = one[1][2] + other[1][2]
    yield f"{across / 1000:.1f}"
    yield f"{1000 * across / (one[0] + other[0]):.1f}"
    yield from (percent(*pair) for pair in locked)


def compiled(warpmem, source, folder):
    program = Path(folder) / source.replace("/", "_")
    if not program.exists():
        subprocess.run([warpmem, "cc", "--trace-host", ROOT / f"workloads/{source}.cu", "-o", program], check=True)
    return program


def run(warpmem, program, arguments, machine, *options):
    """The results of a run of threads and kernels on a machine."""
    out = program.with_suffix(".json")
    subprocess.run([warpmem, "run", "-q", "--host-threads", *options, "--json", out, "-m",
                    ROOT / f"machines/examples/{machine}.yaml", program, *arguments.split()],
                   check=True, stdout=subprocess.DEVNULL)
    return json.loads(out.read_text())


def measure(warpmem, program, arguments, machine):
    """What a run counted on a machine: of cores and of kernels, the accesses and the shares of served(); and of
    both, the read-modify-writes that found their line in E or M, and all of them."""
    return row(run(warpmem, program, arguments, machine), machine)


def measure_time(warpmem, program, arguments, machine, *settings):
    """Microseconds of a run's work, and of its kernels in it."""
    result = run(warpmem, program, arguments, machine, "--engine", "clock", "--profiled", *settings)
    cycles = {True: 0, False: 0}
    for kernel in result["kernels"]:
        cycles[bool(kernel.get("on_cores"))] += kernel["cycles"]
    return tuple(1e6 * cycles[on_cores] / result["rates"]["clock_hz"] for on_cores in (True, False))


def print_times(warpmem, wanted, folder):
    """A row a program: microseconds of the work on each machine; of the kernels alone where they take less than 95 % of it."""
    machines = [(machine, ()) for machine in MACHINES] + [("grace-hopper", ("--set", FAR))]
    print("| program |" + "".join(f" {label(machine)}{', far' if settings else ''} |" for machine, settings in machines))
    print("|---|" + "---:|" * len(machines))
    for name, (source, arguments) in TIMED.items():
        if wanted and name.split()[0] not in wanted:
            continue
        program = compiled(warpmem, source, folder)
        times = [measure_time(warpmem, program, arguments, machine, *settings) for machine, settings in machines]
        values = [f"{all:,.1f}" + (f" ({kernels:,.1f})" if kernels < 0.95 * all else "") for all, kernels in times]
        print(f"| `{source.split('/')[1]} {arguments}` | " + " | ".join(values) + " |", flush=True)


def label(machine):
    return machine.removeprefix("cpu-gpu-").removesuffix("-llc")


def print_counts(warpmem, wanted, folder):
    """A row a program and machine."""
    print("| program | machine | cores, 1000s | L1, L2 | L3 | GPU | memory | kernels, 1000s | L1, L2 | L3 | CPU | memory "
          "| across, 1000s | of 1000 | RMW, cores | RMW, SMs |")
    print("|---|---|" + "---:|" * 14)
    for name, (source, arguments) in PROGRAMS.items():
        if wanted and name.split()[0] not in wanted:
            continue
        program = compiled(warpmem, source, folder)
        for machine in MACHINES:
            values = cells(*measure(warpmem, program, arguments, machine))
            print(f"| {name} | {label(machine)} | " + " | ".join(values) + " |", flush=True)


def main(*arguments):
    timed = arguments[0] == "--time"
    warpmem, *wanted = arguments[timed:]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        (print_times if timed else print_counts)(Path(warpmem).resolve(), wanted, folder)
    print(f"{time.monotonic() - began:.0f} seconds", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
