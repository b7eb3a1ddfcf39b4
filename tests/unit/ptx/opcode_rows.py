#!/usr/bin/env python3
"""A row of the opcode table (src/ptx/opcodes.def) that lacks a column does not compile.
usage: opcode_rows.py SOURCE COMPILER…

For each column one row has it left out, and emptied, in a copy of the table; the file that uses the
column must compile with the table as it is, and with neither copy.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# In the order of WM_PTX_OPCODE's columns. An empty name fails in test_ptx_names.c; the section is for
# docs/ptx.md alone, whose test (form_coverage.py) names an empty one.
USERS = {
    "name": None,
    "section": None,
    "family": "src/exec/decode/decode_instruction.c",
    "operands": "src/exec/decode/operand_types.c",
    "traits": "src/ptx/names.c",
    "unit": "src/engine/issue/ptx_units.c",
    "sass": "src/source/sass/names.c",
}
ROW = 'WM_PTX_OPCODE(abs, "9.7.1", lanes, "tt", PLAIN, BY_TYPE, ("IABS", "HADD2", "FADD", "DADD"))'
AS_TEXT = 'WM_PTX_OPCODE_AS_TEXT(wgmma, "9.7.15", TENSOR)'
WHAT_IS_WRONG = re.compile(r"undeclared|expected|(requires \d+|too few) arguments|valid preprocessing")


def columns_of(row):
    return re.findall(r"\([^()]*\)|[^,()\s][^,()]*", row[row.index("(") + 1:-1])


def with_columns(row, columns):
    return row[:row.index("(") + 1] + ", ".join(columns) + ")"


def compile_with(source, compiler, user, table):
    """What the compiler says of `user` where the opcode table is `table`; "" when nothing."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "ptx").mkdir()
        (Path(folder) / "ptx/opcodes.def").write_text(table)
        done = subprocess.run([*compiler, "-std=gnu17", "-fsyntax-only", f"-I{folder}",
                               f"-I{source}/src", f"-I{source}/include", str(source / user)],
                              capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
        if done.returncode == 0:
            return ""
        return next((line for line in done.stderr.splitlines() if "error" in line), done.stderr)


def planted(table):
    """(what is wrong, the file that must not compile, the table)"""
    for row, users in ((ROW, USERS), (AS_TEXT, {"name": None, "section": None,
                                                "unit": USERS["unit"]})):
        if table.count(row + "\n") != 1:
            raise SystemExit(f"src/ptx/opcodes.def has no row {row}: name another in this test")
        columns = columns_of(row)
        for at, (column, user) in enumerate(users.items()):
            left = columns[:at] + columns[at + 1:]
            yield (f"{column} left out", user or USERS["unit"],
                   table.replace(row, with_columns(row, left)))
            if user:
                emptied = columns[:at] + [""] + columns[at + 1:]
                yield f"{column} empty", user, table.replace(row, with_columns(row, emptied))


def main(source, *compiler):
    source = Path(source)
    table = (source / "src/ptx/opcodes.def").read_text()
    failed = False
    for user in sorted(set(filter(None, USERS.values()))):
        message = compile_with(source, compiler, user, table)
        if message:
            print(f"{user} does not compile: {message}")
            failed = True
    for what, user, changed in planted(table):
        message = compile_with(source, compiler, user, changed)
        if not WHAT_IS_WRONG.search(message):
            print(f"{what}: {user} " + (f"fails otherwise: {message}" if message else "compiles"))
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
