#!/usr/bin/env python3
"""Where the outputs of every command go, and what is said when they cannot be written.

usage: check_outputs.py SOURCE BUILD places|failures|standard|pipes|twice

places     a device, a pipe and a symbolic link stay what they are, in every command that names an
           output; a file keeps its permissions, and nothing else is left beside it
failures   a full device, a limit on files' size and a full disk: exit status 1, the path and the
           system's reason, and no part of the file
standard   "-" and "/dev/stdout", also of another user's pipe
pipes      a reader that leaves ends every command by SIGPIPE, and nothing is said
twice      two outputs of one place, or one that is what is read: exit status 2 before anything is done

Exit status 77: skipped, with the reason.
"""
import json
import os
import re
import resource
import shutil
import stat
import subprocess
import sys

from place import Place, sanitized, status_of

PROGRAM = """
#include <cstdio>
__global__ void add(unsigned *data) 
{
    atomicAdd(&data[threadIdx.x * 7 % 64], blockIdx.x + data[64 + threadIdx.x % 64]);
}
int main()
{
    unsigned *data;
    cudaMalloc(&data, 128 * sizeof *data);
    cudaMemset(data, 0, 128 * sizeof *data);
    for (int i = 0; i < 8; i++)
        add<<<16, 128>>>(data);
    printf("the program's own\\n");
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""

# What each command is called with; FILE is the output. Those that end with `program` run it.
COMMANDS = {
    "run --json": "run --quiet --json FILE ./program",
    "run --csv": "run --quiet --csv FILE ./program",
    "run --timeline": "run --quiet --engine clock --timeline FILE ./program",
    "run --report": "run --report FILE ./program",
    "record": "record --quiet -o FILE ./program",
    "annotate --html": "annotate --quiet --html FILE ./program",
    "annotate --json": "annotate --quiet --json FILE ./program",
    "annotate --report": "annotate --report FILE ./program",
    "bypass --html": "bypass --quiet -m gtx480 --html FILE ./program",
    "bypass --decisions": "bypass --quiet -m gtx480 --decisions FILE ./program",
    "bypass --json": "bypass --quiet -m gtx480 --json FILE ./program",
    "bypass --report": "bypass -m gtx480 --report FILE ./program",
    "replay --json": "replay --quiet --json FILE whole.wmt",
    "replay --csv": "replay --quiet --csv FILE whole.wmt",
    "replay --timeline": "replay --quiet --engine clock --timeline FILE whole.wmt",
    "replay --report": "replay --report FILE whole.wmt",
    "import": "import --quiet -o FILE core.din",
    "compare": "compare --quiet --json FILE whole.wmt -m v100 -m gtx480",
    "trace cut": "trace cut -o FILE whole.wmt --launches 0-3",
    "report": "report --quiet -o FILE results.db",
}


class Outputs(Place):
    """And a recording of the program, a trace and a results database."""

    def __init__(self, build, folder):
        os.umask(0o022)
        super().__init__(build, folder, PROGRAM)
        (self.folder / "core.din").write_text("".join(f"0 {i * 64:x}\n" for i in range(5000)))
        self.run("record", "-q", "-o", "whole.wmt", "./program")
        (self.folder / "study.yaml").write_text(
            "study: small\ntitle: a study\npaper: none\n"
            "workloads:\n  one: {command: ./program}\nmachines:\n  base: gtx480\n"
            "metrics:\n  dram: {value: dram.bytes_read, unit: bytes, title: bytes}\n")
        self.run("study", "run", "study.yaml", "-d", "results.db")

    def command(self, name, output, want=0, **more):
        words = [output if word == "FILE" else word for word in COMMANDS[name].split()]
        return self.run(*words, want=want, **more)

    def entries(self):
        return sorted(path.name for path in self.folder.iterdir()) + \
            sorted("tmp/" + path.name for path in (self.folder / "tmp").iterdir())


def read_pipe(place, name):
    """What comes out of a named pipe."""
    os.mkfifo(place.folder / "pipe")
    with open(place.folder / "read", "wb") as into, \
            subprocess.Popen(["cat", "pipe"], cwd=place.folder, stdout=into) as reader:
        place.command(name, "pipe")
        reader.wait(timeout=60)
    content = (place.folder / "read").read_bytes()
    (place.folder / "read").unlink()
    assert stat.S_ISFIFO(os.lstat(place.folder / "pipe").st_mode), name
    (place.folder / "pipe").unlink()
    return content


def device(place, name, minor):
    """The name of a device that the superuser may lose: not the machine's own. None: there is none."""
    if os.geteuid() != 0:
        return f"/dev/{name}"
    try:
        os.mknod(place.folder / name, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
        with open(place.folder / name, "wb"): # which some mounts forbid
            return name
    except OSError:
        (place.folder / name).unlink(missing_ok=True)
        print(f"no device {name} can be made here")
        return None


def check_places(place):
    check_compiler(place)
    null = device(place, "null", 3)
    for name in sanitized.share(place.exe, COMMANDS, 0):
        before = place.entries()
        if null:
            place.command(name, null)
            assert stat.S_ISCHR(os.lstat(place.folder / null).st_mode), name
            assert place.entries() == before, name
        place.command(name, "plain")
        plain = place.folder / "plain"
        content = plain.read_bytes()
        assert content, name
        assert plain.stat().st_mode & 0o777 == 0o666 & ~0o022, (name, oct(plain.stat().st_mode))
        # Over a link to a file with permissions of its own: the file is replaced, the link stays.
        (place.folder / "there").mkdir()
        target = place.folder / "there/target"
        target.write_text("old\n" * 1000000)
        target.chmod(0o640)
        for link, to in (("link", "middle"), ("middle", "there/target")):
            (place.folder / link).symlink_to(to)
        place.command(name, "link")
        assert os.readlink(place.folder / "link") == "middle", name
        assert os.readlink(place.folder / "middle") == "there/target", name
        assert len(target.read_bytes()) == len(content), name
        assert target.stat().st_mode & 0o777 == 0o640, name
        # A link that points to nothing yet.
        target.unlink()
        place.command(name, "link")
        assert len(target.read_bytes()) == len(content), name
        assert [path.name for path in (place.folder / "there").iterdir()] == ["target"], name
        shutil.rmtree(place.folder / "there")
        for made in ("link", "middle", "plain"):
            (place.folder / made).unlink()
        assert len(read_pipe(place, name)) == len(content), name
        assert place.entries() == before, (name, place.entries(), before)
        print(f"{name}: {len(content)} bytes")


def refused(place, name, done, path, reason):
    """One error of the output, and none twice."""
    said = done.stderr
    assert done.returncode == 1, f"{name}: {done.returncode}\n{said}"
    assert len(re.findall(f'cannot write "([^"]*/)?{path}": {reason}', said)) == 1, \
        f"{name}:\n{said}"
    assert said.count("error:") == 1 and "was not written" not in said, f"{name}:\n{said}"


def check_compiler(place):
    """What clang and the linker write: links stay, and what can never be written is found before."""
    for words in ([], ["-c"], ["--ptx"]):
        for link, to in (("link", "target"), ("target", "made")):
            (place.folder / link).symlink_to(to)
        place.run("cc", *words, "program.cu", "-o", "link")
        assert os.readlink(place.folder / "link") == "target", words
        assert os.readlink(place.folder / "target") == "made", words
        assert (place.folder / "made").stat().st_size > 100, words
        for made in ("link", "target", "made"):
            (place.folder / made).unlink()
        done = place.run("cc", *words, "program.cu", "-o", "nowhere/x", want=1)
        assert done.stderr == 'error: -o: cannot write "nowhere/x": No such file or directory\n' \
                              "hint: make its folder first\n", done.stderr
        if shutil.which("mkfifo"):
            os.mkfifo(place.folder / "pipe")
            with subprocess.Popen(["cat", "pipe"], cwd=place.folder, stdout=subprocess.PIPE) as reader:
                place.run("cc", *words, "program.cu", "-o", "pipe")
                assert len(reader.stdout.read()) > 100, words
            (place.folder / "pipe").unlink()
        full = device(place, "full", 7)
        if full:
            done = place.run("cc", *words, "program.cu", "-o", full, want=1)
            said = done.stderr[done.stderr.find("error: "):] # behind what the linker warns of sanitizers
            assert said.startswith(f'error: cannot write "{full}": No space left on device\n') \
                and said.count("\n") == 2, done.stderr
            if not full.startswith("/"):
                (place.folder / full).unlink()
    (place.folder / "there").mkdir()
    place.run("cc", "-c", "-MD", "program.cu", "-o", "there/made.o")
    assert sorted(path.name for path in (place.folder / "there").iterdir()) == ["made.d", "made.o"]
    assert (place.folder / "there/made.d").read_text().startswith("there/made.o: program.cu")
    shutil.rmtree(place.folder / "there")
    done = place.run("cc", "--ptx", "program.cu", "-o", "-")
    assert ".version" in done.stdout, done.stdout[:200]
    done = place.run("cc", "program.cu", "-o", "-", want=2)
    assert "a program cannot be linked into a stream" in done.stderr, done.stderr


def length_of(place, name):
    """The size of the command's output."""
    place.command(name, "plain")
    length = (place.folder / "plain").stat().st_size
    (place.folder / "plain").unlink()
    return length


def check_failures(place):
    full = device(place, "full", 7)
    before = place.entries()
    for name in sanitized.share(place.exe, COMMANDS, 1):
        if full:
            refused(place, name, place.command(name, full, want=None), full,
                    "No space left on device")
        folder = place.command(name, "tmp", want=None)
        assert folder.returncode != 0 and 'cannot write "tmp": Is a directory' in folder.stderr, \
            f"{name}: {folder.returncode}\n{folder.stderr}"
        nowhere = place.command(name, "nowhere/file", want=None)
        assert nowhere.returncode != 0 and nowhere.stderr.count("error:") == 1 and \
            'cannot write "nowhere/file": No such file or directory\nhint: make its folder first' \
            in nowhere.stderr, f"{name}: {nowhere.stderr}"
        assert place.entries() == before, name
        # What was there before a failure is there after it.
        old = place.folder / "old"
        old.write_text("old")
        limit = length_of(place, name) // 2
        done = place.command(name, "old", want=None, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (limit, limit)))
        assert done.returncode == 1, f"{name}: {done.returncode}\n{done.stderr}"
        assert "File too large" in done.stderr, f"{name}:\n{done.stderr}"
        if name == "record": # is at its place while it is written
            assert not old.exists(), old.read_bytes()
        else:
            assert old.read_text() == "old", name
        old.unlink(missing_ok=True)
        # A page without charts is so short that its limit stops SQLite's index of 32 KiB as well, which
        # the next reader takes over.
        left, was = ([it for it in entries if name != "report" or not it.startswith("results.db-")]
                     for entries in (place.entries(), before))
        assert left == was, (name, left)
        print(f"{name}: refused")
    check_full_disk(place)


def check_full_disk(place):
    disk = place.folder / "disk"
    disk.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "none", disk],
                                           capture_output=True).returncode != 0:
        print("no disk of a few kilobytes, which only the superuser mounts: /dev/full alone")
        disk.rmdir()
        return
    try:
        for name in sanitized.share(place.exe, COMMANDS, 2):
            done = place.command(name, "disk/file", want=None)
            if done.returncode == 0 and (disk / "file").stat().st_size <= 8192:
                (disk / "file").unlink() # so small that it fits
                continue
            # A run's page is beside its text, so that only the reason is looked for.
            assert done.returncode == 1 and "No space left on device" in done.stderr, \
                f"{name}: {done.returncode}\n{done.stderr}"
            assert list(disk.iterdir()) == [], (name, list(disk.iterdir()))
            print(f"{name}: no space left")
        done = place.run("export", "-o", "disk/traces", "whole.wmt", want=1)
        assert "No space left on device" in done.stderr and list(disk.iterdir()) == [], done.stderr
        # Work is kept beside the database; what cannot be is said, of a point or of the database.
        done = place.run("study", "run", "study.yaml", "-d", "disk/full.db", want=1)
        assert re.search("No space left on device|database or disk is full", done.stderr), \
            done.stderr
    finally:
        subprocess.run(["umount", disk], check=True)
        disk.rmdir()


def check_standard(place):
    # As /dev/stdout is one, which the superuser should not lose.
    (place.folder / "stdout").symlink_to("/proc/self/fd/1")
    stdout = "stdout" if os.geteuid() == 0 else "/dev/stdout"
    for name in sanitized.share(place.exe, COMMANDS, 0):
        length = length_of(place, name)
        runs = "program" in COMMANDS[name]
        own = b"the program's own\n"
        for output in ("-", stdout, "/proc/self/fd/1", "/dev/fd/1"):
            words = [output if word == "FILE" else word for word in COMMANDS[name].split()]
            done = subprocess.run([place.exe, *words], cwd=place.folder, env=place.variables,
                                  capture_output=True)
            assert done.returncode == 0, f"{name} {output}: {done.stderr}"
            got = done.stdout
            beside = runs and (output != "-" or "--report" in name)
            assert os.readlink(place.folder / "stdout") == "/proc/self/fd/1", name
            assert len(got) == length + (len(own) if beside else 0), \
                f"{name} {output}: {len(got)} for {length}\n{got[:300]}\n{done.stderr}"
            assert runs == (own in got + done.stderr), f"{name} {output}"
        # Into a file that the shell has opened: behind what is there.
        with open(place.folder / "all", "wb") as into:
            into.write(b"before\n")
            into.flush()
            words = [stdout if word == "FILE" else word for word in COMMANDS[name].split()]
            subprocess.run([place.exe, *words], cwd=place.folder, env=place.variables, stdout=into,
                           stderr=subprocess.DEVNULL, check=True)
        got = (place.folder / "all").read_bytes()
        assert got.startswith(b"before\n") and len(got) == 7 + length + (len(own) if runs else 0), \
            f"{name}: {len(got)}"
        print(f"{name}: {length} bytes on standard output")
    # What is for people leaves the output alone.
    done = place.run("run", "--json", "-", "./program")
    json.loads(done.stdout)
    assert "the program's own\n" in done.stderr and "Costliest at" in done.stderr, done.stderr
    done = place.run("replay", "--json", "-", "whole.wmt")
    json.loads(done.stdout)
    assert "Costliest at" in done.stderr, done.stderr
    done = place.run("compare", "--json", "-", "whole.wmt", "-m", "v100", "-m", "gtx480")
    json.loads(done.stdout)
    assert "The machines differ in" in done.stderr, done.stderr
    for words in (["run", "--json", "-", "--csv", "-", "./program"],
                  ["replay", "--report", "-", "--csv", "-", "whole.wmt"]):
        done = place.run(*words, want=2)
        assert "both name standard output" in done.stderr, done.stderr
    check_other_user(place)


def check_pipes(place):
    """The output is closed before the first byte; what people print is long enough to be cut too."""
    lines = [[*(("-" if word == "FILE" else word) for word in line.split())]
             for line in COMMANDS.values()]
    lines += [["run", "./program"], ["annotate", "./program"], ["annotate", "--report", "-", "./program"],
              ["replay", "whole.wmt"], ["machine", "keys"], ["machine", "show", "v100"], ["--help"],
              ["list"], ["trace", "dump", "whole.wmt"], ["study", "table", "study.yaml", "-d",
                                                          "results.db", "dram"],
              ["cc", "--ptx", "program.cu", "-o", "-"], ["compare", "--json", "-", "a.json", "b.json"]]
    for name in ("a", "b"):
        place.run("replay", "-q", "--json", f"{name}.json", "whole.wmt")
    # The program has a pipe of its own, where it would be ended itself.
    quiet = re.sub(r"printf\(.*\);", "", PROGRAM)
    assert quiet != PROGRAM
    (place.folder / "program.cu").write_text(quiet)
    place.run("cc", "program.cu", "-o", "program")
    for words in lines:
        before = place.entries()
        ours, theirs = os.pipe()
        os.close(ours)
        done = subprocess.run([place.exe, *words], cwd=place.folder, env=place.variables, stdout=theirs,
                              stderr=subprocess.PIPE, text=True)
        os.close(theirs)
        assert done.returncode == -13, (words, done.returncode, done.stderr)
        assert "error" not in done.stderr and "Broken pipe" not in done.stderr, (words, done.stderr)
        assert place.entries() == before, words
    # Where the signal is ignored, it is an error with the name that was asked for.
    for words in (["run", "-q", "--json", "-", "./program"], ["list"]):
        ours, theirs = os.pipe()
        os.close(ours)
        done = subprocess.run([place.exe, *words], cwd=place.folder, env=place.variables, stdout=theirs,
                              stderr=subprocess.PIPE, text=True, restore_signals=False)
        os.close(theirs)
        assert done.returncode == 1, (words, done)
        assert done.stderr.count("cannot write standard output: Broken pipe") == 1, done.stderr
        assert "/proc/" not in done.stderr, done.stderr


def check_twice(place):
    (place.folder / "there").mkdir()
    (place.folder / "link").symlink_to("there/new")
    (place.folder / "folder").symlink_to("there")
    (place.folder / "old").write_text("old")
    (place.folder / "other").symlink_to("old")
    os.mkfifo(place.folder / "pipe")
    same = [("new", "./new"), ("link", "there/new"), ("link", "folder/new"), ("old", "other"),
            ("pipe", "pipe"), ("-", "/dev/stdout"), ("new", str(place.folder / "new"))]
    for one, other in same:
        for words in (["run", "--json", one, "--csv", other, "./program"],
                      ["run", "--json", one, "--report", other, "./program"],
                      ["annotate", "--html", one, "--json", other, "./program"],
                      ["replay", "--json", one, "--csv", other, "whole.wmt"]):
            before = place.entries()
            done = place.run(*words, want=2)
            assert re.search("are one file|both name", done.stderr), done.stderr
            assert "hint: name another file for one of them" in done.stderr and done.stdout == "", done
            assert place.entries() == before, words
    place.run("run", "-q", "--json", "/dev/null", "--csv", "/dev/null", "./program")
    # What is read stays.
    (place.folder / "alias").symlink_to("whole.wmt")
    place.run("replay", "-q", "--json", "a.json", "whole.wmt")
    for words in (["replay", "--json", "alias", "whole.wmt"], ["run", "--json", "program", "./program"],
                  ["import", "-o", "core.din", "core.din"], ["trace", "cut", "-o", "alias", "whole.wmt"],
                  ["report", "-o", "results.db", "results.db"], ["cc", "-c", "program.cu", "-o", "./program.cu"],
                  ["compare", "--json", "a.json", "a.json", "a.json"]):
        content = {path: path.read_bytes() for path in place.folder.iterdir()
                   if path.is_file() and not path.name.startswith(".")}
        done = place.run(*words, want=2)
        assert "is what is read" in done.stderr or "an input and the output" in done.stderr, done.stderr
        for path, before in content.items():
            assert path.read_bytes() == before, (words, path)


def check_other_user(place):
    """Without the right to open the pipe anew, which root made."""
    if os.geteuid() != 0:
        print("only the superuser becomes another user")
        return
    place.folder.chmod(0o755)
    (place.folder / "tmp").chmod(0o1777)
    words = ["replay", "--quiet", "--json", "stdout", "whole.wmt"]
    try:
        done = subprocess.run([place.exe, *words], cwd=place.folder, env=place.variables,
                              capture_output=True, user=65534, group=65534)
    except PermissionError: # in root's own folder, say
        print("another user may not run this build")
        return
    if done.returncode in (126, 127):
        print("another user may not run this build")
        return
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)


if __name__ == "__main__":
    sys.exit(status_of(
        {"places": check_places, "failures": check_failures, "standard": check_standard,
         "pipes": check_pipes, "twice": check_twice},
        *sys.argv[1:], Outputs))
