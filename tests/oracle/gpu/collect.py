#!/usr/bin/env python3
"""Measures a real GPU: its curves, what its counters say of known accesses and of the workloads, and what
these print. The data are what warpmem's machines are held to (docs/gpu-measurements.md).

usage: collect.py OUTPUT [--seconds N] [--steps LIST] [--sets LIST] [--parts LIST]
                  [--curves LIST] [--binaries FOLDER] [--quick] [--run-with COMMAND] [--warpmem WARPMEM]

OUTPUT becomes a folder of tables, each written as soon as it is complete, and metadata.json, which names
the device, the driver, clocks, tools and whatever was left out and why. After N seconds (1200) what has not
begun is left out. Steps, in this order: device, litmus, curves, places, counted, outputs, counters, hints, warm,
instructions, large_outputs. --sets: of programs.csv, default,large,variant if not said; truth, the programs of
tests/oracle/truth; and managed, those of workloads/collaborative and workloads/managed, of which the first are not
counted: their kernels wait for CPU threads, and a profiler runs a kernel alone. --parts: of counted; --curves: programs of curves. --binaries: programs that were compiled elsewhere, <name> and micro/<name>, instead of nvcc's.
--quick: few sizes, which shows that everything works. --run-with puts a command before each program
(`warpmem run -q --` tries the script out where there is no GPU).

Exit status 77 with a reason where there is no GPU, or no nvcc and no --binaries.
"""
import argparse
import collections
import csv
import datetime
import gzip
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import metrics

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SKIPPED = 77
STEPS = ["device", "litmus", "curves", "places", "counted", "outputs", "counters", "hints", "warm", "instructions",
         "large_outputs"]
# Programs of programs/ that print rows of measure.h, and what they are asked for when it should be quick.
CURVES = [("latency", "", "--largest 256 --pages 16 --page-span 64 --cold 256"),
          ("cache_bandwidth", "", "--l1 64 --l2 4 --blocks 16 --work 32 --repeats 1"),
          ("stream", "", "--elements 4096 --span 4 --sectors 1024 --chains 1 --repeats 1"),
          ("strides", "", "--turns 1 --repeats 1"),
          ("atomic_rates", "", "--each 2 --blocks-per-sm 1 --repeats 1"),
          ("operations", "", "--count 16 --repeats 1"),
          ("overhead", "", "--launches 2 --largest 64 --repeats 1 --clock 0"),
          ("partitions", "", "--most 1 --repeats 1 --wake 0")]
PLACES = [("l2_by_sm.csv", "--table sms --lines 96 --apart 128", "--table sms --lines 4"),
          ("l2_by_line.csv.gz", "--table lines --lines 16384 --sms 12", "--table lines --lines 8 --sms 4"),
          ("l2_atomics_by_sm.csv", "--table sms --lines 128 --access atomic", "--table sms --lines 4 --access atomic")]
LITMUS = ("", "--milliseconds 0 --blocks 4 --rounds 1 --pressing 0 --host-rounds 1 --layout packed")
COUNTED = ["loads", "lanes", "stores", "mixed", "inside", "again"]
HINTED = ["tests/cli/hinted.cu", "workloads/spmv.cu", "workloads/bfs.cu", "workloads/kmeans.cu"]
SMI_FIELDS = ("name,compute_cap,driver_version,vbios_version,pcie.link.gen.current,pcie.link.width.current,"
              "clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,clocks.applications.graphics,power.limit,"
              "power.draw,temperature.gpu,ecc.mode.current,memory.total,persistence_mode,mig.mode.current")


class Skipped(Exception):
    pass


def tool(name):
    found = shutil.which(name)
    places = ["/usr/local/cuda/bin", *sorted(Path("/usr/local").glob("cuda-*/bin"), reverse=True)]
    return found or next((str(Path(place, name)) for place in places if Path(place, name).exists()), None)


def done(command, seconds=60, **more):
    """What a command said and how it ended; a status of -1 and the reason where it did not."""
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                              timeout=max(seconds, 0.1), **more)
    except subprocess.TimeoutExpired as late:
        said = late.stdout.decode(errors="replace") if isinstance(late.stdout, bytes) else late.stdout or ""
        return subprocess.CompletedProcess(command, -1, said, f"took more than {seconds:.0f} s")
    except OSError as error:
        return subprocess.CompletedProcess(command, -1, "", str(error))


def find_gpu():
    smi = tool("nvidia-smi")
    if smi is None:
        raise Skipped("no GPU: there is no nvidia-smi")
    said = done([smi, f"--query-gpu={SMI_FIELDS}", "--format=csv,noheader"])
    fields = said.stdout.strip().splitlines()[0].split(",") if said.stdout.strip() else []
    if said.returncode != 0 or len(fields) != SMI_FIELDS.count(",") + 1:
        raise Skipped(f"no GPU: nvidia-smi says {(said.stdout + said.stderr).strip()!r}")
    return dict(zip(SMI_FIELDS.split(","), (field.strip() for field in fields)))


def source(program):
    """The source of a program of programs.csv: of workloads/, or the truth suite's own."""
    sources = [folder / f"{program}.cu" for folder in (ROOT / "workloads", HERE.parent / "truth/programs")]
    return next((it for it in sources if it.exists()), sources[0])


class Table:
    """Rows of one file, written whenever there are more; columns appear as rows have them."""

    def __init__(self, path):
        self.path, self.rows, self.columns = path, [], []

    def add(self, rows):
        for row in rows:
            self.columns += [name for name in row if name not in self.columns]
            self.rows.append(row)
        with open(self.path, "w", newline="") as file:
            writer = csv.DictWriter(file, self.columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)


class Collector:
    def __init__(self, asked, gpu, nvcc, work):
        self.asked, self.gpu, self.nvcc, self.work = asked, gpu, nvcc, Path(work)
        self.out = Path(asked.output)
        self.out.mkdir(parents=True, exist_ok=True)
        self.begin, self.end = time.monotonic(), time.monotonic() + asked.seconds
        self.prefix = shlex.split(asked.run_with)
        self.ncu = tool("ncu")
        self.ran, self.times = [], Table(self.out / "launch_times.csv")
        self.left_out, self.spent, self.notes, self.kills = [], {}, {}, True
        libraries = [str(Path(asked.binaries).resolve())] if asked.binaries else []
        if nvcc:
            libraries.append(str(Path(nvcc).resolve().parent.parent / "lib64"))
        self.environment = {**os.environ, "LD_LIBRARY_PATH":
                            ":".join([*libraries, os.environ.get("LD_LIBRARY_PATH", "")]).strip(":")}
        with open(HERE / "programs.csv", newline="") as file:
            self.programs = [row for row in csv.DictReader(file) if row["set"] in asked.sets.split(",")]

    def left(self):
        return self.end - time.monotonic()

    def skip(self, what, reason):
        self.left_out.append({"what": what, "reason": reason})
        print(f"left out: {what}: {reason}", flush=True)

    def write_metadata(self):
        said = done([self.nvcc, "--version"]).stdout if self.nvcc else ""
        ncu = done([self.ncu, "--version"]).stdout if self.ncu else ""
        data = {"format": "warpmem-gpu-measurements-1", "gpu": self.gpu,
                "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
                "nvcc": (re.search(r"release ([0-9.]+)", said) or [None, None])[1],
                "ncu": (re.search(r"Version ([0-9.]+)", ncu) or [None, None])[1],
                "sets": self.asked.sets.split(","), "seconds_of_steps": self.spent, "notes": self.notes,
                "left_out": self.left_out}
        (self.out / "metadata.json").write_text(json.dumps(data, indent=1) + "\n")

    # Programs.

    def program(self, name, source):
        """The path of a compiled program; None, and it is left out, where it is not there."""
        if self.asked.binaries:
            path = Path(self.asked.binaries, name)
        else:
            path = self.work / name
            path.parent.mkdir(exist_ok=True)
            if not path.exists():
                capability = self.gpu["compute_cap"].replace(".", "")
                made = done([self.nvcc, "-O3", "-std=c++17", "-cudart", "shared", "-lineinfo", "-w", "-gencode",
                             f"arch=compute_{capability},code=[sm_{capability},compute_{capability}]", source,
                             "-o", path], 120)
                if made.returncode != 0:
                    self.skip(name, f"nvcc: {made.stderr.strip()[-300:]}")
                    return None
        if not path.exists():
            self.skip(name, f"there is no {path.name} in {self.asked.binaries}")
            return None
        return path

    def own(self, name):
        return self.program(f"micro/{name}", HERE / f"programs/{name}.cu")

    def workload(self, row):
        return self.program(row["program"], source(row["program"]))

    def run(self, words, seconds=120, **environment):
        return done([*self.prefix, *words], min(seconds, self.left()),
                    env={**self.environment, **environment})

    def profile(self, path, arguments, wanted, more, seconds=90):
        """A dict for each launch, and what ncu said besides."""
        log = self.work / "ncu.csv"
        log.unlink(missing_ok=True)
        said = done([self.ncu, "--csv", "--print-units", "base", "--clock-control", "none", "--print-kernel-base",
                     "mangled", "--log-file", log, "--metrics", ",".join(wanted), *more, *self.prefix, path,
                     *arguments], min(seconds, self.left()), env=self.environment)
        table = log.read_text(errors="replace") if log.exists() else said.stdout
        return metrics.launches(table), table, said

    # Steps.

    def device(self):
        path = self.own("device")
        if path:
            said = self.run([path])
            (self.out / "device.csv").write_text(said.stdout)
        smi = done([tool("nvidia-smi"), "-q"])
        self.notes["nvidia-smi"] = [line.strip() for line in smi.stdout.splitlines()
                                    if re.search(r"(Clocks|Graphics|SM |Memory|Product|Throttle|Slowdown|Active)\b", line)
                                    ][:80]

    def litmus(self):
        """Which outcomes of litmus tests are seen; a forbidden one is noted among what is left out."""
        path = self.own("litmus")
        if path:
            said = self.run([path, *LITMUS[self.asked.quick].split()], 90)
            (self.out / "litmus.csv").write_text(said.stdout[:said.stdout.rfind("\n") + 1])
            if said.returncode != 0:
                self.skip("litmus, in part", f"status {said.returncode}: {said.stderr.strip()[-300:]}")

    def outputs(self):
        """What each program prints and how long its kernels and copies take, without a profiler's counters."""
        self.run_programs([row for row in self.programs if row["set"] != "large"])

    def large_outputs(self):
        self.run_programs([row for row in self.programs if row["set"] == "large"])

    def run_programs(self, programs):
        library, file = self.work / "launch_times.so", self.work / "times.csv"
        if not library.exists():
            self.make_library(library)
        more = {"CUDA_INJECTION64_PATH": str(library), "LAUNCH_TIMES_FILE": str(file)} if library.exists() else {}
        for row in programs:
            path = self.workload(row)
            if path is None or self.left() < 3:
                self.skip(f"output of {row['program']} {row['arguments']}", "no time left") if path else None
                continue
            file.unlink(missing_ok=True)
            begin = time.monotonic()
            said = self.run([path, *row["arguments"].split()], **more)
            self.ran.append({"set": row["set"], "program": row["program"], "arguments": row["arguments"],
                             "status": said.returncode, "seconds": round(time.monotonic() - begin, 3),
                             "output": said.stdout[:20000], "errors": said.stderr[-500:],
                             "sha256": hashlib.sha256(said.stdout.encode()).hexdigest()})
            (self.out / "outputs.json").write_text(json.dumps(self.ran, indent=1) + "\n")
            if file.exists():
                with open(file, newline="") as rows:
                    self.times.add([{"program": row["program"], "arguments": row["arguments"], **it}
                                    for it in csv.DictReader(rows)])

    def make_library(self, library):
        ready = Path(self.asked.binaries or ".", "launch_times.so")
        if self.asked.binaries and ready.exists():
            shutil.copy(ready, library)
            return
        places = [Path(self.nvcc).resolve().parent.parent / more for more in ("extras/CUPTI", ".")] if self.nvcc else []
        place = next((it for it in places if (it / "include/cupti.h").exists()), None)
        if place is None:
            self.skip("launch_times", "there is no cupti.h")
            return
        made = done([self.nvcc, "-shared", "-Xcompiler", "-fPIC", HERE / "programs/launch_times.cpp", "-I",
                     place / "include", "-L", place / "lib64", "-lcupti", "-Xlinker",
                     f"-rpath={place / 'lib64'}", "-o", library])
        if made.returncode != 0:
            self.skip("launch_times", made.stderr.strip()[-300:])

    def curves(self):
        table = Table(self.out / "curves.csv")
        for name, full, quick in [it for it in CURVES if it[0] in self.asked.curves.split(",")]:
            path = self.own(name)
            if path is None or self.left() < 2:
                self.skip(name, "no time left") if path else None
                continue
            said = self.run([path, *(quick if self.asked.quick else full).split()])
            rows = [row for row in csv.DictReader(said.stdout.splitlines()) if row.get("samples")]
            table.add([{"program": name, **row} for row in rows])
            if said.returncode != 0:
                self.skip(f"{name}, in part", f"status {said.returncode} after {len(rows)} rows: "
                          f"{said.stderr.strip()[-300:]}")
            self.notes.setdefault("clocks", []).append([name, self.clocks()])

    def clocks(self):
        said = done([tool("nvidia-smi"), "--query-gpu=clocks.sm,clocks.mem,temperature.gpu,power.draw",
                     "--format=csv,noheader"])
        return said.stdout.strip()

    def places(self):
        path = self.own("places")
        for file, full, quick in PLACES if path else ():
            said = self.run([path, *(quick if self.asked.quick else full).split()])
            data = said.stdout.encode()
            (self.out / file).write_bytes(gzip.compress(data, mtime=0) if file.endswith(".gz") else data)
            if said.returncode != 0:
                self.skip(file, f"status {said.returncode}: {said.stderr.strip()[-300:]}")

    def ready_to_profile(self, step):
        if self.ncu is None:
            self.skip(step, "there is no ncu")
            return False
        if not hasattr(self, "listed"):
            self.listed = metrics.base_names(done([self.ncu, "--query-metrics"], 60).stdout)
            missing = [it for it in metrics.COUNTERS if it not in metrics.available([it], self.listed)]
            self.notes["metrics_missing"] = missing
        return True

    def counted(self):
        if not self.ready_to_profile("counted"):
            return
        path, table = self.own("counted"), Table(self.out / "counted.csv")
        small = ["--buffer", "16", "--threads", "16"] if self.asked.quick else []
        for part in self.asked.parts.split(",") if path else ():
            if self.left() < 10:
                self.skip(f"counted {part}", "no time left")
                continue
            wanted = metrics.available(metrics.COUNTERS, self.listed)
            known, _, said = self.profile(path, ["--part", part, *small], wanted,
                                          ["--cache-control", "all", "--kernel-name", "regex:count_"], 120)
            labels = [row for row in csv.DictReader(said.stdout[said.stdout.find("launch,"):].splitlines())
                      if row.get("unit") and row["launch"].isdigit()]
            if not known or len(known) != len(labels):
                self.skip(f"counted {part}", f"{len(known)} launches counted, {len(labels)} made: "
                          f"{said.stderr.strip()[-300:]}")
            table.add([{"part": part, **label, **counts} for label, counts in zip(labels, known)])

    def count_programs(self, step, wanted, control):
        if not self.ready_to_profile(step):
            return
        table, passes, longest = Table(self.out / f"{step}.csv"), collections.Counter(), 3.0
        wanted = metrics.available(wanted, self.listed)
        # Of one launch, the counters have said it: there is no launch before it that could warm a cache.
        rows = [row for row in self.programs if int(row["launches"]) > (control != "all")]
        for row in rows:
            path = self.workload(row)
            if path is None:
                continue
            name = f"{row['program']} {row['arguments']}".strip()
            if self.left() < longest:
                self.skip(f"{step} {name}", "no time left")
                continue
            begin = time.monotonic()
            known, log = self.count_program(path, row, wanted, control)
            longest = max(longest, min(time.monotonic() - begin, 15))
            passes.update(re.findall(r"- (\d+) pass", log))
            if not known:
                self.skip(f"{step} {name}", log.strip()[-300:])
            table.add([{"set": row["set"], "program": row["program"], "arguments": row["arguments"], "launch": i,
                        **counts} for i, counts in enumerate(known)])
        self.notes[f"passes_of_{step}"] = dict(passes)

    def count_program(self, path, row, wanted, control):
        """The program is ended with the last launch that is counted, where that leaves a table."""
        more = ["--cache-control", control, "--launch-count", row["launches"]]
        for kill in ([["--kill", "yes"]] if self.kills else []) + [[]]:
            known, table, said = self.profile(path, row["arguments"].split(), wanted, [*more, *kill], 60)
            if known:
                self.kills = bool(kill)
                break
        return known, table + said.stdout + said.stderr

    def counters(self):
        self.count_programs("counters", metrics.COUNTERS, "all")

    def warm(self):
        self.count_programs("warm", metrics.WARM, "none")

    def hints(self):
        """Programs with other cache operations beside the originals: tests/oracle/collect_hints.py."""
        if not self.asked.warpmem:
            self.skip("hints", "no --warpmem")
            return
        for source in HINTED:
            if self.left() < 40:
                self.skip(f"hints of {source}", "no time left")
                continue
            said = done([sys.executable, HERE.parent / "collect_hints.py", self.asked.warpmem,
                         self.out / f"hints_{Path(source).stem}.json", ROOT / source], min(90, self.left()))
            if said.returncode != 0:
                self.skip(f"hints of {source}", (said.stdout + said.stderr).strip()[-500:])

    def instructions(self):
        """How many of each machine instruction the kernels have, as they stand in the program."""
        dump, rows = tool("cuobjdump"), []
        if dump is None:
            self.skip("instructions", "there is no cuobjdump")
            return
        for name in sorted({row["program"] for row in self.programs}):
            path = self.workload({"program": name})
            text = done([dump, "-sass", path]).stdout if path else ""
            for function in re.split(r"\n\s*Function : ", text)[1:]:
                kernel = function.split("\n", 1)[0].strip()
                counts = collections.Counter(re.findall(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)",
                                                        function))
                rows += [{"program": name, "kernel": kernel, "instruction": it, "count": count}
                         for it, count in sorted(counts.items())]
        Table(self.out / "instructions.csv").add(rows)

    def all(self):
        for step in STEPS:
            if step not in self.asked.steps.split(","):
                continue
            begin = time.monotonic()
            if self.left() > 0:
                try:
                    getattr(self, step)()
                except Exception as error:  # what the other steps find must not be lost
                    self.skip(step, f"{type(error).__name__}: {error}")
            else:
                self.skip(step, "no time left")
            self.spent[step] = round(time.monotonic() - begin, 1)
            print(f"{step}: {self.spent[step]} s, {self.left():.0f} s left", flush=True)
            self.write_metadata()


def main(words):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("output")
    parser.add_argument("--seconds", type=float, default=1200)
    parser.add_argument("--steps", default=",".join(STEPS))
    parser.add_argument("--sets", default="default,variant,large")
    parser.add_argument("--parts", default=",".join(COUNTED))
    parser.add_argument("--curves", default=",".join(name for name, _, _ in CURVES))
    parser.add_argument("--binaries")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--run-with", default="")
    parser.add_argument("--warpmem")
    asked = parser.parse_args(words)
    try:
        gpu = find_gpu()
        nvcc = tool("nvcc")
        if nvcc is None and not asked.binaries:
            raise Skipped("no nvcc in PATH nor below /usr/local/cuda*/bin, and no --binaries")
    except Skipped as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as work:
        Collector(asked, gpu, nvcc, work).all()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
