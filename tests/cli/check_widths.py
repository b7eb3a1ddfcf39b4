#!/usr/bin/env python3
"""How wide reports are: COLUMNS, then a terminal's width; files and pipes are never cut. What is cut
keeps its end.

usage: check_widths.py SOURCE BUILD. Exit status 77: skipped, with the reason.
"""
import os
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("programs", "")]
import compiled
import sanitized

# Of the source below; its kernel's name, too, is longer than a line.
SOURCE = "a_source_whose_name_would_never_fit_a_line_of_eighty_columns_which_is_cut_there.cu"
NAME = "scale_" + 60 * "very" + "_telling_end"


def environment(warpmem, folder, columns):
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(folder),
            **({"COLUMNS": columns} if columns else {}), **sanitized.variables(warpmem)}


def through_pipe(command, warpmem, folder, columns=None):
    done = subprocess.run([warpmem, *command], cwd=folder, capture_output=True, text=True,
                          env=environment(warpmem, folder, columns))
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def on_terminal(command, warpmem, folder, width, columns=None):
    master, slave = pty.openpty()
    ioctl(slave, TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    child = subprocess.Popen([warpmem, *command], cwd=folder, stdout=slave, stderr=subprocess.DEVNULL,
                             stdin=subprocess.DEVNULL, env=environment(warpmem, folder, columns))
    os.close(slave)
    text = b""
    while True:
        try:
            more = os.read(master, 65536)
        except OSError:  # the child has closed it
            break
        if not more:
            break
        text += more
    os.close(master)
    assert child.wait() == 0, text
    return text.decode().replace("\r\n", "\n")


def widest(text):
    """Of lines that are printed for people, not by the program."""
    return max(map(len, text.splitlines()))


def expect_whole(text, what):
    assert "…" not in text, f"{what} is cut:\n{text}"
    assert NAME in text and SOURCE in text, f"{what} lacks a name:\n{text}"


def expect_cut(text, width, what):
    assert widest(text) <= width, f"{what} has {widest(text)} columns, not {width}:\n{text}"
    kernel = next(line for line in text.splitlines() if line.startswith("scale")).split()[0]
    assert "…" in kernel and kernel.endswith("_end"), f"{what} is cut at its end: {kernel}"
    place = next(line for line in text.splitlines() if "ld.global" in line or "st.global" in line)
    assert ".cu:" in place, f"{what} lost the line number: {place}"


def main(arguments):
    root, build = Path(arguments[0]).resolve(), Path(arguments[1]).resolve()
    if not (shutil.which("clang") or shutil.which("clang-14")):
        print("skipped: no clang")
        return 77
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        print(f"skipped: no pseudo-terminal ({error})")
        return 77
    warpmem = build / "src/cli/warpmem"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = (root / "tests/cli/layouts.cu").read_text()
        (folder / SOURCE).write_text(text.replace("of_structures", NAME))
        subprocess.run([warpmem, "cc", SOURCE, "-o", "app"], cwd=folder, check=True,
                       env=environment(warpmem, folder, None))
        through_pipe(["record", "-q", "-o", "app.wmt", "./app"], warpmem, folder)
        for command in (["run", "./app"], ["replay", "app.wmt"]):
            expect_whole(through_pipe(command, warpmem, folder), f"{command} in a pipe")
            expect_cut(through_pipe(command, warpmem, folder, "90"), 90, f"{command}, COLUMNS=90")
            expect_cut(on_terminal(command, warpmem, folder, 100), 100, f"{command} on a terminal")
            expect_cut(on_terminal(command, warpmem, folder, 100, "80"), 80,
                       f"{command} on a terminal, COLUMNS=80")
            expect_whole(on_terminal(command, warpmem, folder, 100, "5000"),
                         f"{command} on a terminal, COLUMNS=5000")
            expect_whole(through_pipe(command, warpmem, folder, "many"), "COLUMNS=many")
            # A file is no terminal, wherever the rest goes.
            on_terminal([command[0], "--report", "report.txt", command[1]], warpmem, folder, 80)
            expect_whole((folder / "report.txt").read_text(), f"{command} --report")
            through_pipe([command[0], "--report", "report.txt", command[1]], warpmem, folder, "90")
            expect_cut((folder / "report.txt").read_text(), 90, f"{command} --report, COLUMNS=90")
        source = "    int i = blockIdx.x * blockDim.x + threadIdx.x;"
        text = through_pipe(["annotate", "./app"], warpmem, folder)
        assert source in text and "…" not in text and " unused " in text, text
        text = on_terminal(["annotate", "./app"], warpmem, folder, 80)
        assert source not in text and "…" in text and widest(text) <= max(80, len(NAME) + 80), text
        # Without warpmem run, the library itself.
        alone = subprocess.run(["./app"], cwd=folder, capture_output=True, text=True, check=True,
                               env=environment(warpmem, folder, None) | {
                                   "LD_LIBRARY_PATH": str(build / "src/cuda"), "WARPMEM_REPORT": "-",
                                   "WARPMEM_MACHINES": str(root / "machines")})
        expect_whole(alone.stdout, "the library's report in a pipe")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
