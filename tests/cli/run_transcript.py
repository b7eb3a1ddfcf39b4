#!/usr/bin/env python3
"""Runs a transcript of commands and compares what they print, to the byte.

usage: run_transcript.py [--bless] FILE.t SOURCE BUILD

A transcript reads like a terminal, indented by two blanks: "  $ COMMAND" (sh), and below it what the
command must print: standard output as it is, standard error with "! " before each line, and an exit
status other than 0 as "[2]". "%" ends a last line that has no newline. Lines that are not indented
are comment.

Commands of one file share an empty folder, in which they may leave files. warpmem is on the path,
$SOURCE is the source tree, $BUILD the build tree, $CASES the transcript's folder and $HOME the empty
one; $SOURCE, $BUILD and $HOME stand for their paths in what is printed. "warpmem cc $SOURCE/….cu -o NAME"
takes the program that other tests share (tests/programs/compiled.py), but in transcripts of cc. With
--bless the file is rewritten to what the commands print now.

Exit status: 0 as written, 1 not, 77 skipped (a command "need PROGRAM", or a library's file, found none).
"""
import ctypes
import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("programs", "")]
import compiled
import sanitized

# What the linker says of a sanitized runtime library is not the command's own.
LINKER = re.compile(r"^/usr/bin/ld: \S*libasan\S*: warning: the use of .*\n", re.M)


def environment(source, build, case, home):
    keep = {name: value for name, value in os.environ.items()
            if name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH")}
    path = [build / "src/cli", "/usr/local/bin", "/usr/bin", "/bin"]
    return keep | {"PATH": ":".join(map(str, path)), "HOME": str(home), "LC_ALL": "C.UTF-8",
                   "SOURCE": str(source), "BUILD": str(build), "CASES": str(case)}


def block(text, mark):
    if not text:
        return []
    lines = (text if text.endswith("\n") else text + "%\n").split("\n")[:-1]
    return [mark + line for line in lines]


def run(command, cwd, variables):
    done = subprocess.run(["sh", "-c", command], cwd=cwd, env=variables, timeout=120,
                          stdin=subprocess.DEVNULL, capture_output=True)
    out, err = (stream.decode(errors="backslashreplace") for stream in (done.stdout, done.stderr))
    for name in ("HOME", "BUILD", "SOURCE"):
        out = out.replace(variables[name], "$" + name)
        err = err.replace(variables[name], "$" + name)
    err = LINKER.sub("", err)
    lines = block(out, "") + block(err, "! ")
    if done.returncode:
        lines.append(f"[{done.returncode}]")
    return lines


def with_programs(command, warpmem, case, variables):
    """The command, whose programs come compiled already where others of its kind share them."""
    def copied(found):
        folder, name, target = found.groups()
        made = compiled.program(warpmem, Path(variables[folder], name))
        return f"cp {shlex.quote(made)} {target}"
    if case.name.startswith("cc"): # what these are about
        return command
    return re.sub(r"\bwarpmem cc \$(SOURCE|CASES)/([^\s$]+\.cu) -o (\w+)", copied, command)


def is_installed(name, variables):
    """A program, or a shared library, which is named by its file: libomp.so.5."""
    if ".so" not in name:
        return shutil.which(name, path=variables["PATH"]) is not None
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def replay(transcript, variables, cwd, warpmem, case):
    """The transcript as the commands print it now."""
    result = []
    for line in transcript:
        need = re.fullmatch(r"  \$ need (\S+)", line)
        if need or not line.startswith("  "):
            result.append(line)
            if need and not is_installed(need[1], variables):
                print(f"skipped: {need[1]} is not installed")
                sys.exit(77)
        elif line.startswith("  $ "):
            result.append(line)
            command = with_programs(line[4:], warpmem, case, variables)
            result += ["  " + printed for printed in run(command, cwd, variables)]
    return result


def main(arguments):
    bless = "--bless" in arguments
    name, source, build = [a for a in arguments if a != "--bless"]
    case, source, build = Path(name), Path(source).resolve(), Path(build).resolve()
    before = case.read_text().splitlines()
    with tempfile.TemporaryDirectory() as cwd:
        variables = environment(source, build, case.resolve().parent, cwd)
        if any(line.startswith("  $ need clang") for line in before): # it runs what it compiles
            variables |= sanitized.variables(build / "src/cli/warpmem")
        after = replay(before, variables, cwd, build / "src/cli/warpmem", case)
    if bless:
        case.write_text("\n".join(after) + "\n")
        return 0
    if before == after:
        return 0
    sys.stdout.writelines(line + "\n" for line in difflib.unified_diff(
        before, after, f"{case.name} (expected)", f"{case.name} (printed)", lineterm=""))
    print(f"if what is printed now is right: {sys.argv[0]} --bless {name} {source} {build}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
