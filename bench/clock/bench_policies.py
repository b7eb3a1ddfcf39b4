#!/usr/bin/env python3
"""What policies of L1 and of loads cost the clock engine beside LRU. usage: bench_policies.py [count]
WARPMEM WORKLOADS

Two divergent programs of the DaCache study are replayed under each policy with one thread, policy after
policy, round after round. A policy changes what there is to simulate: how often L1 misses, what waits,
how long it all takes. So medians are told, beside LRU's in the same round, of the processor time and of the time an
event: warp instructions issued, requests to L1, packets. With `count`, which takes minutes, valgrind
counts the host's instructions instead, on programs a tenth as long.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 5
GOAL = 1.2
PROGRAMS = {"atax": "", "syr2k": "--n 64 --m 256"}
SHORT = {"atax": "--m 1024 --n 96", "syr2k": "--n 64 --m 24"}
# Four of the paper's 30 SMs and one of its six partitions.
MACHINE = "dacache-2015"
CUT = ["gpu.sm.count=4", "gpu.dram.channels=1", "gpu.dram.bandwidth=29.57GB/s", "gpu.l2.slices=1",
       "gpu.l2.size=128KiB"]
# Variants of the machine, or settings.
POLICIES = {"LRU": "", "RRIP": "+dacache-rrip", "DIP": "+dacache-dip",
            "PIPP": "gpu.l1.replacement=pipp", "SHiP": "gpu.l1.replacement=ship",
            "Uncon": "+dacache-uncon", "Stall": "+dacache-stall", "DaCache": "+dacache",
            "Static2": "+dacache-static2", "S2+Bypass": "+dacache-s2-bypass", "CCWS": "+ccws"}


def command_of(exe, policy, file, out=None):
    what = POLICIES[policy]
    settings = CUT + ([what] if "=" in what else [])
    command = [str(exe), "replay", "-q", "-e", "clock", "-j1", "-m",
               MACHINE + (what if what.startswith("+") else "")]
    for setting in settings:
        command += ["--set", setting]
    return command + (["--json", str(out)] if out else []) + [str(file)]


def seconds(command):
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0, command
    return used.ru_utime + used.ru_stime


def host_instructions(command, folder):
    said = subprocess.run(["valgrind", "--tool=callgrind",
                           f"--callgrind-out-file={folder / 'callgrind'}", *command],
                          capture_output=True, text=True, check=True).stderr
    return int(re.search(r"Collected : (\d+)", said)[1])


def count_events(results):
    sums = {}
    for component in results["components"]:
        for name, value in component["counters"].items():
            key = component["kind"], name
            sums[key] = sums.get(key, 0) + value
    return (sums["issue", "issued"] + sums["l1", "accesses"] + sums["link", "packets"],
            sum(kernel["cycles"] for kernel in results["kernels"]))


def measure(exe, name, file, folder, counts):
    facts = {}
    for policy in POLICIES:
        out = folder / "out.json"
        subprocess.run(command_of(exe, policy, file, out), check=True)
        facts[policy] = count_events(json.loads(out.read_text()))
    cost = (lambda command: host_instructions(command, folder)) if counts else seconds
    rounds = [{policy: cost(command_of(exe, policy, file)) for policy in POLICIES}
              for _ in range(1 if counts else ROUNDS)]
    base_events, base_cycles = facts["LRU"]
    for policy, (events, cycles) in facts.items():
        ratio = statistics.median(costs[policy] / costs["LRU"] for costs in rounds)
        print(f"{name:6} {policy:9} {ratio:4.2f} times LRU, an event {ratio * base_events / events:4.2f} "
              f"times ({events / 1e6:.2f} M events in {cycles / base_cycles:4.2f} times LRU's cycles)")


def main(*arguments):
    counts = arguments[0] == "count"
    exe, workloads = arguments[counts:]
    exe = Path(exe).resolve()
    print("policies beside LRU, in " + ("the host's instructions" if counts else
          f"processor time, of {ROUNDS} rounds") + f" (goal: an event at most {GOAL} times LRU's)")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, arguments in (SHORT if counts else PROGRAMS).items():
            program, file = folder / name, folder / f"{name}.wmt"
            subprocess.run([exe, "cc", Path(workloads) / f"{name}.cu", "-o", program], check=True)
            subprocess.run([exe, "record", "-q", "-o", file, "--", program, *arguments.split()],
                           check=True, stdout=subprocess.DEVNULL)
            measure(exe, name, file, folder, counts)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    main(*sys.argv[1:])
