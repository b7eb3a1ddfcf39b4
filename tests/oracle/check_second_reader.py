#!/usr/bin/env python3
"""`warpmem trace dump` against a second reader of recordings, written from the format's page alone.

usage: check_second_reader.py WARPMEM SOURCE KIND

KIND is programs (recordings of the workloads and of programs that use what these do not, in each way
of recording, and imported traces), cut (one, ended at every few bytes), or changed (three
whose contents were changed by a byte and sealed anew: `trace check` takes what the second reader does, and
`trace dump` prints it alike).
"""
import ctypes
import io
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "second_reader"), str(HERE.parent / "programs/workloads")]
from check_program import environment, executable
from check_recording import command_lines
from read_recording import Dump
from sections import (BYTES, CODE, INDEX, NAMES, PTX, SECTION_HEADER, SIZE, ZSTD, Damaged, fnv_hash, read_sections,
                      xxh3)

# Beside the workloads': waits at mbarriers, profiler's ranges, textures, streams.
PROGRAMS = [("workloads", name, arguments)
            for name in ("vecadd", "transpose", "gemm", "reduction", "scan", "histogram", "spmv", "bfs",
                         "stencil", "spinlock", "kmeans", "fdtd2d", "lbm")
            for arguments in command_lines(name) if "lanes" not in arguments]  # much text, all the same
PROGRAMS += [("tests/programs/clock", "waits", []), ("tests/programs/runtime", "ranges", ["aab[ab]ar[g]"]),
             ("tests/programs/runtime", "textures", []), ("tests/programs/runtime", "streams", [])]
PROGRAMS += [("tests/programs/runtime", "replay_order", [case])
             for case in ("defaults", "graphs", "little")]
# The first programs in each way, the last with warps of 64 lanes; the others by turns.
WAYS = [[], ["--memory-only"], ["--any-order"], ["-m", "hd7970"]]
CHANGES = 60  # of each of four recordings
LACKEY = "==7== Lackey\nI  0400,3\n L 1000,8\nI  0403,4\n S 103c,8\nI  0407,2\n M 2000,64\n"
DINERO = "0 1000\n1 1040\n2 400\n0 ffffffffff\n"
THREADS = "t 0\nw 1000 4\nu 2000 4\nn 10\nf\nr 10 4\nt 1\na 0 2\nu 2000 4\nn 5\nt 0\na 1 1\nr 30 8\nn 5\n"


def warpmem(exe, *words):
    done = subprocess.run([exe, *words], capture_output=True, env=environment(exe))
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stderr.decode()}"


def read_here(data):
    """The second reader's status and text."""
    text = io.StringIO()
    try:
        Dump(text.write).print(*read_sections(data))
    except Damaged:
        return 2, b""
    return 0, text.getvalue().encode("utf-8", "surrogateescape")


def dump(exe, path):
    done = subprocess.run([exe, "trace", "dump", path], capture_output=True, env=environment(exe))
    assert done.returncode in (0, 2), f"status {done.returncode}: {done.stderr.decode()}"
    assert (done.returncode == 0) == (done.stderr == b""), done.stderr.decode()
    return done.returncode, done.stdout if done.returncode == 0 else b""


def check(exe, path, says=b""):
    """The status of `trace check`, which reads everything, and says this of what it refuses."""
    done = subprocess.run([exe, "trace", "check", path], capture_output=True, env=environment(exe))
    assert says in done.stderr, done.stderr.decode()
    return done.returncode


def compare(exe, path, what):
    expected, found = read_here(path.read_bytes()), dump(exe, path)
    assert expected[0] == 0 and expected[1], f"{what}: the second reader refuses it"
    assert found == expected, f"{what}: dump prints something else"
    assert check(exe, path) == 0, f"{what}: trace check"


def check_programs(exe, source, folder):
    path, count = folder / "program.wmt", 0
    for turn, (place, name, arguments) in enumerate(PROGRAMS):
        program = executable(exe, source / place / f"{name}.cu")
        ways = WAYS if turn < 4 else [WAYS[turn % 3]]
        for way in ways:
            warpmem(exe, "record", "-q", *way, "-o", path, "--", program, *arguments)
            compare(exe, path, f"{name} {arguments} {way}")
            count += 1
    (folder / "a.lackey").write_text(LACKEY)
    (folder / "a.din").write_text(DINERO)
    (folder / "threads.din").write_text(THREADS)
    for trace in (folder / "a.lackey", folder / "a.din", folder / "threads.din", HERE.parent / "cli/traces/demo/kernelslist.g"):
        warpmem(exe, "import", "-q", "-o", path, trace)
        compare(exe, path, trace.name)
    compare(exe, HERE.parent / "cli/traces/before-waits.wmt", "a recording of before")
    path.write_bytes(beside_threads(exe, source, folder))
    compare(exe, path, "threads beside kernels")
    return f"{count} recordings, 5 imported traces and an old recording are printed alike"


def small_recording(exe, source, folder, name, arguments):
    path = folder / "small.wmt"
    program = executable(exe, source / f"{name}.cu")
    warpmem(exe, "record", "-q", "-o", path, "--", program, *arguments)
    return path.read_bytes()


def beside_threads(exe, source, folder):
    """A recording of kernels and of threads, with names of memory."""
    (folder / "beside.din").write_text("s 50 8 near\ns 4c 4 _ZL5count\n" + THREADS + "k 1\nd\nt 1\ne 1\nr 50 8\nd\n")
    (folder / "kernels.wmt").write_bytes(small_recording(exe, source, folder, "workloads/vecadd", []))
    warpmem(exe, "import", "-q", "--kernels", folder / "kernels.wmt", "-o", folder / "beside.wmt", folder / "beside.din")
    return (folder / "beside.wmt").read_bytes()


def check_cut(exe, source, folder):
    whole = small_recording(exe, source, folder, "workloads/scan", ["--variant", "padded", "--n", "600"])
    path, taken, lengths = folder / "cut.wmt", 0, [*range(0, len(whole), 97), *range(len(whole) - 90, len(whole))]
    for length in lengths:
        path.write_bytes(whole[:length])
        expected = read_here(whole[:length])
        assert dump(exe, path) == expected, f"cut off at {length}"
        taken += expected[0] == 0
    assert 0 < taken < len(lengths)
    return f"cut off at {len(lengths)} places: printed alike"


# --- Contents changed, and sealed anew ---

compress = ctypes.CFUNCTYPE(SIZE, BYTES, SIZE, BYTES, SIZE, ctypes.c_int)(("ZSTD_compress", ZSTD))


def number(value):
    digits = b""
    while value > 127:
        digits += bytes([value & 127 | 128])
        value >>= 7
    return digits + bytes([value])


def seal(contents):
    """A recording of sections, each type and content, with everything around them as it must be."""
    file, index = b"\x89WMTRACE" + struct.pack("<II", 1, 0), number(len(contents))
    for kind, content in [*contents, (INDEX, None)]:
        at = len(file)
        content = index if content is None else content
        room = ctypes.create_string_buffer(len(content) + 1000)
        length = compress(room, len(room), content, len(content), 1)
        stored = room.raw[:length]
        begin = SECTION_HEADER.pack(b"WMSC", kind, len(stored), len(content),
                                    xxh3(stored, len(stored)), 0)[:32]
        file += begin + struct.pack("<Q", fnv_hash(begin + struct.pack("<Q", at))) + stored
        index += number(kind) + number(len(stored)) + number(len(content))
    return file + struct.pack("<Q", at) + b"WMTREND\n"


def changed(contents, rng):
    """A section's type, and the contents with one byte of it changed: one bit, two more, or anything."""
    section = rng.randrange(1, len(contents))
    kind, content = contents[section]
    at = rng.randrange(len(content))
    byte = rng.choice([content[at] ^ 1 << rng.randrange(8), content[at] + 2 & 255, rng.randrange(256)])
    content = content[:at] + bytes([byte]) + content[at + 1:]
    return kind, [*contents[:section], (kind, content), *contents[section + 1:]]


def check_texts(exe, contents, path):
    """Modules' texts, which only `trace check` looks at: changed, left out, and behind their kernels."""
    texts = [content for content in contents if content[0] == PTX]
    others = [content for content in contents if content[0] != PTX]
    wrong = [(kind, text[:-1] + bytes([text[-1] ^ 1])) for kind, text in texts]
    for sections, says in (([others[0], *wrong, *others[1:]], b"the text at byte "),
                           (others, b"is of a module whose text is not there"),
                           ([*others, *texts], b"is of a module whose text is not there")):
        path.write_bytes(seal(sections))
        assert check(exe, path, says) == 2 == read_here(path.read_bytes())[0]


def check_changed(exe, source, folder):
    rng, path, both, neither = random.Random(7), folder / "changed.wmt", 0, 0
    for name, arguments in (("workloads/bfs", ["--variant", "queue", "--n", "200"]),
                            ("tests/programs/clock/waits", []),
                            ("tests/programs/runtime/replay_order", ["little"]), ("threads", None)):
        whole = (beside_threads(exe, source, folder) if arguments is None
                 else small_recording(exe, source, folder, name, arguments))
        contents = [(section.type, section.content) for section in read_sections(whole)[0]]
        path.write_bytes(seal(contents))
        compare(exe, path, "sealed anew")
        check_texts(exe, contents, path)
        for turn in range(CHANGES):
            kind, sections = changed(contents, rng)
            data = seal(sections)
            path.write_bytes(data)
            expected, found = read_here(data), dump(exe, path)
            # Of a launch that did not run to its end, check says that it is not whole.
            whole = expected[0] == 0 and not re.search(b" blocks are whole\\)|\\(was stopped ", expected[1])
            assert check(exe, path) == (0 if whole else 2), f"trace check: {name}, change {turn}"
            # A dump reads no PTX: a text with another hash, or none of a kernel's, it does not see. Nor names.
            unseen = kind in (PTX, CODE, NAMES) and (found[0], expected[0]) == (0, 2)
            assert found == expected or unseen, f"{name}, change {turn}, in a section of type {kind}"
            both += found[0] == expected[0] == 0
            neither += found[0] == expected[0] == 2
    assert both > CHANGES / 4 and neither > CHANGES / 4, f"{both} taken, {neither} refused"
    return f"{4 * CHANGES} changes: {both} taken and printed alike, {neither} refused by both"


def main(exe, source, kind):
    checks = {"programs": check_programs, "cut": check_cut, "changed": check_changed}
    with tempfile.TemporaryDirectory() as folder:
        print(checks[kind](Path(exe).resolve(), Path(source).resolve(), Path(folder)))


if __name__ == "__main__":
    main(*sys.argv[1:])
