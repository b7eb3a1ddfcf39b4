#!/usr/bin/env python3
"""Waits at mbarriers and at a cluster's barrier, live and recorded. usage: check_waits.py WARPMEM WORKLOADS

A replay gives the bytes that a run gives, in every engine, on any number of threads, and whatever order of warps the
recording was made in; and it says nothing of waits that it does not make.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from small_runs import SMALL
import compiled
import sanitized

# One block on an SM, and several; schedulers that go from warp to warp, and that stay with one.
MACHINES = {
    "v100": [],
    "small": [word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")],
    "one scheduler": ["--set", "gpu.sm.schedulers=1", "--set", "gpu.sm.count=1", "--set", "gpu.sm.max_blocks=2",
                      "--set", "gpu.sm.warp_scheduler=oldest"],
}
# Lanes that part and meet between waits of other kinds; each 8 warps a block.
OTHERS = ["reduction --variant interleaved --n 1000", "scan --n 1500",
          "gridding --n 200 --width 1 --height 1 --depth 1"]


def main(warpmem, workloads):
    warpmem = Path(warpmem).resolve()
    program = compiled.program(warpmem, Path(__file__).resolve().parent / "waits.cu")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        environment = os.environ | sanitized.variables(warpmem)

        def said(*words):
            done = subprocess.run([warpmem, *words], capture_output=True, text=True, env=environment)
            assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
            return done

        def results(*words):
            said(words[0], "--json", folder / "results.json", *words[1:])
            return (folder / "results.json").read_bytes()

        recordings = {"v100": [], "small": ["-m", "gtx480"], "memory": ["--memory-only"]}
        for name, options in recordings.items():
            said("record", "-q", *options, "-o", folder / name, "--", program)
        cycles = set()
        for machine, keys in MACHINES.items():
            for engine in ("clock", "walk"):
                live = results("run", "-q", "--engine", engine, *keys, "--", program)
                cycles.add(json.loads(live)["kernels"][0].get("cycles"))
                for name in recordings:
                    for jobs in ("-j1", "-j4"):
                        if engine == "clock" and name == "memory":
                            continue  # it issues other instructions
                        replayed = results("replay", "-q", "--engine", engine, *keys, jobs, folder / name)
                        assert replayed == live, f"{machine}, {engine}: {name} differs from the run with {jobs}"
        assert len(cycles) == len(MACHINES) + 1, cycles
        note = said("replay", "--engine", "clock", folder / "v100").stderr
        assert "waits by" not in note, note
        dump = said("trace", "dump", folder / "v100").stdout
        for line in ("make mbarrier", "arrive at mbarrier", "are past the wait at mbarrier", "expect and arrive at",
                     "complete at", "arrive at and leave", "wait at the barrier of the cluster"):
            assert line in dump, line
        for arguments in OTHERS:
            name, *rest = arguments.split()
            line = [compiled.program(warpmem, Path(workloads) / f"{name}.cu"), *rest]
            said("record", "-q", "-o", folder / "other", "--", *line)
            live, replayed = (results(*words) for words in (("run", "-q", "--engine", "clock", "--", *line),
                                                            ("replay", "-q", "--engine", "clock", folder / "other")))
            assert replayed == live, f"{arguments}: the replay differs from the run"
        said("trace", "check", folder / "v100")
        said("trace", "diff", folder / "v100", folder / "small")
    print("the same")


if __name__ == "__main__":
    main(*sys.argv[1:])
