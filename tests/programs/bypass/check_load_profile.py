#!/usr/bin/env python3
"""The profile of a program's loads, made in one pass, against replays: one for each set of loads.

usage: check_load_profile.py WARPMEM PRINT_PROFILE SOURCE MACHINE [SETTING…]
"""
import collections
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[place] / folder)
                for place, folder in ((1, "workloads"), (2, ""))]
import check_program
import sanitized

SECTOR = 32


def run(*command, **keywords):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600,
                          **keywords)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def read_profile(text):
    kernels, kernel = {}, None
    for line in text.splitlines():
        word, *rest = line.split()
        if word == "kernel":
            kernel = kernels[rest[0]] = {"loads": [], "sets": {}}
            continue
        numbers = [int(number) for number in rest]
        if word == "load":
            kernel["loads"].append(numbers)
            continue
        members = {"none": (), "alone": (numbers[0],), "pair": tuple(numbers[:2]),
                   "all": tuple(range(len(kernel["loads"])))}[word]
        kernel["sets"][word, members] = numbers[2:]
    return kernels


def component_sum(kernel, *names):
    return sum(component["counters"][name] for component in kernel["components"]
               if component["kind"] == "l1" for name in names)


def check_refusal(printer, recording, environment):
    """A GTX 680 keeps global loads out of L1; the machine of the method's paper is one that does not."""
    done = subprocess.run([printer, recording, "gtx680"], capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and "machine gtx680 keeps global loads out of L1" in done.stderr, done
    assert "-m liang-2015" in done.stderr, done.stderr
    run(printer, recording, "liang-2015", env=environment)


def main(warpmem, printer, source, machine, *settings):
    program = check_program.executable(warpmem, source, "clang")
    environment = check_program.environment(warpmem)
    sets = [word for setting in settings for word in ("--set", setting)]
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "program.wmt"
        run(warpmem, "record", "-q", "--any-order", "-m", machine, *sets, "-o", recording, "--", program,
            env=environment)
        check_refusal(printer, recording, environment)
        profile = read_profile(run(printer, recording, machine, *settings, env=environment))
        assert profile, "no kernel was profiled"
        for name, kernel in profile.items():
            print(name, len(kernel["loads"]), "loads,", len(kernel["sets"]), "sets")
            results = Path(folder) / "results.json"
            sets_of_loads = list(kernel["sets"].items())
            sets_of_loads[1:-1] = sanitized.share(warpmem, sets_of_loads[1:-1], 0, of=6)
            found = []
            for (_, members), _ in sets_of_loads:
                beside = [f"{name}:pc{load[1]}" for load in kernel["loads"] if load[0] not in members]
                run(warpmem, "replay", "-q", "-m", machine, *sets, "--set", "gpu.l1.bypass=per-pc",
                    "--set", "gpu.l1.bypass_list=" + (",".join(beside) or "none"), "--json", results,
                    recording, env=environment)
                replayed = json.loads(results.read_text())
                found.append(next(k for k in replayed["kernels"] if k["name"] == name))
            compared += compare(name, kernel, sets_of_loads, found)
    print(f"{compared} sets compared")
    return 0 if compared > (3 if sanitized.is_sanitized(warpmem) else 10) else 1


def compare(name, kernel, sets_of_loads, found):
    bypassed = collections.Counter({load[0]: load[5] * SECTOR for load in kernel["loads"]})
    total = sum(bypassed.values())
    none = component_sum(found[0], "bytes_from_below", "bytes_to_below") - total
    base = kernel["sets"]["none", ()][2]
    for ((word, members), (hits, misses, moved)), replayed in zip(sets_of_loads, found):
        by_pc = {it["pc"]: it["counters"] for it in replayed["instructions"]}
        pcs = [kernel["loads"][load][1] for load in members]
        expected = tuple(sum(by_pc[pc][counter] for pc in pcs if pc in by_pc)
                         for counter in ("l1.hits", "l1.misses"))
        beside = sum(bypassed[load] for load in bypassed if load not in members)
        bytes_beyond = component_sum(replayed, "bytes_from_below", "bytes_to_below") - beside - none
        assert (hits, misses) == expected, (name, word, members, (hits, misses), expected)
        assert moved - base == bytes_beyond, (name, word, members, moved - base, bytes_beyond)
    for load in kernel["loads"]:
        by_pc = {it["pc"]: it["counters"] for it in found[-1]["instructions"]}.get(load[1])
        if by_pc is None:
            assert load[2:] == [0] * 6
            continue
        expected = [by_pc[counter] for counter in ("executions", "lanes", "requests", "sectors", "l1.hits",
                                                   "l1.misses")]
        assert load[2:] == expected, (name, load, expected)
    return len(found)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
