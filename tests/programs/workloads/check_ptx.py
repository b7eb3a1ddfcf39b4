#!/usr/bin/env python3
"""NVIDIA's assembler accepts the PTX that `warpmem cc` makes: headers that spell PTX by hand could
spell what only this project reads. usage: check_ptx.py WARPMEM SOURCE.cu…

Skipped (77) where ptxas is not installed.
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


# What is not for compute capability 7.0.
ARCHITECTURES = {"warp_reductions": "sm_80"}


def main(warpmem, *sources):
    ptxas = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
    if not ptxas:
        print("skipped: ptxas is not installed")
        return 77
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        ptx = Path(folder) / "module.ptx"
        for source in sources:
            own = ARCHITECTURES.get(Path(source).stem)
            more = [f"-arch={own}"] if own else []
            # Unoptimized code shows every function's own PTX; once is enough.
            for options in (["-O2"], ["-O0"]) if "functions" in source or own else (["-O2"],):
                subprocess.run([warpmem, "cc", "--ptx", *options, *more, source, "-o", ptx], check=True)
                done = subprocess.run([ptxas, f"-arch={own or 'sm_75'}", ptx, "-o", Path(folder) / "module.cubin"],
                                      capture_output=True, text=True)
                if done.returncode:
                    wrong += 1
                    print(f"{source} {options[0]}:\n{done.stdout}{done.stderr}")
    print(f"{len(sources)} sources, {wrong} refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
