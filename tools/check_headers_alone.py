#!/usr/bin/env python3
"""Each header compiles alone, under the project's own warnings. usage: check_headers_alone.py ROOT CC

One that a source file includes before anything else has done so in the build. The others are
compiled here; and all of them together, twice, so that a broken include guard shows.
"""
import re
import subprocess
import sys
from pathlib import Path

FLAGS = ["-std=gnu17", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror",
         "-D_GNU_SOURCE", "-x", "c"]


def files(root, *patterns):
    return subprocess.run(["git", "-C", root, "ls-files", *patterns], check=True,
                          capture_output=True, text=True).stdout.split()


def first_include(source):
    """The file's first directive, if it includes something, as it is written there."""
    directive = re.search(r"^#.*", source.read_text(), re.M)
    name = re.match(r'#include ["<]([^">]+)[">]', directive[0]) if directive else None
    return name[1] if name else None


def main(root, compiler):
    # The CUDA headers are for clang's CUDA mode; the tests of `warpmem cc` compile each alone there.
    headers = [name for name in files(root, "src/*.h", "include/warpmem/*.h")
               if not name.startswith("include/warpmem/cuda/")]
    built = {first_include(Path(root, name)) for name in files(root, "src/*.c")}

    def errors(names):
        # From a text, so that "#pragma once" is no excuse.
        text = "".join(f'#include "{Path(root, name)}"\n' for name in names) * 2
        return subprocess.run([compiler, *FLAGS, f"-I{root}/src", f"-I{root}/include",
                               "-include", f"{root}/src/base/banned.h", "-"],
                              input=text + "extern int wm_alone;\n", capture_output=True,
                              text=True).stderr

    alone = [name for name in headers if name.split("/", 1)[1] not in built]
    failures = [f"{name} does not compile alone:\n{said}" for name in alone
                if (said := errors([name]))]
    if said := errors(headers):
        failures.append(f"all headers, twice in one file, do not compile:\n{said}")
    print("\n".join(failures))
    print(f"{len(headers)} headers, {len(alone)} compiled alone here, {len(failures)} failures")
    return 1 if failures or not headers else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
