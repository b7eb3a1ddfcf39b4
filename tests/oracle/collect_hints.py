#!/usr/bin/env python3
"""Original programs and those with hints on a real GPU: times and counters, kept for comparison.

usage: collect_hints.py WARPMEM OUTPUT [--runs N] [--run-with COMMAND] SOURCE.cu [ARGUMENT…]

The program is compiled to PTX alone, so that the driver compiles the original as it does the rewritten
one. `warpmem bypass --hints` decides on the preset of that GPU and writes the other program; both run
N times (7), their outputs must be the same, and Nsight Compute (ncu), where it is, counts the kernels.
OUTPUT becomes a JSON file: what warpmem measured in `predicted`, and the GPU's in `original` and `hinted`:
seconds of each run, and by kernel the sums of the counters below over its launches.

Exit status 77 with a reason where there is no nvcc, no GPU, or none of a preset. --run-with puts a command
before the programs (`warpmem run -q --` tries the script out where there is no GPU).
"""
import argparse
import csv
import io
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

SKIPPED = 77
# Machines by what the driver calls GPUs.
PRESETS = {"V100": "v100", "A100": "a100", "H100": "h100", "H200": "h200"}
COUNTERS = {"gpu__time_duration.sum": "nanoseconds", "lts__t_bytes.sum": "bytes_l2",
            "l1tex__m_xbar2l1tex_read_bytes.sum": "bytes_l2_to_l1", "dram__bytes.sum": "bytes_dram"}


class Skipped(Exception):
    pass


def tool(name, places=()):
    return shutil.which(name) or next((str(Path(place, name)) for place in places
                                       if Path(place, name).exists()), None)


def run(*command, environment=None, status=0):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment)
    if done.returncode != status:
        sys.exit(f"error: {shlex.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def find_gpu():
    """Of the first GPU: its name, its compute capability without the point, the driver."""
    smi = tool("nvidia-smi")
    if smi is None:
        raise Skipped("no GPU: there is no nvidia-smi")
    done = subprocess.run([smi, "--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader"],
                          capture_output=True, text=True)
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines or lines[0].count(",") != 2:
        raise Skipped(f"no GPU: nvidia-smi says {(done.stdout + done.stderr).strip()!r}")
    name, capability, driver = (word.strip() for word in lines[0].split(","))
    preset = next((preset for word, preset in PRESETS.items() if word in name), None)
    if preset is None:
        raise Skipped(f"no preset for {name}: there are {', '.join(sorted(PRESETS.values()))}")
    return name, capability.replace(".", ""), driver, preset


def find_nvcc():
    nvcc = tool("nvcc", ["/usr/local/cuda/bin", *sorted(Path("/usr/local").glob("cuda-*/bin"), reverse=True)])
    if nvcc is None:
        raise Skipped("no nvcc in PATH nor below /usr/local/cuda*/bin")
    return nvcc


def counted(table):
    """ncu's CSV: by kernel the sums of the counters over its launches."""
    begin = table.find('"ID",')
    kernels = {}
    for row in csv.DictReader(io.StringIO(table[begin:])) if begin >= 0 else ():
        if row["Metric Name"] in COUNTERS:
            own = kernels.setdefault(row["Kernel Name"], dict.fromkeys(COUNTERS.values(), 0))
            own[COUNTERS[row["Metric Name"]]] += float(row["Metric Value"].replace(",", ""))
    return kernels


class Programs:
    def __init__(self, asked, nvcc, folder):
        self.asked, self.prefix, self.folder = asked, shlex.split(asked.run_with), folder
        libraries = Path(nvcc).resolve().parent.parent / "lib64"
        self.environment = {**os.environ, "LD_LIBRARY_PATH":
                            f"{libraries}:{os.environ.get('LD_LIBRARY_PATH', '')}".rstrip(":")}
        # warpmem finds its own libraries, and no GPU has a part in it.
        self.simulated = {it: os.environ[it] for it in os.environ if it != "LD_LIBRARY_PATH"}

    def time(self, program):
        """The output without what differs each time, and the seconds of each run."""
        outputs, seconds = [], []
        for _ in range(self.asked.runs):
            begin = time.monotonic()
            outputs.append(run(*self.prefix, program, *self.asked.arguments, environment=self.environment))
            seconds.append(time.monotonic() - begin)
        return outputs[0], seconds

    def count(self, program):
        ncu = tool("ncu", ["/usr/local/cuda/bin"])
        if ncu is None:
            return None
        # The clocks stay as they are: the times are to be those of a run without the profiler.
        return counted(run(ncu, "--csv", "--print-units", "base", "--clock-control", "none", "--metrics",
                           ",".join(COUNTERS), *self.prefix, program, *self.asked.arguments, environment=self.environment))


def measured(report):
    """What warpmem says that the kernels save, and which words it chose."""
    return {kernel["name"]: {"before": kernel["hints"]["before"], "after": kernel["hints"]["after"],
                             "says": {load["number"]: load["says"] for load in kernel["hints"]["loads"]
                                      if load["says"] != load["own"]}}
            for kernel in report["kernels"]}


def collect(asked):
    nvcc = find_nvcc()
    name, capability, driver, preset = find_gpu()
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(asked, nvcc, Path(folder))
        original, hinted, report = (Path(folder) / it for it in ("original", "hinted", "report.json"))
        run(nvcc, "-O3", "-cudart", "shared", "-lineinfo", "-w", "-gencode",
            f"arch=compute_{capability},code=compute_{capability}", asked.source, "-o", original)
        run(asked.warpmem, "bypass", "-q", "-m", preset, "--hints", "-o", hinted, "--json", report, "--", original,
            *asked.arguments, environment=programs.simulated)
        result = {"format": "warpmem-gpu-hints-1", "gpu": name, "driver": driver, "machine": preset,
                  "nvcc": re.search(r"release ([0-9.]+)", run(nvcc, "--version"))[1],
                  "program": Path(asked.source).name, "arguments": asked.arguments,
                  "predicted": measured(json.loads(report.read_text()))}
        outputs = []
        for key, program in (("original", original), ("hinted", hinted)):
            output, seconds = programs.time(program)
            outputs.append(output)
            result[key] = {"seconds": seconds, "kernels": programs.count(program)}
        result["same_output"] = outputs[0] == outputs[1]
    Path(asked.output).write_text(json.dumps(result, indent=1) + "\n")
    if not result["same_output"]:
        sys.exit(f"error: the outputs differ; both are of {asked.source}:\n{outputs[0]}\n{outputs[1]}")


def main(words):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("warpmem")
    parser.add_argument("output")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--run-with", default="")
    parser.add_argument("source")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    try:
        collect(parser.parse_args(words))
    except Skipped as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
