#!/usr/bin/env python3
"""A page lists every function with the state that a list of exports gives it, and none else.
usage: documented_names.py DOCS/CUDA.MD EXPORTS.DEF [--write]

The same for docs/cuda-driver.md and driver_exports.def, whose third column is a version's number.
Of what is done, what no test of this repository reads the result of is listed as untested
(tested_names.py says what counts). A table says how many of each there are.

With --write the lists in the page are written anew.
"""
import re
import sys
import textwrap
from pathlib import Path

from tested_names import tested

ROOT = Path(__file__).resolve().parents[3]
MARKS = {"ONLY_12": " (11, 12)", "ONLY_13": " (13)", "EARLIER": " (11)"}


def listed(definitions, state):
    """Names in the page's order, each with the versions that have it."""
    found = re.findall(rf"^{state}\((\w+), (\w+)(?:, \d+)?\)$", Path(definitions).read_text(), re.M)
    names = {name: MARKS.get(versions, "") for name, versions in found}
    # A variant for per-thread default streams is mentioned with its function when both do the same.
    rows = {}
    for name in sorted(names, key=lambda name: name.lstrip("_").lower()):
        base = re.sub(r"_pt[sd][sz]$", "", name)
        if base == name or base not in names:
            rows[name] = names[name]
    return rows


def text_of(names):
    body = textwrap.fill(", ".join(f"`{name}`{mark}" for name, mark in names.items()), 100,
                         break_long_words=False, break_on_hyphens=False)
    return body or "None."


def sections(definitions):
    done, refused = listed(definitions, "DONE"), listed(definitions, "REFUSED")
    called = tested(ROOT)
    untested = {name: mark for name, mark in done.items() if name not in called}
    counts = (f"| done and tested | done, untested | refused |\n|---:|---:|---:|\n"
              f"| {len(done) - len(untested)} | {len(untested)} | {len(refused)} |")
    return {"counts": counts, "done": text_of(done), "untested": text_of(untested),
            "refused": text_of(refused)}


def main(page, definitions, write=None):
    text = Path(page).read_text()
    changed = text
    for name, body in sections(definitions).items():
        pattern = rf"<!-- {name} -->\n.*?<!-- end -->"
        if not re.search(pattern, changed, re.S):
            raise SystemExit(f"{page} has no place for the {name}")
        block = f"<!-- {name} -->\n{body}\n<!-- end -->"
        changed = re.sub(pattern, lambda _, b=block: b, changed, flags=re.S)
    if write:
        Path(page).write_text(changed)
    elif changed != text:
        print(f"{page} does not say what {definitions} and the tests say; run this with --write")
        return 1
    print("the page lists what the library does")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
