#!/usr/bin/env python3
"""Runs parts of studies/garcia-llc/study.yaml and time.yaml, smaller, on all machines of the studies.

usage: check_garcia_llc.py WARPMEM SOURCE

What fits its caches has numbers that follow by hand. Of image_histogram the CPU has written the image, and blocks
read seven eighths of it: split last-level caches write these lines to memory as the CPU's has to share them, a
shared one moves nothing. Threads make the same accesses on every machine. In time nearest_neighbours reads two numbers of each
point and writes one: with room for all, that is what memory moves, and the directory costs time.
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


def check_times(found):
    """What is wrong with time.yaml's."""
    for machine in ("split-256MiB", "shared-256MiB"):
        if found["RNN", machine]["dram"] != POINTS * 12:
            yield f"RNN on {machine}: {found['RNN', machine]['dram']} bytes of DRAM"
    if not found["RNN", "split-256MiB"]["cycles"] > found["RNN", "shared-256MiB"]["cycles"] > 0:
        yield "RNN takes no longer with a directory on its way"


def main(warpmem, source):
    warpmem, source = Path(warpmem).resolve(), Path(source)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("collaborative", "managed", "managed_memory.h", "workload.h"):
            if (source / "workloads" / part).exists():
                os.symlink((source / "workloads" / part).resolve(), folder / part)
        os.symlink((source / "studies/garcia-llc/together").resolve(), folder / "together")
        copy(source, folder, "study.yaml", SIZES[:2])
        copy(source, folder, "time.yaml", SIZES[2:])
        counts = run(warpmem, folder, "study.yaml", "IH,LCAS")
        times = run(warpmem, folder, "time.yaml", "RNN")
    assert (len(counts), len(times)) == (8, 6), f"{len(counts)} and {len(times)} points"
    wrong = [*check_counts(counts), *check_times(times)]
    print(*wrong, f"{len(counts) + len(times)} points, {len(wrong)} wrong", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
