#!/usr/bin/env python3
"""Hit rates of a CPU's caches with the serial versions of the study's programs, for metrics of numbers
that are made elsewhere (docs/studies.md). usage: cpu.py WARPMEM [FOLDER [MACHINE [PROGRAM]]]

WARPMEM compiles each program so that it traces its host code, imports what `--serial on` loads and
stores, and replays it on the processor that the paper's simulator has by default, and on
one with the caches of a Core i7. FOLDER, cpu/ beside this file when left out, gets a file for each
processor and level, of one line: the study has its numbers on MACHINE ("private" when left out), next to
those of the GPU. PROGRAM (BS, …) is the only one that is done, instead of all.

A hit rate is of requests: 1 less those that missed, by all. Those of L2 are what L1 requests and the lines
that it writes back, as Multi2Sim counts them. Instructions are not fetched.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORKLOADS = HERE.parents[1] / "workloads"
PROCESSORS = {"multi2sim": "cpu-multi2sim", "nehalem": "cpu-multi2sim+nehalem-caches"}
LEVELS = ("l1", "l2")
# Label, source, and its size: some 1 to 17 million accesses each.
PROGRAMS = (
    ("BS", "bitonic_sort", "--n 32768"),
    ("DCT", "dct", "--width 512 --height 512"),
    ("RG", "recursive_gaussian", "--width 512 --height 512"),
    ("FW", "floyd_warshall", "--n 192"),
    ("FWT", "fast_walsh", "--n 32768"),
    ("MT", "transpose", "--width 1024 --height 1024"),
    ("SLA", "scan", "--n 1048576"),
    ("RED", "reduction", "--n 1048576"),
    ("RS", "radix_sort", "--n 131072"),
    ("HIST", "histogram256", "--n 1048576"),
    ("BLS", "black_scholes", "--n 524288"),
    ("BO", "binomial_option", "--n 256 --steps 254"),
)


def record(warpmem, folder, source, size):
    """The recording of what the program's serial version loads and stores."""
    program, trace, recording = (folder / f"{source}{ending}" for ending in ("", ".din.zst", ".wmt"))
    subprocess.run([warpmem, "cc", "--trace-host", WORKLOADS / f"{source}.cu", "-o", program], check=True)
    subprocess.run([program, "--serial", "on", *size.split()], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "WARPMEM_HOST_TRACE": str(trace)})
    subprocess.run([warpmem, "import", "--quiet", "-o", recording, trace], check=True)
    trace.unlink()
    return recording


def replay(warpmem, recording, machine):
    """Of each level the accesses, and those that missed."""
    text = subprocess.run([warpmem, "replay", "--quiet", "-m", machine, "--json", "-", recording],
                          check=True, capture_output=True, text=True).stdout
    counters = {part["kind"]: part["counters"] for part in json.loads(text)["components"]}
    return [tuple(counters[level][name] + counters[level]["writeback_" + name]
                  for name in ("accesses", "accesses_missed")) for level in LEVELS]


def hit_rate(accesses, missed):
    return 1 - missed / accesses if accesses else None


def write(where, machine, rates):
    where.mkdir(parents=True, exist_ok=True)
    for (processor, level), numbers in rates.items():
        line = ", ".join(f"{label}: {rate:.4f}" for label, rate in numbers.items() if rate is not None)
        (where / f"{processor}-{level}.yaml").write_text(
            f"# Hit rates of {level.upper()} of {PROCESSORS[processor]}, serial programs. Made by cpu.py.\n"
            f"\"{machine}\": {{{line}}}\n")


def main(warpmem, where=HERE / "cpu", machine="private", only=None):
    warpmem = Path(warpmem).resolve()
    rates = {(processor, level): {} for processor in PROCESSORS for level in LEVELS}
    with tempfile.TemporaryDirectory() as folder:
        for label, source, size in PROGRAMS:
            if only not in (None, label):
                continue
            recording = record(warpmem, Path(folder), source, size)
            for processor, preset in PROCESSORS.items():
                for level, (accesses, missed) in zip(LEVELS, replay(warpmem, recording, preset)):
                    rates[processor, level][label] = hit_rate(accesses, missed)
                    print(f"{label:5}{processor:10}{level} {accesses:10} accesses, {missed:9} missed")
            recording.unlink()
    write(Path(where), machine, rates)


if __name__ == "__main__":
    main(*sys.argv[1:])
