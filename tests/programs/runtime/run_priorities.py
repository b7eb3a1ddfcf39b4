#!/usr/bin/env python3
"""Eviction priorities, from PTX to the caches that obey them.
usage: run_priorities.py WARPMEM

priorities.cu reads a table of 768 lines four times, with 1,536 other lines after each time. Under LRU
no line is there any more when it is asked for again, in an L1 of 1,024 lines and an L2 of 1,536. Where
the cache obeys, the stream takes little room, or the table is kept: three of four readings hit.
"""
import json
import sys

from run_program import expect, status_of

AGAIN = 3 * 768
# What the table hits in L1, and in L2, where that level obeys and the other does not.
OBEYED = {"plain": (0, 0), "first": (AGAIN, AGAIN), "last": (AGAIN, AGAIN), "policy": (0, AGAIN),
          "half": (0, AGAIN // 2), "streaming": (AGAIN, AGAIN), "unchanged": (0, 0),
          # With kernels of another stream that end meanwhile: one, and one after the other.
          "beside-brief": (AGAIN, AGAIN), "beside-again": (AGAIN, AGAIN)}
TABLE = {"last": "ld.global.L1::evict_last", "policy": "ld.global.L2::cache_hint",
         "half": "ld.global.L2::cache_hint", "beside-brief": "ld.global.L1::evict_last",
         "beside-again": "ld.global.L1::evict_last"}


def settings(l1, l2):
    return ["--set", f"gpu.l1.replacement={l1}", "--set", f"gpu.l2.replacement={l2}",
            "--set", "gpu.l2.size=192KiB"]


def table_hits(results, how):
    opcode = TABLE.get(how, "ld.global.b32")
    at = [it["counters"] for it in results["kernels"][0]["instructions"]
          if it["text"].startswith(opcode)]
    return tuple(sum(it[name] for it in at) for name in ("l1.hits", "l2.hits"))


def check(bench, program, how, engine):
    out = bench.folder / "out.json"

    def hits(l1, l2):
        done = bench.run(program, how, options=["-q", "-e", engine, *settings(l1, l2), "--json", str(out)])
        expect(done.returncode == 0, f"{how} fails", done)
        return table_hits(json.loads(out.read_text()), how)

    wanted = OBEYED[how]
    found = hits("lru", "lru")
    expect(found == (0, 0), f"{how} in {engine}: {found} hits under LRU")
    found = hits("priority", "lru")[0], hits("lru", "priority")[1]
    if how == "plain" or how == "unchanged":
        expect(found == wanted, f"{how} in {engine}: {found}")
        return
    # Not a line of the stream is used again, so that hits are the table's; sets differ in how many
    # lines of it they have.
    for got, want in zip(found, wanted):
        most = want * 1.1 if how == "half" else want  # of lines that a hash divides
        expect(want * 0.9 <= got <= most, f"{how} in {engine}: {found} of {wanted}")


def check_replay(bench, program, how, engine):
    recording, outs = bench.folder / "p.wmt", [bench.folder / name for name in ("a.json", "b.json")]
    options = ["-q", "-e", engine, *settings("priority", "priority")]
    bench.command("record", "-q", "-o", recording, "--", program, how)
    done = bench.run(program, how, options=[*options, "--json", str(outs[0])])
    expect(done.returncode == 0, f"{how} fails", done)
    bench.command("replay", *options, "--json", outs[1], recording)
    expect(outs[0].read_bytes() == outs[1].read_bytes(), f"the replay of {how} in {engine} differs")


def check_all(bench):
    program = bench.compile("priorities.cu")
    for how in OBEYED:
        for engine in ("walk", "clock"):
            # In a walk each kernel that begins empties L1.
            if (how, engine) != ("beside-again", "walk"):
                check(bench, program, how, engine)
    for engine in ("walk", "clock"):
        check_replay(bench, program, "last", engine)


if __name__ == "__main__":
    sys.exit(status_of(check_all, sys.argv[1]))
