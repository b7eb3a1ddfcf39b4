#!/usr/bin/env python3
"""What libwarpmem exports is exactly what its header declares.
usage: exported_symbols.py SHARED STATIC HEADER MAP

The shared library: each function under the version node, nothing else, the soname. The static
library: each function is defined, every global symbol has one of the two prefixes, and what is not
defined in it is not ours.
"""
import re
import subprocess
import sys
from pathlib import Path

NODE, SONAME = "LIBWARPMEM_0", "libwarpmem.so.0"
SANITIZERS = ("__asan", "__odr_asan", "__ubsan", "__sanitizer")


def symbols(*arguments):
    out = subprocess.run(["nm", "--format=posix", *arguments], check=True, capture_output=True,
                         text=True).stdout
    for line in out.splitlines():
        fields = line.split()
        if len(fields) >= 2 and not fields[0].endswith(":"):
            yield fields[0], fields[1]


def shared_breaches(library, declared):
    found = dict(name.partition("@@")[::2] for name, kind in
                 symbols("-D", "--defined-only", library) if kind != "A")
    yield from (f"{name} is declared and not exported" for name in declared - found.keys())
    yield from (f"{name} is exported and not declared" for name in found.keys() - declared)
    yield from (f"{name} has the version \"{version}\"" for name, version in found.items()
                if version != NODE)
    out = subprocess.run(["readelf", "-d", library], check=True, capture_output=True,
                         text=True).stdout
    soname = re.search(r"SONAME.*\[(.*)\]", out).group(1)
    if soname != SONAME:
        yield f"the soname is {soname}"


def static_breaches(library, declared):
    if not Path(library).read_bytes().startswith(b"!<arch>"):
        yield f"{library} is a thin archive: it needs files of the build tree"
    defined = {name for name, _ in symbols("--defined-only", "--extern-only", library)}
    wanted = {name for name, _ in symbols("--undefined-only", library)}
    yield from (f"{name} is not in the static library" for name in declared - defined)
    yield from (f"{name} lacks a prefix" for name in defined
                if not name.startswith(("wm_", "warpmem_", *SANITIZERS)))
    yield from (f"{name} is needed and not in the static library" for name in wanted - defined
                if name.startswith(("wm_", "warpmem_")))


def main(shared, static, header, script):
    declared = set(re.findall(r"WARPMEM_API[^;]*?\b(warpmem_\w+)\(", Path(header).read_text()))
    listed = set(re.findall(r"^\s+(warpmem_\w+);", Path(script).read_text(), re.M))
    breaches = [f"{name} is only in one of header and version script" for name in declared ^ listed]
    breaches += [*shared_breaches(shared, declared), *static_breaches(static, declared)]
    if len(declared) < 20:
        breaches.append(f"only {len(declared)} functions are declared")
    print("\n".join(sorted(breaches)) or f"{len(declared)} functions")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
