#!/usr/bin/env python3
"""A recording of several streams (replay_order.cu), replayed, has the counts of a run, to the byte.
usage: run_replay_order.py WARPMEM ENGINE CASE
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent)]
import compiled  # noqa: E402
import sanitized  # noqa: E402

MACHINES = {"v100": ["-m", "v100", "--set", "gpu.sm.count=4"],
            "a100": ["-m", "a100", "--set", "gpu.sm.count=3"]}
WAYS = {"": [], "one after another": ["--serial-streams"], "each launch": ["--per-launch"],
        "one kernel": ["--kernel", "shared_sum", "--per-launch"], "explained": ["--explain"]}


class Bench:
    def __init__(self, warpmem, engine, folder):
        self.warpmem, self.engine, self.folder = warpmem, engine, Path(folder)
        self.program = compiled.program(warpmem, HERE / "replay_order.cu")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("WARPMEM_")}
        self.environment |= sanitized.variables(warpmem)

    def command(self, *words):
        done = subprocess.run([self.warpmem, *map(str, words)], capture_output=True, text=True,
                              timeout=200, env=self.environment)
        assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def record(self, case, *options):
        file = self.folder / f"{case}.wmt"
        self.command("record", "-q", "-o", file, *options, "--", self.program, case)
        return file

    def counted(self, command, *words):
        """The JSON that a run or a replay writes."""
        results = self.folder / "results.json"
        engine = ["--engine", self.engine, "--quiet", "--json", results]
        self.command(command, *engine, *words)
        return results.read_text()


def same(bench, case):
    """In each way to count, on two machines, with any number of threads."""
    file, runs = bench.record(case), {}
    for machine, options in sanitized.share(bench.warpmem, MACHINES.items(), 0, of=2):
        ways = WAYS.items() if machine == "v100" and case != "many" else [("", [])]
        for way, more in ways:
            run = runs[machine, way] = bench.counted("run", *options, *more, "--", bench.program, case)
            for threads in sanitized.share(bench.warpmem, (3, 1) if way == "" else (2,), 0, of=2):
                replay = bench.counted("replay", *options, *more, "-j", threads, file)
                assert replay == run, f"{machine}, {way or 'as it is'}, {threads} threads: not as a run"
    # A case whose launches never met would show nothing.
    beside = runs["v100", ""]
    apart = runs.get(("v100", "one after another")) or bench.counted(
        "run", *MACHINES["v100"], *WAYS["one after another"], "--", bench.program, case)
    assert (apart == beside) == (case == "one"), f"{case}: launches meet, or not, against expectation"
    assert '"serial_streams"' not in beside + apart


def several(bench, case):
    """Several machines and variants at once: each as by itself."""
    file, out = bench.record(case), bench.folder / "out.json"
    variants = ["--variant", "gpu.l2.ways=8", "--variant", "gpu.l1.replacement=random"]
    bench.command("replay", "--engine", bench.engine, "-q", "--json", out, *MACHINES["v100"], *variants,
                  "-j", 3, file)
    texts = [path.read_text() for path in sorted(bench.folder.glob("out*.json"))]
    settings = ([], ["--set", "gpu.l2.ways=8"], ["--set", "gpu.l1.replacement=random"])
    alone = [bench.counted("run", *MACHINES["v100"], *setting, "--", bench.program, case)
             for setting in settings]
    assert sorted(texts) == sorted(alone), "variants together count other things than apart"


def parts(bench, case):
    """What is cut out is ordered as it was: all of it counts the same, and where launches are left out
    those that are left may not run beside what they waited for by way of these."""
    whole, all_of_it, some = bench.record(case), bench.folder / "all.wmt", bench.folder / "some.wmt"
    info = json.loads(bench.command("trace", "info", "--json", whole))
    last = info["launches"][-1]["number"]
    bench.command("trace", "cut", "-o", all_of_it, "--launches", f"0-{last}", whole)
    machine = MACHINES["v100"]
    assert bench.counted("replay", *machine, all_of_it) == bench.counted("replay", *machine, whole)
    chosen = [number for number in range(last + 1) if number % 3 != 1]
    bench.command("trace", "cut", "-o", some, "--launches", ",".join(map(str, chosen)), whole)
    before, after = closure(bench, whole), closure(bench, some)
    for new, old in enumerate(chosen):
        expected = {chosen.index(number) for number in before[old] if number in chosen}
        assert after[new] == expected, f"launch {old}: behind {after[new]}, not {expected}"
    bench.command("trace", "check", some)
    bench.counted("replay", *machine, some)


def closure(bench, file):
    """Of each launch all that must have ended before it, as a dump tells it."""
    behind, ended = [], set()
    for line in bench.command("trace", "dump", "--events", file).splitlines():
        told = {"launches": [], "ended": [], "below": 0, "beside": False}
        for part in line.split("; "):
            words = part.replace(",", "").split()
            if part.startswith("the host waited for"):
                numbers = [int(word) for word in words if word.isdigit()]
                told["below"] = numbers.pop(0) if "below" in words else 0
                told["ended"] = numbers
            elif part.startswith("behind"):
                told["beside"] = words[1] != "all"
                told["launches"] = [int(word) for word in words if word.isdigit()]
        for number in [*range(told["below"]), *told["ended"]]:
            ended |= {number} | behind[number]
        if not line.startswith("launch "):
            continue
        direct = told["launches"] if told["beside"] else range(len(behind))
        behind.append(set(direct).union(ended, *(behind[number] for number in direct)))
    return behind


def main():
    warpmem, engine, case = sys.argv[1:]
    check = {"several": several, "parts": parts}.get(case, same)
    with tempfile.TemporaryDirectory() as folder:
        check(Bench(warpmem, engine, folder), "chains" if check != same else case)


if __name__ == "__main__":
    main()
