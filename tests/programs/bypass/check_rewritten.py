#!/usr/bin/env python3
"""A program whose loads were decided at random, written anew: the same output bits as the original, and
the same counts as the original's recording under the file of decisions.

usage: check_rewritten.py WARPMEM WRITE_BYPASS SOURCE COMPILER SHAPE [FLAG…]

SHAPE: plain, stripped, headers (no entry of the table of program headers can be spared), or sections (no
section headers are left).
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "workloads"),
                str(Path(__file__).resolve().parent.parent)]
import check_program
import compiled

MACHINE = "gtx480"
PT_NOTE, PT_GNU_PROPERTY = 4, 0x6474E553


def run(*command, status=0, **keywords):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600,
                          **keywords)
    assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
    return done


def hash_of(data):
    """wm_hash_bytes of src/base/numbers/hash.c."""
    mask, word = (1 << 64) - 1, 0xCBF29CE484222325
    for byte in data:
        word = (word ^ byte) * 0x100000001B3 & mask
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & mask
    word = (word ^ word >> 27) * 0x94D049BB133111EB & mask
    return f"{word ^ word >> 31:016x}"


def reshape(program, shape):
    """The same program as other linkers and tools leave it."""
    data = bytearray(program.read_bytes())
    if shape == "stripped":
        run("strip", program)
    if shape == "headers":
        table, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
        for at in range(table, table + 56 * count, 56):
            if struct.unpack_from("<I", data, at)[0] == PT_NOTE:
                struct.pack_into("<I", data, at, PT_GNU_PROPERTY + 0x1000)  # known to no loader
    if shape == "sections":
        struct.pack_into("<Q", data, 40, 0)
        struct.pack_into("<HH", data, 60, 0, 0)
    if shape in ("headers", "sections"):
        program.write_bytes(data)


def counts(results):
    """All that was counted, by kernel; of instructions not their text, which differs."""
    return [(kernel["name"], kernel["launches"], kernel["components"],
             {it["pc"]: it["counters"] for it in kernel["instructions"]}) for kernel in results["kernels"]]


class Check:
    def __init__(self, warpmem, folder):
        self.warpmem, self.folder = warpmem, Path(folder)
        self.environment = check_program.environment(warpmem)
        self.hashes_copies = "LD_PRELOAD" not in self.environment and shutil.which("cc") is not None
        self.printed = {}  # by each program that was recorded
        if self.hashes_copies:
            source = Path(__file__).resolve().parent / "copies_hashed.c"
            self.shim = compiled.made(compiled.folder(warpmem), "copies_hashed.so",
                                      ["cc", "-shared", "-fPIC", source], [source])

    def output(self, program):
        """What a recorded program printed, and the hashes of what it copied to the host."""
        return self.printed[program]

    def record(self, program, name):
        path, copies, environment = self.folder / name, self.folder / "copies", dict(self.environment)
        copies.write_text("")
        if self.hashes_copies:
            environment |= {"LD_PRELOAD": self.shim, "COPIES": str(copies)}
        done = run(self.warpmem, "record", "-q", "--any-order", "-m", MACHINE, "-o", path, "--", program,
                   env=environment)
        self.printed[program] = done.stdout, copies.read_text()
        return path

    def replay(self, recording, *settings):
        words = [word for setting in settings for word in ("--set", setting)]
        results = self.folder / "results.json"
        run(self.warpmem, "replay", "-q", "-m", MACHINE, *words, "--json", results, recording,
            env=self.environment)
        return counts(json.loads(results.read_text()))


def check_elf(program, shape):
    """readelf finds nothing to warn of."""
    readelf = shutil.which("readelf")
    if readelf is None:
        return
    done = run(readelf, "-lSrW", program)
    assert "arning" not in done.stderr and "rror" not in done.stderr, done.stderr
    if shape != "sections":
        assert ".nv_fatbin" in done.stdout
    cuobjdump = shutil.which("cuobjdump") or "/usr/local/cuda/bin/cuobjdump"
    if Path(cuobjdump).exists() and shape != "sections":
        assert "PTX file" in run(cuobjdump, "-lptx", program).stdout


def check_ptx(text):
    """NVIDIA's assembler takes the text."""
    ptxas = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
    if Path(ptxas).exists():
        run(ptxas, "-arch=sm_75", *(["-c"] if ".extern .func" in text.read_text() else []), text, "-o",
            text.with_suffix(".cubin"))


def main(warpmem, writer, source, compiler, shape, *flags):
    with tempfile.TemporaryDirectory() as folder:
        check = Check(warpmem, folder)
        original = Path(folder) / Path(source).stem
        shutil.copy(compiled.program(warpmem, source, compiler=compiler, flags=flags), original)
        reshape(original, shape)
        os.chmod(original, 0o751)
        recording = check.record(original, "original.wmt")
        rewritten = Path(folder) / f"{original.name}-bypassed"
        text, decisions = Path(folder) / "app.ptx", Path(folder) / "decisions"
        print(run(writer, recording, MACHINE, 7, original, rewritten, text, decisions,
                  env=check.environment).stdout)
        assert rewritten.stat().st_mode & 0o777 == 0o751
        assert rewritten.read_bytes() != original.read_bytes()
        check_elf(rewritten, shape)
        check_ptx(text)
        again = check.record(rewritten, "rewritten.wmt")
        before, after = check.output(original), check.output(rewritten)
        assert before == after, (before, after)
        assert not check.hashes_copies or before[1], "no copy was seen"
        found = check.replay(again, "gpu.l1.bypass=cache-operator")
        listed = check.replay(recording, "gpu.l1.bypass=per-pc", f"gpu.l1.bypass_list=@{decisions}")
        assert found == listed, (found, listed)
        check_decisions(check, recording, again, original, rewritten, text, decisions)
    return 0


def check_decisions(check, recording, again, original, rewritten, text, decisions):
    """Of another program they are refused, where it is replayed and where it runs."""
    listed = decisions.read_text()
    hashes = set(re.findall(r":hash=([0-9a-f]{16})", listed))
    assert hashes and "# " in listed and "machine" in listed.lower() and "exact" in listed, listed
    texts = [text] + sorted(text.parent.glob("app.*.ptx"))
    assert len(texts) == len(hashes), (texts, hashes)
    options = ["-q", "-m", MACHINE, "--set", "gpu.l1.bypass=per-pc", "--set",
               f"gpu.l1.bypass_list=@{decisions}"]
    # Not refused, but stopped at its first instruction.
    run(check.warpmem, "run", *options, "--limit-instructions", 1, "--", original, status=3,
        env=check.environment)
    refused = "gpu.l1.bypass_list is for another program"
    new = {hash_of(it.read_bytes()) for it in texts}
    if new == hashes:
        return
    done = run(check.warpmem, "replay", *options, again, status=2, env=check.environment)
    assert refused in done.stderr and any(it in done.stderr for it in new), done.stderr
    done = subprocess.run([check.warpmem, "run", *options, "--", rewritten], capture_output=True, text=True,
                          timeout=600, env=check.environment)
    assert done.returncode != 0 and refused in done.stderr, (done.returncode, done.stderr)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
