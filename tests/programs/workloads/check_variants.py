#!/usr/bin/env python3
"""Replays one recording on many machines at once: the counters are those of one at a time.

usage: check_variants.py WARPMEM PROGRAM.cu

The variants differ in what the memory system is, in what the order of accesses is, and in where an
access goes first, so that some share a front end, some of these their L1s, and others do not. With one, two and four threads
the JSON of each equals that of a replay of it alone, which tests/programs/workloads/check_recording.py
ties to the run. An error is the same on any number of threads too.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

from check_program import environment, executable
import sanitized

ARGUMENTS = {
    "gemm": "--variant tiled --n 65",
    "bfs": "--variant queue --n 2000",
    "spmv": "--variant vector --n 500",
    "histogram": "--variant shared --n 20000",
}

MACHINES = ["v100", "gtx480"]
# What follows the machine itself; settings of one variant are separated by commas.
VARIANTS = [
    "gpu.l1.replacement=srrip",
    "gpu.l1.replacement=opt",
    "gpu.l2.replacement=ship",
    "gpu.l1.replacement=srrip,gpu.l2.size=12MiB",
    "gpu.l2.line=64B,gpu.l2.sector=32B",
    "gpu.l2.present=false",
    "gpu.l1.allocation=on-miss,gpu.l2.size=3MiB",
    "gpu.l1.flush_at_kernel=false,gpu.l2.dirty_limit=0B,gpu.l2.write=through-update",
    "gpu.tlb.present=true,gpu.tlb.l1_entries=16,gpu.tlb.page=4KiB",
    "gpu.l1.bypass=per-pc,gpu.l1.bypass_list=*:pc20",
    "gpu.sm.count=1",
    "gpu.sm.count=1,gpu.l1.bypass=contention,gpu.l1.bypass_means=no-allocation",
    "gpu.sm.turn=64",
    "gpu.sm.turn_ends_at_memory=true",
    "gpu.sm.turn_ends_at_memory=true,gpu.sm.warp_scheduler=greedy-then-oldest",
    "gpu.sm.warp_scheduler=greedy-then-oldest",
    "gpu.sm.warp_scheduler=oldest",
    "gpu.sm.warp_scheduler=two-level",
    "gpu.sm.count=24",
    "gpu.l1.size=16KiB,gpu.l1.ways=4,gpu.l1.victim_lines=8",
    "gpu.scalar.present=true,gpu.texture.present=true",
    "gpu.scalar.present=true,gpu.texture.present=true,gpu.scalar.size=1KiB",
    "gpu.instruction.present=true,gpu.instruction.size=1KiB",
    "gpu.instruction.present=true,gpu.instruction.size=2KiB",
    "gpu.l2.dirty_limit=0B,gpu.l2.write_fetch=never",
    "gpu.l1.local_only=true",
    "gpu.l1.present=false",
]


def replay(exe, recording, *words, failing=False):
    done = subprocess.run([exe, "replay", "-q", *words, recording], capture_output=True, text=True,
                          env=environment(exe))
    assert (done.returncode != 0) == failing, f"{' '.join(map(str, words))}\n{done.stderr}"
    return done.stderr


def options(variants):
    return [word for variant in variants for word in ("--variant", variant)]


def alone(exe, recording, machine, variant, folder):
    out = folder / "alone.json"
    settings = [word for setting in variant.split(",") if setting for word in ("--set", setting)]
    replay(exe, recording, "-j1", "-m", machine, *settings, "--json", out)
    return out.read_bytes()


def check_numbers(exe, recording, machine, folder):
    expected = [alone(exe, recording, machine, variant, folder) for variant in ["", *VARIANTS]]
    assert len(set(expected)) > len(VARIANTS) // 2, "the variants hardly differ"
    for threads in sanitized.share(exe, (1, 2, 4), 1):
        out = folder / f"t{threads}.json"
        replay(exe, recording, f"-j{threads}", "-m", machine, *options(VARIANTS), "--json", out)
        for number, variant in enumerate(["", *VARIANTS]):
            path = out if number == 0 else out.with_suffix(f".{number + 1}.json")
            assert path.read_bytes() == expected[number], \
                f"{machine}, {threads} threads: \"{variant}\" differs from a replay of it alone"
    return len(expected)


def check_explained(exe, recording, machine, folder):
    outs = [folder / f"explained{threads}.json" for threads in (1, 4)]
    for threads, out in zip((1, 4), outs):
        replay(exe, recording, f"-j{threads}", "-m", machine, "--explain", *options(VARIANTS[:1]),
               "--json", out)
    for one, four in ((outs[0], outs[1]), (outs[0].with_suffix(".2.json"),
                                           outs[1].with_suffix(".2.json"))):
        assert one.read_bytes() == four.read_bytes(), "--explain depends on the threads"


def damage(exe, recording, folder):
    """A copy with one bad byte where a replay reads: not in the text of a module."""
    damaged = folder / "damaged.wmt"
    content = recording.read_bytes()
    for at in range(len(content) // 2, len(content), len(content) // 50):
        damaged.write_bytes(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1:])
        if subprocess.run([exe, "replay", "-q", "-j1", damaged], capture_output=True,
                          env=environment(exe)).returncode != 0:
            return damaged
    raise AssertionError("no bad byte is found")


def check_errors(exe, recording, machine, folder):
    small = "gpu.sm.shared=1KiB,gpu.sm.shared_per_block=1KiB,gpu.sm.unified=0B"
    narrow = "gpu.sm.max_threads_per_block=32"
    lists = [[*VARIANTS[:3], narrow, small], [small, narrow, *VARIANTS[:3]], [narrow, small]]
    damaged = damage(exe, recording, folder)
    repeats = 1 if sanitized.is_sanitized(exe) else 3
    for variants in lists:
        said = {replay(exe, recording, f"-j{threads}", "-m", machine, *options(variants),
                       failing=True) for threads in (1, 2, 4) for _ in range(repeats)}
        assert len(said) == 1, f"one error is expected, not {said}"
    said = {replay(exe, damaged, f"-j{threads}", "-m", machine, *options(VARIANTS), failing=True)
            for threads in (1, 2, 4)}
    assert len(said) == 1 and "damaged.wmt" in said.pop(), "a damaged recording"


def main(exe, source):
    exe = Path(exe).resolve()
    name = Path(source).stem
    program = executable(exe, source)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for machine in sanitized.share(exe, MACHINES, len(name), of=len(MACHINES)):
            recording = folder / f"{machine}.wmt"
            subprocess.run([exe, "record", "-q", "-m", machine, "-o", recording, "--", program,
                            *ARGUMENTS[name].split()], check=True, stdout=subprocess.DEVNULL,
                           env=environment(exe))
            count = check_numbers(exe, recording, machine, folder)
            check_explained(exe, recording, machine, folder)
            check_errors(exe, recording, machine, folder)
            print(f"{name} on {count} variants of {machine}: as one at a time")


if __name__ == "__main__":
    main(*sys.argv[1:])
