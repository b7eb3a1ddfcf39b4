#!/usr/bin/env python3
"""Commands that people copy mean the same in each shell: what zsh would take for a pattern is quoted.

usage: check_quoting.py SOURCE

Looks at the commands of README and docs/, and at nvcc's in the hints of messages.
"""
import re
import subprocess
import sys
from pathlib import Path

COMMAND = re.compile(r"(?:\$ )?\s*((?:build/src/cli/)?warpmem|nvcc|meson|ninja|\./dev|apt-get)\s")


def commands_of(text):
    """Lines that are commands, in fenced blocks and between backticks."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif fenced and COMMAND.match(line):
            yield number, line
        elif not fenced:
            yield from ((number, piece) for piece in re.findall(r"`([^`]*)`", line) if COMMAND.match(piece))


def has_pattern(command):
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", command).split(" #")[0]
    return re.search(r"[\[\]*?]", bare)


def main(source):
    wrong, seen = [], 0
    names = subprocess.run(["git", "ls-files", "README.md", "docs", "src"], cwd=source, capture_output=True,
                           text=True).stdout.split() or \
        [path.relative_to(source) for path in [source / "README.md", *source.glob("docs/**/*"),
                                               *source.glob("src/**/*.[ch]")]]
    for path in (source / name for name in names):
        if path.suffix == ".md":
            for number, command in commands_of(path.read_text()):
                seen += 1
                if has_pattern(command):
                    wrong.append(f"{path.relative_to(source)}:{number}: {command.strip()}")
        elif path.suffix in (".c", ".h", ".1"):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if re.search(r"(?<!')arch=compute_\w+,code=\[", line):
                    wrong.append(f"{path.relative_to(source)}:{number}: {line.strip()}")
    print(*wrong, f"{seen} commands, {len(wrong)} with a bare pattern", sep="\n")
    return 1 if wrong or seen < 50 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
