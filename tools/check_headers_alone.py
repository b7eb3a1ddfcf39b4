#!/usr/bin/env python3
"""Each header compiles alone, under the project's own warnings. usage: check_headers_alone.py ROOT CC"""
import subprocess
import sys
from pathlib import Path

FLAGS = ["-std=gnu17", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror",
         "-D_GNU_SOURCE", "-x", "c"]


def main(root, compiler):
    headers = subprocess.run(["git", "-C", root, "ls-files", "src/*.h", "include/warpmem/*.h"],
                             check=True, capture_output=True, text=True).stdout.split()
    # The CUDA headers are for clang's CUDA mode; the tests of `warpmem cc` compile each alone there.
    headers = [h for h in headers if not h.startswith("include/warpmem/cuda/")]
    failed = 0
    for header in headers:
        # Twice, so that a broken include guard shows; from a file, so that "#pragma once" is no excuse.
        source = f'#include "{Path(root, header)}"\n#include "{Path(root, header)}"\nextern int wm_alone;\n'
        done = subprocess.run([compiler, *FLAGS, f"-I{root}/src", f"-I{root}/include",
                               "-include", f"{root}/src/base/banned.h", "-"],
                              input=source, capture_output=True, text=True)
        if done.returncode:
            failed += 1
            print(f"{header} does not compile alone:\n{done.stderr}")
    print(f"{len(headers)} headers, {failed} do not compile alone")
    return 1 if failed or not headers else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
