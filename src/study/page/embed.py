#!/usr/bin/env python3
"""Writes an assembler file that holds files as they are. usage: embed.py OUTPUT NAME=FILE…

Each becomes the bytes from wm_report_asset_NAME on, with a NUL behind them. A comment has the
file's checksum, so that the assembler runs again (and no compiler cache answers) when the file
changes.
"""
import hashlib
import sys
from pathlib import Path

ASSET = """\
# {checksum}
\t.globl {symbol}
\t.hidden {symbol}
\t.type {symbol}, %object
{symbol}:
\t.incbin "{path}"
\t.byte 0
\t.size {symbol}, . - {symbol}
"""


def main(output, *assets):
    parts = ["\t.section .rodata\n"]
    for asset in assets:
        name, path = asset.split("=", 1)
        path = Path(path).resolve()
        quoted = str(path).replace("\\", "\\\\").replace('"', '\\"')
        parts.append(ASSET.format(symbol="wm_report_asset_" + name, path=quoted,
                                  checksum=hashlib.sha256(path.read_bytes()).hexdigest()))
    parts.append('\t.section .note.GNU-stack,"",%progbits\n')
    Path(output).write_text("".join(parts))


if __name__ == "__main__":
    main(*sys.argv[1:])
