#!/usr/bin/env python3
"""Decides the loads of the study's programs with their first inputs, and writes the lists that its
machines name: decisions/SOLVER-SIZE.txt; and chooses for each the partition of L1 and shared memory:
decisions/partitions.yaml, and estimates.yaml, as the model of the machine has it (fit.py). usage: decide.py WARPMEM
[FOLDER [PROGRAM]]

WARPMEM is the program that decides; FOLDER, for the lists, is decisions/ beside this file when left
out; PROGRAM (SPM, …) is the only one that is decided, instead of all. With the same warpmem and
compiler the lists come out the same to the byte. They have no hash of the PTX that they are for, which
has the path of the sources in it.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORKLOADS = HERE.parents[1] / "workloads"
MACHINE = "liang-2015"
# Of L1; what the 64 KB leave to shared memory.
SIZES = {"16": "48KiB", "32": "32KiB", "48": "16KiB"}
SOLVERS = ("bypass-all", "heuristic", "exact")


def programs():
    """[label, source, arguments] of each program of the study with its first input."""
    text = (HERE / "study.yaml").read_text().split("\nworkloads:\n")[1].split("\n\n")[0]
    for label, source, arguments in re.findall(r"^  (\w+): (\w+)\.cu(.*)$", text, re.M):
        if not label.endswith("2"):
            yield label, source, arguments.split()


def decide(warpmem, folder, source, arguments, size, solver):
    recording, decided = folder / f"{source}.wmt", folder / "decided.txt"
    subprocess.run([warpmem, "bypass", "--quiet", "-m", MACHINE, "--set",
                    f"gpu.sm.default_carveout={SIZES[size]}", "--measure", "none", "--solver", solver,
                    "--decisions", decided, recording], check=True)
    return [line.split("#")[0].strip() for line in decided.read_text().splitlines()
            if re.match(r"\S+:ptx\d+=cg", line)]


def partitions(warpmem, recording):
    """What --partition auto says of the recorded program."""
    text = subprocess.run([warpmem, "bypass", "--quiet", "-m", MACHINE, "--partition", "auto", "--measure",
                           "none", "--solver", "heuristic", "--json", "-", recording], check=True,
                          capture_output=True, text=True).stdout
    return json.loads(text)["partition"]


def partition_lines(label, found):
    """The choice of a program, which the study reads, and in comments what it is made of."""
    for one in found["partitions"]:
        yield (f"# {label}: {one['shared_bytes'] >> 10}KiB, occupancy {one['occupancy']:.4f}, "
               f"hit rate {one['hit_rate']:.4f}, predicted {one['predicted']:.4f}")
    yield f"{label}: {found['shared_bytes'] >> 10}KiB"


def estimates(label, found):
    """What the model expects of the program with each partition, by machine of the study."""
    sizes = {int(shared.removesuffix("KiB")) << 10: size for size, shared in SIZES.items()}
    for one in found["partitions"]:
        yield f"CacheAll{sizes[one['shared_bytes']]}", f"{label}: {one['predicted']:.4f}"


def compile_and_record(warpmem, folder, source, recording, arguments, options):
    program = folder / source
    if not program.exists():
        subprocess.run([warpmem, "cc", WORKLOADS / f"{source}.cu", "-o", program], check=True)
    subprocess.run([warpmem, "record", "--quiet", "--any-order", *options, "-m", MACHINE, "-o", recording,
                    "--", program, *arguments], check=True, stdout=subprocess.DEVNULL)


def main(warpmem, where=HERE / "decisions", only=None):
    warpmem, where = Path(warpmem).resolve(), Path(where)
    where.mkdir(exist_ok=True)
    lists = {(solver, size): [] for solver in SOLVERS for size in SIZES
             if solver != "bypass-all" or size == "16"}
    chosen = ["# Shared memory of an SM, as --partition auto chooses it with the first inputs. Made by "
              "decide.py.", "# What is left of 64 KiB is L1's; all loads use it."]
    estimated = {}
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        for label, source, arguments in programs():
            if only not in (None, label):
                continue
            recording = folder / f"{source}.wmt"
            compile_and_record(warpmem, folder, source, recording, arguments, ["--memory-only"])
            found = partitions(warpmem, recording)
            chosen += partition_lines(label, found)
            for machine, number in estimates(label, found):
                estimated.setdefault(machine, []).append(number)
            for (solver, size), decided in lists.items():
                decided.append((label, decide(warpmem, folder, source, arguments, size, solver)))
    for (solver, size), decided in lists.items():
        name = solver if solver == "bypass-all" else f"{solver}-{size}"
        lines = [f"# Loads that bypass L1, as decided with the first inputs: {name}. Made by decide.py."]
        for label, selectors in decided:
            lines += [f"# {label}", *selectors]
        (where / f"{name}.txt").write_text("\n".join(lines) + "\n")
    (where / "partitions.yaml").write_text("\n".join(chosen) + "\n")
    lines = ["# What the model of partitions expects of each program, all loads in L1. Made by decide.py."]
    lines += [f"{machine}: {{{', '.join(numbers)}}}" for machine, numbers in estimated.items()]
    (where / "estimates.yaml").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
