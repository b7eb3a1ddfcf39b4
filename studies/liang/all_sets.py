#!/usr/bin/env python3
"""How well the traffic graph ranks all sets of a kernel's loads: five of the study's programs with their
first inputs, each with three sizes of L1. usage: all_sets.py WARPMEM [PROGRAM]

PROGRAM (GEM, …) is the only one, instead of all. Prints a line each: program, kernel, its loads, KB of L1, the
rank correlation of predicted and measured bytes, and bytes of the exact solver's set over the fewest.

Which five: the programs whose kernel with most requests has at most ten loads, those with most loads first,
of equals in the paper's order. Chosen before any was measured.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import decide

KERNELS = {"BAA": "backprop_adjust", "BFS": "bfs_gather", "GEM": "gemm_update", "MRQ": "compute_q",
           "SRS": "srad_derive"}


def compare(warpmem, recording, kernel, carveout, out):
    """Loads of the kernel, the correlation, and what the decided set moves of the best one's bytes."""
    subprocess.run([warpmem, "bypass", "--quiet", "-m", decide.MACHINE, "--set",
                    f"gpu.sm.default_carveout={carveout}", "--kernel", kernel, "--measure", "none",
                    "--all-sets", "--json", out, recording], check=True)
    (told,) = json.loads(out.read_text())["kernels"]
    moved = {tuple(it["cached"]): it["measured_bytes"] for it in told["all_sets"]["sets"]}
    assert len(moved) == 1 << len(told["loads"])
    decided = moved[tuple(told["profiled"]["exact"]["cached"])]
    return len(told["loads"]), told["all_sets"]["rank_correlation"], decided / min(moved.values())


def main(warpmem, only=None):
    warpmem = Path(warpmem).resolve()
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        for label, source, arguments in decide.programs():
            if label not in KERNELS or only not in (None, label):
                continue
            program, recording = folder / source, folder / f"{source}.wmt"
            subprocess.run([warpmem, "cc", decide.WORKLOADS / f"{source}.cu", "-o", program], check=True)
            subprocess.run([warpmem, "record", "--quiet", "--any-order", "--memory-only", "-m", decide.MACHINE,
                            "-o", recording, "--", program, *arguments], check=True, stdout=subprocess.DEVNULL)
            for size, carveout in decide.SIZES.items():
                loads, correlation, decided = compare(warpmem, recording, KERNELS[label], carveout,
                                                      folder / "bypass.json")
                print(label, KERNELS[label], loads, size, f"{correlation:.3f}", f"{decided:.3f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
