#!/usr/bin/env python3
"""warpmem compare against a comparison made here from the two runs' own JSON.
usage: check_compare.py SOURCE BUILD

Two builds of one source (compared.cu), recordings, machines of one replay, and both engines.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
import sanitized

SOURCE, BUILD = (Path(word).resolve() for word in sys.argv[1:])
EXE = BUILD / "src/cli/warpmem"


def run(folder, *words, status=0):
    environment = os.environ | {"LC_ALL": "C.UTF-8"} | (sanitized.variables(EXE) if "cc" not in words else {})
    done = subprocess.run([EXE, *map(str, words)], cwd=folder, capture_output=True, text=True,
                          env=environment)
    assert done.returncode == status, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def load(folder, name):
    return json.loads((folder / name).read_text())


def levels(components):
    sums = Counter()
    for part in components:
        for name, value in part["counters"].items():
            sums[re.sub(r"\[\d+\]", "[*]", part["path"]), name] += value
    return sums


def differences(a, b):
    """{key: [a, b]} of two counters, where they differ; None where a side does not have the key."""
    return {key: [a.get(key), b.get(key)] for key in {*a, *b} if a.get(key, 0) != b.get(key, 0)}


def as_pairs(entries):
    return {(entry["level"], entry["counter"]): entry["values"] for entry in entries}


def lines_of(kernel):
    """What each line and opcode caused, and how many instructions that is."""
    sums = {}
    for it in kernel["instructions"]:
        key = (it["source"] or {}).get("line", f"ptx {it['ptx_line']}"), it["text"].split()[0]
        entry = sums.setdefault(key, [0, Counter()])
        entry[0] += 1
        entry[1].update(it["counters"])
        entry[1]["load_cycles"] += it.get("timed", {}).get("load_cycles", 0)
    return sums


def check(folder, a, b, compared):
    """The comparison `compared` of results a and b, where no line moved but new and removed ones."""
    assert as_pairs(compared["levels"]) == differences(levels(a["components"]), levels(b["components"]))
    by_name = [{kernel["name"]: kernel for kernel in run["kernels"]} for run in (a, b)]
    names = [{pair["names"][side] for pair in compared["kernels"]} - {None} for side in range(2)]
    assert names == [set(kernels) for kernels in by_name]
    for pair in compared["kernels"]:
        left, right = (by_name[side].get(pair["names"][side]) for side in range(2))
        for key in ("launches", "warp_instructions", "thread_instructions", "cycles"):
            assert pair[key] == [None if side is None else side.get(key, 0) for side in (left, right)], \
                (pair["names"], key)
        sums = [levels(side["components"]) if side else {} for side in (left, right)]
        wanted = {key: [left, right] for key, (left, right) in differences(*sums).items()}
        assert as_pairs(pair["counters"]) == wanted, pair["names"]
    measured = [abs((pair["cycles"][0] or 0) - (pair["cycles"][1] or 0)) for pair in compared["kernels"]]
    assert measured == sorted(measured, reverse=True), "the largest change of cycles comes first"
    moved = [sum(abs((after or 0) - (before or 0)) for key, (before, after) in line["counters"].items()
                 if key.endswith(".bytes")) for line in compared["lines"]]
    assert moved == sorted(moved, reverse=True), "the line whose bytes changed most comes first"
    assert compared["differs"] == bool(compared["levels"] or compared["lines"] or
                                       any(pair["differs"] for pair in compared["kernels"]))


def check_machines(folder, engine):
    """One recording on two machines: lines are the same on both."""
    for number, machine in enumerate(("v100", "gtx480")):
        run(folder, "replay", "-q", "-e", engine, "-m", machine, "--json", f"{number}.json", "before.wmt")
    run(folder, "compare", "-q", "-e", engine, "before.wmt", "-m", "v100", "-m", "gtx480", "--json", "c.json")
    a, b, compared = (load(folder, name) for name in ("0.json", "1.json", "c.json"))
    check(folder, a, b, compared)
    wanted = {}
    for left, right in zip(a["kernels"], b["kernels"]):
        ours = lines_of(left)
        for key, (_, counters) in lines_of(right).items():
            changed = differences(ours[key][1], counters)
            if changed:
                wanted[left["name"], *key] = {name: [x or 0, y or 0] for name, (x, y) in changed.items()}
    got = {(line["kernel"], line["places"][0]["line"], line["opcode"]): line["counters"]
           for line in compared["lines"]}
    assert got == wanted, (got, wanted)
    keys = {entry["key"]: entry["values"] for entry in compared["machine"]}
    assert keys["gpu.sm.count"] == ["80", "15"] and keys["name"] == ["v100", "gtx480"], keys
    # Files say the same as replays, and the other way round everything is turned.
    run(folder, "compare", "-q", "0.json", "1.json", "--json", "files.json")
    run(folder, "compare", "-q", "1.json", "0.json", "--json", "turned.json")
    files, turned = load(folder, "files.json"), load(folder, "turned.json")
    assert [files[key] for key in ("kernels", "lines", "levels", "machine")] == \
        [compared[key] for key in ("kernels", "lines", "levels", "machine")]
    assert as_pairs(turned["levels"]) == \
        {key: values[::-1] for key, values in as_pairs(files["levels"]).items()}


def check_builds(folder):
    """Two builds of one source, of which one was edited."""
    for name in ("before", "after"):
        run(folder, "replay", "-q", "--json", f"{name}.json", f"{name}.wmt")
    run(folder, "compare", "-q", "before.wmt", "after.wmt", "--json", "c.json")
    a, b, compared = (load(folder, name) for name in ("before.json", "after.json", "c.json"))
    check(folder, a, b, compared)
    text = {number: line for number, line in enumerate(
        (folder / "compared.cu").read_text().splitlines(), 1)}
    sides = {}
    for line in compared["lines"]:
        if "edited" in line["kernel"] and line["opcode"].split(".")[1] == "global":
            place = line["places"][0] or line["places"][1]
            sides[text[place["line"]].strip().split("[")[0], line["opcode"].split(".")[0]] = \
                [side is not None for side in line["places"]]
    # The store to `marks` is gone; the load is the same line's, and what it moved changed.
    assert sides[("marks", "st")] == [True, False], sides
    assert sides[("to", "ld")] == [True, True], sides
    assert not [line for line in compared["lines"] if "same" in line["kernel"]
                and {"sectors", "executions"} & set(line["counters"])], "the other kernel is the same"
    states = {re.sub(r"\(.*", "", pair["signature"]): [name is not None for name in pair["names"]]
              for pair in compared["kernels"]}
    assert states == {"edited": [True, True], "same": [True, True], "dropped": [True, False],
                      "added": [False, True]}, states


def check_moved(folder):
    """Lines that an edit moved are found again, whatever their numbers and registers."""
    source = (folder / "compared.cu").read_text()
    (folder / "moved.cu").write_text(source.replace("enum {", "\n\n\nenum {", 1))
    run(folder, "cc", "moved.cu", "-o", "moved")
    (folder / "moved.cu").rename(folder / "elsewhere.cu")
    for name in ("before", "moved"):
        run(folder, "run", "-q", "--json", f"{name}.json", f"./{name}")
    results = load(folder, "moved.json")
    for kernel in results["kernels"]:
        for it in kernel["instructions"]:
            if it["source"]:
                it["source"]["file"] = it["source"]["file"].replace("moved.cu", "compared.cu")
            it["text"] = it["text"].replace("%rd", "%rd9")
    (folder / "moved.json").write_text(json.dumps(results))
    run(folder, "compare", "-q", "before.json", "moved.json", "--json", "c.json", "--fail-on-difference")
    assert load(folder, "c.json")["lines"] == [], "every instruction has its like, three lines below"
    # Under its own name the file is one that the other run does not have: a copy of the source.
    for kernel in results["kernels"]:
        for it in kernel["instructions"]:
            if it["source"]:
                it["source"]["file"] = it["source"]["file"].replace("compared.cu", "moved.cu")
    (folder / "renamed.json").write_text(json.dumps(results))
    run(folder, "compare", "-q", "before.json", "renamed.json", "--json", "c.json", "--fail-on-difference")
    assert load(folder, "c.json")["lines"] == [], "a copy under another name is the same code"


def check_text(folder):
    said = run(folder, "compare", "before.wmt", "after.wmt", "--set", "gpu.l1.size=16KiB")
    for part in ("A  before.wmt on v100: v100 (Tesla V100-SXM2-16GB), untimed walk\n",
                 "\nKernels, by change of DRAM bytes\n", " dropped, in A alone\n", " added, in B alone\n",
                 "\nLines, by change of bytes moved\n", " edited, in A alone\n", "\nLevels, by change"):
        assert part in said, f"{part!r} is missing:\n{said}"
    said = run(folder, "compare", "before.wmt", "--variant", "gpu.l1.size=16KiB", "--all")
    assert "\n  gpu.l1.size " in said and "B  before.wmt on v100 with gpu.l1.size=16KiB: " in said, said
    said = run(folder, "compare", "before.wmt", "after.wmt", "--kernel", "edited",
               "--fail-on-difference", status=1)
    assert "--kernel edited\n" in said and " same" not in said and "dropped" not in said, said


def check_columns(folder):
    """Each column of the tables of compare, of launches, and of machines side by side is explained."""
    said = run(folder, "compare", "-e", "clock", "before.wmt", "-m", "v100", "-m", "gtx480") + \
        run(folder, "replay", "-e", "clock", "--per-launch", "before.wmt", "-m", "v100", "-m", "gtx480")
    lines, heads = said.splitlines(), set()
    for line, below in zip(lines, lines[1:]):
        if re.match(r"(Kernels|Lines|Levels), by|Side by side", line):
            heads.update(re.split(r"  +", below.strip()))
        if line.startswith("Launch  "):
            heads.update(re.split(r"  +", line.strip()))
    heads = {head.removesuffix(": A") for head in heads}
    assert {"Launch", "Machine", "Counter", "load cycles", "time", "DRAM"} <= heads, heads
    for head in heads:
        assert f"{head}: a column of reports\n" in run(folder, "explain", head), head


def check_status(folder):
    run(folder, "compare", "-q", "before.wmt", "before.wmt", "--fail-on-difference")
    assert "Nothing that was counted differs." in run(folder, "compare", "before.json", "before.json")
    run(folder, "compare", "-q", "before.wmt", "after.wmt")
    run(folder, "compare", "-q", "before.wmt", "after.wmt", "--fail-on-difference", status=1)


def check_refusals(folder):
    def refused(message, *words):
        done = subprocess.run([EXE, "compare", *words], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 2 and message in done.stderr, (words, done.stderr)

    (folder / "other.json").write_text('{"format": "warpmem-comparison"}')
    (folder / "broken.json").write_text((folder / "before.json").read_text()[:5000])
    results = load(folder, "before.json")
    for name, change in (("text.json", lambda it: it["components"][0].update(counters={"blocks": "3"})),
                         ("none.json", lambda it: it.pop("kernels")),
                         ("minus.json", lambda it: it["kernels"][0].update(launches=-1)),
                         ("newer.json", lambda it: it.update(version=3)),
                         ("older.json", lambda it: it.update(version=1))):
        changed = json.loads(json.dumps(results))
        change(changed)
        (folder / name).write_text(json.dumps(changed))
        refused({"newer.json": "version 3", "older.json": "version 1"}.get(name, f"{name}: "), "before.json", name)
    refused("this is no result of warpmem run", "before.json", "other.json")
    refused("broken.json:", "broken.json", "before.json")
    refused("nothing to be compared with", "before.json")
    refused("one recording is compared on two machines", "before.wmt")
    refused("two recordings are compared on one machine", "before.wmt", "after.wmt", "-m", "v100",
            "-m", "gtx480")
    refused("cannot read \"missing\"", "missing", "before.json")
    refused("the walk has no cycles", "before.wmt", "-m", "gtx480", "-m", "gtx480+ccws")


def main():
    if not shutil.which("clang"):
        print("skipped: no clang on this machine")
        return 77
    with tempfile.TemporaryDirectory(prefix="warpmem-test-") as name:
        folder = Path(name)
        shutil.copy(SOURCE / "tests/cli/compared.cu", folder)
        run(folder, "cc", "compared.cu", "-o", "before")
        run(folder, "cc", "-DAFTER", "compared.cu", "-o", "after")
        for program in ("before", "after"):
            run(folder, "record", "-q", "-o", f"{program}.wmt", "--", f"./{program}")
        for engine in ("walk", "clock"):
            check_machines(folder, engine)
        check_builds(folder)
        check_moved(folder)
        check_text(folder)
        check_columns(folder)
        check_status(folder)
        check_refusals(folder)
    print("as it should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
