#!/usr/bin/env python3
"""Chosen launches, and numbers of each: what --kernel, --launches, --launch-skip, --launch-count and
--per-launch count is what whole runs count more with the launch than without it.
usage: run_launches.py WARPMEM

The program does what its argument says, letter by letter (ranges.cu); whole runs of its prefixes are
the model, as in run_ranges.py.
"""
import csv
import json
import re
import sys
from collections import Counter

from run_program import expect, status_of
from run_ranges import TIMED, WALKED, Runs, as_of_a_run, counted, difference
import sanitized

LETTERS = "waabrab[b]ag"
KERNELS = {"a": ["add"], "b": ["gather"], "g": ["gather", "gather"]}


def nonzero(counter):
    return {key: value for key, value in counter.items() if value}


def differing(got, wanted):
    return [(key, got.get(key), wanted.get(key)) for key in {*got, *wanted}
            if got.get(key) != wanted.get(key)][:5]


def launches_of(letters):
    """The kernel of each launch, and how many letters it takes to have launched it."""
    return [(kernel, number + 1) for number, letter in enumerate(letters)
            for kernel in KERNELS.get(letter, [])]


def of_launches(runs, letters, numbers):
    """What whole runs count for the launches of these numbers; a graph's launches only together.

    The run is its kernels then: what is emptied between launches, and copies, are no launch's.
    """
    wanted, lengths = Counter(), {launches_of(letters)[number][1] for number in numbers}
    for length in lengths:
        plain = [re.sub(r"[\[\]]", "", letters[:upto]) for upto in (length - 1, length)]
        wanted.update({key: value for key, value in
                       difference(runs.counted(plain[1]), runs.counted(plain[0])).items()
                       if key[0] != "run"})
    run = Counter()
    for (kernel, *of), value in wanted.items():
        if len(of) == 2 and isinstance(of[0], str):
            run["run", *of] += value
    return nonzero(wanted + run)


def check_choice(runs, numbers, *options):
    results = runs.results(LETTERS, *options)
    got, wanted = nonzero(counted(results)), of_launches(runs, LETTERS, numbers)
    expect(got == wanted, f"{options} on {runs.options}: {differing(got, wanted)}")
    beside = len(launches_of(LETTERS)) - len(numbers)
    expect(results["chosen"] == {"options": " ".join(options), "launches_not_counted": beside},
           f"what was chosen: {results['chosen']}")
    return results


def check_choices(runs):
    everything = [number for number, _ in enumerate(launches_of(LETTERS))]
    adds = [n for n in everything if launches_of(LETTERS)[n][0] == "add"]
    gathers = [n for n in everything if n not in adds]
    check_choice(runs, [2], "--launches", "2")
    check_choice(runs, [0, 3, 4], "--launches", "0,3-4")
    check_choice(runs, adds, "--kernel", "add")
    check_choice(runs, gathers, "--kernel", "gath*")
    check_choice(runs, gathers, "--kernel", "_Z6gatherPKiPii")
    check_choice(runs, gathers, "--kernel", "regex:^gat.er$")
    check_choice(runs, everything, "--kernel", "add", "--kernel", "gather(int const[*], *)")
    # As in Nsight Compute: of those that the name chooses.
    check_choice(runs, adds[1:3], "--kernel", "add", "--launch-skip", "1", "--launch-count", "2")
    check_choice(runs, gathers[1:3], "--kernel", "gather", "--launches", "1-5",
                 "--launch-skip", "1")


def levels(kernel):
    """The counters of a kernel's components, by level."""
    sums = Counter()
    for part in kernel["components"]:
        for name, value in part["counters"].items():
            sums[re.sub(r"\[\d+\]", "[*]", part["path"]), part["kind"], name] += value
    return sums


def check_each(runs):
    """Launch by launch: all of them make the kernels, and each is what it is when chosen alone."""
    results = runs.results(LETTERS, "--per-launch")
    kernels = [Counter() for _ in results["kernels"]]
    for at, launch in enumerate(results["launches"]):
        expect(launch["launch"] == at, "launches are numbered from 0")
        sums = kernels[launch["kernel"]]
        for name in ("warp_instructions", "thread_instructions", "cycles"):
            sums[name] += launch.get(name, 0)
        for level in launch["levels"]:
            for name, value in level["counters"].items():
                sums[level["path"], level["kind"], name] += value
    for kernel, got in zip(results["kernels"], kernels):
        wanted = levels(kernel)
        for name in ("warp_instructions", "thread_instructions", "cycles"):
            wanted[name] = kernel.get(name, 0)
        expect(nonzero(got) == nonzero(wanted),
               f"launches of {kernel['name']}: {differing(got, wanted)}")
    for number in (3, 6):
        alone = runs.results(LETTERS, "--per-launch", "--launches", str(number))
        together = dict(results["launches"][number], kernel=0)
        expect(alone["launches"] == [together], f"launch {number} alone is not the same")
    expect("launches" not in runs.results(LETTERS), "launches that were not asked for")


def check_replays(bench, program):
    """Replays count what runs count, machines beside others what each counts alone."""
    recording, live, again = (bench.folder / name for name in ("l.wmt", "live.json", "again.json"))
    chosen = ["--kernel", "add", "--launches", "1-6", "--per-launch"]
    bench.command("record", "-q", "-o", recording, "--", program, LETTERS)
    for options in (WALKED, [*WALKED, "--explain"], TIMED):
        done = bench.run(program, LETTERS, options=["-q", *options, *chosen, "--json", str(live)])
        expect(done.returncode == 0, "a run fails", done)
        bench.command("replay", "-q", *options, *chosen, "--json", again, recording)
        expect(as_of_a_run(live) == as_of_a_run(again), f"the replay on {options} differs")
    settings = ["gpu.l2.replacement=fifo", "gpu.l2.replacement=srrip", "gpu.l1.replacement=fifo"]
    words = [word for setting in settings for word in ("--variant", setting)]
    for threads in sanitized.share(bench.warpmem, ("-j1", "-j4"), 1, of=2):
        bench.command("replay", "-q", threads, *words, *chosen, "--json", bench.folder / "v.json",
                      recording)
        for number, setting in enumerate(settings, 2):
            bench.command("replay", "-q", "--set", setting, *chosen, "--json", again, recording)
            beside = json.loads((bench.folder / f"v.{number}.json").read_text())
            alone = json.loads(again.read_text())
            expect(all(beside[of] == alone[of] for of in
                       ("chosen", "kernels", "launches", "components")),
                   f"{setting} differs beside others")


def check_text(bench, program):
    def said(*options):
        return bench.run(program, "aab", options=[*options]).stdout

    text = said("--launches", "1", "--per-launch")
    expect("Counted: launches by --launches 1; 2 other launches are not.\n" in text, text)
    rows = text[text.index("Launch  Grid"):].splitlines()
    expect([row.split()[0] for row in rows] == ["Launch", "1"], text)
    expect(rows[1].split()[-1] == "add", text)
    text = said("--kernel", "sub*")
    expect("Nothing was counted: no launch is one of --kernel sub*.\n"
           "The run's 3 launches were of add, gather.\n" in text, text)
    out = bench.folder / "out.csv"
    said("--per-launch", "--csv", str(out))
    rows = [row for row in csv.DictReader(out.open()) if row["where"].startswith("launch 2")]
    names = {(row["kernel"], row["where"]) for row in rows}
    expect(("_Z6gatherPKiPii", "launch 2") in names and
           ("_Z6gatherPKiPii", "launch 2 gpu0.sm[*].l1") in names, str(names))
    done = bench.run(program, "aab", options=["--no-memory", "--per-launch", "--kernel", "add"])
    expect(len(done.stdout[done.stdout.index("Launch  Grid"):].splitlines()) == 3, "executed", done)
    listing = bench.command("annotate", "--kernel", "gather", program, "aab").stdout
    expect("gather(int const*, int*, int), 1 launch" in listing and "add(" not in listing, listing)


def check_refusals(bench, program):
    """Before the program starts, with exit status 2."""
    for options, message in ((["--launches", "3-1"], "--launches: \"3-1\" is no list of numbers"),
                             (["--kernel", "regex:a("], "--kernel: \"a(\" is no regular expression"),
                             (["--kernel", ""], "--kernel: the pattern is empty"),
                             (["--launch-count", "0"], "--launch-count: \"0\" is no number of"),
                             (["--launch-skip", "-1"], "--launch-skip: \"-1\" is no number of")):
        done = bench.run(program, "a", options=options)
        expect(done.returncode == 2 and message in done.stderr and not done.stdout, message, done)


def check_all(bench):
    program = bench.compile("ranges.cu")
    for options in sanitized.share(bench.warpmem, (WALKED, TIMED), 0, of=2):
        runs = Runs(bench, program, options)
        check_choices(runs)
        check_each(runs)
    check_replays(bench, program)
    check_text(bench, program)
    check_refusals(bench, program)


if __name__ == "__main__":
    sys.exit(status_of(check_all, sys.argv[1]))
