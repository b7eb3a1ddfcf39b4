#!/usr/bin/env python3
"""Plants the faults of faults.toml, one at a time, and says which of them a test catches.

usage: plant_faults.py ROOT [WORK [KIND…]]   plant them in a copy of ROOT's tracked files under WORK
                                             (a passing folder where it is not given), all or those
                                             of some kinds; exits 1 when one is not caught
       plant_faults.py --check ROOT BUILD    plant nothing: that each fault still has its place in
                                             the tree and its tests, and each hook its fault

A fault is caught when a test fails, crashes or does not end. One that does not build is no fault,
and an error of the list.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

LIST = Path(__file__).with_name("faults.toml")
LONGEST = 120  # seconds, of a test


def kinds():
    return tomllib.loads(LIST.read_text(encoding="utf-8"))["kind"]


def tests_of(kind, fault):
    return fault.get("tests", kind["tests"])


# --- That the list is true ---

def struct_body(text, name):
    """What stands between the braces of a struct of functions, without comments."""
    found = re.search(rf"struct {name} {{\n(.*?)\n}};", text, re.S)
    return re.sub(r"//[^\n]*", "", found.group(1))


def hooks_of(root, kind):
    body = struct_body((root / kind["header"]).read_text(), kind["ops"])
    functions = re.findall(r"\(\*(\w+)\)\(", body)
    flags = [name.strip() for names in re.findall(r"\bbool ([\w, ]+);", body)
             for name in names.split(",")]
    return functions, flags if kind.get("flags") else []


def entries_of(root, kind):
    """Each entry's name, and the hooks and flags that it has."""
    functions, flags = hooks_of(root, kind)
    for path in sorted((root / kind["entries"]).glob("*.c")):
        for body in re.findall(rf"const struct {kind['ops']} \w+ = {{\n(.*?)\n}};",
                               path.read_text(), re.S):
            name = re.search(r"\.name = \"([^\"]+)\"", body).group(1)
            has = [hook for hook in functions if re.search(rf"\.{hook} = (?!NULL)", body)]
            yield name, has + [flag for flag in flags if f".{flag} = true" in body]


def check_lists(root):
    """That what a file defines is registered: one that is not compiles, and is in no machine."""
    for kind in kinds():
        if "ops" not in kind:
            continue
        folder = root / kind["entries"]
        listed = {name for header in folder.glob("*.h")
                  for name in re.findall(r"\bX\((\w+)\)", header.read_text())}
        front = kind["ops"].removesuffix("_ops")
        for path in sorted(folder.glob("*.c")):
            for name in re.findall(rf"^const struct {kind['ops']} {front}_(\w+) = ",
                                   path.read_text(), re.M):
                if name not in listed:
                    yield (f"{kind['name']}: {path.relative_to(root)} defines {front}_{name}, and "
                           f"the list in {kind['entries']}/ lacks X({name})")


def check_places(root):
    for kind in kinds():
        for fault in kind["fault"]:
            text = (root / fault["file"]).read_text() if (root / fault["file"]).is_file() else ""
            count = text.count(fault["old"])
            if count != 1 or fault["old"] == fault["new"]:
                yield (f"{kind['name']}: the place of \"{fault['of'][0]}\" is there {count} times, "
                       f"not once, in {fault['file']}: {fault['old']!r}")


def check_hooks(root):
    for kind in kinds():
        named = {of for fault in kind["fault"] for of in fault["of"] if not of.startswith("rule: ")}
        if "ops" not in kind:
            yield from (f"{kind['name']}: \"{of}\", and the kind has no hooks" for of in named)
            continue
        functions, flags = hooks_of(root, kind)
        entries = dict(entries_of(root, kind))
        for entry, has in entries.items():
            yield from (f"{kind['name']}: no fault breaks {entry}.{hook}" for hook in has
                        if f"{entry}.{hook}" not in named)
        for hook in functions + flags:
            if not any(of.endswith("." + hook) for of in named):
                yield f"{kind['name']}: no fault breaks the hook {hook}"
        for of in named:
            entry, hook = of.split(".")
            if entry not in entries and entry != "caller" or hook not in functions + flags:
                yield f"{kind['name']}: \"{of}\" is no hook of an entry"


def introspect(build, what):
    return json.loads(subprocess.run(["meson", "introspect", what, build], check=True, text=True,
                                     capture_output=True).stdout)


def known_tests(build):
    return {test["name"]: test for test in introspect(build, "--tests")}


def check_tests(build):
    known = known_tests(build)
    for kind in kinds():
        for name in {name for fault in kind["fault"] for name in tests_of(kind, fault)}:
            if name not in known:
                yield f"{kind['name']}: there is no test \"{name}\""


def check(root, build):
    wrong = [*check_places(root), *check_lists(root), *check_hooks(root), *check_tests(build)]
    faults = sum(len(kind["fault"]) for kind in kinds())
    print("\n".join(wrong) or f"{faults} faults have their places and tests, and each hook a fault")
    return 1 if wrong else 0


# --- Planting ---

def copy_tracked(root, tree):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, text=True,
                            capture_output=True).stdout
    for name in listed.split("\0"):
        source, target = root / name, tree / name
        if name and source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.is_file() or target.read_bytes() != source.read_bytes():
                target.write_bytes(source.read_bytes())
                target.chmod(source.stat().st_mode)


def build(folder, tests):
    """What the tests run: themselves, or, of a script, the programs and libraries it depends on."""
    made = {target["id"]: target["filename"] for target in introspect(folder, "--targets")}
    files = {name for test in tests for number in test["depends"] for name in made[number]}
    targets = sorted(os.path.relpath(name, folder) for name in files)
    return subprocess.run(["ninja", "-C", folder, "-j", "2", *targets], text=True,
                          capture_output=True)


def verdict(folder, test):
    """None when it passes. It runs in the build folder, as under meson, unless it says where."""
    try:
        status = subprocess.run(test["cmd"], env=os.environ | test["env"],
                                cwd=test["workdir"] or folder, capture_output=True,
                                timeout=min(test["timeout"], LONGEST)).returncode
        return None if status == 0 else test["name"]
    except subprocess.TimeoutExpired:
        return test["name"] + ", which does not end"


def outcome(folder, tests):
    """What catches the fault that is planted: a test's name, or what is wrong with it."""
    built = build(folder, tests)
    if built.returncode != 0:
        return None, "does not build: " + "".join(re.findall(r"error: .*", built.stdout)[:1])
    for test in tests:
        failed = verdict(folder, test)
        if failed:
            return failed, None
    return None, "NOT CAUGHT"


def plant(tree, folder, fault, tests):
    path = tree / fault["file"]
    text = path.read_text()
    path.write_text(text.replace(fault["old"], fault["new"]))
    try:
        return outcome(folder, tests)
    finally:
        path.write_text(text)


def main(root, work, wanted):
    tree, folder = work, work / "build"
    copy_tracked(root, tree)
    if not folder.is_dir():
        # As ./dev build, and where: a compiler cache then has all but what a fault changes.
        subprocess.run(["meson", "setup", folder, tree], check=True,
                       stdout=subprocess.DEVNULL)
    known, missed, planted, began = known_tests(folder), 0, 0, time.monotonic()
    for kind in kinds():
        if wanted and kind["name"] not in wanted:
            continue
        every = sorted({name for fault in kind["fault"] for name in tests_of(kind, fault)})
        without = outcome(folder, [known[name] for name in every])
        if without[1] != "NOT CAUGHT":
            print(f"{kind['name']}: without a fault, {without[0] or ''} {without[1] or 'fails'}")
            return 1
        for fault in kind["fault"]:
            by, wrong = plant(tree, folder, fault, [known[name] for name in tests_of(kind, fault)])
            planted += 1
            missed += by is None
            print(f"{kind['name']:24} {', '.join(fault['of']):60} {wrong or 'caught by ' + by}",
                  flush=True)
    print(f"{planted} faults, {planted - missed} caught, in {time.monotonic() - began:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--check":
        sys.exit(check(Path(sys.argv[2]), sys.argv[3]))
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    with tempfile.TemporaryDirectory(prefix="faults.") as passing:
        where = Path(sys.argv[2] if len(sys.argv) > 2 else passing)
        sys.exit(main(Path(sys.argv[1]).resolve(), where.resolve(), sys.argv[3:]))
