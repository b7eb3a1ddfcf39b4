#!/usr/bin/env python3
"""Runs every benchmark of a build and records what it printed. usage: bench.py BUILD RESULTS

A benchmark is what the build registers with benchmark(): a program that repeats its own measurement
and prints medians and ratios. The record names the processor, the compiler and the commit, because
an absolute rate means nothing without them: compare ratios inside one record.
"""
import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip()


def processor():
    text = Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*:\s*(.*)", text)
    flags = re.search(r"flags\s*:\s*(.*)", text)
    vectors = [f for f in ("avx2", "avx512f") if flags and f in flags.group(1).split()]
    count = len(re.findall(r"^processor", text, re.M))
    return f"{model.group(1) if model else 'unknown processor'}, {count} cores seen, {' '.join(vectors) or 'no AVX'}"


def main(build, results):
    benchmarks = json.loads(output_of("meson", "introspect", "--benchmarks", build) or "[]")
    if not benchmarks:
        print("error: the build has no benchmarks", file=sys.stderr)
        return 2
    today = datetime.date.today().isoformat()
    parts = [f"# Measured on {today}\n",
             f"- processor: {processor()}",
             f"- compiler: {output_of('gcc', '--version').splitlines()[0]}",
             f"- commit: {output_of('git', 'rev-parse', '--short=12', 'HEAD')}\n",
             "Medians of several runs inside one process, on a shared machine: compare ratios, not absolutes.\n"]
    failed = 0
    for benchmark in benchmarks:
        print(f"== {benchmark['name']}", flush=True)
        environment = {**os.environ, **benchmark.get("env", {})}
        done = subprocess.run(benchmark["cmd"], capture_output=True, text=True, env=environment,
                              cwd=benchmark.get("workdir") or build)
        print(done.stdout, end="", flush=True)
        if done.returncode:
            failed += 1
            print(done.stderr, file=sys.stderr)
        parts += [f"## {benchmark['name']}\n", "```", done.stdout.rstrip(), "```\n"]
        if done.returncode:
            parts.append(f"Failed with exit status {done.returncode}.\n")
    folder = Path(results)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{today}.md"
    # A day has one record: what it says already, measured or written, stays.
    earlier = target.read_text().rstrip() + "\n\n" if target.exists() else ""
    target.write_text(earlier + "\n".join(parts))
    print(f"recorded in {target}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
