#!/usr/bin/env python3
"""The rules of the house, checked on the tracked files. usage: check_house.py ROOT [RULE…]

  layers   a room includes rooms on lower floors only (docs/architecture.md)
  names    file names say what is inside (no "util", "misc", "common")
  headers  headers carry an include guard named after their room and name
  sizes    no source file past 800 lines, with the exceptions listed below
  format   clang-format has nothing to say
  places   no tracked text names a folder of somebody's own machine
  mentions what pages and comments name is there: files, folders, symbols

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


# What pages and comments may name though it is not here: files of other projects, and of readers.
ELSEWHERE = {
    "Cbc_C_Interface.h": "Cbc", "cuda_device_runtime_api.h": "CUDA", "cuda_occupancy.h": "CUDA",
    "crt/host_runtime.h": "CUDA", "inc/trace_instruction.h": "ChampSim",
    "ISA_Def/volta_opcode.h": "Accel-Sim", "dinfmt.c": "Dinero IV", "xdinfmt.c": "Dinero IV",
    "mine.c": "a reader's plugin", "NAME_command.c": "each command's",
}
COMMENT_OR_TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', re.S)
FILE_NAME = re.compile(r"(?<![\w./<*{}…-])[\w.][\w./-]*\.(?:c|h|inc|def|py|md)\b(?![\w/(*-])")
SYMBOL_NAME = re.compile(r"\b(?:wm|WM)_\w+\b[*…]?")
PAGES = ("README.md", "CHANGELOG.md", "docs/*.md", "tests/*.md", "src/*", "tests/*.c", "tests/*.h",
         "include/*.h")


def comments_apart(text):
    """The code of a C source, texts left out, and its comments; the other is blank in each."""
    code, comments, at = [], [], 0
    for match in COMMENT_OR_TEXT.finditer(text):
        found, before = match.group(), text[at:match.start()]
        blank, blank_before = (re.sub(r"[^\n]", " ", part) for part in (found, before))
        code += [before, blank]
        comments += [blank_before, found if found.startswith("/") else blank]
        at = match.end()
    return "".join([*code, text[at:]]), "".join(comments)


def is_elsewhere(word, ends, symbols, folders):
    """Whether the tree has no such file, folder or symbol."""
    if word.startswith(("wm_", "WM_")):
        stem = word.rstrip("*…")
        if stem != word or stem.endswith("_"):
            return not any(symbol.startswith(stem) for symbol in symbols)
        return word not in symbols
    while word.startswith(("./", "../")):
        word = word.partition("/")[2]
    return word.rstrip("/") not in (folders if word.endswith("/") else ends) and \
        word not in ELSEWHERE


def check_mentions(root):
    texts = {path: (Path(root) / path).read_text(errors="replace")
             for path in tracked(root, "*.c", "*.h", "*.inc", "*.def", "*.md", "*.py", "*.build")}
    ends, folders, symbols, pages = set(), set(), set(), set(tracked(root, *PAGES))
    for path in tracked(root):
        parts = Path(path).parts
        for first in range(len(parts)):
            ends.add("/".join(parts[first:]))
            folders.update("/".join(parts[first:last]) for last in range(first + 1, len(parts)))
    for path, text in texts.items():
        if path.endswith((".c", ".h", ".inc", ".def")):
            code, texts[path] = comments_apart(text)
            symbols.update(SYMBOL_NAME.findall(code))
        elif not path.endswith(".md"):
            symbols.update(SYMBOL_NAME.findall(text))
    tops = "|".join(sorted({"src", "docs", "tests", "tools", "bench", "studies", *FLOOR_OF}))
    folder_name = re.compile(rf"(?<![\w./<-])(?:{tops})/(?:[\w-]+/)+(?![\w.*{{<…-])")
    for path in sorted(pages & set(texts)):
        text = texts[path]
        if path == "CHANGELOG.md":  # of a release, what was there then
            text = "\n## ".join(text.split("\n## ")[:2])
        for number, line in enumerate(text.splitlines(), 1):
            for name in (FILE_NAME, SYMBOL_NAME, folder_name):
                for word in name.findall(line):
                    if is_elsewhere(word, ends, symbols, folders):
                        yield f"{path}:{number}: names {word}, which is not there"


RULES = {"layers": check_layers, "names": check_names, "headers": check_headers,
         "sizes": check_sizes, "format": check_format, "places": check_places, "mentions": check_mentions}


def main(arguments):
    root = arguments[0]
    breaches = [line for rule in arguments[1:] or RULES for line in RULES[rule](root)]
    for line in breaches:
        print(line)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
