#!/usr/bin/env python3
"""Programs of two devices, on machines of two GPUs.
usage: run_gpus.py WARPMEM COMPILER CASE [PROGRAM]

COMPILER is "clang" (warpmem cc) or "nvcc"; the test is skipped (77) where it is missing. With a
program, the case is of that one.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "runtime")]
import compiled  # noqa: E402
import run_program  # noqa: E402
from run_program import Failed, expect  # noqa: E402

EXAMPLE = HERE.parents[2] / "machines/examples/two-gpus.yaml"
TWO = ["--set", "gpu.count=2"]
IN_TIME = ["--engine", "clock"]
BYTES = 1 << 20  # peers.cu


class Bench(run_program.Bench):
    def compile(self, name):
        try:
            return compiled.program(self.warpmem, HERE / f"{name}.cu", compiler=self.compiler)
        except subprocess.CalledProcessError as error:
            raise Failed(f"{name} does not compile\n{error.stdout}{error.stderr}") from error

    def warp(self, *arguments, status=0):
        done = subprocess.run([self.warpmem, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder, timeout=150, env=self.environment)
        expect(done.returncode == status, f"warpmem {' '.join(map(str, arguments))}", done)
        return done

    def run(self, program, *arguments, options=TWO, status=0):
        return self.warp("run", *options, "--", program, *arguments, status=status)

    def results(self, program, *arguments, options=TWO):
        self.run(program, *arguments, options=["-q", "--json", "results.json", *options])
        return json.loads((self.folder / "results.json").read_text())


def links(results):
    """What crossed each link, in bytes."""
    return {one["path"]: {key: value for key, value in one["counters"].items() if value}
            for one in results["components"] if one["kind"] == "peer_link"}


def devices(bench):
    for options in ([], ["--no-memory"], ["--serial-streams"], ["-m", EXAMPLE], IN_TIME,
                    [*IN_TIME, "--serial-streams", "-m", EXAMPLE]):
        machine = [] if EXAMPLE in options else TWO
        done = bench.run(bench.compile("devices"), options=["-q", *machine, *options])
        expect(done.stdout.endswith("PASS\n"), "devices", done)
        expect(re.findall(r"device \d", done.stdout) == ["device 0", "device 1"], "printed", done)


def peers(bench):
    for options in ([], ["--no-memory"], ["-m", EXAMPLE], [*IN_TIME, "-m", EXAMPLE]):
        machine = [] if EXAMPLE in options else TWO
        done = bench.run(bench.compile("peers"), options=["-q", *machine, *options])
        expect(done.stdout == "PASS\n", f"peers {options}", done)
    # With as many devices as there can be, and any number of worker threads, the same.
    eight = bench.run(bench.compile("peers"), options=["-q", "--set", "gpu.count=8"])
    expect(eight.stdout == "PASS\n", "peers of eight", eight)


def faults(bench):
    """A kernel may access another GPU's memory only with peer access."""
    for part in ("fault", "fault disabled"):
        done = bench.run(bench.compile("peers"), part)
        expect(done.stdout.startswith("PASS"), part, done)
        for words in ("memory of device 1", "device 0 has no access", "cudaDeviceEnablePeerAccess(1, 0)"):
            expect(words in done.stderr, f"{part} does not say {words}", done)


def traffic(bench):
    """Each byte that crosses a link, on that link alone."""
    program = bench.compile("peers")
    for part, wanted in {
        # The lines that are read, once: 32 sectors of 32 bytes a line of KiB.
        "0 1 reads": {"gpu0.link.gpu1": {"requests": BYTES // 128},
                      "gpu1.link.gpu0": {"bytes_read": BYTES}},
        "1 0 reads": {"gpu1.link.gpu0": {"requests": BYTES // 128},
                      "gpu0.link.gpu1": {"bytes_read": BYTES}},
        "0 0 reads": {},
        "0 1 writes": {"gpu0.link.gpu1": {"requests": BYTES // 128, "bytes_written": BYTES}},
        "1 0 writes": {"gpu1.link.gpu0": {"requests": BYTES // 128, "bytes_written": BYTES}},
        "0 1 copies": {"gpu1.link.gpu0": {"bytes_copied": BYTES - 12}},
        "1 0 copies": {"gpu0.link.gpu1": {"bytes_copied": BYTES - 12}},
    }.items():
        whole = {"gpu0.link.gpu1": {}, "gpu1.link.gpu0": {}} | wanted
        for engine in ([], IN_TIME):
            results = bench.results(program, part, options=[*TWO, *engine])
            expect(links(results) == whole, f"{part} {engine}: {links(results)}")
            gpus = [kernel.get("gpu") for kernel in results["kernels"]]
            expect(all(gpu == int(part[0]) for gpu in gpus), f"kernels of {part} on {gpus}")


def homes(bench):
    """What is read over the link is cached where it lies, and in the reader's L1s."""
    for engine in ([], IN_TIME):
        where_it_lies(bench.results(bench.compile("peers"), "0 1 reads", options=[*TWO, *engine]))


def where_it_lies(results):
    def total(name, counter):
        return sum(one["counters"][counter] for one in results["components"]
                   if re.fullmatch(name, one["path"]))
    expect(total(r"gpu1\.l2\[\d+\]", "load_accesses") == BYTES // 128, "read in the home's L2")
    expect(total(r"gpu0\.l2\[\d+\]", "load_accesses") == 0, "read in the reader's L2")
    expect(total(r"gpu1\.dram\[\d+\]", "bytes_read") == BYTES, "read from the home's DRAM")
    expect(total(r"gpu0\.sm\[\d+\]\.l1", "load_accesses") == BYTES // 128, "loads of the reader's L1s")
    expect(total(r"gpu1\.sm\[\d+\]\.l1", "load_accesses") == 0, "loads of the home's L1s")


def mirrored(results):
    """The results as the other GPU would have them."""
    text = json.dumps(results)
    return json.loads(text.replace("gpu0", "gpu?").replace("gpu1", "gpu0").replace("gpu?", "gpu1"))


def symmetry(bench):
    """What GPU 1 does with GPU 0's memory counts what GPU 0 does with GPU 1's."""
    program = bench.compile("peers")
    for part in ("0 1 reads", "0 0 reads", "0 1 writes"):
        other = "{1} {0}".format(*(1 - int(part[i]) for i in (2, 0))) + part[3:]
        for engine in ([], IN_TIME):
            options = [*TWO, *engine]
            both = bench.results(program, part, options=options), \
                mirrored(bench.results(program, other, options=options))
            by_name = [{f"{c['path']} {c['kind']}": c["counters"] for c in results["components"]}
                       for results in both]
            expect(by_name[0] == by_name[1], f"{part} and {other} differ, {engine}")
            expect(len({results["kernels"][-1].get("cycles") for results in both}) == 1,
                   f"cycles of {part} and {other}")


def in_time(bench):
    """Links take time, and are as wide as the machine says; no number depends on threads."""
    bench.warp("record", "-q", *TWO, "-o", "two.wmt", "--", bench.compile("peers"), "0 1 reads")
    def replay(*settings, threads=1):
        bench.warp("replay", "-q", *IN_TIME, "-m", EXAMPLE, "-j", threads, "--json", "two.json",
                   *(word for setting in settings for word in ("--set", setting)), "two.wmt")
        return json.loads((bench.folder / "two.json").read_text())
    results = replay()
    kernel = results["kernels"][-1]
    for threads in (2, 5):
        again = replay(threads=threads)
        for of in ("kernels", "components"):
            expect(again[of] == results[of], f"{of} on {threads} threads")
    timing = {one["path"]: one["counters"] for one in results["components"]
              if one["kind"] == "peer_link_timing"}
    expect(set(timing) == {"gpu0.link.gpu1.timing", "gpu1.link.gpu0.timing"}, f"links {timing}")
    requests = links(results)["gpu0.link.gpu1"]["requests"]
    expect(all(one["packets"] >= requests for one in timing.values()), "a packet each way")
    # 25 bytes a cycle of 1 GHz, each flit of 32.
    least = timing["gpu1.link.gpu0.timing"]["flits"] * 32 / 25
    expect(kernel["cycles"] > least, f"{kernel['cycles']} cycles are too few for {least} of the link")
    wide = replay("gpu.peer_link.bandwidth=1000GB/s")["kernels"][-1]["cycles"]
    narrow = replay("gpu.peer_link.bandwidth=5GB/s")["kernels"][-1]["cycles"]
    expect(narrow > 4 * least and wide < kernel["cycles"] < narrow, f"{wide} {kernel} {narrow}")
    bench.run(bench.compile("devices"), options=["-q", *IN_TIME, "-m", EXAMPLE, "--timeline", "time.json"])
    events = json.loads((bench.folder / "time.json").read_text())["traceEvents"]
    rows = {one["args"]["name"] for one in events if one["name"] == "thread_name"}
    expect({"gpu0 SM 0, place 0", "gpu1 SM 0, place 0"} <= rows, f"rows {sorted(rows)}")
    expect({one["args"]["gpu"] for one in events if one["ph"] == "X" and one["pid"] == 1} == {0, 1},
           "GPUs of launches")
    near = replay("gpu.peer_link.bandwidth=1000GB/s", "gpu.peer_link.latency=1")["kernels"][-1]["cycles"]
    expect(near + 2 * 499 <= wide, f"{near} cycles over a short link, {wide} over one of 500")


def recordings(bench):
    """A replay has each launch on its GPU, and says so where the machine has no such one."""
    for name in ("peers", "devices"):
        program = bench.compile(name)
        bench.run(program, "recorded", options=["-q", *TWO, "--json", "live.json"])
        bench.warp("record", "-q", *TWO, "-o", "two.wmt", "--", program,
                   "recorded")
        bench.warp("trace", "check", "two.wmt")
        bench.warp("replay", "-q", *TWO, "--json", "again.json", "two.wmt")
        live, again = (json.loads((bench.folder / f"{which}.json").read_text())
                       for which in ("live", "again"))
        for of in ("kernels", "components"):
            expect(live[of] == again[of], f"{of} of the replay of {name} differ")
        done = bench.warp("replay", "-q", "two.wmt", status=2)
        expect("gpu.count=2" in done.stderr, "which setting", done)


def variants(bench):
    """Machines that share the reading of a recording count what each counts alone."""
    bench.warp("record", "-q", *TWO, "-o", "two.wmt", "--", bench.compile("peers"), "recorded")
    changes = ("gpu.l2.size=3MiB", "gpu.l1.replacement=fifo", "gpu.count=3")
    for serial in ([], ["--serial-streams"]):
        options = ["-q", *TWO, *serial, "two.wmt"]
        for threads in (1, 5):
            bench.warp("replay", *options, "-j", threads, "--json", "many.json",
                       *(word for change in changes for word in ("--variant", change)))
            for number, change in enumerate(changes):
                name = f"many.{number + 2}.json"
                bench.warp("replay", *options, "--set", change, "--json", "alone.json")
                many, alone = (json.loads((bench.folder / one).read_text())
                               for one in (name, "alone.json"))
                for of in ("kernels", "components"):
                    expect(many[of] == alone[of], f"{of} of {change} {serial}, {threads} threads")


def reports(bench):
    """Every output names the GPUs where there are several, and none where there is one."""
    program = bench.compile("peers")
    title = "Links between GPUs  requests      read   written    copied\n"
    for part, lines in {
        "0 1 reads": "  gpu0 to gpu1        8.19 k       0 B       0 B       0 B\n"
                     "  gpu1 to gpu0             0  1.00 MiB       0 B       0 B\n",
        "1 0 writes": "  gpu1 to gpu0        8.19 k       0 B  1.00 MiB       0 B\n",
        "0 1 reads, copies": "  gpu0 to gpu1        8.19 k       0 B       0 B       0 B\n"
                             "  gpu1 to gpu0             0  1.00 MiB       0 B  1.00 MiB\n",
    }.items():
        done = bench.run(program, part, options=[*TWO, "--csv", "two.csv"])
        wanted = re.sub(" +", " ", title + lines + "\n")
        expect(wanted in re.sub(" +", " ", done.stdout + "\n"), f"the links of {part}", done)
    expect("gpu1.link.gpu0" in (bench.folder / "two.csv").read_text(), "the link's counters")
    for part, name in (("0 1 reads", "one"), ("1 0 reads", "other")):
        bench.run(program, part, options=["-q", *TWO, "--json", f"{name}.json"])
    done = bench.warp("compare", "one.json", "one.json")
    expect("Nothing that was counted differs" in done.stdout, "a run compared with itself", done)
    done = bench.warp("compare", "one.json", "other.json")
    for words in ("read on gpu0", "read on gpu1"):
        expect(words in done.stdout, f"kernels of different GPUs are not the same: {words}", done)
    done = bench.run(program, "0 0 reads")
    expect("read on gpu0" in done.stdout, "the kernel's GPU", done)
    expect("\nNothing crossed a link between GPUs.\n" in done.stdout, "that nothing crossed", done)
    alone = bench.results(bench.compile("devices_of_one"), options=[])
    expect("gpu" not in alone["kernels"][0], "a GPU's number where there is one")
    expect(not links(alone), "a link where there is one GPU")
    done = bench.run(bench.compile("devices_of_one"), options=[])
    expect("GPUs" not in done.stdout, "links of one GPU", done)


def one(bench):
    """A machine of one GPU has no second device."""
    done = bench.run(bench.compile("devices_of_one"), options=["-q"])
    expect(done.stdout == "PASS\n", "one device", done)


def cut(bench):
    """A part of a recording has its launches on their GPUs."""
    bench.warp("record", "-q", *TWO, "-o", "two.wmt", "--", bench.compile("peers"), "recorded")
    def launches(recording):
        dump = bench.warp("trace", "dump", recording).stdout
        return [line for line in dump.splitlines() if line.startswith("launch")]
    whole = launches("two.wmt")
    first = next(i for i, line in enumerate(whole) if "on GPU 1" in line)
    then = next(i for i, line in enumerate(whole) if "read" in line and "on GPU" not in line)
    bench.warp("trace", "cut", "--launches", f"{first},{then}", "-o", "part.wmt", "two.wmt")
    part = launches("part.wmt")
    expect(["on GPU 1" in line for line in part] == [True, False], f"launches {part}")
    bench.warp("replay", "-q", *TWO, "--json", "part.json", "part.wmt")
    kernels = json.loads((bench.folder / "part.json").read_text())["kernels"]
    expect([kernel["gpu"] for kernel in kernels] == [1, 0], "kernels of the part")


def annotate(bench):
    """A kernel is annotated for each GPU that ran it."""
    done = bench.warp("annotate", *TWO, "--json", "lines.json", "--", bench.compile("devices"))
    for gpu in range(2):
        expect(re.search(rf"^add_up\(.*\) on gpu{gpu}, 1 launch$", done.stdout, re.M), "add_up", done)
    kernels = json.loads((bench.folder / "lines.json").read_text())["kernels"]
    expect(sorted(one["gpu"] for one in kernels if "add_up" in one["name"]) == [0, 1], "the JSON")


def refused(bench):
    """What has one GPU alone says so before anything runs."""
    program = bench.compile("peers")
    butterfly = [*IN_TIME, "--set", "gpu.interconnect.topology=butterfly"]
    for command, cure in ((["run", "-q", *TWO, *butterfly], "gpu.interconnect.topology=crossbar"),
                          (["bypass", *TWO], "gpu.count=1")):
        done = bench.warp(*command, "--", program, status=2)
        expect(cure in done.stderr and not done.stdout, "what is refused", done)


CASES = {case.__name__: case for case in
         (devices, peers, faults, traffic, homes, symmetry, in_time, recordings, variants, reports, cut, annotate, refused, one)}


def driver(program):
    """Contexts of the driver API."""
    def case(bench):
        for options in ([], ["--no-memory"], IN_TIME):
            done = bench.run(program, options=["-q", *TWO, *options])
            expect(done.stdout == "PASS\n", "the driver API", done)
    return case


def main(warpmem, compiler, case, program=None):
    check = CASES[case] if program is None else driver(Path(program).resolve())
    return run_program.status_of(check, warpmem, compiler, needs_compiler=program is None,
                                 make_bench=Bench)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
