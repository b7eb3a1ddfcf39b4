#!/usr/bin/env python3
"""Two runs in one process, runs in processes of their own, and runs on every build of the vector
code give the same JSON to the byte; and what each kernel caused is what walk_counts.txt says, on any
machine. usage: check_walk.py SCENARIO COUNTS [--bless]"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def counts_of(output):
    """One line a kernel: its name, then what its memory instructions caused, added up."""
    results = json.loads(output)
    names = list(results["counters"]["instruction"]["counters"])
    lines = ["kernel warp_instructions " + " ".join(names)]
    for kernel in results["kernels"]:
        sums = [sum(it["counters"][name] for it in kernel["instructions"]) for name in names]
        lines.append(" ".join(map(str, [kernel["name"], kernel["warp_instructions"], *sums])))
    return "\n".join(lines) + "\n"


def main(scenario, counts, bless=False):
    with tempfile.TemporaryDirectory() as folder:
        outputs = {}

        def run(names, **environment):
            paths = [str(Path(folder) / name) for name in names]
            subprocess.run([scenario, *paths], check=True, env={**os.environ, **environment})
            outputs.update({name: Path(path).read_bytes() for name, path in zip(names, paths)})

        run(["first in one process", "second in one process"])
        run(["another process"])
        # Another heap layout, and memory that was never zero.
        run(["perturbed heap"], MALLOC_PERTURB_="165", MALLOC_ARENA_MAX="1")
        for isa in ("c", "avx2"):
            run([f"isa {isa}"], WARPMEM_ISA=isa)
        reference = outputs["first in one process"]
        if b'"warp_instructions"' not in reference:
            print("the scenario counted nothing")
            return 1
        different = [name for name, output in outputs.items() if output != reference]
        for name in different:
            print(f"'{name}' differs from the first run")
        actual = counts_of(reference)
        if bless:
            Path(counts).write_text(actual)
        if Path(counts).read_text() != actual:
            print(f"not the counts of '{counts}' (--bless rewrites it):\n{actual}")
            return 1
        return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], "--bless" in sys.argv[3:]))
