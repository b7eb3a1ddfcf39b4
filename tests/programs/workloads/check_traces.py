#!/usr/bin/env python3
"""Exports recordings of one program as traces for Accel-Sim and imports them again.

usage: check_traces.py WARPMEM PROGRAM.cu

A replay of what came back has the counters of the recording's own replay, of every part of the
machine and kernel by kernel, but those that a trace cannot say (docs/formats/accelsim.md, "Export");
so has a replay of the traces themselves. Exported once more, the traces have the same accesses: what
comes back then is the same to the byte of the report.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from check_program import environment, executable
import sanitized
from check_recording import command_lines

PROGRAMS = {"device_functions": [[]], "device_math": [[]]}
LOST = {"thread_instructions", "parameter_accesses"}


def warpmem(exe, *words):
    done = subprocess.run([exe, *words], capture_output=True, text=True, env=environment(exe))
    assert done.returncode == 0, f"{' '.join(map(str, words))}: {done.returncode}\n{done.stderr}"


def counters(exe, folder, trace):
    out = folder / "results.json"
    warpmem(exe, "replay", "-q", "-m", "v100", "--json", out, trace)
    kernels = json.loads(out.read_text())["kernels"]
    assert kernels, "nothing was replayed"
    found = []
    for kernel in kernels:
        parts = {part["path"]: {name: value for name, value in part["counters"].items()
                                if name not in LOST}
                 for part in kernel["components"] if "counters" in part}
        assert any(parts.values())
        found.append((kernel["name"], kernel["launches"], kernel["warp_instructions"],
                      kernel["registers_per_thread"], parts))
    return sorted(found, key=lambda kernel: kernel[:4])


def check(exe, program, arguments, folder):
    first, second, third = (folder / f"{number}.wmt" for number in range(3))
    warpmem(exe, "record", "-q", "--any-order", "-o", first, "--", program, *arguments)
    warpmem(exe, "export", "-q", "-o", folder / "traces", first)
    listed = folder / "traces/kernelslist.g"
    warpmem(exe, "import", "-q", "-o", second, listed)
    original = counters(exe, folder, first)
    assert counters(exe, folder, second) == original, "what came back differs"
    assert counters(exe, folder, listed) == original, "the traces' own replay differs"
    warpmem(exe, "export", "-q", "-o", folder / "again", second)
    warpmem(exe, "import", "-q", "-o", third, folder / "again/kernelslist.g")
    assert counters(exe, folder, third) == original, "what came back the second time differs"


def main(exe, source):
    exe, name = Path(exe).resolve(), Path(source).stem
    runs = PROGRAMS.get(name)
    if runs is None:
        runs = command_lines(name)
    program = executable(exe, source)
    with tempfile.TemporaryDirectory() as folder:
        runs = sanitized.share(exe, runs, len(name), of=min(len(runs), 3))
        for number, arguments in enumerate(runs):
            place = Path(folder) / str(number)
            place.mkdir()
            check(exe, program, arguments, place)
    print(f"{len(runs)} exports of {name} came back the same")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
