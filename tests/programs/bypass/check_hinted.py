#!/usr/bin/env python3
"""A program whose loads were given hints at random, written anew: the same output bits as the original,
the same counts as under the file of decisions, and texts that ptxas takes.

usage: check_hinted.py WARPMEM WRITE_BYPASS SOURCE COMPILER|ptxas

With ptxas, the texts alone, of what both compilers make. Exit status 77: skipped, with the reason.
"""
import re
import shutil
import sys
import tempfile
from pathlib import Path

import check_rewritten
import compiled
import sanitized

MACHINE, SMS = "a100", "gpu.sm.count=4"
# Small enough that workloads fill it, and priorities count.
SETTINGS = [SMS, "gpu.l2.size=160KiB", "gpu.sm.default_carveout=164KiB", "gpu.l1.replacement=priority",
            "gpu.l2.replacement=priority"]
PLACES = {"/usr/local/cuda/bin", *map(str, Path("/usr/local").glob("cuda-*/bin"))}

SEEDS = (3, 4)  # each alone draws hints of L1 and of L2 for every program: a sanitized build takes one of them


def tool(name):
    """The path of one of NVIDIA's tools, or None."""
    found = shutil.which(name) or next((f"{place}/{name}" for place in sorted(PLACES)
                                        if Path(place, name).exists()), None)
    return found


def said(text):
    """The words of caches in a text."""
    return set(re.findall(r"\.(?:L1::\w+|L2::evict_\w+|L2::cache_hint|c[ag](?=[.\s]))", text))


def write(check, writer, program, seed):
    """The recording, the program written anew, its texts and the file of decisions."""
    folder = check.folder
    recording = folder / "original.wmt"
    if not recording.exists():
        check.record(program, recording.name)
    rewritten, text, decisions = folder / f"hinted{seed}", folder / f"app{seed}.ptx", folder / f"decisions{seed}"
    check_rewritten.run(writer, recording, MACHINE, f"h{seed}", program, rewritten, text, decisions, SMS,
                        env=check.environment)
    return recording, rewritten, [text, *sorted(folder.glob(f"app{seed}.*.ptx"))], decisions


def check_program(check, writer, program, seed):
    """What the text says counts as what the list says: on one recording, as making policies takes
    instructions, which shift the order of accesses. Its lines are the original's."""
    _, rewritten, texts, decisions = write(check, writer, program, seed)
    again = check.record(rewritten, f"rewritten{seed}.wmt")
    before, after = check.output(program), check.output(rewritten)
    assert before == after, (before, after)
    anyones = check.folder / f"anyones{seed}"
    anyones.write_text("".join(line + "\n" for line in decisions.read_text().splitlines()
                               if ":hash=" not in line))
    found = check.replay(again, *SETTINGS)
    listed = check.replay(again, *SETTINGS, "gpu.l1.bypass=per-pc", f"gpu.l1.bypass_list=@{anyones}")
    plain = check.replay(again, *[it.replace("=priority", "=lru") for it in SETTINGS], "gpu.l1.bypass=none")
    assert found == listed, "the text and the list do not count the same"
    assert found != plain, "the hints do nothing"
    return set().union(*(said(text.read_text()) for text in texts))


def assemble(check, writer, program, ptxas, seed):
    _, _, texts, _ = write(check, writer, program, seed)
    for text in texts:
        linked = ["-c"] if ".extern .func" in text.read_text() else []
        check_rewritten.run(ptxas, "-arch=sm_80", *linked, text, "-o", text.with_suffix(".cubin"))
    return set().union(*(said(text.read_text()) for text in texts))


def main(warpmem, writer, source, how):
    check_rewritten.MACHINE = MACHINE
    compilers = [how] if how != "ptxas" else ["clang", "nvcc"]
    ptxas = tool("ptxas")
    if how == "ptxas" and ptxas is None:
        print("skipped: no ptxas in PATH nor below /usr/local/cuda*/bin")
        return 77
    words = set()
    for compiler in compilers:
        program = compiled.program(warpmem, source, compiler=compiler, flags=["-arch=sm_80"])
        with tempfile.TemporaryDirectory() as folder:
            check = check_rewritten.Check(warpmem, folder)
            for seed in sanitized.share(warpmem, SEEDS, compilers.index(compiler), of=2):
                words |= (assemble(check, writer, program, ptxas, seed) if how == "ptxas"
                          else check_program(check, writer, program, seed))
    print(sorted(words))
    assert any(word.startswith(".L1::") for word in words) and ".L2::cache_hint" in words, words
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
