#!/usr/bin/env python3
"""The loops on the host of the GCN study's programs lie between the calls of a tracing runtime.

usage: check_traced_part.py WARPMEM WORKLOADS

Each program is linked with trace_calls.c. With `--serial on`, without warpmem, it must call both
functions once, in their order, and pass.
"""
import subprocess
import sys
from pathlib import Path

from check_program import environment
import compiled
import gcn_checks
import sanitized

CALLS = Path(__file__).resolve().parent / "trace_calls.c"


def main(warpmem, workloads):
    wrong = 0
    programs = sanitized.share(warpmem, sorted(gcn_checks.SERIAL), 0, of=6)
    for name in programs:
        # The flag keeps the program apart from the one that is made without these calls.
        program = compiled.program(warpmem, Path(workloads) / f"{name}.cu", CALLS,
                                   flags=("-DTRACED_PART",))
        arguments = gcn_checks.SERIAL[name][-1].split()
        done = subprocess.run([program, *arguments, "--serial", "on"], capture_output=True, text=True,
                              timeout=120, env=environment(warpmem))
        if (done.returncode, done.stdout, done.stderr) != (0, f"{name}: PASS\n", "begin\nend\n"):
            wrong += 1
            print(f"{name}: status {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"{len(programs)} programs, {wrong} wrong")
    return 1 if wrong or not programs else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
