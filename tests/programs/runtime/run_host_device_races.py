#!/usr/bin/env python3
"""Where host and kernel meet in memory: the run says so, and of other programs it says nothing.
usage: run_meetings.py WARPMEM COMPILER
"""
import json
import sys

from run_program import expect, status_of

SENTENCE = "Numbers may differ from run to run: the host or another process can write what these read.\n"

# What is met where: kernel, opcode, whose memory, and whether the host was seen to write.
MET = {"poll": ("poll", "ld.volatile", "cudaMallocManaged #1", True),
       "registered": ("poll", "ld.volatile", "registered host memory", True),
       "look": ("look", "ld.volatile", "cudaMallocManaged #1", False),
       "share": ("take", "atom.add.sys", "cudaMallocManaged #1", False)}
NEVER = ["turns", "tell", "device"]
WAYS = [[], ["-m", "gtx480", "--engine", "clock"], ["--no-memory"], ["--check", "race"], ["--explain"]]


def run(bench, program, how, options):
    out = bench.folder / "out.json"
    done = bench.run(program, how, options=[*options, "--json", str(out)])
    expect(done.returncode == 0 and "PASS" in done.stdout, f"{how} with {options} fails", done)
    return done.stdout, json.loads(out.read_text())


def check_met(bench, program, how, options):
    kernel, opcode, what, wrote = MET[how]
    text, results = run(bench, program, how, options)
    races = results["host_device_races"]
    expect({it["what"] for it in races} == {what}, f"{how}: {races}")
    expect(all(kernel in it["kernel"] and it["text"].startswith(opcode) for it in races),
           f"{how}: {races}")
    expect(any(it["host_wrote"] for it in races) == wrote, f"{how}: {races}")
    expect(all(it["source_file"].endswith("host_device_races.cu") and it["source_line"] > 0 for it in races),
           f"{how}: {races}")
    expect(SENTENCE in text and text.count(f"  {what}{': written meanwhile' if wrote else ''}\n") >= 1,
           f"the text of {how}: {text}")


def check_all(bench):
    program = bench.compile("host_device_races.cu", flags=["-lineinfo"] if bench.compiler == "nvcc" else [])
    for options in WAYS:
        for how in MET:
            check_met(bench, program, how, options)
        for how in NEVER:
            text, results = run(bench, program, how, options)
            expect("host_device_races" not in results and SENTENCE not in text, f"{how}: {text}")
    # A recording is what happened once: its replays are alike.
    recording = bench.folder / "poll.wmt"
    bench.command("record", "-q", "-o", recording, "--", program, "poll")
    done = bench.command("replay", recording)
    expect(SENTENCE not in done.stdout, "of a recording", done)


if __name__ == "__main__":
    sys.exit(status_of(check_all, *sys.argv[1:]))
