#!/usr/bin/env python3
"""Every global symbol of a room's library carries the prefix wm_. usage: check_symbols.py LIB…"""
import subprocess
import sys


def breaches(library):
    out = subprocess.run(["nm", "--defined-only", "--extern-only", "--format=posix", library],
                         check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        fields = line.split()
        # __asan_, __odr_asan_, __ubsan_ and __sanitizer_ are the sanitizers' own.
        if len(fields) >= 2 and not fields[0].startswith(("wm_", "__asan", "__odr_asan", "__ubsan",
                                                          "__sanitizer")):
            yield f"{library}: global symbol \"{fields[0]}\" lacks the prefix wm_"


def main(libraries):
    found = [line for library in libraries for line in breaches(library)]
    print("\n".join(found) if found else f"{len(libraries)} libraries, every global symbol prefixed")
    return 1 if found or not libraries else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
