#!/usr/bin/env python3
"""collect.py without a GPU: it skips with a reason, reads what ncu prints, and with stand-ins for NVIDIA's
tools, programs run by warpmem, it goes its whole way.

usage: check_collect.py WARPMEM skips|whole|litmus. Exit status 77: skipped, no nvcc. litmus: of its tests under
warpmem, by clang, whose outcomes are held to PTX's model as a GPU's are.
"""
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import check_measured
import collect
import compare
import metrics

sys.path.insert(0, str(HERE.parents[1] / "programs"))
import compiled

# Two launches of one kernel as ncu prints them behind what the program says; the second in a process of its own.
TABLE = '''==PROF== Profiling "_Z4fillPfi" - 0: 0%....50%....100% - 11 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","7","fill","127.0.0.1","_Z4fillPfi","1","7","(256, 1, 1)","(8, 4, 1)","0","9.0","Command line profiler metrics","gpu__time_duration.sum","ns","1,200"
"0","7","fill","127.0.0.1","_Z4fillPfi","1","7","(256, 1, 1)","(8, 4, 1)","0","9.0","Command line profiler metrics","dram__bytes_read.sum","byte","64.50"
"0","8","fill","127.0.0.1","_Z4fillPfi","1","7","(32, 1, 1)","(1, 1, 1)","0","9.0","Command line profiler metrics","dram__bytes_read.sum","byte","n/a"
'''
LAUNCHES = [{"kernel": "_Z4fillPfi", "grid": "8x4x1", "block": "256x1x1", "gpu__time_duration.sum": 1200,
             "dram__bytes_read.sum": 64.5},
            {"kernel": "_Z4fillPfi", "grid": "1x1x1", "block": "32x1x1", "dram__bytes_read.sum": None}]

SMI = r'''
case "$1" in
--query-gpu=name*) echo "NVIDIA H100 80GB HBM3, 9.0, 580.1, 96.00, 5, 16, 1980 MHz, 2619 MHz, 1980 MHz, 2619 MHz, 1980 MHz, 700 W, 70 W, 30, Enabled, 81559 MiB, Enabled, Disabled" ;;
--query-gpu=*) echo "1980 MHz, 2619 MHz, 30, 70 W" ;;
*) echo "    Product Name : NVIDIA H100" ;;
esac
'''
# Runs the program and counts for each launch that it says it made, or for one, its own number.
NCU = r'''#!/usr/bin/env python3
import csv, subprocess, sys
words = sys.argv[1:]
if words == ["--version"]:
    print("Version 2025.3.1.0 (build 1)")
elif words == ["--query-metrics"]:
    print("gpu__time_duration  Counter  ns  a time")
    print("dram__bytes_read    Counter  byte  bytes")
else:
    log = words[words.index("--log-file") + 1]
    said = subprocess.run(words[words.index("WARPMEM"):], capture_output=True, text=True)
    print(said.stdout, end="")
    made = [row for row in csv.reader(said.stdout.splitlines()) if len(row) == 5 and row[0].isdigit()]
    with open(log, "w") as file:
        file.write('==PROF== Profiling "k" - 0: 0%....100% - 1 pass\n')
        file.write('"ID","Process ID","Kernel Name","Block Size","Grid Size","Metric Name","Metric Unit","Metric Value"\n')
        for i in range(max(len(made), 1)):
            for name in words[words.index("--metrics") + 1].split(","):
                file.write(f'"{i}","1","k","(32, 1, 1)","(1, 1, 1)","{name}","ns","1,00{i % 10}"\n')
'''


# Two of the parts of counted: the others are as they are, and take longer.
PARTS = ["lanes", "mixed"]


def stand_in(folder, name, text):
    path = Path(folder) / name
    path.write_text(text if text.startswith("#!") else "#!/bin/sh\n" + text)
    path.chmod(0o755)


def run(folder, *words):
    return subprocess.run([sys.executable, HERE / "collect.py", *map(str, words)], capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})


def check_skips(folder):
    output = Path(folder) / "output"
    for says, reason in (("echo 'No devices were found'; exit 6", "no GPU: nvidia-smi says 'No devices"),
                         ("exit 0", "no GPU: nvidia-smi says ''"), ("echo a, b", "no GPU: nvidia-smi says 'a, b'")):
        stand_in(folder, "nvidia-smi", says + "\n")
        done = run(folder, output)
        assert done.returncode == collect.SKIPPED, done
        assert done.stdout.startswith(f"skipped: {reason}"), done.stdout
        assert not output.exists()
    assert metrics.launches(TABLE) == LAUNCHES, metrics.launches(TABLE)
    assert metrics.launches("==ERROR== no permission") == []
    assert metrics.available(["a__b.sum", "c__d.max"], {"a__b"}) == ["a__b.sum"]
    assert metrics.available(["a__b.sum"], set()) == ["a__b.sum"]
    assert len(set(metrics.COUNTERS)) == len(metrics.COUNTERS)
    with open(HERE / "programs.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    wrong = [row for row in rows if not collect.source(row["program"]).exists() or
             (int(row["launches"]) < 1) != row["program"].startswith("collaborative/")]
    assert not wrong, wrong
    return 0


def check_failing(folder):
    """A program that fails is noted with what it said; its whole rows are kept, and other steps go on."""
    stand_in(folder, "nvidia-smi", SMI)
    (Path(folder) / "micro").mkdir()
    stand_in(folder, "micro/litmus", "printf 'test,count\\nSB,1\\nMP,'; echo 'litmus: FAIL' >&2; exit 1\n")
    stand_in(folder, "micro/device", "echo property,value\n")
    output = Path(folder) / "failing"
    done = run(folder, output, "--steps", "device,litmus,places", "--binaries", folder)
    assert done.returncode == 0, done
    assert (output / "litmus.csv").read_text() == "test,count\nSB,1\n"
    assert (output / "device.csv").read_text() == "property,value\n"
    left_out = {it["what"]: it["reason"] for it in json.loads((output / "metadata.json").read_text())["left_out"]}
    assert left_out == {"litmus, in part": "status 1: litmus: FAIL",
                        "micro/places": f"there is no places in {folder}"}, left_out
    return 0


def check_whole(warpmem, folder):
    if collect.tool("nvcc") is None:
        print("skipped: no nvcc")
        return collect.SKIPPED
    stand_in(folder, "nvidia-smi", SMI)
    stand_in(folder, "ncu", NCU.replace("WARPMEM", str(warpmem)))
    output = Path(folder) / "output"
    done = run(folder, output, "--quick", "--sets", "check", "--run-with", f"{warpmem} run -q -m h100 --",
               "--binaries", binaries(warpmem, folder), "--parts", ",".join(PARTS))
    assert done.returncode == 0, (done.stdout, done.stderr)
    data = json.loads((output / "metadata.json").read_text())
    assert data["gpu"]["name"] == "NVIDIA H100 80GB HBM3" and data["ncu"] == "2025.3.1.0", data
    wrong = [it for it in data["left_out"] if it["what"] not in ("hints", "launch_times", "instructions")]
    assert not wrong, wrong
    tables = {name: list(csv.DictReader(open(output / f"{name}.csv", newline="")))
              for name in ("curves", "litmus", "counted", "counters", "device", "l2_by_sm")}
    assert gzip.open(output / "l2_by_line.csv.gz", "rt").read().startswith("offset,sm0,"), "a table by line"
    assert {row["program"] for row in tables["curves"]} == {name for name, _, _ in collect.CURVES}
    check_measured.check_litmus_rows(tables["litmus"], ["packed"])
    assert {row["part"] for row in tables["counted"]} == set(PARTS)
    assert all(row["gpu__time_duration.sum"] for row in tables["counted"] + tables["counters"])
    assert "sm__cycles_elapsed.max" in data["notes"]["metrics_missing"], data["notes"]
    assert data["notes"]["passes_of_counters"] == {"1": 1}, data["notes"]
    ran = json.loads((output / "outputs.json").read_text())
    assert [(it["program"], it["status"], it["output"]) for it in ran] == [
        ("vecadd", 0, "vecadd: PASS\n"), ("collaborative/image_histogram", 0, "image_histogram: PASS\n")], ran
    assert {row["program"] for row in tables["counters"]} == {"vecadd"}, "a kernel that waits for threads was counted"
    check_made(warpmem, folder)
    check_late(warpmem, folder)
    return 0


def check_litmus(warpmem):
    program = compiled.program(warpmem, HERE / "programs/litmus.cu", flags=compare.FLAGS)
    done = subprocess.run([warpmem, "run", "-q", "-m", "h200", "--", program, *collect.LITMUS[True].split()],
                          capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "litmus: PASS\n"), done
    check_measured.check_litmus_rows(list(csv.DictReader(done.stdout.splitlines())), ["packed"])
    return 0


def binaries(warpmem, folder):
    """The programs in one folder, compiled once for all tests."""
    place = Path(folder) / "binaries"
    (place / "micro").mkdir(parents=True)
    (place / "collaborative").mkdir()
    for name in ("vecadd", "collaborative/image_histogram"):
        (place / name).symlink_to(compiled.program(warpmem, HERE.parents[2] / f"workloads/{name}.cu", compiler="nvcc"))
    for source in (HERE / "programs").glob("*.cu"):
        (place / "micro" / source.stem).symlink_to(
            compiled.program(warpmem, source, compiler="nvcc", flags=("-std=c++17", "-O3", "-arch=sm_90")))
    return place


def check_made(warpmem, folder):
    """Without --binaries, nvcc makes them."""
    output = Path(folder) / "made"
    done = run(folder, output, "--steps", "outputs", "--sets", "check", "--run-with", f"{warpmem} run -q --")
    assert done.returncode == 0, done
    assert [it["output"] for it in json.loads((output / "outputs.json").read_text())] == [
        "vecadd: PASS\n", "image_histogram: PASS\n"]


def check_late(warpmem, folder):
    """Without time nothing is begun, and what was left out is said."""
    output = Path(folder) / "late"
    done = run(folder, output, "--seconds", 0, "--run-with", f"{warpmem} run -q --")
    assert done.returncode == 0, done
    left_out = {it["what"]: it["reason"] for it in json.loads((output / "metadata.json").read_text())["left_out"]}
    assert left_out == dict.fromkeys(collect.STEPS, "no time left"), left_out


def main(warpmem, how):
    with tempfile.TemporaryDirectory() as folder:
        if how == "skips":
            return check_skips(folder) or check_failing(folder)
        if how == "litmus":
            return check_litmus(Path(warpmem).resolve())
        return check_whole(Path(warpmem).resolve(), folder)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
