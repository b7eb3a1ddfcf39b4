#!/usr/bin/env python3
"""Runs a program of workloads/collaborative/ with its CPU threads on cores, in time.

usage: check_threads_in_time.py WARPMEM SOURCE

It says PASS on a machine with one last-level cache for both sides and on one with two, counts the same
on two runs, and has cycles of its own range: of threads and kernels together, no fewer than the longest kernel's.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "workloads"), str(HERE.parents[1])]
from check_managed_memory import COLLABORATIVE
from check_program import environment, executable

MACHINES = ["cpu-gpu-shared-llc", "cpu-gpu-split-llc"]


def run(exe, program, name, machine, arguments, results):
    command = [exe, "run", "-q", "--host-threads", "--engine", "clock", "--profiled", "-m", machine,
               "--json", results, "--", program]
    done = subprocess.run([*command, *arguments.split()], capture_output=True, text=True, timeout=100,
                          env=environment(exe))
    assert done.returncode == 0 and done.stdout.endswith(f"{name}: PASS\n"), \
        f"{arguments} on {machine}: status {done.returncode}\n{done.stdout}{done.stderr}"
    return results.read_bytes()


def check_range(name, text, arguments):
    kernels = {kernel["name"]: kernel for kernel in json.loads(text)["kernels"]}
    cores = kernels.pop("cores")
    longest = max((kernel["cycles"] for kernel in kernels.values()), default=0)
    assert cores["cycles"] >= longest > 0 and cores["warp_instructions"] > 0, \
        f"{name} {arguments}: {cores['cycles']} cycles of the range, {longest} of a kernel"


def main(exe, source):
    exe, source = Path(exe).resolve(), Path(source)
    machines = source.parents[2] / "machines" / "examples"
    program = executable(exe, source, "clang", "--trace-host")
    together = COLLABORATIVE[source.stem][0]
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        for arguments in together:
            for machine in MACHINES:
                one, other = (run(exe, program, source.stem, machines / f"{machine}.yaml", arguments, results)
                              for _ in range(2))
                assert one == other, f"{arguments} on {machine}: two runs count differently"
                check_range(source.stem, one, arguments)
    print(f"{len(together)} arguments on {len(MACHINES)} machines")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
