#!/usr/bin/env python3
"""collect_hints.py without a GPU: it skips with a reason, and with stand-ins for NVIDIA's tools, programs run
by warpmem, it goes its whole way.

usage: check_collect_hints.py WARPMEM SOURCE skips|whole. Exit status 77: skipped, no nvcc.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import collect_hints

# Of two kernels, one of them launched twice, as ncu prints them behind what the program says.
TABLE = '''hinted: PASS, 2063488
==PROF== Disconnected from process 1
"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","1","fill(float *, int)","gpu__time_duration.sum","nsecond","1,200"
"0","1","fill(float *, int)","dram__bytes.sum","byte","64"
"1","1","fill(float *, int)","gpu__time_duration.sum","nsecond","800.5"
"2","1","turn(const float *)","lts__t_bytes.sum","byte","1,000,000"
'''
COUNTED = {"fill(float *, int)": {"nanoseconds": 2000.5, "bytes_l2": 0, "bytes_l2_to_l1": 0, "bytes_dram": 64.0},
           "turn(const float *)": {"nanoseconds": 0, "bytes_l2": 1e6, "bytes_l2_to_l1": 0, "bytes_dram": 0}}


def stand_in(folder, name, text):
    path = Path(folder) / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


def collect(folder, *words):
    """Behind the stand-ins, the tools of the system."""
    return subprocess.run([sys.executable, HERE / "collect_hints.py", *map(str, words)], capture_output=True,
                          text=True, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})


def check_skips(warpmem, source, folder):
    output = Path(folder) / "result.json"
    for says, reason in (("echo 'No devices were found'; exit 6", "no GPU: nvidia-smi says 'No devices"),
                         ("echo 'Tesla P100-PCIE-16GB, 6.0, 535.1'", "no preset for Tesla P100"),
                         ("exit 0", "no GPU: nvidia-smi says ''")):
        stand_in(folder, "nvidia-smi", says + "\n")
        stand_in(folder, "nvcc", "exit 1\n")
        done = collect(folder, warpmem, output, source)
        assert done.returncode == collect_hints.SKIPPED, done
        assert done.stdout.startswith(f"skipped: {reason}"), done.stdout
        assert not output.exists()
    assert collect_hints.counted(TABLE) == COUNTED, collect_hints.counted(TABLE)
    assert collect_hints.counted("==ERROR== no permission") == {}


def check_whole(warpmem, source, folder):
    try:
        collect_hints.find_nvcc()
    except collect_hints.Skipped as reason:
        print(f"skipped: {reason}")
        return collect_hints.SKIPPED
    (Path(folder) / "table").write_text(TABLE)
    stand_in(folder, "nvidia-smi", "echo 'NVIDIA A100-SXM4-40GB, 8.0, 580.65.06'\n")
    stand_in(folder, "ncu", f'echo "$@" >> "{folder}/counted"; cat "{folder}/table"\n')
    output = Path(folder) / "result.json"
    done = collect(folder, warpmem, output, "--runs", 2, "--run-with", f"{warpmem} run -q --", source)
    assert done.returncode == 0, (done.stdout, done.stderr)
    result = json.loads(output.read_text())
    assert (result["gpu"], result["machine"], result["driver"]) == ("NVIDIA A100-SXM4-40GB", "a100", "580.65.06")
    assert result["same_output"] and len(result["original"]["seconds"]) == len(result["hinted"]["seconds"]) == 2
    assert result["original"]["kernels"] == COUNTED
    counted = [words.split()[-1] for words in Path(folder, "counted").read_text().splitlines()]
    assert [Path(program).name for program in counted] == ["original", "hinted"], counted
    predicted = [it for it in result["predicted"].values() if it["says"]]
    assert predicted and all(it["before"]["l1.bytes_below"] > it["after"]["l1.bytes_below"] for it in predicted), result
    assert all(it["before"] == it["after"] for it in result["predicted"].values() if not it["says"]), result
    check_differing(warpmem, source, folder)
    return 0


def check_differing(warpmem, source, folder):
    """Programs that print other things end it, and the numbers are kept: each prints its name here."""
    output = Path(folder) / "differing.json"
    done = collect(folder, warpmem, output, "--runs", 1, "--run-with", "sh -c 'echo $0'", source)
    assert done.returncode == 1 and "error: the outputs differ" in done.stderr, done
    assert "/original\n" in done.stderr and "/hinted\n" in done.stderr, done.stderr
    assert json.loads(output.read_text())["same_output"] is False


def main(warpmem, source, how):
    with tempfile.TemporaryDirectory() as folder:
        warpmem, source = Path(warpmem).resolve(), Path(source).resolve()
        return (check_skips if how == "skips" else check_whole)(warpmem, source, folder)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
