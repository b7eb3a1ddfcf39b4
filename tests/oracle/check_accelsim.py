#!/usr/bin/env python3
"""Holds replays of Accel-Sim's traces to what Accel-Sim itself counted.

usage: check_accelsim.py WARPMEM

The traces are made here, by the rule of the programs that the published ones are of: a vector
addition of 100,000 elements and a matrix product of 128×128×128 that accumulates in global memory,
as sm_70 code does them. Accel-Sim (trace mode, its tested configuration SM7_QV100) answered:

            warp instr.  thread instr.  L1 sectors  L1 misses  L2 sectors  L2 misses  DRAM reads
  vectoradd      50,021      1,400,576      37,500     37,500      37,500     37,500      25,000
  gemm                                     593,920     43,008     307,200      6,144       6,144

(of gemm the memory instructions alone are made, so its instructions are not compared). A block
larger than an import keeps in memory has the accesses that were made for it. Then the
vector addition is written in each grammar and address mode, and packed in each way: its replay has
to be the same to the byte.
"""
import bz2
import gzip
import json
import lzma
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import sanitized

FORMATS = {
    "2": "threadblock_x threadblock_y threadblock_z warpid_tb PC mask dest_num [reg_dests] opcode "
         "src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]",
    "4": "[line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
         "[adrrescompress?] [mem_addresses]",
    "5": "[line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
         "[adrrescompress?] [mem_addresses] immediate",
    "6": "[line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
         "[adrrescompress?] [mem_addresses] immediate1 immediate2 [values]",
}
TAILS = {"2": "", "4": "", "5": " 0", "late 5": " 0 0", "6": " 0 0 Val 1 7 32 1 2 3"}
ALL = 0xFFFFFFFF


def header(name, grid, block, version):
    number = version.split()[-1]
    return (f"-kernel name = {name}\n-kernel id = 1\n-grid dim = ({grid})\n-block dim = ({block})\n"
            "-shmem = 0\n-nregs = 12\n-binary version = 70\n-cuda stream id = 0\n"
            "-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f0002000000\n"
            f"-nvbit version = 1.7.1\n-accelsim tracer version = {number}\n"
            f"-enable lineinfo = 0\n\n#traces format = {FORMATS[number]}\n\n")


def addresses(base, stride, mask, mode):
    lanes = [base + stride * lane for lane in range(32) if mask >> lane & 1]
    if mode == 0:
        return "0 " + " ".join(f"0x{address:016x}" for address in lanes)
    if mode == 1:
        return f"1 0x{lanes[0]:x} {stride}"
    return " ".join([f"2 0x{lanes[0]:x}"] + [str(stride)] * (len(lanes) - 1))


def block_text(index, warps):
    text = [f"#BEGIN_TB\n\nthread block = {index}\n"]
    for number, lines in enumerate(warps):
        text.append(f"\nwarp = {number}\ninsts = {len(lines)}\n" + "".join(lines))
    return "".join(text) + "\n#END_TB\n\n"


def vectoradd(version="5", mode=1):
    """100,000 elements, 256 threads a block; the last three warps have none."""
    tail, text = TAILS[version], [header("vectoradd", "391,1,1", "256,1,1", version)]
    plain = ["1 R1 MOV 0", "4: 0 SHFL.IDX 4 R255 R255 R255 R255", "1 R6 S2R 0", "1 R3 S2R 0",
             "1 R6 IMAD 2 R6 R3", "0 ISETP.GE.AND 1 R6"]
    for block in range(391):
        warps = []
        for warp in range(8):
            element = (block * 8 + warp) * 32
            prefix = f"{block} 0 0 {warp} " if version == "2" else ""
            lines = []

            def add(words, mask=ALL, rest="0"):
                lines.append(f"{prefix}{16 * len(lines):04x} {mask:08x} {words} {rest}{tail} \n")

            for words in plain:
                add(words.removeprefix("4: "), 0 if words.startswith("4: ") else ALL)
            inside = element < 100000
            add("0 EXIT 0", 0 if inside else ALL)
            if inside:
                for words in ("1 R7 MOV 0", "1 R4 IMAD.WIDE 2 R6 R7", "1 R2 IMAD.WIDE 2 R6 R7"):
                    add(words)
                for words, base in (("1 R4 LDG.E.SYS 1 R4", 0x7F0010080000),
                                    ("1 R3 LDG.E.SYS 1 R2", 0x7F0010000000), (None, 0), (None, 1),
                                    ("0 STG.E.SYS 2 R6 R9", 0x7F0010100000)):
                    if words:
                        add(words, rest="4 " + addresses(base + 4 * element, 4, ALL, mode))
                    else:
                        add("1 R9 FADD 2 R4 R3" if base else "1 R6 IMAD.WIDE 2 R6 R7")
                add("0 EXIT 0")
            warps.append(lines)
        text.append(block_text(f"{block},0,0", warps))
    return "".join(text)


def gemm(size=128):
    """C = C × beta, then C += A × B element by element: blocks of 32×8, all of it in memory."""
    a, b, c = 0x7F0010000000, 0x7F0010100000, 0x7F0010200000
    text = [header("gemm", "4,16,1", "32,8,1", "5")]
    for y in range(16):
        for x in range(4):
            warps = []
            for warp in range(8):
                row, column = y * 8 + warp, x * 32
                own = f"4 1 0x{c + 4 * (row * size + column):x} 4 0"
                lines = [f"0000 ffffffff 1 R4 LDG.E.SYS 1 R2 {own} \n",
                         f"0010 ffffffff 0 STG.E.SYS 2 R2 R4 {own} \n"]
                for k in range(size):
                    lines += [f"0020 ffffffff 1 R5 LDG.E.SYS 1 R3 4 1 0x{a + 4 * (row * size + k):x} 0 0 \n",
                              f"0030 ffffffff 1 R6 LDG.E.SYS 1 R7 4 1 0x{b + 4 * (k * size + column):x} 4 0 \n",
                              f"0040 ffffffff 0 STG.E.SYS 2 R2 R4 {own} \n"]
                warps.append(lines + ["0050 ffffffff 0 EXIT 0 0 0 \n"])
            text.append(block_text(f"{x},{y},0", warps))
    return "".join(text)


def scattered(count=8000):
    """Two warps whose lanes go anywhere: more of one block than is kept in memory. And what its L1
    is asked for: the sectors of each instruction."""
    random.seed(4)
    text, sectors = [header("scattered", "1,1,1", "64,1,1", "5")], 0
    warps = []
    for _ in range(2):
        lines = []
        for number in range(count):
            lanes = [0x7F0000000000 + 4 * random.randrange(1 << 24) for _ in range(32)]
            sectors += len({address >> 5 for address in lanes})
            lines.append(f"{number % 5 * 16:04x} ffffffff 1 R1 LDG.E 1 R2 4 0 "
                         + " ".join(map(hex, lanes)) + " 0 \n")
        warps.append(lines + ["0050 ffffffff 0 EXIT 0 0 0 \n"])
    return "".join(text) + block_text("0,0,0", warps), sectors


def replay(exe, folder, data):
    trace, out = folder / "kernel-1.traceg", folder / "out.json"
    trace.write_bytes(data)
    done = subprocess.run([exe, "replay", "-q", "-m", "v100", "--json", out, trace],
                          capture_output=True, text=True, env=sanitized.variables(exe))
    assert done.returncode == 0, done.stderr
    return out.read_bytes()


def counts(results):
    (kernel,), sums = json.loads(results)["kernels"], {}
    for part in kernel["components"]:
        for name, value in part.get("counters", {}).items():
            key = (part["kind"], name)
            sums[key] = sums.get(key, 0) + value
    l1, l2 = ({name: sums[kind, name] for name in ("hits", "misses")} for kind in ("l1", "l2"))
    return {"warp instructions": kernel["warp_instructions"],
            "thread instructions": kernel["thread_instructions"],
            "L1 sectors": sum(l1.values()), "L1 misses": l1["misses"],
            "L2 sectors": sum(l2.values()), "L2 misses": l2["misses"],
            "DRAM reads": sums["dram", "read_bursts"]}


def expect(found, wanted, name):
    differ = {key: (found[key], value) for key, value in wanted.items() if found[key] != value}
    assert not differ, f"{name}: found, as Accel-Sim counted: {differ}"
    print(f"{name}: {', '.join(f'{value} {key}' for key, value in wanted.items())}")


def main(exe):
    exe = Path(exe).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        whole = vectoradd().encode()
        original = replay(exe, folder, whole)
        expect(counts(original), {"warp instructions": 50021, "thread instructions": 1400576,
                                  "L1 sectors": 37500, "L1 misses": 37500, "L2 sectors": 37500,
                                  "L2 misses": 37500, "DRAM reads": 25000}, "vectoradd")
        expect(counts(replay(exe, folder, gemm().encode())),
               {"L1 sectors": 593920, "L1 misses": 43008, "L2 sectors": 307200, "L2 misses": 6144,
                "DRAM reads": 6144}, "gemm")
        text, sectors = scattered()
        expect(counts(replay(exe, folder, text.encode())),
               {"warp instructions": 16002, "L1 sectors": sectors}, "scattered")
        for version in TAILS:
            for mode in range(3):
                again = replay(exe, folder, vectoradd(version, mode).encode())
                assert again == original, f"version {version}, address mode {mode}: another result"
        for pack in (gzip, bz2, lzma):
            assert replay(exe, folder, pack.compress(whole)) == original, pack.__name__
        print(f"the same in {3 * len(TAILS)} grammars, and packed")


if __name__ == "__main__":
    main(*sys.argv[1:])
