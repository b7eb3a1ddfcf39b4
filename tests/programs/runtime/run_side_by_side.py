#!/usr/bin/env python3
"""Work of several streams side by side (side_by_side.cu), in an engine.
usage: run_side_by_side.py WARPMEM ENGINE CASE
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent)]
import compiled  # noqa: E402
import sanitized  # noqa: E402

MACHINE = ["--set", "gpu.sm.count=4"]
LAUNCHES, BLOCKS = 1, 2  # pids of timelines


class Failed(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failed(what)


class Bench:
    def __init__(self, warpmem, engine, folder):
        self.warpmem, self.engine, self.folder = warpmem, engine, Path(folder)
        self.program = compiled.program(warpmem, HERE / "side_by_side.cu")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("WARPMEM_")}
        self.environment |= sanitized.variables(warpmem)

    def run(self, *arguments, options=(), machine=MACHINE):
        """What it printed, and its results."""
        results = self.folder / "results.json"
        engine = ["--no-memory"] if self.engine == "none" else ["--engine", self.engine]
        outputs = [] if self.engine == "none" else ["--json", results]
        done = subprocess.run([self.warpmem, "run", *engine, *machine, *options, "--quiet",
                               *outputs, "--", self.program, *map(str, arguments)],
                              capture_output=True, text=True, timeout=100, env=self.environment)
        expect(done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
        text = results.read_text() if outputs else "{}"
        return done.stdout, re.sub(r'"command":.*', "", text)


def named(results):
    return {kernel["name"].split("<")[0].split("(")[0]: kernel for kernel in results["kernels"]}


def streams(bench):
    """Which kernels meet: those of streams that nothing orders, and none with --serial-streams, nor on
    a machine that runs one at a time."""
    bench.run("meetings")
    bench.run("serial", options=["--serial-streams"])
    bench.run("serial", options=["--set", "device.concurrent_kernels=1"])


def waiting(bench):
    """A kernel that waits for a later one of another stream."""
    bench.run("waiting")


def graphs(bench):
    """Branches of a graph."""
    bench.run("graphs")
    bench.run("serial_graphs", options=["--serial-streams"])


def events(bench):
    bench.run("events")


def priorities(bench):
    bench.run("priorities")


def many(bench):
    bench.run("many")


def faults(bench):
    bench.run("faults")


def resets(bench):
    """After a fault with loads on their way a reset device runs the next kernels."""
    bench.run("resets")


def places(bench):
    """Blocks beside others' go to the SMs with the most room: two launches of two blocks have the four
    SMs to themselves, as one launch of four has."""
    for case in ("one_place", "places"):
        _, results = bench.run(case)
        blocks, *_ = counted(json.loads(results), "sm", "blocks", each=True)
        expect(blocks == [1, 1, 1, 1], f"{case}: {blocks}")


def patterns(bench):
    """A launch's lines are wanted again by its own loads, whoever has turns between them: as often as
    without others, as good as."""
    beside, apart = (sum(map(int, re.findall(r'"wanted_again": ?([0-9]+)', bench.run(
        "patterns", options=["--explain", "--set", "gpu.sm.turn=20", *more])[1])))
        for more in ([], ["--serial-streams"]))
    expect(0.95 * apart < beside < 1.05 * apart and apart > 10000,
           f"{beside} requests wanted lines again, {apart} without others")


def local_memories(bench):
    """Local memory of launches that have ended is the next ones': a hundred launches that overlap
    reach no more of DRAM than a few do."""
    turn = ["--set", "gpu.sm.turn=500"] if bench.engine == "walk" else []
    few, many = (sum(counted(json.loads(bench.run("local_memories", launches, options=turn)[1]),
                             "dram", "bytes_written")[:1]) +
                 sum(counted(json.loads(bench.run("local_memories", launches, options=turn)[1]),
                             "dram", "bytes_read")[:1]) for launches in (4, 100))
    expect(many < 2 * few, f"{many} bytes of 100 launches, {few} of 4")


def speed_of_the_host(bench):
    """Results don't depend on how long the host takes, nor on the run."""
    for case in ("priorities", "times") if bench.engine == "walk" else ("times",):
        first = bench.run(case)
        for pause in (0, 1, 30):
            expect(bench.run(case, pause) == first, f"{case} differs with pauses of {pause} ms")


def counted(results, part, counter, each=False):
    """Of all, and of each kernel: the sum over components, or their list."""
    values = [[component["counters"][counter] for component in where["components"]
               if component["kind"] == part] for where in (results, *results["kernels"])]
    return values if each else [sum(value) for value in values]


def attribution(bench):
    """Each kernel has what it asked for itself, and all together what was counted."""
    apart = json.loads(bench.run("memories", options=["--serial-streams"])[1])
    beside = json.loads(bench.run("memories")[1])
    for part, counter in (("sm", "requests"), ("sm", "warp_instructions"), ("l1", "accesses"),
                          ("l2", "accesses"), ("dram", "bytes_read")):
        total, *each = counted(beside, part, counter)
        if (part, counter) != ("dram", "bytes_read"):
            expect(min(each) > 0, f"{part} {counter}: {each}")
        expect(sum(each) <= total, f"{part} {counter}: {each} are not {total}")
        if part in ("sm", "l1"):
            expect(sum(each) == total, f"{part} {counter}: {each} are not {total}")
            alone = counted(apart, part, counter)
            expect([total, *each] == alone, f"{part} {counter}: {total} {each}, alone {alone}")


def spins(bench):
    """A warp that a spin lets sleep goes on with its own kernel's next instruction: each of its loads
    of constant memory reaches the constant cache."""
    kernel = named(json.loads(bench.run("spins")[1]))["_Z4spinPx"]
    found = {part: sum(component["counters"][counter] for component in kernel["components"]
                       if component["kind"] == part)
             for part, counter in (("sm", "constant_accesses"), ("constant", "accesses"))}
    expect(found["sm"] == found["constant"] > 100, f"{found}")


def elapsed(bench):
    """The time that passed is said beside the kernels', which is more where they ran side by side."""
    report = bench.folder / "report.txt"
    for options in ([], ["--serial-streams"]):
        results = bench.folder / "results.json"
        subprocess.run([bench.warpmem, "run", "--engine", "clock", *MACHINE, *options, "--report", report,
                        "--json", results, "--", bench.program, "memories"], check=True,
                       capture_output=True, env=bench.environment)
        told = json.loads(results.read_text())
        cycles, text = told["rates"]["elapsed_cycles"], report.read_text()
        kernels = [kernel["cycles"] for kernel in told["kernels"]]
        row = re.search(r"^  all(, elapsed)? +(\d+) +\S+ \S+ +(\S+)", text, re.M)
        expect(row and int(row[2]) == cycles, f"{options}: {cycles} cycles\n{text}")
        instructions = sum(kernel["warp_instructions"] for kernel in told["kernels"])
        expect(row[3] == f"{instructions / cycles:.3g}", f"{options}: IPC {row[3]}\n{text}")
        beside = not options
        expect((cycles < 0.9 * sum(kernels)) if beside else cycles == sum(kernels),
               f"{options}: {cycles} cycles, {kernels}")
        expect(bool(row[1]) == beside and ("ran side by side" in text) == beside, text)


def recording(bench):
    """A recording of several streams that doesn't say what waits for what, as imported traces don't, is
    replayed one launch after another, which is said; and nothing of the kind of one that does."""
    trace = (HERE.parent.parent / "cli/traces/demo/kernel-1.traceg").read_text()
    for number, stream in ((1, 0), (2, 7)):
        (bench.folder / f"kernel-{number}.traceg").write_text(
            trace.replace("-cuda stream id = 0", f"-cuda stream id = {stream}"))
    (bench.folder / "kernelslist.g").write_text("kernel-1.traceg\nkernel-2.traceg\n")
    for source, several in ((bench.folder / "kernelslist.g", True), ("events", False), ("one", False)):
        file, results = bench.folder / "streams.wmt", bench.folder / "replay.json"
        made = ["record", "-q", "-o", file, "--", bench.program, source]
        if several:
            made = ["import", "-q", "-o", file, source]
        done = subprocess.run([bench.warpmem, *made], capture_output=True, text=True,
                              env=bench.environment)
        expect(done.returncode == 0, f"{source}: {done.stdout}{done.stderr}")
        # One machine by itself, which writes JSON, and two that one front end feeds.
        for options, machines in ((["--json", results], 1), (["-m", "v100", "-m", "a100"], 2)):
            done = subprocess.run([bench.warpmem, "replay", *options, file], capture_output=True,
                                  text=True, env=bench.environment)
            expect(done.returncode == 0, f"{source}: {done.stdout}{done.stderr}")
            said = done.stdout.count("several streams ran one after another")
            expect(said == several * machines, f"{source} {options}: {done.stdout}")
        told = json.loads(results.read_text()).get("serial_streams", False)
        expect(told == several, f"{source}: {told}")


def time(bench):
    """Two kernels of half the machine each take about the time of one, and one after the other
    that of both."""
    for options, least, most in (([], 0.98, 1.1), (["--serial-streams"], 1.8, 2.05)):
        text, results = bench.run("times", options=options)
        ratio = float(re.search(r"together ([0-9.]+)", text)[1])
        expect(least < ratio < most, f"{options}: {text}")
        # Both launches stand in the results, each with its own cycles.
        kernel = json.loads(results)["kernels"][0]
        expect(kernel["launches"] == 3, f"{kernel['launches']} launches")


def timeline(bench):
    """Launches overlap, and their blocks lie within them."""
    for options in ([], ["--serial-streams"]):
        file = bench.folder / "timeline.json"
        bench.run("times", options=[*options, "--timeline", file])
        events = json.loads(file.read_text())["traceEvents"]
        spans = [event for event in events if event["ph"] == "X"]
        launches = [event for event in spans if event["pid"] == LAUNCHES]
        expect([event["args"]["launch"] for event in launches] == [0, 1, 2], f"{launches}")
        second, third = launches[1:]
        overlap = second["ts"] + second["dur"] > third["ts"]
        expect(overlap != bool(options), f"{options}: {launches}")
        expect((second["tid"] != third["tid"]) == overlap, f"{options}: {launches}")
        for event in spans:
            if event["pid"] == BLOCKS:
                launch = launches[event["args"]["launch"]]
                expect(launch["ts"] <= event["ts"] and event["dur"] <= launch["dur"], f"{event}")


def main():
    warpmem, engine, case = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        try:
            globals()[case](Bench(warpmem, engine, folder))
        except Failed as failure:
            print(failure, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
