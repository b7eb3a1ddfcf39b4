#!/usr/bin/env python3
"""The books balance: what the lines of an annotation say adds up to what the instructions did, and
that to what the components counted, kernel by kernel, on workloads and machines.

usage: check_sums.py SOURCE BUILD. Exit status 77: no clang.
"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import sanitized

RUNS = [
    ("workloads/spmv.cu", ["--n", "2000"], "v100"),
    ("workloads/stencil.cu", ["--width", "96", "--height", "64", "--steps", "2"], "gtx480"),
    ("workloads/gemm.cu", ["--n", "64", "--variant", "tiled"], "v100"),
    ("workloads/transpose.cu", ["--width", "128", "--height", "128"], "gtx480"),
    ("workloads/bfs.cu", ["--n", "2000"], "titanx-pascal"),
    ("workloads/histogram.cu", ["--n", "20000"], "v100"),
    ("workloads/scan.cu", ["--n", "20000"], "hd7970"),
    ("tests/cli/side_caches.cu", [], "gtx480"),
    ("tests/cli/side_caches.cu", [], "hd7970"),
]
SIDE_CACHES = ["constant", "texture", "scalar", "instruction_cache"]
REACHES = ("global", "local", "texture")


def no_key_twice(pairs):
    assert len(dict(pairs)) == len(pairs), f"a key twice: {[key for key, _ in pairs]}"
    return dict(pairs)


def total(components, kinds, name):
    return sum(it["counters"][name] for it in components if it["kind"] in kinds)


def check_kernel(kernel, annotated, counters, explained):
    """One kernel's lines against its instructions, and these against its components."""
    lines = [line for section in annotated["sections"] for line in section["lines"]
             if "counters" in line]
    shown = [it for it in kernel["instructions"] if it["space"] != "parameter"]
    for name in counters:
        of_level = name.endswith((".hits", ".misses", ".bytes"))
        asked = [it for it in shown if of_level or it["space"] in REACHES]
        assert sum(line["counters"][name] for line in lines) == sum(
            it["counters"][name] for it in asked), f"lines: {name}"
    for name in explained:
        assert sum(line["explained"][name] for line in lines) == sum(
            it["explained"][name] for it in shown), f"lines: {name}"

    # Where there are instruction caches, what fetching code caused is like one instruction more.
    counters_by_pc = kernel["instructions"] + ([kernel["fetches"]] if "fetches" in kernel else [])

    def instructions(name):
        return sum(it["counters"].get(name, 0) for it in counters_by_pc)

    parts = kernel["components"]
    for level in ("l1", *SIDE_CACHES, "l2"):
        for what in ("hits", "misses"):
            assert total(parts, [level], what) == instructions(f"{level}.{what}"), f"{level} {what}"
    moved = total(parts, ["l2"], "bytes_from_above") + total(parts, ["l2"], "bytes_to_above")
    assert moved == instructions("l2.bytes"), "bytes between L1 and L2"
    # Why they missed: the classes add up to the misses, of caches and of instructions.
    classes = ["cold", "coherence", "capacity", "conflict", "unallocated"]
    for level, caches in (("l1", ["l1"]), ("side_cache", SIDE_CACHES), ("l2", ["l2"])):
        misses = sum(it["explained"][f"{level}_{name}"] for it in counters_by_pc for name in classes)
        assert misses == total(parts, caches, "misses") == sum(
            total(parts, [kind + "_explained" for kind in caches], name) for name in classes), level
        # Of requests likewise.
        kinds = ["cold", "same_warp", "other_warp", "refused", "dropped", "unallocated"]
        missed = sum(it["explained"][f"{level}_accesses_{name}"] for it in counters_by_pc for name in kinds)
        assert missed == total(parts, caches, "accesses_missed") == sum(
            total(parts, [kind + "_explained" for kind in caches], "accesses_" + name)
            for name in kinds), f"{level}, requests"
    return sum(line["counters"].get(f"{level}.misses", 0) for line in lines for level in ("l1", *SIDE_CACHES))


def check_constants(kernel):
    """A machine that serves constants alone by its constant caches."""
    loads = [it["counters"] for it in kernel["instructions"] if it["space"] == "constant"]
    parts = kernel["components"]
    assert sum(it["requests"] for it in loads) == total(parts, ["constant"], "accesses") > 0
    assert sum(it["sectors"] for it in loads) == (
        total(parts, ["constant"], "hits") + total(parts, ["constant"], "misses"))
    assert sum(it["l2.bytes"] for it in loads) == total(parts, ["constant"], "bytes_from_below")
    assert sum(it["sectors"] for it in loads) * 32 == total(parts, ["constant"], "bytes_to_above")
    explained = [it["explained"] for it in kernel["instructions"] if it["space"] == "constant"]
    assert sum(it["side_cache_fetched_bytes"] for it in explained) == total(
        parts, ["constant_explained"], "fetched_bytes") > 0


def check_bytes(results):
    """Over the run, because what is left of one kernel may go under the next."""
    its = [it["explained"] for kernel in results["kernels"]
           for it in kernel["instructions"] + ([kernel["fetches"]] if "fetches" in kernel else [])]
    for level, kinds in (("l1", ["l1"]), ("side_cache", SIDE_CACHES)):
        for name in ("fetched_bytes", "unused_sector_bytes", "unused_bytes"):
            assert sum(it[f"{level}_{name}"] for it in its) == total(
                results["components"], [kind + "_explained" for kind in kinds], name), name
    reads = sum(it["reads_" + kind] for it in its
                for kind in ("private", "boundary", "broadcast", "dynamic"))
    # A scalar cache serves constants where there is no constant cache.
    spaces = REACHES
    if not any(it["kind"] == "constant" for it in results["components"]):
        spaces += ("constant",)
    assert reads == sum(it["counters"]["requests"] for kernel in results["kernels"]
                        for it in kernel["instructions"]
                        if it["space"] in spaces and it["kind"] == "load"), "reads"


def main(source, build):
    if not (shutil.which("clang") or shutil.which("clang-14")):
        print("skipped: clang is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PATH": f"{build / 'src/cli'}:/usr/local/bin:/usr/bin:/bin", "HOME": folder,
                       "LC_ALL": "C.UTF-8", **sanitized.variables(build / "src/cli/warpmem")}

        def warpmem(*words):
            subprocess.run(["warpmem", *words], cwd=folder, env=environment, check=True,
                           stdout=subprocess.DEVNULL, timeout=240)

        for program in {program for program, _, _ in RUNS}:
            warpmem("cc", source / program, "-o", Path(program).stem)
        misses = 0
        for program, arguments, machine in RUNS:
            command = ["./" + Path(program).stem, *arguments]
            warpmem("run", "-q", "--explain", "-m", machine, "--json", "results.json", *command)
            warpmem("annotate", "-q", "-m", machine, "--json", "lines.json", *command)
            results = json.loads(Path(folder, "results.json").read_text(),
                                 object_pairs_hook=no_key_twice)
            annotation = json.loads(Path(folder, "lines.json").read_text())
            counters = list(results["counters"]["instruction"]["counters"])
            explained = list(results["counters"]["instruction_explained"]["counters"])
            assert len(results["kernels"]) == len(annotation["kernels"]) > 0
            for kernel, annotated in zip(results["kernels"], annotation["kernels"]):
                try:
                    misses += check_kernel(kernel, annotated, counters, explained)
                    if program == "tests/cli/side_caches.cu" and machine == "gtx480":
                        check_constants(kernel)
                except AssertionError as error:
                    raise AssertionError(f"{command} on {machine}, {kernel['name']}: {error}")
            check_bytes(results)
        assert misses > 10000, "hardly anything was counted"
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
