#!/usr/bin/env python3
"""What programs read of time (clocks.cu). usage: check_clocks.py WARPMEM COMPILER

Under the clock engine: dependent loads take the described latency, spins the cycles or nanoseconds
that they wait for, and both clocks tell the same time. Elsewhere clocks count instructions, which the
report and the results say; and a spin of a billion ends soon all the same. COMPILER is clang, which
is `warpmem cc`, or nvcc.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[up]) for up in (0, 1, 2)]
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workloads"))
from check_program import environment, executable

SENTENCE = "Clocks (clock64, %clock, %globaltimer) count instructions, not time"
RECORDED = "Clocks (clock64, %clock, %globaltimer) counted instructions, not time"
HOPS = 64
SM_HZ = 1530e6 # machines/v100.yaml
PART = 128     # a spin ends too late by less than this part of its length (docs/engine-clock.md)


class Bench:
    def __init__(self, warpmem, compiler, folder):
        self.warpmem, self.folder = Path(warpmem).resolve(), Path(folder)
        self.program = executable(self.warpmem, Path(__file__).with_name("clocks.cu"), compiler)

    def warpmem_run(self, *words):
        done = subprocess.run([self.warpmem, *words], capture_output=True, text=True, timeout=200,
                              env=environment(self.warpmem))
        assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def run(self, length, *options):
        """What the program printed by its first words, the report, and the results as text."""
        report, results = self.folder / "report.txt", self.folder / "results.json"
        out = self.warpmem_run("run", "-m", "v100", *options, "--report", report, "--json", results,
                               "--", self.program, str(length))
        found = {line.split()[0]: [float(word) for word in line.split()[1:]]
                 for line in out.splitlines()}
        return found, report.read_text(), results.read_text()


def expect_between(what, value, least, most):
    assert least <= value <= most, f"{what}: {value}, not {least} to {most}"


def check_time(bench):
    for latency in (20, 60, 500):
        found, _, _ = bench.run(300, "--engine", "clock", "--set", f"gpu.l1.latency={latency}")
        # The first clock is read while the load before the hops is under way.
        expect_between(f"a load of {latency}", found["load"][0], latency,
                       latency * (1 + 1 / HOPS) + 2)
    for length in (300, 20000, 1000000, 1000000000):
        found, report, results = bench.run(length, "--engine", "clock")
        most = length * (1 + 1 / PART) + 80
        for what in ("spin", "nanoseconds"):
            for value in found[what]:
                expect_between(f"{what} {length}", value, length, most)
        cycles, nanoseconds = found["both"]
        expect_between(f"both {length}", nanoseconds, 1e9 * cycles / SM_HZ - 80,
                       1e9 * cycles / SM_HZ + 80)
        assert "Clocks" not in report, report
        kernels = {kernel["name"]: kernel for kernel in json.loads(results)["kernels"]}
        assert all(kernel["clock_unit"] == "cycles" for kernel in kernels.values())
        spin = next(kernel for name, kernel in kernels.items() if "spinx" in name)
        expect_between("the spin's kernel", spin["cycles"], length, 1.1 * most + 10000)
    assert bench.run(20000, "--engine", "clock")[2] == bench.run(20000, "--engine", "clock")[2]


def check_no_time(bench):
    for options in ([], ["--no-memory"]):
        found, report, results = bench.run(1000000000, *options)
        expect_between("instructions a load", found["load"][0], 0.9, 3)
        for what in ("spin", "nanoseconds"):
            expect_between(what, found[what][0], 1e9, 1.5e9)
        assert report.count(SENTENCE) == 1, report
        kernels = json.loads(results)["kernels"]
        assert all(kernel["clock_unit"] == "instructions" for kernel in kernels)
        executed = sum(kernel["warp_instructions"] for kernel in kernels)
        assert executed < 1000000, f"{executed} instructions to wait"


def check_recorded(bench):
    recording, replayed = bench.folder / "clocks.wmt", bench.folder / "replayed.json"
    bench.warpmem_run("record", "-q", "-m", "v100", "-o", recording, "--", bench.program, "20000")
    bench.warpmem_run("replay", "-q", "-m", "v100", "--json", replayed, recording)
    assert replayed.read_text() == bench.run(20000)[2], "a replay differs from its run"
    report = bench.warpmem_run("replay", "-m", "v100", "--engine", "clock", recording)
    assert RECORDED in report, report


def main(warpmem, compiler):
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(warpmem, compiler, folder)
        check_time(bench)
        check_no_time(bench)
        check_recorded(bench)


if __name__ == "__main__":
    main(*sys.argv[1:])
