#!/usr/bin/env python3
"""Runs programs with and without errors under `warpmem run --check`: the errors are found, with
their source lines, and nothing else is. usage: run_checks.py WARPMEM CASE [WORKLOAD.CU ARGUMENTS…]
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))
sys.path.insert(0, str(HERE.parent))
import compiled  # noqa: E402
import sanitized  # noqa: E402
import os  # noqa: E402

ENGINES = (["--engine", "walk"], ["--engine", "clock"], ["--no-memory"])


class Failed(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failed(what)


def lines(name):
    """The marked lines of a program, by what is written behind the mark."""
    found = {}
    for number, line in enumerate((HERE / name).read_text().splitlines(), 1):
        mark = re.search(r"// LINE: (.*)$", line)
        if mark:
            found[mark.group(1)] = number
    return found


def check(warpmem, program, checks, arguments=(), options=()):
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        environment = {k: v for k, v in os.environ.items() if not k.startswith("WARPMEM_")
                       or k in ("WARPMEM_MACHINES", "WARPMEM_ISA")}
        asked = ["--check", checks] if checks else []
        done = subprocess.run([warpmem, "run", "-q", *asked, "--json", report, *options,
                               "--", program, *arguments], capture_output=True, text=True,
                              timeout=200, env=environment | sanitized.variables(warpmem))
        expect(report.exists(), f"status {done.returncode}\n{done.stdout}{done.stderr}")
        return done, json.loads(report.read_text()).get("findings")


def said(findings):
    return sorted((finding["kind"], tuple(access["source_line"]
                                          for access in finding.get("accesses", [])))
                  for finding in findings)


def races(warpmem):
    at = lines("races.cu")
    program = compiled.program(warpmem, HERE / "races.cu")
    wanted = {("read_after_write", (at["sum"], at["sum"])),
              ("write_after_read", (at["sum"], at["sum"])),
              ("write_after_write", (at["write twice"], at["write twice"])),
              ("write_after_read", (at["overwritten"], at["overwrites"])),
              ("read_after_write", (at["own part"], at["others' parts"]))}
    # Which of the two a racing pair is depends on the order of warps, as a race's outcome does.
    either = {("read_after_write", (at["overwrites"], at["overwritten"]))}
    for options in ENGINES:
        done, findings = check(warpmem, program, "race", ["bad"], options)
        found = set(said(findings))
        expect(done.returncode == 1, f"status {done.returncode}")
        expect(found <= wanted | either, f"{options}: too much: {found - wanted - either}")
        kinds = {kind for kind, _ in found}
        expect("write_after_write" in kinds and len(found) >= 3, f"{options}: missing: {found}")
        expect(any(place == (at["sum"], at["sum"]) for _, place in found), "the sum's race")
        expect(("read_after_write", (at["own part"], at["others' parts"])) in found,
               "the race of who comes last")
        expect("races.cu" in done.stderr and "race on shared memory" in done.stderr, done.stderr)
        done, findings = check(warpmem, program, "race", ["good"], options)
        expect(done.returncode == 0 and not findings, f"{options}: {findings}")
        expect("found nothing" in done.stderr, done.stderr)


def phases(warpmem):
    """mbarriers and a cluster's barrier: what they order is no race, and what they do not is one."""
    at = lines("phases.cu")
    program = compiled.program(warpmem, HERE / "phases.cu")
    wanted = {"not emptied": ("empty", "fill too soon"), "no test": ("before", "read"),
              "behind": ("behind", "read behind"), "another": ("own", "other"),
              "sent": ("sent", "received"), "relaxed": ("shared", "cluster read"),
              "cluster behind": ("shared behind", "cluster read behind")}
    for options in ENGINES:
        options = [*options, "-m", "h100"]
        done, findings = check(warpmem, program, "race", ["good"], options)
        expect(done.returncode == 0 and not findings, f"{options}: {findings}")
        for how, marks in wanted.items():
            done, findings = check(warpmem, program, "race", [how], options)
            places = {frozenset(places) for _, places in said(findings)}
            expect(done.returncode == 1 and places == {frozenset(at[mark] for mark in marks)},
                   f"{how} with {options}: {findings}\n{done.stdout}{done.stderr}")


def reads(warpmem):
    at = lines("reads.cu")
    program = compiled.program(warpmem, HERE / "reads.cu")
    for options in ENGINES:
        done, findings = check(warpmem, program, "init", ["bad"], options)
        expect(done.returncode == 1, f"status {done.returncode}")
        expect(said(findings) == [("uninitialised_global", (at["global"],)),
                                  ("uninitialised_shared", (at["shared"],)),
                                  ("uninitialised_shared", (at["shared"],))] or
               said(findings) == [("uninitialised_global", (at["global"],)),
                                  ("uninitialised_shared", (at["shared"],))], str(said(findings)))
        # 128 of 256 numbers, four bytes each; the first is byte 512 of the second allocation.
        expect(findings[0]["count"] == 128 and findings[0]["what"] == "byte 512 of cudaMalloc #2",
               str(findings[0]))
        done, findings = check(warpmem, program, "init", ["good"], options)
        expect(done.returncode == 0 and not findings, f"{options}: {findings}")


def leaks(warpmem):
    at = lines("reads.cu")
    program = compiled.program(warpmem, HERE / "reads.cu")
    done, findings = check(warpmem, program, "leak", ["bad"], ["--no-memory"])
    expect(done.returncode == 1, f"status {done.returncode}")
    by_kind = {finding["what"].split(" of ")[0]: finding for finding in findings}
    memory, streams = by_kind["device memory"], by_kind["streams never destroyed"]
    # The loop may have been unrolled: then three places leak once each.
    every = [finding for finding in findings if finding["what"].startswith("device memory")]
    expect(sum(finding["count"] for finding in every) == 3 and
           sum(finding["bytes"] for finding in every) == 3000, str(every))
    expect("forget" in memory["what"] or "main" in memory["what"] or "reads" in memory["what"],
           str(memory))
    expect(streams["count"] == 1, str(streams))
    expect(any(finding["kind"] == "heap_leak" and finding["count"] == 2 for finding in findings),
           str(findings))
    done, findings = check(warpmem, program, "leak", ["good"], ["--no-memory"])
    expect(done.returncode == 0 and not findings, str(findings))
    # With debugging information the line is told.
    with tempfile.TemporaryDirectory() as folder:
        debug = Path(folder) / "reads"
        subprocess.run([warpmem, "cc", "-g", "-O0", HERE / "reads.cu", "-o", debug], check=True,
                       env={k: v for k, v in os.environ.items() if k != "LD_PRELOAD"})
        _, findings = check(warpmem, debug, "leak", ["bad"], ["--no-memory"])
        expect(any(f"reads.cu:{at['leak']}" in finding["what"] for finding in findings),
               str(findings))


def strays(warpmem):
    """Beyond an allocation, within what a driver maps: it passes, is told once and is no failure;
    with --check memory, and further away, it stops the kernel."""
    at = lines("strays.cu")
    program = compiled.program(warpmem, HERE / "strays.cu")
    past = "past the end of cudaMalloc #"
    wanted = {"scale": ([("out_of_bounds", (at["beyond"],))] * 2, 72, f"0 bytes {past}1"),
              "difference": ([("out_of_bounds", (at["neighbour"],))], 1, f"0 bytes {past}1"),
              "100": ([("out_of_bounds", (at["far"],))], 1, f"100 bytes {past}2"),
              "2000000": ([("out_of_bounds", (at["far"],))], 1, f"2000000 bytes {past}2")}
    for options in ENGINES:
        for how, (places, count, what) in list(wanted.items())[:4 if options == ENGINES[0] else 1]:
            # Without --check; with checks of other things it is no failure either.
            for checks in (None, "init"):
                done, findings = check(warpmem, program, checks, [how], options)
                expect(done.returncode == 0 and done.stdout == "PASS\n", f"{how} {options}: {done}")
                expect(said(findings) == places, f"{how} {options}: {findings}")
                expect(findings[0]["count"] == count and findings[0]["what"].startswith(what),
                       str(findings))
                expect(done.stderr.count(what) == len(places) and "--check memory" in done.stderr and
                       f"strays.cu:{places[0][1][0]}" in done.stderr, done.stderr)
            for checks in ("memory", "all"):
                done, findings = check(warpmem, program, checks, [how], options)
                expect(done.returncode == 3 and done.stdout == "cudaErrorIllegalAddress\n",
                       f"{how} {options}: {done}")
                found = [f for f in findings if f["kind"] == "out_of_bounds"]
                expect(said(found) == places[:1] and found[0]["count"] == 1, str(findings))
                expect("out of bounds: " + what in done.stderr, done.stderr)
        # What no driver has mapped.
        done, findings = check(warpmem, program, "memory", ["2200000"], options)
        expect(done.returncode == 3 and not findings and "2200000 bytes past" in done.stderr, str(done))
        expect("nothing besides what stopped the kernel" in done.stderr, done.stderr)


def of_threads(warpmem, program, at, options):
    """What a thread does wrong while a kernel runs."""
    # The kind, the place in the host's code, and how often.
    wanted = {"freed": ("host_freed", "freed", 3), "beyond": ("host_out_of_bounds", "beyond", 1),
              "freed meanwhile": ("host_freed", "meanwhile", 196),
              "in function": ("host_freed", "function", 1)}
    for how, (kind, place, count) in wanted.items():
        done, findings = check(warpmem, program, "all", [how], options)
        expect(done.returncode == 1 and [f["kind"] for f in findings] == [kind],
               f"{how} {options}: {done}")
        expect(findings[0]["place"].endswith(f"threads.cu:{at[place]}"), str(findings))
        # In time the other thread comes later.
        expect(findings[0]["count"] == count or (how == "freed meanwhile" and "clock" in options),
               f"{how} {options}: {findings}")
    done, findings = check(warpmem, program, "leak", ["leaked"], options)
    expect(done.returncode == 1 and [f["bytes"] for f in findings] == [1000] and
           "leaked()" in findings[0]["what"], f"{options}: {done}")


def of_kernels(warpmem, program, at, options):
    """What kernels that run side by side do wrong while a thread runs: each finding is its kernel's."""
    by_kernel = {"sum": {"uninitialised_global": ("sum",)},
                 "race": {"read_after_write": ("own", "others'")}}
    if "walk" in options:  # in time the warps wait for each other in another order
        by_kernel["race"] |= {"write_after_read": ("others'", "own"),
                              "uninitialised_shared": ("others'",)}
    checks = {"race": ("after",), "init": ("uninitialised",), "leak,memory": (),
              "all": ("after", "uninitialised")}
    for which, words in checks.items():
        done, findings = check(warpmem, program, which, ["kernels"], options)
        found = [(re.match(r"_Z\d+(sum|race)", f["kernel"])[1], f["kind"],
                  tuple(access["source_line"] for access in f["accesses"])) for f in findings or ()]
        wanted = [(kernel, kind, tuple(at[mark] for mark in marks))
                  for kernel, kinds in by_kernel.items() for kind, marks in kinds.items()
                  if any(word in kind for word in words)]
        expect(sorted(found) == sorted(wanted) and done.returncode == (1 if wanted else 0),
               f"{which} {options}: {findings}")
        expect(("between threads and kernels" in done.stderr) == ("after" in words), done.stderr)


def threads(warpmem):
    """Threads on CPU cores beside kernels: mistakes of either while the other runs."""
    at = lines("threads.cu")
    program = compiled.program(warpmem, HERE / "threads.cu", flags=("-g", "--trace-host"))
    machine = compiled.ROOT / "machines/examples/cpu-gpu-llc.yaml"
    for engine in ("walk", "clock"):
        options = ["--host-threads", "--engine", engine, "-m", machine]
        of_threads(warpmem, program, at, options)
        of_kernels(warpmem, program, at, options)
        for checks, error, status in (("memory,init", "cudaErrorIllegalAddress", 1),
                                      ("init", "cudaSuccess", 0)):
            done, findings = check(warpmem, program, checks, ["stray"], options)
            expect(done.returncode == status and done.stdout == error + "\n" and
                   said(findings) == [("out_of_bounds", (at["behind"],))], f"{engine}: {done}")
        done, findings = check(warpmem, program, "all", ["good"], options)
        expect(done.returncode == 0 and not findings, f"{engine}: {findings}")


def misuse(warpmem):
    done = subprocess.run([warpmem, "run", "--check", "init,rice", "--", "true"],
                          capture_output=True, text=True)
    expect(done.returncode == 2 and '"rice" is no check' in done.stderr, done.stderr)


def clean(warpmem, source, *arguments):
    """A program that is right has no findings."""
    program = compiled.program(warpmem, source)
    done, findings = check(warpmem, program, "all", arguments, ["--no-memory"])
    expect(done.returncode == 0 and not findings, done.stdout + done.stderr)


def main(warpmem, case, *arguments):
    warpmem = str(Path(warpmem).resolve())
    try:
        {"races": races, "phases": phases, "reads": reads, "leaks": leaks, "strays": strays,
         "threads": threads,
         "misuse": misuse,
         "clean": clean}[case](warpmem, *arguments)
    except Failed as failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
