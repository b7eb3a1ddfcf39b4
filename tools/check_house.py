#!/usr/bin/env python3
"""The rules of the house, checked on the tracked files. usage: check_house.py ROOT [RULE…]

  layers   a room includes rooms on lower floors only (docs/architecture.md)
  names    file names say what is inside (no "util", "misc", "common")
  headers  headers carry an include guard named after their room and name
  sizes    no source file past 800 lines, with the exceptions listed below
  format   clang-format has nothing to say
  places   no tracked text names a folder of somebody's own machine
  memory   arrays grow in base/array alone, and one wording (base/error.h) says that memory ran out

Prints one line a breach, "path:line: what", and exits 1 when there is any.
"""
import re
import subprocess
import sys
from pathlib import Path

FLOORS = [
    {"base"},
    {"ptx", "trace"},
    {"sm", "mem", "exec"},
    {"machine", "source"},
    {"engine"},
    {"study", "bypass"},
    {"cli", "cuda", "library"},
]
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
VAGUE = re.compile(r"(^|_)(util|utils|misc|common|helper|helpers|stuff)(_|\.|$)")
LONGEST = 800


def tracked(root, *patterns):
    out = subprocess.run(["git", "-C", root, "ls-files", *patterns], check=True,
                         capture_output=True, text=True).stdout
    return [line for line in out.splitlines() if (Path(root) / line).is_file()]


def room_of(path):
    parts = Path(path).parts
    return parts[1] if len(parts) > 2 and parts[0] == "src" else None


def check_layers(root):
    for path in tracked(root, "src/*.c", "src/*.h", "src/*.inc", "src/*.def"):
        room = room_of(path)
        if room not in FLOOR_OF:
            yield f"{path}:1: \"{room}\" is not a room of the house"
            continue
        for number, line in enumerate((Path(root) / path).read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not match:
                continue
            other = match.group(1).split("/")[0]
            if "/" not in match.group(1):
                yield f"{path}:{number}: include \"{match.group(1)}\" does not name its room"
            elif other == "warpmem":
                continue
            elif other not in FLOOR_OF:
                yield f"{path}:{number}: include of \"{other}\", which is no room"
            elif other != room and FLOOR_OF[other] >= FLOOR_OF[room]:
                yield (f"{path}:{number}: {room} (floor {FLOOR_OF[room]}) includes {other} "
                       f"(floor {FLOOR_OF[other]}); only lower floors may be included")


def check_names(root):
    for path in tracked(root, "src/*.c", "src/*.h", "src/*.inc"):
        if VAGUE.search(Path(path).name):
            yield f"{path}:1: the name \"{Path(path).name}\" does not say what is inside"


def allowed_guards(path):
    """The path in full, or the room and the file's name, with a word said twice said once."""
    def guard(*words):
        return re.sub(r"[^A-Z0-9]", "_", "_".join(("WM", *words)).upper())
    parts = Path(path).parts[1:]
    room, name = parts[0], parts[-1]
    return [guard(*parts), guard(room, name), guard(name)] if name.startswith(room) else [
        guard(*parts), guard(room, name)]


def check_headers(root):
    for path in tracked(root, "src/*.h"):
        text = (Path(root) / path).read_text()
        guards = allowed_guards(path)
        if not any(f"#ifndef {guard}\n#define {guard}\n" in text for guard in guards):
            yield f"{path}:1: the include guard is not {guards[0]}"


def check_sizes(root):
    for path in tracked(root, "src/*.c", "src/*.h", "src/*.inc", "tools/*", "tests/*.c"):
        lines = len((Path(root) / path).read_text(errors="replace").splitlines())
        if lines > LONGEST:
            yield f"{path}:{lines}: {lines} lines; a file does one thing in at most {LONGEST}"


def check_format(root):
    files = tracked(root, "*.c", "*.h", "*.inc")
    done = subprocess.run(["clang-format-14", "--dry-run", "-Werror", *files], cwd=root,
                          capture_output=True, text=True)
    if done.returncode:
        breaches = re.findall(r"^([^\s:]+:\d+):", done.stderr, re.M)
        for place in sorted(set(breaches)) or [done.stderr.strip()]:
            yield f"{place}: not formatted; run ./dev format"


def check_places(root):
    for path in tracked(root):
        if path == "tools/check_house.py":
            continue
        try:
            text = (Path(root) / path).read_text()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if re.search(r"(^|[^\w.])/(work|home/\w+|root)/\w", line):
                yield f"{path}:{number}: names a folder of one machine"


REALLOC = re.compile(r"\brealloc(array)?\s*\(")
NO_MEMORY = re.compile(r'"([^"]*: )?(no|out of)( host)? memory\b')


def check_memory(root):
    for path in tracked(root, "src/*.c", "src/*.h", "src/*.inc"):
        if path in ("src/base/array.c", "src/base/error.h"):
            continue
        for number, line in enumerate((Path(root) / path).read_text().splitlines(), 1):
            if REALLOC.search(line):
                yield f"{path}:{number}: realloc: an array grows by a macro of base/array.h"
            if NO_MEMORY.search(line):
                yield f"{path}:{number}: an error of its own: call wm_fail_no_memory, or use WM_NO_MEMORY_FOR"


RULES = {"layers": check_layers, "names": check_names, "headers": check_headers,
         "sizes": check_sizes, "format": check_format, "places": check_places,
         "memory": check_memory}


def main(arguments):
    root = arguments[0]
    breaches = [line for rule in arguments[1:] or RULES for line in RULES[rule](root)]
    for line in breaches:
        print(line)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
