#!/usr/bin/env python3
"""The issue tables of all workloads: tests/unit/engine/test_issue_registers.c over their PTX.

usage: check_issue_registers.py WARPMEM TEST FOLDER

FOLDER has the workloads' sources; TEST is the unit test.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from check_program import compiled


def main():
    warpmem, test, folder = sys.argv[1:]
    with tempfile.TemporaryDirectory() as made:
        sources = sorted(Path(folder).glob("*.cu"))
        assert sources, folder
        for source in sources:
            target = Path(made) / (source.stem + ".ptx")
            target.symlink_to(compiled.program(warpmem, source, flags=["--ptx"]))
        subprocess.run([test], check=True, env={**os.environ, "WARPMEM_TEST_PTX": made})


main()
