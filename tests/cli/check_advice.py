#!/usr/bin/env python3
"""Each kernel of diseases.cu and healthy.cu gets exactly the advice that it needs, and the healthy
ones none: those of healthy.cu on machines of four generations.

usage: check_advice.py SOURCE BUILD clang|nvcc. Exit status 77: skipped, no such compiler.
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("programs", "")]
import compiled
import sanitized

# By kernel: the rule, the kind of access and on what its saving rests; one line each (two of two
# streams), and nothing else anywhere.
EXPECTED = {
    "strided": ("uncoalesced", "load", "counted"),
    "one_field_of_structures": ("uncoalesced", "load", "counted"),
    "rows_by_thread": ("uncoalesced", "load", "counted"),
    "columns_of_a_tile": ("bank-conflict", "load", "estimate"),
    "few_bins": ("privatise", "atomic", "estimate"),
    "few_bins_in_shared": ("privatise", "atomic", "estimate"),
    "one_row_of_bins": ("privatise", "atomic", "estimate"),
    "one_row_of_bins_in_shared": ("privatise", "atomic", "estimate"),
    "stream_beside_a_table": ("bypass-l1", "load", "measured"),
    "stream_beside_a_large_table": ("thrashing-l1", "load", "estimate"),
    "two_streams_beside_a_table": ("bypass-l1", "load", "measured"),
    "four_scalars": ("vectorise", "load", "counted"),
    "product_without_tiles": ("shared-tile", "load", "estimate"),
    **dict.fromkeys(["copy", "copy_vectors", "saxpy", "neighbours", "transpose_in_tiles", "reduction",
                     "many_bins", "many_bins_in_shared", "gather"]),
}
SEVERAL = {"two_streams_beside_a_table"}
MACHINES = ("v100", "a100", "gtx480", "h100")
# Of healthy.cu, likewise.
ON_ALL_MACHINES = {
    "every_body": ("shared-tile", "load", "estimate"),
    "transpose_without_tiles": ("uncoalesced", "store", "counted"),
    "doubles_in_columns": ("bank-conflict", "store", "estimate"),
    "one_counter": ("privatise", "atomic", "estimate"),
    "pairs_of_doubles": ("vectorise", "load", "counted"),
    "histogram_of_bytes": ("privatise", "atomic", "estimate"),  # a quarter of its bytes are 0
    "taken_by_lanes": ("privatise", "atomic", "estimate"),
    **dict.fromkeys(["bytes_once", "bytes_copied", "bytes_added", "value_of_a_block", "table_by_thread",
                     "table_in_rounds", "mask_of_bits", "waits_for_a_flag", "axpy_char", "axpy_short",
                     "axpy_double", "axpy_half", "reduction_by_shuffles", "scan_of_a_block",
                     "rows_with_padding", "stencil_through_shared", "filter_of_constants",
                     "taken_by_warps", "gather_nearby", "gather_from_a_table", "matrix_by_vector",
                     "transpose_padded", "bins_of_warps", "product_in_tiles", "polynomial",
                     "differences_of_rows"]),
}
# A table of 128 KiB beside an L1 of 48.
ON_ONE_MACHINE = {"gtx480": {"gather_from_a_table": ("thrashing-l1", "load", "estimate")}}
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}


def run(warpmem, *arguments, folder):
    done = subprocess.run([warpmem, *arguments], cwd=folder, capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(folder),
                               **sanitized.variables(warpmem)})
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done.stdout


def short(kernel):
    return kernel["signature"].split("(")[0]


def advice_of(annotation, what="advice"):
    """By kernel, what is advised (or tried) anywhere in it, with the line that it is of."""
    found = {}
    for kernel in annotation["kernels"]:
        lines = [line for section in kernel["sections"] for line in section["lines"]]
        found[short(kernel)] = [(one, line) for line in lines for one in line.get(what, [])]
    return found


def check_table(found, table, where):
    wrong = []
    assert set(found) == set(table), set(found) ^ set(table)
    for kernel, expected in table.items():
        given = [(one["rule"], one["kind"].replace("reduction", "atomic"), one["basis"])
                 for one, _ in found[kernel]]
        if given != [expected] * (0 if not expected else 2 if kernel in SEVERAL else 1):
            wrong.append(f"{where}: {kernel}: {[one['sentence'] for one, _ in found[kernel]] or 'none'}, "
                         f"not {expected}")
        for one, _ in found[kernel]:
            saving = {"measured": r"; measured: [0-9.]+ \w+ instead of [0-9.]+ \w+ between L1 and L2",
                      "counted": r"; counted \([^)]+\): saves (up to )?[0-9][0-9.]* ?\w* of [0-9]",
                      "estimate": r"; estimate \([^)]+\): saves (up to )?[0-9][0-9.]* ?\w* of [0-9]"}
            if not re.search(saving[one["basis"]], one["sentence"]):
                wrong.append(f"{where}: {kernel}: what is saved? {one['sentence']}")
    assert not wrong, "\n".join(wrong)


def check_machines(warpmem, program, folder):
    for machine in MACHINES:
        run(warpmem, "annotate", "-q", "-m", machine, "--json", "healthy.json", program, folder=folder)
        found = advice_of(json.loads((folder / "healthy.json").read_text()))
        tried = advice_of(json.loads((folder / "healthy.json").read_text()), "without_gain")
        check_table(found, {**ON_ALL_MACHINES, **ON_ONE_MACHINE.get(machine, {})}, machine)
        # Going around an L1 that is too small for the rest anyway gains a half per cent: no advice.
        given = {kernel: [one["rule"] for one, _ in all] for kernel, all in tried.items() if all}
        assert given == ({"gather_from_a_table": ["bypass-l1"]} if machine == "gtx480" else {}), given
        # A place in a queue is not to be had from a copy of the queue.
        assert "share out what it gets" in found["taken_by_lanes"][0][0]["sentence"], found["taken_by_lanes"]


def l1_l2_bytes(path, kernel):
    kernels = json.loads(path.read_text())["kernels"]
    own = next(it for it in kernels if short(it) == kernel)
    return sum(it["counters"]["l2.bytes"] for it in own["instructions"])


def check_bypass(warpmem, program, folder, advice):
    """What was measured is what runs have, with that load sent around L1, with its priority, and as it is."""
    around, first = advice["trials"]
    assert (around["what"], first["what"]) == ("bypass", "priority"), advice
    assert "warpmem bypass decides it for all loads of the kernel together" in advice["sentence"], advice
    assert "L1::evict_first" in advice["sentence"] and first["settings"][-1].endswith("=L1::evict_first"), advice
    run(warpmem, "run", "-q", "--json", "before.json", program, folder=folder)
    for trial in around, first:
        settings = [word for setting in trial["settings"] for word in ("--set", setting)]
        assert "the same with " + " ".join(settings) in advice["sentence"], advice
        run(warpmem, "run", "-q", *settings, "--json", "after.json", program, folder=folder)
        kernel = "stream_beside_a_table"
        before, after = (l1_l2_bytes(folder / name, kernel) for name in ("before.json", "after.json"))
        assert (trial["before"]["l2.bytes"], trial["after"]["l2.bytes"]) == (before, after), trial
        assert trial["gains"] and after < 0.7 * before, trial


def check_tried(found, tried):
    """What gains nothing is no advice; where loads gain together alone, it says so."""
    given = {kernel: [(one["rule"], one["basis"]) for one, _ in all] for kernel, all in tried.items() if all}
    assert given == {"stream_beside_a_large_table": [("bypass-l1", "measured")]}, given
    one = tried["stream_beside_a_large_table"][0][0]
    assert [(trial["what"], trial["gains"]) for trial in one["trials"]] == [
        ("bypass", False), ("priority", False)], one
    for one, _ in found["two_streams_beside_a_table"]:
        alone, priority, together = one["trials"]
        assert [it["what"] for it in one["trials"]] == ["bypass", "priority", "bypass-together"], one
        assert (alone["gains"], together["gains"]) == (False, True), one
        assert alone["before"] == together["before"] == priority["before"], one
        settings = " ".join(f"--set {setting}" for setting in together["settings"])
        assert "the same with " + settings in one["sentence"], one
        assert ("L1::evict_first" in one["sentence"]) == priority["gains"], one


def check_estimate(warpmem, program, folder, measured):
    """Without measuring, the estimate, which is not far off."""
    run(warpmem, "annotate", "-q", "--measure", "none", "--json", "estimate.json", program, folder=folder)
    annotation = json.loads((folder / "estimate.json").read_text())
    assert "measured" not in annotation and annotation["not_measured"], annotation.keys()
    one = advice_of(annotation)["stream_beside_a_table"][0][0]
    assert one["basis"] == "estimate" and "trials" not in one, one
    said = re.search(r"saves up to ([0-9.]+) (\w+) of", one["sentence"])
    trial = measured["trials"][0]
    saved = trial["before"]["l2.bytes"] - trial["after"]["l2.bytes"]
    estimate = float(said[1]) * UNITS[said[2]]
    assert 0.7 * estimate <= saved <= 1.1 * estimate, (saved, estimate)


def check_recording(warpmem, program, folder):
    """A recording is annotated as the program was."""
    run(warpmem, "record", "-q", "-o", "run.wmt", program, folder=folder)
    run(warpmem, "annotate", "-q", "--json", "again.json", "run.wmt", folder=folder)
    both = [json.loads((folder / name).read_text()) for name in ("lines.json", "again.json")]
    for annotation in both:
        for kernel in annotation["kernels"]:
            for section in kernel["sections"]:
                for line in section["lines"]:
                    line.pop("inlined", None)  # which a recording does not keep
    assert both[0] == both[1], "a recording's annotation is another one"


def check_in_time(warpmem, program, folder):
    run(warpmem, "annotate", "-q", "--measure", "clock", "-k", "stream_beside_a_table", "--json",
        "time.json", program, folder=folder)
    annotation = json.loads((folder / "time.json").read_text())
    assert annotation["measured"] == "clock", annotation
    one = advice_of(annotation)["stream_beside_a_table"][0][0]
    trial = one["trials"][0]
    assert trial["gains"] and trial["after"]["cycles"] < 0.95 * trial["before"]["cycles"], trial
    assert re.search(r"[0-9.]+ k instead of [0-9.]+ k cycles \(-", one["sentence"]), one


def main(arguments):
    root, build, compiler = Path(arguments[0]).resolve(), Path(arguments[1]).resolve(), arguments[2]
    if not (shutil.which(compiler) or compiler == "nvcc" and Path("/usr/local/cuda/bin/nvcc").exists()):
        print(f"skipped: no {compiler}")
        return 77
    warpmem = build / "src/cli/warpmem"
    program, healthy = (compiled.program(warpmem, root / "tests/cli" / source, compiler=compiler,
                                         flags=["-lineinfo"] if compiler == "nvcc" else [])
                        for source in ("diseases.cu", "healthy.cu"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(warpmem, "annotate", "-q", "--json", "lines.json", program, folder=folder)
        found = advice_of(json.loads((folder / "lines.json").read_text()))
        check_table(found, EXPECTED, "default")
        check_tried(found, advice_of(json.loads((folder / "lines.json").read_text()), "without_gain"))
        check_recording(warpmem, program, folder)
        measured = found["stream_beside_a_table"][0][0]
        check_bypass(warpmem, program, folder, measured)
        check_estimate(warpmem, program, folder, measured)
        check_in_time(warpmem, program, folder)
        check_machines(warpmem, healthy, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
