#!/usr/bin/env python3
"""Replays one recording on one machine with any number of threads: the JSON is the same to the byte.

usage: check_threads.py WARPMEM PROGRAM.cu

On every preset with warps of 32 lanes, and on machines whose parts are divided among threads in other
ways: with caches that SMs share, without one of the levels, with parts that one thread drives as a
whole, and with orders that are not divided. tests/programs/workloads/check_variants.py has several
machines at once, and what errors say.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from check_program import environment, executable
import sanitized

# At sizes that take some rounds of all SMs.
ARGUMENTS = {
    "gemm": "--variant tiled --n 160",
    "bfs": "--variant queue --n 12000",
    "stencil": "--variant naive --width 700 --height 300 --steps 2",
    "conv2d": "--height 300 --width 400",
    "kmeans": "--variant constant --n 2000",
}
THREADS = (2, 3, 8)

# Machines next to the presets: a preset, and settings separated by commas.
OTHERS = [
    ("v100", "gpu.sm.warp_scheduler=greedy-then-oldest"),
    ("gtx480", "gpu.sm.warp_scheduler=two-level"),
    ("v100", "gpu.sm.count=3"),
    ("v100", "gpu.sm.unified=0B,gpu.l1.sms_each=8"),
    ("v100", "gpu.sm.turn=64"),
    ("gtx480", "gpu.sm.turn_ends_at_memory=true"),
    ("v100", "gpu.l1.write=back,gpu.l1.flush_at_kernel=true"),
    ("v100", "gpu.l1.present=false"),
    ("v100", "gpu.l2.present=false"),
    ("v100", "gpu.l2.replacement=ship"),
    ("v100", "gpu.l2.replacement=srrip,gpu.l2.set_index=ipoly"),
    ("v100", "gpu.l2.line=64B,gpu.l2.sector=32B"),
    ("gtx480", "gpu.l1.bypass=contention,gpu.l1.bypass_means=no-allocation"),
    ("gtx480", "gpu.scalar.present=true,gpu.scalar.sms_each=4,gpu.texture.present=true"),
    ("gtx480", "gpu.instruction.present=true,gpu.instruction.size=1KiB,gpu.instruction.sms_each=3"),
    ("v100", "gpu.tlb.present=true,gpu.tlb.l1_entries=16,gpu.tlb.page=4KiB"),
    ("v100", "gpu.tlb.present=true,gpu.sm.warp_scheduler=greedy-then-oldest"),
    ("v100", "gpu.l2.dirty_limit=0B,gpu.l2.inclusion=inclusive"),
    ("gtx480", "gpu.l1.victim_lines=8"),
    ("v100", "gpu.l2.dirty_limit=0B,gpu.l2.write_fetch=never"),
    ("v100", "gpu.l2.partitions=2"),
]


def presets(exe):
    listed = subprocess.run([exe, "list", "machine"], check=True, capture_output=True, text=True)
    names = re.findall(r"^([a-z0-9-]+)  +", listed.stdout, re.M)
    assert "v100" in names and "gtx480" in names, names
    return names


def replay(exe, recording, machine, settings, threads, out):
    words = [word for setting in settings.split(",") if setting for word in ("--set", setting)]
    done = subprocess.run([exe, "replay", "-q", f"-j{threads}", "-m", machine, *words, "--json", out,
                           recording], capture_output=True, text=True, env=environment(exe))
    lanes = "lanes" in done.stderr  # of a machine with other warps
    assert done.returncode == 0 or lanes, f"{machine} {settings}\n{done.stderr}"
    return None if lanes else out.read_bytes()


def main(exe, source):
    exe = Path(exe).resolve()
    name = Path(source).stem
    program = executable(exe, source)
    with tempfile.TemporaryDirectory() as folder:
        recording, out, replayed = Path(folder) / "r.wmt", Path(folder) / "o.json", set()
        subprocess.run([exe, "record", "-q", "-o", recording, "--", program,
                        *ARGUMENTS[name].split()], check=True, stdout=subprocess.DEVNULL,
                       env=environment(exe))
        machines = [(preset, "") for preset in presets(exe)] + OTHERS
        for machine, settings in sanitized.share(exe, machines, len(name), of=5):
            one = replay(exe, recording, machine, settings, 1, out)
            for threads in sanitized.share(exe, THREADS, 2) if one is not None else ():
                assert replay(exe, recording, machine, settings, threads, out) == one, \
                    f"{machine} {settings}: {threads} threads differ from one"
                replayed.add((machine, settings))
        assert len(replayed) > len(machines) // 2 or sanitized.is_sanitized(exe), replayed
        print(f"{name} on {len(replayed)} machines: as on one thread")


if __name__ == "__main__":
    main(*sys.argv[1:])
