#!/usr/bin/env python3
"""Results databases that may not be written are read: `study check`, `study table` and `report`.

usage: check_read_only.py SOURCE BUILD

A file and a folder without permission to write (as another user, where the superuser runs this), and
a folder that is mounted read-only; a database whose study file has changed since; one that a run is
writing, or was killed while it did. What is printed is the same as where it may be written, and
nothing is left beside it. Exit status 77: skipped, with the reason.
"""
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import sanitized

STUDY = """study: small
title: a study
paper: none
workloads:
  one: {source: add.cu}
machines:
  base: gtx480
metrics:
  dram: {value: dram.bytes_read, unit: bytes, title: bytes}
claims:
  "1": {text: it reads, claim: "dram > 0 on one"}
"""
PROGRAM = """
__global__ void add(unsigned *data) { atomicAdd(&data[threadIdx.x], blockIdx.x); }
int main()
{
    unsigned *data;
    cudaMalloc(&data, 256 * sizeof *data);
    add<<<4, 128>>>(data);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


class Reader:
    def __init__(self, build, home):
        self.exe = Path(build).resolve() / "src/cli/warpmem"
        self.home = home
        self.user = {}
        self.variables = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                          "HOME": str(home), "TMPDIR": str(home),
                          **sanitized.variables(self.exe)}

    def run(self, *words, want=0):
        done = subprocess.run([self.exe, *words], cwd=self.home, env=self.variables,
                              capture_output=True, text=True, **self.user)
        assert done.returncode == want, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def read(self, database, study):
        """What each reading command makes of it."""
        page = self.home / "page.html"
        self.run("report", "-q", database, "-o", page)
        return [self.run("study", "check", study, "-d", database).stdout,
                self.run("study", "table", study, "-d", database).stdout, page.read_bytes()]


def listing(folder):
    return sorted((path.name, path.stat().st_size) for path in folder.iterdir())


def check(reader, folder, study, want, what):
    before = listing(folder)
    got = reader.read(folder / "results.db", study)
    assert got == want, f"{what}:\n{got[:2]}\n{want[:2]}"
    assert listing(folder) == before, (what, listing(folder))
    refused = reader.run("study", "run", study, "-d", folder / "results.db", want=1).stderr
    assert "cannot be written" in refused and "make the file and its folder writable" in refused, \
        refused
    assert listing(folder) == before, (what, listing(folder))
    print(f"{what}: as where it may be written")


def main(source, build):
    if not (shutil.which("clang") or shutil.which("clang-14")):
        print("skipped: clang is not installed")
        return 77
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        home.chmod(0o755)
        folder, open_folder = home / "kept", home / "open"
        folder.mkdir()
        open_folder.mkdir()
        reader = Reader(build, home)
        study = home / "study.yaml"
        study.write_text(STUDY)
        (home / "add.cu").write_text(PROGRAM)
        reader.run("study", "run", study, "-d", folder / "results.db")
        shutil.rmtree(folder / "results.db.work", ignore_errors=True)
        want = reader.read(folder / "results.db", study)
        # A claim that the database does not know.
        changed = home / "changed.yaml"
        changed.write_text(STUDY + '  "2": {text: it reads, claim: "dram > 1 on one"}\n')
        shutil.copy(folder / "results.db", open_folder / "results.db")
        want_changed = reader.read(open_folder / "results.db", changed)
        want_changed[2] = want[2] # the page is of what the database has
        # A run that goes on: its last changes are in the log.
        running = home / "running"
        running.mkdir()
        shutil.copy(folder / "results.db", running / "results.db")
        writer = sqlite3.connect(running / "results.db")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        change = "UPDATE study SET paper = 'another'"
        writer.execute(change)
        writer.commit()
        want_running = reader.read(running / "results.db", study)
        assert want_running[2] != want[2]
        writer.execute(change) # which the check has brought in step with its file
        writer.commit()

        superuser = os.geteuid() == 0
        if superuser: # who may write everything
            for path in (home, *home.rglob("*")):
                os.chown(path, 65534, 65534)
            reader.user = {"user": 65534, "group": 65534}
            if subprocess.run(["test", "-x", reader.exe], **reader.user).returncode != 0:
                print("skipped: another user may not run this build")
                return 77
        for path in (folder / "results.db", running / "results.db"):
            path.chmod(0o444)
        check(reader, folder, study, want, "a file that may not be written")
        folder.chmod(0o555)
        check(reader, folder, study, want, "in a folder that may not be written")
        refused = reader.run("study", "run", study, "-d", folder / "new.db", want=1).stderr
        assert "unable to open database file (Permission denied)" in refused and \
            "hint: name a file that can be written with --database" in refused, refused
        check(reader, folder, changed, want_changed, "of a study that has changed")
        (folder / "results.db").chmod(0o644)
        check(reader, folder, study, want, "a folder that may not be written")
        running.chmod(0o555)
        check(reader, running, study, want_running, "while a run goes on")
        running.chmod(0o755)
        folder.chmod(0o755)
        writer.close()
        if superuser and subprocess.run(["mount", "--bind", folder, folder],
                                        capture_output=True).returncode == 0:
            try:
                subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
                reader.user = {}
                check(reader, folder, study, want, "mounted read-only")
            finally:
                subprocess.run(["umount", folder], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
