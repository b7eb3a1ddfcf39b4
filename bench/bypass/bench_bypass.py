#!/usr/bin/env python3
"""How long it takes to decide the loads of each program of studies/liang: the program is run, recorded
and profiled, and both solvers decide. Beside it Table IV of the paper (Y. Liang, X. Xie, G. Sun and D. Chen,
TCAD), which is the goal.

usage: bench_bypass.py WARPMEM [ROUNDS [PROGRAM...]]

The best and the median of ROUNDS (5), of processor time on one processor: other work on the machine makes
elapsed time longer, and as one process works at a time, both are the same without it. Of the parts, also the best:
the program interpreted without a memory system; the program recorded; a recording profiled and decided.
"""
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "studies/liang"))
import decide

# Seconds with 16, 32 and 48 KB of L1.
TABLE_IV = {
    "ALT": (0.79, 0.77, 0.77), "BAA": (1.19, 1.103, 1.112), "BFS": (0.44, 0.42, 0.41),
    "EUF": (35.26, 35.43, 35.34), "GEM": (0.42, 0.44, 0.42), "KMI": (0.04, 0.05, 0.04),
    "MGR": (0.33, 0.33, 0.33), "MRQ": (19.67, 19.52, 19.54), "PFFL": (1.37,), "SPM": (0.71, 0.71, 0.67),
    "SRP": (0.06, 0.06, 0.06), "SRR": (0.10, 0.10, 0.10), "SRS": (0.59, 0.59, 0.59),
    "TDC": (0.64, 0.65, 0.65), "SRK": (0.99, 0.98, 1.01),
}


def seconds(command, rounds):
    """Best and median processor time, of the command and the processes that it starts."""
    times = []
    for _ in range(rounds):
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
        _, status, spent = os.wait4(process.pid, 0)
        assert status == 0, command
        times.append(spent.ru_utime + spent.ru_stime)
    return min(times), statistics.median(times)


def main(warpmem, rounds=5, *programs):
    warpmem, rounds = Path(warpmem).resolve(), int(rounds)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    over = []
    print("| | interpreted | recorded | L1 | decided | best | median | Table IV |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for label, source, arguments in decide.programs():
            if programs and label not in programs:
                continue
            program, recording = Path(folder) / source, Path(folder) / f"{label}.wmt"
            if not program.exists():
                subprocess.run([warpmem, "cc", decide.WORKLOADS / f"{source}.cu", "-o", program], check=True)
            machine, run = ["-m", decide.MACHINE], ["--", program, *arguments]
            alone, _ = seconds([warpmem, "run", "--quiet", *machine, "--no-memory", *run], rounds)
            recorded, _ = seconds([warpmem, "record", "--quiet", "--any-order", "--memory-only", *machine,
                                   "-o", recording, *run], rounds)
            for (size, carveout), goal in zip(decide.SIZES.items(), TABLE_IV[label]):
                bypass = [warpmem, "bypass", "--quiet", *machine, "--set",
                          f"gpu.sm.default_carveout={carveout}", "--measure", "none"]
                decided, _ = seconds([*bypass, recording], rounds)
                best, median = seconds([*bypass, *run], rounds)
                print(f"| {label} | {alone:.3f} | {recorded:.3f} | {size} KB | {decided:.3f} | {best:.3f} | "
                      f"{median:.3f} | {goal:.2f} |", flush=True)
                if best > goal:
                    over.append(f"{label} {size} KB")
    print("Longer than Table IV:", ", ".join(over) or "none")


if __name__ == "__main__":
    main(*sys.argv[1:])
