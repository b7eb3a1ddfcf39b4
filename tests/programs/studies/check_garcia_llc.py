#!/usr/bin/env python3
"""Runs parts of studies/garcia-llc/study.yaml, together.yaml and time.yaml, smaller, on all machines of the studies.

usage: check_garcia_llc.py WARPMEM SOURCE

What fits its caches has numbers that follow by hand. Of image_histogram the CPU has written the image, and blocks
read seven eighths of it: split last-level caches write these lines to memory as the CPU's has to share them, a
shared one moves nothing. Threads make the same accesses on every machine. In time nearest_neighbours reads two numbers of each
point and writes one: with room for all, that is what memory moves, at the rate of its channels at most.
Threads and kernels together move the same bytes of the image in time as when they are counted; what leaks is what the
energy table has of each cache, for as long as it takes.
"""
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[place] / folder)
                for place, folder in ((1, "workloads"), (2, ""))]
from check_program import environment

POINTS, WIDTH, HEIGHT = 16384, 256, 128
BYTES_A_CYCLE = 4 * 8 * 2400 / 1400 # of four channels, in a cycle of the SMs
CLOCK = 1.4e9
LINE = 128
# Milliwatts: four L1s of SMs, their L2, four L1s and L2s of cores; then an LLC for each side and the directory, or one.
LEAKAGE = {"split-2MiB": 4 * 2.66 + 59.82 + 4 * (10.65 + 59.82) + 81.26 + 341.70 + 29.91,
           "shared-2MiB": 4 * 2.66 + 59.82 + 4 * (10.65 + 59.82) + 385.18}
TOGETHER = (("--width 768 --height 512\n", f"--width {WIDTH} --height {HEIGHT}\n"),
            ("linked_list.cu --n 4096\n", "linked_list.cu --n 512\n"))
SIZES = (("--width 1536 --height 1024\n", f"--width {WIDTH} --height {HEIGHT}\n"),
         ("linked_list.cu --n 4096\n", "linked_list.cu --n 512\n"),
         ("--n 262144\n  RNW", f"--n {POINTS}\n  RNW"))


def copy(source, folder, name, sizes):
    """The study's file beside links to what it names."""
    text = (source / "studies/garcia-llc" / name).read_text()
    for old, new in sizes:
        assert text.count(old) == 1, f"{name} has other sizes: change this test with it"
        text = text.replace(old, new)
    (folder / name).write_text(text.replace("../../machines", str(source.resolve() / "machines")))


def run(warpmem, folder, name, workloads):
    """Of each workload and machine the metrics."""
    database, found = folder / f"{name}.db", {}
    subprocess.run([warpmem, "study", "run", "--quiet", folder / name, "--workload", workloads,
                    "--database", database], check=True, cwd=folder, env=environment(warpmem))
    with sqlite3.connect(database) as connection:
        for workload, machine, metric, value in connection.execute(
                "SELECT workload.label, machine.label, metric.name, metric.value FROM point "
                "JOIN workload ON workload.id = workload_id JOIN machine ON machine.id = machine_id "
                "JOIN metric ON point_id = point.id"):
            found.setdefault((workload, machine), {})[metric] = value
    return found


def check_counts(found):
    """What is wrong with study.yaml's points."""
    read_by_blocks = WIDTH * HEIGHT * 4 * 7 // 8
    for (workload, machine), metrics in found.items():
        shared = machine.startswith("shared")
        if workload == "IH" and metrics["dram"] != (0 if shared else read_by_blocks):
            yield f"IH on {machine}: {metrics['dram']} bytes of DRAM"
        if shared and (metrics["dram"], metrics["llc_hit"], metrics["crossing"]) != (0, 1, 0):
            yield f"{workload} on {machine}: {metrics}"
        if not shared and not 0 < metrics["crossing"] <= 1 - metrics["llc_hit"]:
            yield f"{workload} on {machine}: {metrics['crossing']} of the accesses cross"
        if metrics["rmw"] != found[workload, "split-8MiB"]["rmw"] or metrics["rmw"] < 512:
            yield f"{workload} on {machine}: {metrics['rmw']} atomics"


def check_together(found):
    """What is wrong with together.yaml's."""
    on_cpu = WIDTH * HEIGHT // 8 // 2  # pixels of a thread, each with an atomic
    for (workload, machine), metrics in found.items():
        shared = found[workload, machine.replace("split", "shared").removesuffix("-far")]
        missed = round((1 - shared["llc_hit"]) * shared["llc_accesses"])
        if not shared["dram"] == missed * LINE <= 32 * LINE: # of the threads' own: their stacks
            yield f"{workload} on {machine}: {shared['dram']} bytes of DRAM, {missed} lines missed"
        if workload == "IH" and metrics["dram"] - shared["dram"] not in (0, WIDTH * HEIGHT * 4 * 7 // 8):
            yield f"IH on {machine}: {metrics['dram']} bytes of DRAM in time"
        if metrics["time"] < (on_cpu if workload == "IH" else 512):
            yield f"{workload} on {machine}: {metrics['time']} cycles are too few for its atomics"
        leaked = LEAKAGE.get(machine, 0) * metrics["time"] / CLOCK * 1e9
        if leaked and abs(metrics["static_energy"] / leaked - 1) > 1e-6:
            yield f"{workload} on {machine}: {metrics['static_energy']} pJ leak, not {leaked}"
        parts = sum(metrics[f"{part}_energy"] for part in ("l1", "l2", "l3", "dram", "static"))
        if abs(metrics["energy"] / parts - 1) > 1e-9:
            yield f"{workload} on {machine}: {parts} pJ are not {metrics['energy']}"


def check_times(found):
    """What is wrong with time.yaml's."""
    for (workload, machine), metrics in found.items():
        if machine != "split-1MiB" and metrics["dram"] != POINTS * 12: # the GPU's part is too small there
            yield f"{workload} on {machine}: {metrics['dram']} bytes of DRAM"
        if metrics["cycles"] < POINTS * 8 / BYTES_A_CYCLE:
            yield f"{workload} on {machine}: {metrics['cycles']} cycles are too few for DRAM"


def main(warpmem, source):
    warpmem, source = Path(warpmem).resolve(), Path(source)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("collaborative", "managed", "managed_memory.h", "workload.h"):
            if (source / "workloads" / part).exists():
                os.symlink((source / "workloads" / part).resolve(), folder / part)
        copy(source, folder, "study.yaml", SIZES[:2])
        copy(source, folder, "together.yaml", TOGETHER)
        copy(source, folder, "time.yaml", SIZES[2:])
        counts = run(warpmem, folder, "study.yaml", "IH,LCAS")
        together = run(warpmem, folder, "together.yaml", "IH,LCAS")
        times = run(warpmem, folder, "time.yaml", "RNN")
    points = [len(found) for found in (counts, together, times)]
    assert points == [8, 12, 4], f"{points} points"
    wrong = [*check_counts(counts), *check_together(together), *check_times(times)]
    print(*wrong, f"{sum(points)} points, {len(wrong)} wrong", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
