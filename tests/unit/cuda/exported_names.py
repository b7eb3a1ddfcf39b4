#!/usr/bin/env python3
"""What a libcudart of ours exports is exactly what exports.def lists for its version, under the
version node of its soname. usage: exported_names.py LIBRARY MAJOR EXPORTS.DEF [NVIDIA'S LIBRARY]

MAJOR is "driver" for libcuda.so.1: no versions, and our own names beside the interface's.

With NVIDIA's own library (where a toolkit is installed), the list must be its list, but for what
EARLIER ones had and every one of ours has.
"""
import re
import subprocess
import sys
from pathlib import Path


HAVE = {"13": ("BOTH", "ONLY_13"), "12": ("BOTH", "ONLY_12"), "11": ("BOTH", "ONLY_12", "EARLIER")}


def listed(path, major, ours=False):
    """Names by state; `ours`: with those that only our library has in that version."""
    names = {}
    for state, name, versions in re.findall(r"^(DONE|REFUSED)\((\w+), (\w+)(?:, \d+)?\)$",
                                            Path(path).read_text(), re.M):
        if major == "driver" or versions in HAVE[major] or (ours and versions == "EARLIER"):
            if name in names:
                raise SystemExit(f"{name} is listed twice")
            names[name] = state
    return names


def exported(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True,
                         text=True).stdout
    names = {}
    for line in out.splitlines():
        kind, name = line.split()[-2:]
        if kind != "A" and not name.startswith("wm_"):
            name, _, version = name.partition("@@")
            names[name] = version
    return names


def soname(library):
    out = subprocess.run(["readelf", "-d", library], check=True, capture_output=True,
                         text=True).stdout
    return re.search(r"SONAME.*\[(.*)\]", out).group(1)


def main(library, major, definitions, original=None):
    wanted, found = listed(definitions, major, ours=True), exported(library)
    breaches = [f"{name} is listed and not exported" for name in wanted.keys() - found.keys()]
    breaches += [f"{name} is exported and not listed" for name in found.keys() - wanted.keys()]
    node = f"libcudart.so.{major}{'.0' if major == '11' else ''}" if major != "driver" else ""
    breaches += [f"{name} has the version \"{version}\"" for name, version in found.items()
                 if version != node]
    if soname(library) != (node or "libcuda.so.1"):
        breaches.append(f"the soname is {soname(library)}")
    done = sum(state == "DONE" for state in wanted.values())
    if done < 40:
        breaches.append(f"only {done} functions are done")
    if original:
        theirs = exported(original)
        breaches += [f"NVIDIA's exports {name}" for name in theirs.keys() - wanted.keys()]
        breaches += [f"NVIDIA's does not export {name}"
                     for name in listed(definitions, major).keys() - theirs.keys()]
    print("\n".join(sorted(breaches)) or f"{len(wanted)} functions, {done} of them done")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
