#!/usr/bin/env python3
"""A page lists every function with the state that a list of exports gives it, and none else.
usage: documented_names.py DOCS/CUDA.MD EXPORTS.DEF [--write]

The same for docs/cuda-driver.md and driver_exports.def, whose third column is a version's number.

With --write the two lists in the page are written anew.
"""
import re
import sys
import textwrap
from pathlib import Path

SECTIONS = {"DONE": "done", "REFUSED": "refused"}


def listed(definitions, state):
    found = re.findall(rf"^{state}\((\w+), (\w+)(?:, \d+)?\)$", Path(definitions).read_text(), re.M)
    marks = {"ONLY_12": " (11, 12)", "ONLY_13": " (13)", "ONLY_11": " (11)"}
    names = {name: marks.get(versions, "") for name, versions in found}
    # A variant for per-thread default streams is mentioned with its function when both do the same.
    rows = []
    for name in sorted(names, key=lambda name: name.lstrip("_").lower()):
        base = re.sub(r"_pt[sd][sz]$", "", name)
        if base == name or base not in names:
            rows.append(f"`{name}`{names[name]}")
    return rows


def section(definitions, state):
    body = textwrap.fill(", ".join(listed(definitions, state)), 100, break_long_words=False,
                         break_on_hyphens=False)
    return f"<!-- {SECTIONS[state]} -->\n{body}\n<!-- end -->"


def main(page, definitions, write=None):
    text = Path(page).read_text()
    changed = text
    for state in SECTIONS:
        pattern = rf"<!-- {SECTIONS[state]} -->\n.*?<!-- end -->"
        if not re.search(pattern, changed, re.S):
            raise SystemExit(f"{page} has no list of functions that are {SECTIONS[state]}")
        changed = re.sub(pattern, lambda _, s=state: section(definitions, s), changed,
                         flags=re.S)
    if write:
        Path(page).write_text(changed)
    elif changed != text:
        print(f"{page} does not say what {definitions} says; run this with --write")
        return 1
    print("the page lists what the library does")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
