#!/usr/bin/env python3
"""What is left when warpmem is killed: no program that runs on, and no folder for long.

usage: check_left_over.py SOURCE BUILD killed|behind|folders

killed    `run`, `record`, `annotate` and `study run` are ended by SIGKILL while a kernel without an
          end runs: the program ends too
behind    the same of a program that a script has started, which is no child of warpmem's; and one that
          goes on when its script has ended is left alone
folders   `run | head` leaves nothing in the temporary folder; what killed commands have left there goes
          when the next one starts, and what belongs to a command that runs, or to others, stays

Exit status 77: skipped, with the reason.
"""
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from place import Place, sanitized, status_of

PROGRAM = """
#include <cstdio>
#include <cstring>
#include <unistd.h>
__global__ void spin(volatile unsigned *data) { while (data[0] == 0) data[1]++; }
__global__ void once(unsigned *data) { data[2] = threadIdx.x; }
int main(int count, char **words)
{
    unsigned *data;
    cudaMalloc(&data, 4096);
    cudaMemset(data, 0, 4096);
    once<<<1, 32>>>(data);
    cudaDeviceSynchronize();
    FILE *file = fopen(words[1], "w");
    fprintf(file, "%d\\n", (int)getpid());
    fclose(file);
    if (count > 2 && strcmp(words[2], "linger") == 0) {
        usleep(700000);
        file = fopen("lingered", "w");
        fclose(file);
    } else if (count < 3) {
        spin<<<1, 32>>>(data);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""
STUDY = """study: endless
title: a study
paper: none
workloads:
  one: {command: ./program, arguments: PID}
machines:
  base: gtx480
metrics:
  dram: {value: dram.bytes_read, unit: bytes, title: bytes}
"""


LONGEST_PATH = 4094 # with a slash behind it and its NUL, 4096 bytes (PATH_MAX)


class Endless(Place):
    def __init__(self, build, folder):
        super().__init__(build, folder, PROGRAM)

    def start(self, *words):
        return subprocess.Popen([self.exe, *words], cwd=self.folder, env=self.variables,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def program_of(self, process):
        """The program's process, when it has come to its kernel without an end."""
        file = self.folder / "pid"
        wait_until(lambda: file.exists() and file.read_text().endswith("\n"),
                   f"the program starts (warpmem: {process.poll()})")
        number = int(file.read_text())
        file.unlink()
        return number

    def left(self):
        return sorted(path.name for path in self.temporary.iterdir())


def wait_until(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.01)


def is_running(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def kill_and_look(place, process, what):
    program = place.program_of(process)
    assert is_running(program)
    process.send_signal(signal.SIGKILL)
    process.wait()
    try:
        wait_until(lambda: not is_running(program), f"{what}: its program ends", 15)
    finally:
        if is_running(program):
            os.kill(program, signal.SIGKILL)
    print(f"{what}: its program has ended")


def check_killed(place):
    (place.folder / "study.yaml").write_text(STUDY.replace("PID", str(place.folder / "pid")))
    for words in sanitized.share(place.exe, [
            ["run", "--engine", "clock", "./program", "pid"], ["record", "-o", "x.wmt", "./program", "pid"],
            ["annotate", "./program", "pid"], ["run", "--no-memory", "./program", "pid"],
            ["study", "run", "study.yaml", "-d", "results.db"]], 0, of=2):
        kill_and_look(place, place.start(*words), " ".join(words[:2]))


def check_behind(place):
    script = place.folder / "script"
    script.write_text("#!/bin/sh\n./program pid\necho ended\n")
    script.chmod(0o755)
    kill_and_look(place, place.start("run", "./script"), "run of a script")
    # The script ends, and warpmem with it; the program does not.
    script.write_text("#!/bin/sh\n./program pid linger >/dev/null 2>&1 &\n"
                      "while ! test -s pid; do sleep 0.02; done\n")
    process = place.start("run", "./script")
    process.wait()
    wait_until((place.folder / "lingered").exists, "what a script leaves behind goes on")


def check_folders(place):
    # With a reader that is gone.
    for words in (["run", "./program", "pid", "once"], ["annotate", "./program", "pid", "once"]):
        for _ in range(sanitized.is_sanitized(place.exe) and 2 or 5):
            process = subprocess.Popen([place.exe, *words], cwd=place.folder, env=place.variables,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdout.close()
            said = process.stderr.read().decode()
            assert process.wait() == -signal.SIGPIPE and said == "", (process.returncode, said)
            assert place.left() == [], (words, place.left())
            (place.folder / "pid").unlink()
    # Of a killed one, until the next one starts.
    running = place.start("run", "./program", "pid")
    kept = place.program_of(running)
    owned = place.left()
    assert len(owned) == 1, owned
    killed = place.start("run", "./program", "pid")
    gone = place.program_of(killed)
    killed.kill()
    killed.wait()
    wait_until(lambda: not is_running(gone), "the program ends")
    assert len(place.left()) == 2, place.left()
    # Names of others: without an owner, another user's in kind, a link.
    for name in ("warpmem-run-abcdef", "warpmem-run-other", "elsewhere"):
        (place.temporary / name).mkdir()
        (place.temporary / name / "file").touch()
    (place.temporary / "elsewhere/owner").touch()
    (place.temporary / "warpmem-run-linked").symlink_to("elsewhere")
    place.run("run", "./program", "pid", "once")
    (place.folder / "pid").unlink()
    assert place.left() == sorted(["elsewhere", "warpmem-run-abcdef", "warpmem-run-linked",
                                   "warpmem-run-other", *owned]), place.left()
    assert (place.temporary / "elsewhere/file").exists()
    assert is_running(kept)
    running.terminate()
    running.wait()
    assert not set(owned) & set(place.left()), place.left()
    check_long_name(place)


def check_long_name(place):
    """A TMPDIR as long as a path may be has no room for a folder, and keeps what is in it."""
    deep = str(place.temporary)
    while len(deep) < LONGEST_PATH:
        deep += "/" + "d" * min(255, LONGEST_PATH - 1 - len(deep))
        os.mkdir(deep)
    inside = os.open(deep, os.O_RDONLY | os.O_DIRECTORY)
    os.close(os.open("kept", os.O_WRONLY | os.O_CREAT, dir_fd=inside))
    done = place.run("run", "./program", "pid", "once", want=2, env={**place.variables, "TMPDIR": deep})
    assert "TMPDIR is too long" in done.stderr, done.stderr
    assert os.listdir(inside) == ["kept"], os.listdir(inside)
    os.close(inside)


if __name__ == "__main__":
    sys.exit(status_of({"killed": check_killed, "behind": check_behind, "folders": check_folders},
                       *sys.argv[1:], Endless))
