#!/usr/bin/env python3
"""The page's table of variables has every setting of a run, as their one list documents it.
usage: documented_settings.py DOCS/CUDA.MD RUN_SETTINGS.DEF [--write]

With --write the table is written anew.
"""
import re
import sys
from pathlib import Path

BEGIN, END = "<!-- settings -->\n", "<!-- end -->"
# No setting of a run: commands read it, too.
FOLDER = "| `WARPMEM_MACHINES` | the folder of the presets |\n"


def table(definitions):
    rows = re.findall(r'^WM_RUN_SETTING\(\w+, \w+, (\w+), \w+, "[^"]*", "([^"]+)"\)$',
                      Path(definitions).read_text(), re.M)
    if len(rows) != len(re.findall(r"^WM_RUN_SETTING\(", Path(definitions).read_text(), re.M)):
        raise SystemExit(f"{definitions} has a row that is not one of six columns on one line")
    lines = "".join(f"| `WARPMEM_{name}` | {meaning} |\n" for name, meaning in rows)
    return "| variable | meaning |\n|---|---|\n" + lines + FOLDER


def main(page, definitions, write=None):
    text = Path(page).read_text()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{page} has no place for the settings")
    changed = before + begin + table(definitions) + end + after
    if write:
        Path(page).write_text(changed)
    elif changed != text:
        print(f"{page} does not have the settings of {definitions}; run this with --write")
        return 1
    print("the page has the settings of a run")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
