#!/usr/bin/env python3
"""The rules of the house, checked on the tracked files. usage: check_house.py ROOT [RULE…]

  layers   a room includes rooms on lower floors only (docs/architecture.md)
  private  a header whose opening comment says "Private to mem/dram/" is included below that folder
           alone; one that no other room includes says so
  circles  units (x.c, x.h, and x_parts.h and x_state.h where these are private) do not include
           each other in a circle, with the exceptions that CIRCLES gives a reason for
  names    file names say what is inside (no "util", "misc", "common")
  headers  headers carry an include guard named after their room and name
  sizes    no source file past 800 lines, with the exceptions listed below
  format   clang-format has nothing to say
  places   no tracked text names a folder of somebody's own machine
  mentions what pages and comments name is there: files, folders, symbols
  processor  what the processor can do, and WARPMEM_ISA, is read in base/host/processor.c alone
  memory   arrays grow in base/containers/array alone, and one wording (base/error.h) says that memory ran out

Prints one line a breach, "path:line: what", and exits 1 when there is any.
"""
import graphlib
import re
import subprocess
import sys
from pathlib import Path

FLOORS = [
    {"base"},
    {"ptx", "trace"},
    {"sm", "cpu", "mem", "exec"},
    {"machine", "source"},
    {"engine"},
    {"study", "bypass"},
    {"cli", "cuda", "library", "host_trace"},
]
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
VAGUE = re.compile(r"(^|_)(util|utils|misc|common|helper|helpers|stuff)(_|\.|$)")
LONGEST = 800
# Includes that close a circle inside a room, (unit, beginning of the unit that it includes): why.
CIRCLES = {
    ("bypass/program", "bypass/forced_loads"): "a step of making a program, on its struct",
    ("cli/run/program_run", "cli/run/outputs"): "a step of a run, over what was asked of it",
    ("cuda/device/kernel_launches", "cuda/device/kernel_services"): "kernels launch kernels",
    ("cuda/device/kernel_launches", "cuda/graph/graph_run"): "and graphs, whose nodes are kernels",
    ("cuda/graph/graph", "cuda/graph/graph_work"):
        "a node does a command of the device; a command on a stream that is captured is a node",
    ("cuda/graph/graph_launch", "cuda/graph/graph_run"): "a step of it, on its struct",
    ("cuda/memory/allocation_table", "cuda/memory/pool"): "it owns the pools, which fill it",
    ("cuda/process", "cuda/"): "it owns the parts of the process, which all take its lock",
    ("engine/session/session", "engine/"): "it owns the parts of a session, which work on it",
    ("engine/clock/clock", "engine/clock/timeline_writer"): "a part of the clock, on its struct",
    ("engine/session/results", "engine/session/host_device_races"): "a part of the results",
    ("engine/profile/load_profile", "engine/profile/load_sets"): "a step of it, on its struct",
    ("engine/record/recorder", "engine/record/recorder_items"): "the inside of a recorder",
    ("engine/replay/recorded_work", "engine/replay/recorded_block"): "the inside of its blocks",
    ("exec/device_runtime/device_services", "exec/device_runtime/runtime_calls"):
        "device_services.h is what cuda/ fills in; its calls are handlers as the others",
    ("exec/memory/device_memory", "exec/memory/virtual_memory"): "it owns its virtual memory",
    ("exec/operations/memory_ops", "exec/operations/local_ops"):
        "local memory is a case of memory, and what is no plain move there is any instruction's",
    ("exec/sync/warp_sync", "exec/operations/matrix_ops"):
        "a matrix instruction waits as all that lanes do together, and is done when they have met",
    ("mem/cache/cache", "mem/cache/"): "it owns the arrays of its parts, which work on it",
    ("mem/dram/channel", "mem/dram/"): "a channel's queues and timing work on its state",
    ("mem/dram/dram_spec", "mem/dram/address_map"): "a spec's check tries out its mapping",
    ("mem/system/memory", "mem/explain/explain"): "it owns the shadows, which read its caches",
    ("mem/timed/level/level", "mem/timed/level/"): "it owns its parts, which work on it",
    ("mem/timed/node/node", "mem/timed/node/copies"): "it owns its part, which works on it",
    ("sm/issue/issue_core", "sm/issue/issue_core_cycle"): "its cycle, to be inlined elsewhere",
    ("study/database/results_database", "study/database/query"): "its statements, on its struct",
    ("study/file/study_file", "study/file/"): "study_file.h is data; sections fill it in",
    ("study/page/study_rows", "study/page/results_file"): "the readers of its rows",
}
SOURCES = ("src/*.c", "src/*.h", "src/*.inc", "src/*.def")


def tracked(root, *patterns):
    out = subprocess.run(["git", "-C", root, "ls-files", *patterns], check=True,
                         capture_output=True, text=True).stdout
    return [line for line in out.splitlines() if (Path(root) / line).is_file()]


def includes_of(root, path):
    """Line and path, from src/ on, of each #include of a file of ours."""
    for number, line in enumerate((Path(root) / path).read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if match:
            yield number, match.group(1)


def room_of(path):
    parts = Path(path).parts
    return parts[1] if len(parts) > 2 and parts[0] == "src" else None


def check_layers(root):
    for path in tracked(root, *SOURCES):
        room = room_of(path)
        if room not in FLOOR_OF:
            yield f"{path}:1: \"{room}\" is not a room of the house"
            continue
        for number, included in includes_of(root, path):
            other = included.split("/")[0]
            if "/" not in included:
                yield f"{path}:{number}: include \"{included}\" does not name its room"
            elif other == "warpmem":
                continue
            elif other not in FLOOR_OF:
                yield f"{path}:{number}: include of \"{other}\", which is no room"
            elif other != room and FLOOR_OF[other] >= FLOOR_OF[room]:
                yield (f"{path}:{number}: {room} (floor {FLOOR_OF[room]}) includes {other} "
                       f"(floor {FLOOR_OF[other]}); only lower floors may be included")


def owner_of(root, header):
    """The folder that a header is private to, by its opening comment; None when it is not."""
    opening = re.match(r"(?://.*\n)*", (Path(root) / header).read_text()).group()
    words = " ".join(line[2:].strip() for line in opening.splitlines())
    match = re.search(r"\b[Pp]rivate to ([a-z0-9_/]+)/", words)
    return match and "src/" + match.group(1) + "/"


def check_private(root):
    owners = {header: owner_of(root, header) for header in tracked(root, "src/*.h")}
    used_elsewhere = set()
    for path in tracked(root, *SOURCES):
        for number, included in includes_of(root, path):
            header = "src/" + included
            if header in owners and room_of(header) != room_of(path):
                used_elsewhere.add(header)
            owner = owners.get(header)
            if owner and not path.startswith(owner):
                yield f"{path}:{number}: {included} is private to {owner}"
    for header, owner in owners.items():
        floor = FLOOR_OF.get(room_of(header))
        if owner and not header.startswith(owner):
            yield f"{header}:1: is private to {owner}, where it does not lie"
        # All rooms may include the ground floor, no room the top one; so neither needs marks.
        if not owner and header not in used_elsewhere and floor in range(1, len(FLOORS) - 1):
            yield (f"{header}:1: no other room includes it: its opening comment shall say "
                   f"\"Private to {Path(header).parent.relative_to('src')}/.\", or that of its room")


def unit_of(root, path):
    """x.c and x.h are one, with x_parts.h or x_state.h where these are private."""
    unit, ending = path.removeprefix("src/").rsplit(".", 1)
    front = re.sub("_(parts|state)$", "", unit)
    return front if ending == "h" and front != unit and owner_of(root, path) else unit


def circle_in(edges):
    users = {}
    for user, used in sorted(edges):
        users.setdefault(user, []).append(used)
    try:
        graphlib.TopologicalSorter(users).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return None


def check_circles(root):
    edges = {}
    for path in tracked(root, *SOURCES):
        for number, included in includes_of(root, path):
            edge = unit_of(root, path), unit_of(root, "src/" + included)
            if edge[0] != edge[1] and room_of(path) == room_of("src/" + included):
                edges.setdefault(edge, f"{path}:{number}")
    by_reason = {allowed: [edge for edge in edges if edge[0] == allowed[0]
                           and edge[1].startswith(allowed[1])] for allowed in CIRCLES}
    left = set(edges).difference(*by_reason.values())
    while circle := circle_in(left):
        closing = circle[1], circle[0]
        yield f"{edges[closing]}: closes a circle: {' <- '.join(circle)}"
        left.discard(closing)
    for allowed, meant in by_reason.items():
        if (Path(root) / "src" / (allowed[0] + ".h")).exists() and not circle_in(left.union(meant)):
            yield f"src/{allowed[0]}.h:1: closes no circle that CIRCLES has to allow: {allowed[1]}"


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


REALLOC = re.compile(r"(?<!\*)\brealloc(array)?\s*\(")  # calls, not a definition: "void *realloc("
NO_MEMORY = re.compile(r'"([^"]*: )?(no|out of)( host)? memory\b')


def check_memory(root):
    for path in tracked(root, "src/*.c", "src/*.h", "src/*.inc"):
        if path in ("src/base/containers/array.c", "src/base/error.h"):
            continue
        for number, line in enumerate((Path(root) / path).read_text().splitlines(), 1):
            if REALLOC.search(line):
                yield f"{path}:{number}: realloc: an array grows by a macro of base/containers/array.h"
            if NO_MEMORY.search(line):
                yield f"{path}:{number}: an error of its own: call wm_fail_no_memory, or use WM_NO_MEMORY_FOR"


# What pages and comments may name though it is not here: files of other projects, and of readers.
ELSEWHERE = {
    "Cbc_C_Interface.h": "Cbc", "cuda_device_runtime_api.h": "CUDA", "cuda_occupancy.h": "CUDA",
    "crt/host_runtime.h": "CUDA", "inc/trace_instruction.h": "ChampSim",
    "ISA_Def/volta_opcode.h": "Accel-Sim", "dinfmt.c": "Dinero IV", "xdinfmt.c": "Dinero IV",
    "cuda/runtime_prototypes.h": "made by the build", "runtime_prototypes.h": "made by the build",
    "cuda/driver/driver_prototypes.h": "made by the build", "driver_prototypes.h": "made by the build",
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
        stem = re.sub(r"(NAME|FAMILY)$", "", word.rstrip("*…"))  # wm_decode_FAMILY
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


# src/cli/main.c looks whether warpmem can run at all (docs/decisions/0010), before anything else.
def check_processor(root):
    allowed = {"src/base/host/processor.c", "src/cli/main.c"}
    for path in tracked(root, "src/*.c", "src/*.h", "src/*.inc"):
        text = (Path(root) / path).read_text()
        for number, line in enumerate(text.splitlines(), 1):
            if path not in allowed and re.search(r'__builtin_cpu_|"WARPMEM_ISA"', line):
                yield f"{path}:{number}: reads what the processor can do; base/host/processor.h has the answer"


RULES = {"layers": check_layers, "private": check_private, "circles": check_circles,
         "names": check_names, "headers": check_headers, "sizes": check_sizes,
         "format": check_format, "places": check_places, "mentions": check_mentions,
         "processor": check_processor, "memory": check_memory}


def main(arguments):
    root = arguments[0]
    breaches = [line for rule in arguments[1:] or RULES for line in RULES[rule](root)]
    for line in breaches:
        print(line)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
