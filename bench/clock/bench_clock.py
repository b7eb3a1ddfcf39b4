#!/usr/bin/env python3
"""What the clock engine costs. usage: bench_clock.py WARPMEM WORKLOADS

Rates are warp instructions a second of processor time of the whole command, replaying a recording
on v100 with one thread: medians of several runs. Threads are compared by the time that passes, in
turns with one thread, so that another load on the machine falls on both.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 5
TRACE_ROUNDS = 15  # a tenth of a second each
# Accel-Sim's, which simulated them at 12.5 and 26.8 thousand warp instructions a second.
TRACES = ("gemm128", "conv512")
GOAL = 4e6  # warp instructions a second on one thread
PROGRAMS = [("gemm", "--variant naive --n 256"), ("gemm", "--variant tiled --n 256"),
            ("stencil", "--width 1024 --height 1024"), ("bfs", "--variant topology --n 50000"),
            ("spmv", "--variant vector --n 20000")]


def replay(exe, threads, file, json_file=None):
    """Seconds of processor time and of the clock on the wall, and MiB of memory."""
    command = [str(exe), "replay", "-q", "-e", "clock", f"-j{threads}", str(file)]
    if json_file is not None:
        command[2:2] = ["--json", str(json_file)]
    before = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0
    return used.ru_utime + used.ru_stime, time.monotonic() - before, used.ru_maxrss / 1024


def measure(exe, name, arguments, program, folder):
    file, out = folder / "work.wmt", folder / "out.json"
    subprocess.run([exe, "record", "-q", "-o", file, "--", program, *arguments.split()], check=True,
                   stdout=subprocess.DEVNULL)
    replay(exe, 1, file, out)
    kernels = json.loads(out.read_text())["kernels"]
    instructions = sum(kernel["warp_instructions"] for kernel in kernels)
    cycles = sum(kernel["cycles"] for kernel in kernels)
    rounds = [(replay(exe, 1, file), replay(exe, 2, file)) for _ in range(ROUNDS)]
    rate = instructions / statistics.median(one[0] for one, _ in rounds)
    gain = statistics.median(one[1] / two[1] for one, two in rounds)
    memory = max(one[2] for one, _ in rounds)
    print(f"{name} {arguments:32} {rate / 1e6:5.2f} M warp instructions/s ({rate / GOAL:4.2f} of the "
          f"goal), {instructions} in {cycles} cycles; two threads {gain:4.2f} times one; "
          f"{memory:3.0f} MiB")


def measure_trace(exe, traces, name, folder):
    file, out = folder / "trace.wmt", folder / "out.json"
    subprocess.run([exe, "import", "-q", "-o", file, Path(traces) / f"{name}.traceg.xz"], check=True,
                   stdout=subprocess.DEVNULL)
    replay(exe, 1, file, out)
    instructions = sum(kernel["warp_instructions"]
                       for kernel in json.loads(out.read_text())["kernels"])
    times = [replay(exe, 1, file)[0] for _ in range(TRACE_ROUNDS)]
    print(f"trace {name:32} {instructions / statistics.median(times) / 1e6:5.2f} M warp "
          f"instructions/s (best of {TRACE_ROUNDS}: {instructions / min(times) / 1e6:4.2f}), "
          f"{instructions} of them")


def measure_memory(exe, program, folder):
    """All SMs full, 64 warps each; ten times the launches take no more."""
    file, peaks = folder / "work.wmt", []
    for steps in (4, 40):
        subprocess.run([exe, "record", "-q", "--any-order", "-o", file, "--", program, "--width",
                        "1024", "--height", "1024", "--steps", str(steps)], check=True,
                       stdout=subprocess.DEVNULL)
        peaks.append(replay(exe, 1, file)[2])
    print(f"memory with all SMs full: {peaks[0]:.0f} MiB for 4 launches of stencil, {peaks[1]:.0f} MiB "
          f"for 40")


def main(exe, workloads):
    exe = Path(exe).resolve()
    print("replay on v100 by the clock engine (goals: 4 M warp instructions/s on one thread; two "
          "threads at least 1.6 times one; memory under 500 MB)")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, arguments in PROGRAMS:
            program = folder / name
            if not program.exists():
                subprocess.run([exe, "cc", Path(workloads) / f"{name}.cu", "-o", program],
                               check=True)
            measure(exe, name, arguments, program, folder)
        for name in TRACES:
            measure_trace(exe, Path(workloads).resolve().parent / "tests/oracle/accelsim", name,
                          folder)
        measure_memory(exe, folder / "stencil", folder)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    main(*sys.argv[1:])
