#!/usr/bin/env python3
"""A profiler's ranges: what --profiled counts is what whole runs count more with the range than
without it.
usage: run_ranges.py WARPMEM

The program does what its argument says, letter by letter (ranges.cu). Whole runs of its prefixes are
the model: what happens between two letters is the difference of what two prefixes count.
"""
import json
import re
import shutil
import sys
from collections import Counter

from run_program import HERE, expect, status_of
import sanitized

WALKED, TIMED = ["-m", "v100"], ["-m", "gtx480", "--engine", "clock"]


def counted(results):
    """Every counter of a run, by component and by kernel and instruction."""
    sums = Counter()
    for part in results["components"]:
        for name, value in part["counters"].items():
            sums["run", part["path"], name] += value
    for kernel in results["kernels"]:
        for name in ("launches", "warp_instructions", "thread_instructions", "cycles"):
            sums[kernel["name"], name] += kernel.get(name, 0)
        for part in kernel["components"]:
            for name, value in part["counters"].items():
                sums[kernel["name"], part["path"], name] += value
        for at in kernel["instructions"]:
            for name, value in {**at["counters"], **at.get("timed", {})}.items():
                sums[kernel["name"], at["pc"], name] += value
    for way in ("host_to_device", "device_to_host"):
        sums[way] = results[f"{way}_bytes"]
    return sums


def as_of_a_run(path):
    """Results' text, but for what a replay alone says: that it ran streams one after another."""
    return re.sub(r'^ *"serial_streams": true,\n', "", path.read_text(), flags=re.M)


def difference(results, before):
    return {key: value - before[key] for key, value in results.items() if value != before[key]}


class Runs:
    def __init__(self, bench, program, options):
        self.bench, self.program, self.options = bench, program, options
        self.whole = {} # letters: what they count

    def counted(self, letters):
        if letters not in self.whole:
            self.whole[letters] = counted(self.results(letters))
        return self.whole[letters]

    def results(self, letters, *options):
        out = self.bench.folder / "out.json"
        done = self.bench.run(self.program, letters, options=["-q", *self.options, *options,
                                                              "--json", str(out)])
        expect(done.returncode == 0, f"{letters} fails", done)
        return json.loads(out.read_text())


def check_counts(runs, letters):
    """--profiled against whole runs of the program's prefixes, without its brackets."""
    wanted, inside, plain = Counter(), False, ""
    for letter in letters:
        if letter in "[]":
            inside = letter == "["
            continue
        before = runs.counted(plain)
        plain += letter
        if inside:
            wanted.update(difference(runs.counted(plain), before))
    results = runs.results(letters, "--profiled")
    got = {key: value for key, value in counted(results).items() if value}
    wanted = {key: value for key, value in wanted.items() if value}
    expect(got == wanted, f"{letters} on {runs.options}: " + str(
        [(key, got.get(key), wanted.get(key)) for key in {*got, *wanted}
         if got.get(key) != wanted.get(key)][:5]))
    return results


def check_replays(bench, program, letters):
    """Replays count what runs count: with misses explained, in time, and of memory alone."""
    recording = bench.folder / "ranges.wmt"
    outs = [bench.folder / name for name in ("live.json", "again.json")]
    for how in ([], ["--memory-only"]):
        bench.command("record", "-q", *how, "-o", recording, "--", program, letters)
        for options in (WALKED, [*WALKED, "--explain"], [*TIMED, "--sample", "500"]):
            if how and options[-1] == "500":
                continue  # time is not that of a run where instructions are only counted
            done = bench.run(program, letters,
                             options=["-q", *options, "--profiled", "--json", str(outs[0])])
            expect(done.returncode == 0, f"{letters} fails", done)
            bench.command("replay", "-q", *options, "--profiled", "--json", outs[1], recording)
            expect(as_of_a_run(outs[0]) == as_of_a_run(outs[1]), f"the replay on {options} differs")
    return recording


def check_together(bench, recording):
    """What machines find that follow one front end, and share L1s, is what each finds alone."""
    settings = ["gpu.l2.replacement=fifo", "gpu.l2.replacement=srrip", "gpu.l1.replacement=fifo"]
    words = [word for setting in settings for word in ("--variant", setting)]
    for threads in sanitized.share(bench.warpmem, ("-j1", "-j4"), 1, of=2):
        bench.command("replay", "-q", threads, *words, "--profiled", "--json",
                      bench.folder / "v.json", recording)
        for number, setting in enumerate(settings, 1):
            path = bench.folder / ("v.json" if number == 1 else f"v.{number}.json")
            bench.command("replay", "-q", "--set", setting, "--profiled", "--json",
                          bench.folder / "alone.json", recording)
            beside, alone = (json.loads(file.read_text()) for file in (path, bench.folder / "alone.json"))
            expect(all(beside[of] == alone[of] for of in ("profiled", "kernels", "components")),
                   f"{setting} differs beside others")
            path.unlink()


def check_text(bench, program):
    done = bench.run(program, "aab[ab]a[a", options=["--profiled"])
    expect("Counted: 2 profiler ranges; 4 other launches are not.\n" in done.stdout, "the text", done)
    done = bench.run(program, "aab", options=["--profiled"])
    expect("never calls cudaProfilerStart" in done.stdout and done.returncode == 0, "no range", done)
    done = bench.run(program, "aa[]", options=["--profiled"])
    expect("no kernel was launched between cudaProfilerStart" in done.stdout, "an empty range", done)
    done = bench.run(program, "a[b]")
    expect("Counted" not in done.stdout and "all" in done.stdout, "without the option", done)


def check_study(bench):
    """The key of a study file: other results than those without it, in one database."""
    for name in ("ranges.cu", "check.h"):
        shutil.copy(HERE / name, bench.folder)
    for key, launches in (("", 5), ("profiled: true\n", 2), ("profiled: false\n", 5)):
        (bench.folder / "ranges.yaml").write_text(
            f"study: ranges\n{key}workloads: {{letters: {{source: ranges.cu, arguments: 'ab[ab]b'}}}}\n"
            "machines: {base: v100}\nmetrics: {launches: kernels.launches}\n")
        bench.command("study", "run", "-q", "ranges.yaml")
        table = bench.command("study", "table", "ranges.yaml", "launches", "--csv").stdout
        expect(f",letters,{launches}," in table, f"{key}: {table}")


def check_all(bench):
    program = bench.compile("ranges.cu")
    for options in sanitized.share(bench.warpmem, (WALKED, ["-m", "gtx480"], TIMED), 0, of=2):
        runs = Runs(bench, program, options)
        results = check_counts(runs, "]waab[wab[r]ag]r[a]")
        expect(results["profiled"] == {"ranges": 2, "launches_not_counted": 6}, "what was left out")
        check_counts(runs, "ab[bgr")
    timed = Runs(bench, program, TIMED).results("ab[ab]b", "--profiled", "--sample", "500")
    expect(len(timed["kernels"]) == 2 and timed["samples"]["rows"], "a timeline of ranges")
    expect("profiled" not in Runs(bench, program, WALKED).results("[a]"), "asked for by nobody")
    recording = check_replays(bench, program, "]waab[wab[r]ag]r[a]b")
    check_together(bench, recording)
    check_text(bench, program)
    check_study(bench)


if __name__ == "__main__":
    sys.exit(status_of(check_all, sys.argv[1]))
