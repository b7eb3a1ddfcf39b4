#!/usr/bin/env python3
"""Limits of a run, and programs that ignore what CUDA returns.

usage: check_limits.py SOURCE BUILD limits|errors

limits   --limit-instructions and --limit-time stop a kernel without an end, in both engines and with
         none, in run, annotate and record: exit status 3, the report of what was counted so far, and
         for the program the error of a launch that takes too long. By instructions, the same every
         time
errors   a kernel's fault and a refused launch are said at the report's end, also of a program that
         ignores them; --fail-on-error makes them the exit status

Exit status 77: skipped, with the reason.
"""
import json
import re
import sys
import time

from place import Place, status_of

PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void spin(volatile unsigned *data) { while (data[0] == 0) data[1]++; }
__global__ void fault(unsigned *data) { data[threadIdx.x + (1u << 29)] = 1; }
__global__ void once(unsigned *data) { data[2] = threadIdx.x; }
int main(int, char **words)
{
    bool faults = strcmp(words[1], "fault") == 0, refused = strncmp(words[1], "refused", 7) == 0;
    unsigned *data;
    cudaMalloc(&data, 4096);
    cudaMemset(data, 0, 4096);
    once<<<1, 32>>>(data);
    if (faults)
        fault<<<2, 32>>>(data);
    else if (refused)
        for (int i = 0; i < (words[1][7] ? 12 : 1); i++)
            once<<<1, 4096>>>(data);
    else if (strcmp(words[1], "well") != 0)
        spin<<<2, 64>>>(data);
    int result = cudaDeviceSynchronize();
    once<<<1, 32>>>(data);
    printf("%d %d\\n", result, (int)cudaGetLastError());
    fflush(stdout);
    if (strcmp(words[1], "abort") == 0)
        abort();
    return 0;
}
"""
TIMEOUT = "702 702\n" # cudaErrorLaunchTimeout
INVALID = "0 9\n"     # cudaErrorInvalidConfiguration, of the launch


def counted(place, *words):
    """The results of a run that a limit of instructions has stopped."""
    done = place.run("run", *words, "--json", "out.json", "./program", "spin", want=3)
    assert TIMEOUT in done.stdout, done.stdout
    assert "The run was stopped at a limit: what is counted is what ran until then." in done.stdout
    assert re.search(r"kernel _Z4spinPVj: stopped at the limit of 200000 warp instructions\n"
                     r"hint: --limit-instructions sets it", done.stderr), done.stderr
    results = json.loads((place.folder / "out.json").read_text())
    assert results["failure"]["status"] == "stopped" and results["failure"]["ran"], results["failure"]
    kernels = {kernel["name"]: kernel for kernel in results["kernels"]}
    return kernels["_Z4spinPVj"], (place.folder / "out.json").read_bytes()


def check_limits(place):
    for words in (["--engine", "walk"], ["--engine", "clock"], ["--no-memory"]):
        spin, first = counted(place, *words, "--limit-instructions", "200k")
        executed = spin["warp_instructions"]
        # No more than a turn or some windows behind it.
        assert 199000 <= executed <= 230000, (words, executed)
        if words[-1] != "--no-memory":
            loads = sum(i["counters"]["requests"] for i in spin["instructions"])
            assert loads > executed / 20, (words, loads)
        assert counted(place, *words, "--limit-instructions", "200k")[1] == first, words
        print(f"{' '.join(words)}: stopped after {executed} warp instructions")
    for words in (["run"], ["run", "--engine", "clock"], ["annotate"]):
        begin = time.monotonic()
        done = place.run(*words, "--limit-time", "300ms", "./program", "spin", want=3)
        assert time.monotonic() - begin < 60
        assert TIMEOUT in done.stdout and "stopped at the limit of 300ms" in done.stderr, done.stderr
        assert "The run was stopped at a limit" in done.stdout, done.stdout
    # Programs leave in many ways when a launch fails.
    done = place.run("run", "--limit-instructions", "20k", "./program", "abort", want=3)
    assert "The run was stopped at a limit" in done.stdout and "signal 6" in done.stderr, done.stderr
    # A recording has what was executed, and says that the launch is not whole.
    done = place.run("record", "-o", "x.wmt", "--limit-instructions", "100k", "./program", "spin",
                     want=3)
    assert "x.wmt: 2 launches" in done.stderr and "launch 1 was stopped" in done.stderr, done.stderr
    stopped = "launch 1 (kernel _Z4spinPVj) was stopped before its end"
    done = place.run("trace", "check", "x.wmt", want=2)
    assert done.stdout == f"x.wmt: not whole: launch 0 is whole; {stopped}\n", done.stdout
    done = place.run("trace", "info", "x.wmt")
    assert stopped in done.stdout and done.stdout.endswith("  stopped\n"), done.stdout
    launches = json.loads(place.run("trace", "info", "--json", "x.wmt").stdout)["launches"]
    assert [launch["stopped"] for launch in launches] == [False, True], launches
    done = place.run("replay", "x.wmt", want=2)
    assert "launch 1 of kernel _Z4spinPVj was stopped before its end" in done.stderr, done.stderr
    place.run("trace", "cut", "-o", "y.wmt", "x.wmt")
    place.run("trace", "check", "y.wmt")
    (place.folder / "study.yaml").write_text(
        "study: endless\ntitle: a study\npaper: none\nworkloads:\n"
        "  one: {command: ./program, arguments: spin}\nmachines:\n  base: gtx480\n"
        "metrics:\n  dram: {value: dram.bytes_read, unit: bytes, title: bytes}\n")
    done = place.run("study", "run", "study.yaml", "-d", "x.db", "--limit-instructions", "100k",
                     want=1)
    assert "recording it ended with status 3" in done.stderr and \
        "stopped at the limit of 100000 warp instructions" in done.stderr, done.stderr
    # A limit that is not reached changes nothing, and values that are none are refused.
    place.run("run", "--json", "a.json", "-q", "./program", "well")
    place.run("run", "--json", "b.json", "-q", "--limit-instructions", "1M", "--limit-time", "1000s",
              "./program", "well")
    assert (place.folder / "a.json").read_bytes() == (place.folder / "b.json").read_bytes()
    for option, value in (("instructions", "many"), ("instructions", "0"), ("instructions", "-1"),
                          ("time", "5"), ("time", "1ps"), ("time", "2 hours")):
        done = place.run("run", f"--limit-{option}", value, "./program", "well", want=2)
        assert f"error: --limit-{option}: " in done.stderr, done.stderr


def check_errors(place):
    # 700: cudaErrorIllegalAddress.
    twelve = "12 launches were refused: they are not among what is counted. The first:"
    cases = {"refused-12": (INVALID, twelve, "limit"),
             "fault": ("700 700\n", "The program's device failed: what is counted is what ran until",
                       "fault"),
             "refused": (INVALID, "A launch was refused: it is not among what is counted.", "limit")}
    for case, (printed, said, status) in cases.items():
        for command in ("run", "annotate"):
            done = place.run(command, "./program", case)
            assert printed in done.stdout, done.stdout
            assert said in done.stdout.split("\n\n")[-1], done.stdout
            place.run(command, "-q", "--fail-on-error", "./program", case, want=1)
        place.run("run", "-q", "--json", "out.json", "./program", case)
        failure = json.loads((place.folder / "out.json").read_text())["failure"]
        assert failure["status"] == status and failure["ran"] == (case == "fault"), failure
        assert "kernel" in failure["place"] and failure["message"], failure
        assert failure["refused"] == {"fault": 0, "refused": 1, "refused-12": 12}[case], failure
        place.run("record", "-q", "-o", "x.wmt", "--fail-on-error", "./program", case, want=1)
    done = place.run("run", "--fail-on-error", "./program", "well")
    assert "fail" not in done.stdout + done.stderr, done.stdout


if __name__ == "__main__":
    sys.exit(status_of({"limits": check_limits, "errors": check_errors}, *sys.argv[1:],
                       lambda build, folder: Place(build, folder, PROGRAM)))
