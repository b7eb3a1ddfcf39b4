#!/usr/bin/env python3
"""Rows of the benchmarks' matrices against the table "Row strides" of docs/workloads.md.

usage: check_row_strides.py SOURCE

Where the lanes of a warp walk down a column, the bytes of a row decide how many sets of an L1 with
Fermi's hash their lines lie in (tests/unit/mem/test_set_index.c has the function itself). The table
says so for the sizes that the programs have by themselves, read here from their sources, and for
those of the study: a smaller size must not behave otherwise than the one it stands for.
"""
import re
import sys
from pathlib import Path

LINE, LANES, FLOAT = 128, 32, 4


def fermi_set(address):
    """Of 32 sets: address bits 7 to 11 xor bits 13, 14, 15, 17 and 19."""
    bit = [address >> place & 1 for place in range(20)]
    return sum((bit[7 + i] ^ bit[upper]) << i for i, upper in enumerate((13, 14, 15, 17, 19)))


def spread(stride):
    sets = [fermi_set(lane * stride // LINE * LINE) for lane in range(LANES)]
    return f"{len(set(sets))} sets, {max(sets.count(one) for one in sets)} lines"


def size(text):
    number, unit = text.split()
    return int(number) * {"B": 1, "KiB": 1024}[unit]


def default(source, program, option):
    text = (source / f"workloads/{program}.cu").read_text()
    found = re.search(r'\{"%s", "[^"]*",\s*(\d+),' % option, text)
    assert found, f"{program}.cu has no option --{option} any more"
    return int(found[1])


def main(source):
    source, rows, wrong = Path(source), 0, []
    section = (source / "docs/workloads.md").read_text().split("### Row strides\n")[1]
    for line in section.split("\n#")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 8 or cells[0] == "program" or cells[0].startswith("-"):
            continue
        program, option, own, own_spread, own_padded, study, study_spread, padded = cells
        rows += 1
        stride = FLOAT * default(source, program, option.removeprefix("--"))
        expected = [stride, spread(stride), spread(stride + LINE), spread(size(study)),
                    spread(size(study) + LINE)]
        found = [size(own), own_spread, own_padded, study_spread, padded]
        if own_padded == padded == "-":  # this program has no --pad
            expected[2] = expected[4] = "-"
        if expected != found:
            wrong.append(f"{program}: written {found}, computed {expected}")
        if own_spread != study_spread:
            wrong.append(f"{program}: {own} behaves otherwise than {study}")
    print(*wrong, f"{rows} rows, {len(wrong)} wrong", sep="\n")
    return 1 if wrong or rows == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
