#!/usr/bin/env python3
"""Runs a workload in time on every preset, every machine of machines/examples and machines with parts
that these have not: it checks its own result, takes the same cycles again, and a replay counts the
same with any number of threads.

usage: check_in_time.py WARPMEM PROGRAM.cu EXAMPLES

Machines that the clock engine refuses are listed here, with a word of the message.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from check_program import environment, executable
from check_threads import presets
import sanitized

ARGUMENTS = {
    "vecadd": "--n 20000",
    "gemm": "--variant tiled --n 48",
}
REFUSED = {
    "cpu-core2": "no CUDA program",
    "cpu-four-cores": "no CUDA program",
}
OTHERS = [
    ("v100", "gpu.l2.present=false"),
    ("gtx480", "gpu.l2.present=false,gpu.l1.present=false"),
    ("v100", "gpu.l2.line=64B,gpu.l2.sector=32B"),
    ("gtx480", "gpu.l1.line=1KiB,gpu.l1.size=32KiB,gpu.l1.set_index=modulo"),
    ("v100", "gpu.l2.interleave=2KiB,gpu.dram.interleave=256B"),
    ("v100", "gpu.tlb.present=true,gpu.tlb.page=4KiB,gpu.tlb.l2_entries=64"),
    ("gtx480", "gpu.instruction.present=true,gpu.instruction.size=1KiB,gpu.instruction.sms_each=3"),
    ("gtx480", "gpu.scalar.present=true,gpu.scalar.sms_each=4,gpu.texture.present=true"),
    ("v100", "gpu.sm.unified=0B,gpu.l1.sms_each=8"),
    ("v100", "gpu.l2.dirty_limit=0B,gpu.l2.inclusion=inclusive,gpu.l2.size=768KiB"),
    ("gtx480", "gpu.l2.inclusion=inclusive,gpu.l1.write=back,gpu.l1.write_allocate=true"),
    ("gtx480", "gpu.l2.inclusion=exclusive,gpu.l1.write=back,gpu.l1.write_allocate=true,gpu.l1.sector=32B"),
    ("v100", "gpu.l2.dirty_limit=0B,gpu.l2.inclusion=exclusive,gpu.l2.size=768KiB"),
    ("v100", "gpu.l1.prefetch=stream-buffer,gpu.l2.prefetch=stream-buffer(buffers=8)"),
    ("gtx480", "gpu.l1.sms_each=3,gpu.l1.prefetch=stream-buffer"),
]


def cycles(exe, program, arguments, machine, settings, out):
    words = [word for setting in settings.split(",") if setting for word in ("--set", setting)]
    done = subprocess.run([exe, "run", "-q", "--engine", "clock", "-m", machine, *words, "--json", out,
                           "--", program, *arguments], capture_output=True, text=True,
                          env=environment(exe))
    refused = REFUSED.get(Path(machine).stem)
    if refused is not None:
        assert done.returncode != 0 and refused in done.stderr, f"{machine}\n{done.stderr}"
        return None
    where = f"{machine} {settings}\n{done.stdout}{done.stderr}"
    assert done.returncode == 0 and "PASS" in done.stdout, where
    kernels = json.loads(out.read_text())["kernels"]
    assert kernels and all(kernel["cycles"] > 0 for kernel in kernels), where
    return [kernel["cycles"] for kernel in kernels]


def replay(exe, recording, machine, settings, threads, out):
    words = [word for setting in settings.split(",") if setting for word in ("--set", setting)]
    done = subprocess.run([exe, "replay", "-q", "--engine", "clock", f"-j{threads}", "-m", machine,
                           *words, "--json", out, recording], capture_output=True, text=True,
                          env=environment(exe))
    lanes = "lanes" in done.stderr  # of a machine with other warps
    assert done.returncode == 0 or lanes, f"{machine} {settings}\n{done.stderr}"
    return None if lanes else out.read_bytes()


def main(exe, source, examples):
    exe = Path(exe).resolve()
    name, ran = Path(source).stem, 0
    program, arguments = executable(exe, source), ARGUMENTS[Path(source).stem].split()
    machines = [(preset, "") for preset in presets(exe)] + OTHERS
    machines += [(str(path), "") for path in sorted(Path(examples).glob("*.yaml"))]
    with tempfile.TemporaryDirectory() as folder:
        out, recording = Path(folder) / "o.json", Path(folder) / "r.wmt"
        subprocess.run([exe, "record", "-q", "-o", recording, "--", program, *arguments], check=True,
                       stdout=subprocess.DEVNULL, env=environment(exe))
        for machine, settings in sanitized.share(exe, machines, len(name), of=5):
            one = cycles(exe, program, arguments, machine, settings, out)
            again = cycles(exe, program, arguments, machine, settings, out)
            assert one == again, f"{machine} {settings}: {one} cycles, then {again}"
            ran += one is not None
            if one is not None:
                alone = replay(exe, recording, machine, settings, 1, out)
                assert replay(exe, recording, machine, settings, 3, out) == alone, \
                    f"{machine} {settings}: three threads differ from one"
    print(f"{name} in time on {ran} machines")


if __name__ == "__main__":
    main(*sys.argv[1:])
