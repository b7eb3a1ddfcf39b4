#!/usr/bin/env python3
"""Programs of `warpmem cc --trace-host` tell what they load and store. usage: check_host_trace.py
WARPMEM TOPIC

  accesses  each case of accesses.c, line by line
  atomics   each operation of atomics.c, which does what it should
  objects   virtual functions of C++
  whole     a program without marks
  same      the same trace whatever the environment, and wherever it goes
  ends      how a program ends, and what of its trace is there then
  unwritten a trace that cannot be written
  replayed  hit rates that a hand can count
  threads   what threads do by each kind of call, the same each time
  deadlock  threads that wait for each other, and what is refused
  counted   instructions, against those that valgrind executes
  order     what threads wait for orders all that they share, and a replay keeps it
  imported  a trace of two threads as a recording of two cores
  cpp       threads, locks and futures of C++
  cuda      the host code of a CUDA program, alone and under `warpmem run`
"""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]
import compiled
import sanitized

HERE = Path(__file__).resolve().parent


def program(warpmem, source, *flags):
    return compiled.program(warpmem, HERE / source, flags=("--trace-host", *flags))


def run(command, trace, environment=None, **how):
    variables = {"PATH": os.environ["PATH"], **(environment or {})}
    if trace is not None:
        variables["WARPMEM_HOST_TRACE"] = str(trace)
    return subprocess.run(list(map(str, command)), env=variables, capture_output=True, text=True,
                          timeout=120, **how)


def lines_of(trace):
    """All but those that count instructions or name places of code or memory, without the place of an access."""
    return [line.split(" @")[0] for line in trace.read_text().splitlines() if line[0] not in "nls"]


def traced(command, folder, environment=None):
    """What the program printed, and the trace's accesses as (letter, address, bytes)."""
    trace = Path(folder, "t.din")
    done = run(command, trace, environment)
    assert done.returncode == 0 and not done.stderr, (command, done)
    lines = [line.split() for line in lines_of(trace)]
    return done.stdout, [(line[0], *(int(number, 16) for number in (line[1:] + ["0", "0"])[:2]))
                         for line in lines]


# --- What is traced ---

def pieces(letters, first, second, size, backwards=False):
    """A copy in pieces of 16 bytes: each read, then written."""
    offsets = list(range(0, size, 16))
    for offset in reversed(offsets) if backwards else offsets:
        for letter, base in zip(letters, (first, second)):
            yield letter, base + offset, min(16, size - offset)


def expected_accesses(name, n, at, found):
    ints, others = at["ints"], at["ints"] + 256
    if name == "scale":
        return [access for i in range(n) for access in
                (("r", ints + 4 * i, 4), ("w", others + 4 * i, 4))]
    if name == "increment":
        return [(letter, ints + 4 * i, 4) for i in range(n) for letter in "rw"]
    if name == "look_up":
        return [access for i in range(n) for access in
                (("r", ints + 4 * i, 4), ("r", at["table"] + 2 * (i & 3), 2),
                 ("w", others + 4 * i, 4))]
    if name == "count":
        bins = found[0][1]  # wherever they lie
        assert bins % 4 == 0 and bins not in at.values()
        counted = [access for i in range(n) for access in
                   (("r", ints + 4 * i, 4), ("r", bins + 4 * (i & 3), 4),
                    ("w", bins + 4 * (i & 3), 4))]
        return [("w", bins, 16), *counted, ("r", bins + 4 * (n & 3), 4), ("w", others, 4)]
    if name == "sizes":
        return [(letter, at[kind] + index * 64 * size + n * size, size)
                for kind, size in (("bytes", 1), ("shorts", 2), ("doubles", 8), ("wides", 16))
                for letter, index in (("r", 0), ("w", 1))]
    if name == "odd_places":
        return [(letter, at["odds"] + 5 * i + 1, 4) for i in range(n) for letter in "rw"]
    if name == "structs":
        to, of = n & 1, ~n & 1
        return [*pieces("rw", at["larges"] + 40 * of, at["larges"] + 40 * to, 40),
                ("r", at["pairs"] + 8 * of, 8), ("w", at["pairs"] + 8 * to, 8)]
    if name == "copy":
        return [*pieces("rw", at["bytes"], at["bytes"] + 64, 10 * n)]
    if name == "move_up":
        return [*pieces("rw", at["bytes"], at["bytes"] + 8, 10 * n, backwards=True)]
    if name == "move_down":
        return [*pieces("rw", at["bytes"] + 8, at["bytes"], 10 * n)]
    if name == "fill":
        return [*pieces("w", at["bytes"] + 65, 0, 10 * n)]
    assert name == "two_ranges", name
    return [("w", ints, 4), ("w", ints + 8, 4)]


def places(printed):
    return {name: int(place, 16) for name, place in (line.split() for line in printed.splitlines())}


def check_cases(made, cases, folder):
    for case in cases:
        for n in (3, 4):
            printed, found = traced([made, case, n], folder)
            expected = expected_accesses(case, n, places(printed), found)
            assert found == expected, f"{case} {n}:\n  {found}\nnot\n  {expected}\n{printed}"


def check_accesses(warpmem, folder):
    made = program(warpmem, "accesses.c")
    cases = re.findall(r'\{"(\w+)", \w+\}', (HERE / "accesses.c").read_text())
    assert len(cases) == 12, cases
    check_cases(made, cases, folder)
    # With checks of how much room there is, copies and fills have other names.
    checked = program(warpmem, "accesses.c", "-D_FORTIFY_SOURCE=2")
    names = subprocess.run(["nm", "-u", checked], check=True, capture_output=True, text=True).stdout
    assert all(f"__wrap___{name}_chk" in names for name in ("memcpy", "memmove", "memset")), names
    check_cases(checked, ("copy", "move_up", "move_down", "fill"), folder)
    assert run([made, "scale", 4], None).returncode == 0
    # Not optimised, each variable has a place in memory: the copy is among them, in one piece.
    printed, found = traced([program(warpmem, "accesses.c", "-O0", "-mavx2"), "copy", 4], folder)
    copy = expected_accesses("copy", 4, places(printed), found)
    first = found.index(copy[0])
    assert found[first:first + len(copy)] == copy and len(found) > len(copy), found


def check_atomics(warpmem, folder):
    made = program(warpmem, "atomics.c", "-mcx16")
    printed, found = traced([made], folder)
    for place, size in zip(printed.split(), (1, 2, 4, 8, 16)):
        place = int(place, 16)
        letters = "".join(letter for letter, at, bytes in found if at == place)
        assert {bytes for _, at, bytes in found if at == place} == {size}, found
        # A store, a load, seven updates, a comparison that fails, one that does not, and a load.
        assert letters == "wr" + 7 * "u" + "u" + "u" + "r", (size, letters)
    assert sum(letter == "f" for letter, _, _ in found) == 5, found


def check_objects(warpmem, folder):
    printed, found = traced([program(warpmem, "objects.cpp")], folder)
    place, size = printed.split()
    place = int(place, 16)
    assert size == "9" and [access[0] for access in found] == list("rrr") + ["r"] * (len(found) - 3)
    assert found[0] == ("r", place, 8) and found[1][2] == 8 and found[1][1] % 8 == 0, found
    assert set(found[2:]) == {("r", place + 8, 4)}, found


def check_whole(warpmem, folder):
    printed, found = traced([program(warpmem, "whole.c")], folder)
    place = int(printed, 16)
    check_touched(place, found)
    # Compiled and linked in steps; the program of such an object needs the option too.
    steps = [[warpmem, "cc", "--trace-host", "-c", HERE / "whole.c", "-o", Path(folder, "whole.o")],
             [warpmem, "cc", "--trace-host", Path(folder, "whole.o"), "-o", Path(folder, "whole")]]
    for step in steps:
        subprocess.run(step, check=True, env={**os.environ, **sanitized.variables(warpmem)})
    printed, found = traced([Path(folder, "whole")], folder)
    check_touched(int(printed, 16), found)
    without = subprocess.run([warpmem, "cc", Path(folder, "whole.o"), "-o", Path(folder, "none")],
                             capture_output=True, text=True)
    # The linker names one of the recorder's functions; under the sanitizers, whose runtime has some of these, another.
    assert without.returncode == 1 and "undefined reference" in without.stderr, without
    assert "__sanitizer_cov_" in without.stderr, without


def check_touched(place, found):
    own = [access for access in found if place <= access[1] < place + 16]
    assert own == [(letter, place + 4 * i, 4) for i in range(3) for letter in "rw"], found


# --- The same each time ---

def check_same(warpmem, folder):
    made = program(warpmem, "places.c")
    _, found = traced([made, 7], folder)
    first = Path(folder, "t.din").read_bytes()
    assert len({at >> 40 for _, at, _ in found}) >= 2 and len(found) > 500
    for environment in ({}, {"A": "x" * 1001}, {f"VARIABLE{i}": "value" for i in range(40)}):
        name = Path(folder, f"{'long-name' * min(len(environment), 20)}.din")
        assert run([made, 7], name, environment).returncode == 0
        assert name.read_bytes() == first, environment
    packed = [Path(folder, name) for name in ("a.din.zst", "another.din.zst")]
    for name in packed:
        assert run([made, 7], name).returncode == 0
    assert packed[0].read_bytes() == packed[1].read_bytes()
    assert len(packed[0].read_bytes()) < len(first) / 4
    assert results(warpmem, packed[0], folder) == results(warpmem, Path(folder, "t.din"), folder)
    traced([made, 8], folder)
    assert Path(folder, "t.din").read_bytes() != first


# --- Ends ---

def check_ends(warpmem, folder):
    made, trace = program(warpmem, "ends.c", "-pthread"), Path(folder, "ends.din")

    def ends(how, status, message, accesses):
        trace.unlink(missing_ok=True)
        done = run([made, how], trace)
        assert done.returncode == status, (how, done)
        assert (message in done.stderr) if message else not done.stderr, (how, done)
        assert sorted(os.listdir(folder)) == (["ends.din"] if accesses else []), how
        place = int(done.stdout, 16)
        wanted = [f"{letter} {place + 4 * i:x} 4" for i in accesses for letter in "rw"]
        assert not accesses or lines_of(trace) == wanted, how
        assert how == "unmarked" or run([made, how], None).returncode == (0 if status == 2 else status)

    ends("", 0, "", [0])
    ends("status", 3, "", [0])
    ends("fork", 0, "has called fork()", [0, 1])
    ends("thread-outside", 0, "", [0])
    ends("abort", -signal.SIGABRT, "error: WARPMEM_HOST_TRACE: no trace: the program was ended by "
         "signal 6 (Aborted)\n", [])
    ends("_exit", 2, "error: WARPMEM_HOST_TRACE: no trace: the program has left without its end\n"
         "hint: let main() return", [])
    ends("unmarked", 2, "no trace: the program has made no access that is traced\nhint: ", [])
    ends("failed", 7, "no trace: the program has made no access that is traced\nhint: ", [])


def check_unwritten(warpmem, folder):
    made = program(warpmem, "ends.c", "-pthread")
    done = run([made], Path(folder, "none/t.din"))
    assert (done.returncode, done.stdout) == (2, ""), done
    assert done.stderr.startswith('error: WARPMEM_HOST_TRACE: cannot write "'), done
    assert done.stderr.endswith("hint: make its folder first\n"), done
    done = run([made], folder)
    assert done.returncode == 2 and "cannot write" in done.stderr, done
    done = run([made, "many"], "/dev/full")
    assert done.returncode == 2 and "/dev/full" in done.stderr, done
    # A file that may not become longer, and one that was there before.
    kept = Path(folder, "kept.din")
    kept.write_text("as it was\n")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
    done = run([made, "many"], kept, preexec_fn=limit)
    assert done.returncode == 2 and "kept.din" in done.stderr, done
    assert kept.read_text() == "as it was\n" and os.listdir(folder) == ["kept.din"]
    assert run([made, "many"], kept).returncode == 0
    assert len(lines_of(kept)) == 2 * 1000001


# --- Threads ---

def turns_of(wanted, rounds=300):
    """What threads that take turns one after the other make of the sum."""
    total = 0
    for turn in range(wanted * rounds):
        total = (total * 31 % 1000003) + turn % wanted
    return total


def check_threads(warpmem, folder):
    made = program(warpmem, "threads.c", "-pthread")
    one = {min(os.sched_getaffinity(0))}
    expected = {"mutex": "1200 1200", "kinds": "4 0", "shared": "1200 0", "spin": "1200 0",
                "semaphore": "1200 0", "condition": f"{turns_of(4)} 0", "c11": f"{turns_of(4)} 0",
                "loop": f"{turns_of(4)} 0", "barrier": f"{4 * 300} {4 * 299}", "once": "1 4",
                "time": "3210 1", "makers": "20 0", "signal": "1 0"}
    for how, printed in expected.items():
        found = set()
        for turn, affinity in (("", None), ("", one), *(3 * [("", None)]), ("64", None), ("64", one)):
            trace = Path(folder, "threads.din")
            pin = None if affinity is None else lambda: os.sched_setaffinity(0, one)
            done = run([made, how], trace, {"WARPMEM_HOST_TRACE_TURN": turn}, preexec_fn=pin)
            assert (done.returncode, done.stdout, done.stderr) == (0, printed + "\n", ""), (how, done)
            found.add((turn, trace.read_bytes()))
        assert len(found) == 2, f"{how}: not the same each time"
    # 64 threads, and one core each of those that are there at the same time.
    traces = set()
    for _ in range(10):
        done = run([made, "mutex", 64], trace)
        assert done.stdout == f"{64 * 300} {64 * 300}\n", done
        traces.add(trace.read_bytes())
    assert len(traces) == 1
    numbers = {line.split()[1] for line in trace.read_text().splitlines() if line[0] == "t"}
    assert numbers == {f"{number:x}" for number in range(65)}, numbers
    recording = Path(folder, "threads.wmt")
    subprocess.run([warpmem, "import", "-q", "-o", recording, trace], check=True)
    shown = subprocess.run([warpmem, "replay", recording, "-m", "cpu-core2"], capture_output=True,
                           text=True)
    assert "is of 65 cores" in shown.stderr, shown
    done = run([made, "once"], trace, {"WARPMEM_HOST_TRACE_TURN": "1"})
    assert done.returncode == 2 and "from 2 on" in done.stderr, done


def check_counted(warpmem, folder):
    made = program(warpmem, "counted.cpp")
    plain = compiled.program(warpmem, HERE / "counted.cpp",
                             flags=("--host-only", "-fno-vectorize", "-fno-slp-vectorize"))
    trace, recording = Path(folder, "t.din"), Path(folder, "t.wmt")

    def counted(how, n):
        done = run([made, how, n], trace)
        assert done.returncode == 0 and not done.stderr, done
        lines = [line.split() for line in trace.read_text().splitlines()]
        return sum(int(line[1], 16) if line[0] == "n" else line[0] in "rwu" for line in lines)

    def executed(how, n):
        done = subprocess.run(["valgrind", "--tool=lackey", plain, how, str(n)], capture_output=True, text=True)
        return int(re.search(r"guest instrs:\s+([\d,]+)", done.stderr).group(1).replace(",", ""))

    # What the C library does before and behind falls out of differences.
    ways = {"sort": (100, 1000), "multiply": (4, 20), "objects": (10, 1000), "calls": (3, 15), "cases": (100, 3000),
            "atomics": (10, 2000)}
    for how, (few, many) in ways.items():
        ours = counted(how, many) - counted(how, few)
        if shutil.which("valgrind") is not None:
            theirs = executed(how, many) - executed(how, few)
            assert 0.92 < ours / theirs < 1.08, (how, ours, theirs)
    # A report counts them all.
    wanted = counted("atomics", 10)
    subprocess.run([warpmem, "import", "-q", "-o", recording, trace], check=True)
    shown = subprocess.run([warpmem, "replay", recording, "-m", "cpu-core2", "--json", Path(folder, "t.json")],
                           check=True, capture_output=True, text=True).stdout
    kernel, = json.loads(Path(folder, "t.json").read_text())["kernels"]
    assert kernel["warp_instructions"] == wanted and "MPKI" in shown, (kernel["warp_instructions"], wanted, shown)


class Order:
    """What comes before each access, as the lines say what threads wait for: the conflicts that
    nothing orders."""

    def __init__(self, apart):
        self.apart = apart  # words that are not looked at
        self.clocks, self.made, self.known = {}, {}, {}  # by thread; known: (accesses, clock) each time it waited
        self.writers, self.readers = {}, {}  # by word
        self.unordered = []

    def behind(self, clock, other):
        thread, number = other
        return clock.get(thread, 0) >= number

    def wait(self, thread, awaited, accesses):
        assert self.made.get(awaited, 0) >= accesses, "it waits for what comes later"
        clock = dict(self.clocks.get(thread, {}))
        assert clock.get(awaited, 0) < accesses, "it has waited for that before"
        before = [known for made, known in self.known.get(awaited, []) if made < accesses]
        for other, number in (before[-1] if before else {}).items():
            clock[other] = max(clock.get(other, 0), number)
        clock[awaited] = accesses
        clock.pop(thread, None)
        self.clocks[thread] = clock
        self.known.setdefault(thread, []).append((self.made.get(thread, 0), clock))

    def access(self, thread, letter, address, size):
        number = self.made[thread] = self.made.get(thread, 0) + 1
        clock = {**self.clocks.get(thread, {}), thread: number}
        for word in range(address // 4, (address + size + 3) // 4):
            if word in self.apart:
                continue
            others = [self.writers.get(word, (thread, 0))]
            if letter != "r":
                others += self.readers.pop(word, {}).items()
                self.writers[word] = thread, number
            else:
                self.readers.setdefault(word, {})[thread] = number
            self.unordered += [(word * 4, thread, other) for other in others if not self.behind(clock, other)]


def read_order(trace, apart=()):
    order, thread, waits = Order(set(apart)), 0, 0
    for line in lines_of(trace):
        letter, *numbers = line.split()
        numbers = [int(number, 16) for number in numbers]
        if letter == "t":
            thread, = numbers
        elif letter == "a":
            order.wait(thread, *numbers)
            waits += 1
        elif letter in "rwu":
            order.access(thread, letter, *numbers)
    return order, waits


def place_of(made, *names):
    """Where the program's variables are: it is mapped there each time."""
    symbols = subprocess.run(["nm", made], check=True, capture_output=True, text=True).stdout
    found = {name: int(at, 16) for at, _, name in (line.split() for line in symbols.splitlines()
                                                   if len(line.split()) == 3)}
    return [(0x555555554000 + found[name]) // 4 for name in names]


def check_order(warpmem, folder):
    made, trace, recording = program(warpmem, "threads.c", "-pthread"), Path(folder, "t.din"), Path(folder, "t.wmt")
    apart = place_of(made, "turn", "ready")  # atomic variables
    most = {"mutex": 1200, "shared": 6000, "spin": 1200, "semaphore": 1200, "condition": 6000, "c11": 6000,
            "loop": 2400, "barrier": 2 * 4 * 300 * 3, "once": 4}
    for how, limit in most.items():
        done = run([made, how], trace, {"WARPMEM_HOST_TRACE_TURN": "50"})
        assert done.returncode == 0, done
        order, waits = read_order(trace, apart)
        assert not order.unordered, (how, order.unordered[:5], len(order.unordered))
        assert 4 < waits <= limit + 20, (how, waits)  # and those of threads' beginnings and ends
        subprocess.run([warpmem, "import", "-q", "-o", recording, trace], check=True)
        subprocess.run([warpmem, "replay", "-q", recording, "-m", "cpu-core2", "--set", "gpu.sm.count=5"], check=True)
    # Without what they wait for there would be conflicts that nothing orders.
    run([made, "condition"], trace)
    lines = trace.read_text().splitlines(keepends=True)
    trace.write_text("".join(line for line in lines if line[0] != "a"))
    assert len(read_order(trace)[0].unordered) > 300


def check_places(warpmem, folder):
    """Each access has the line of the program's own source that makes it, also by way of C++'s headers."""
    source, trace = "places.cpp", Path(folder, "t.din")
    marked = {text: number for number, line in enumerate((HERE / source).read_text().splitlines(), 1)
              for text in re.findall(r"// (\w+)$", line)}
    expected = {"stores": 100, "adds": 100, "fills": 25, "summed": 100, "updates": 200, "compares": 1}
    for flags in ("-g",), ("-g", "-O0"), ():
        made = program(warpmem, source, *flags)
        found = run([made], trace)
        assert found.returncode == 0, found
        places, counts = {}, {}
        for line in trace.read_text().splitlines():
            if line[0] == "l":
                number, offset, name, *at = line.split(" ", 5)[1:]
                assert int(number, 16) == len(places) + 1 and name == Path(made).name, line
                places[number] = (Path(at[1]).name, int(at[0], 16)) if at else None
            elif line[0] in "rwu":
                address, size, place = line.split()[1:]
                # The arrays are aligned; what is on the stack is not of interest.
                if address.startswith("5555"):
                    at = places[place[1:]]
                    counts[at] = counts.get(at, 0) + 1
        if not flags:
            assert set(places.values()) == {None}, places
            continue
        for text, count in expected.items():
            if "-O0" in flags and text in ("summed", "updates", "compares"):
                continue  # these are calls of functions in headers
            assert counts.get((source, marked[text]), 0) == count, (flags, text, count, counts, marked)


def check_imported(warpmem, folder):
    """Two threads of one trace: a line each of them loads twice, and one that only the second does."""
    trace, recording, out = (Path(folder, name) for name in ("t.din", "t.wmt", "t.json"))
    trace.write_text("i 400000 8\nr 1000 4\nt 2\ni 400008 8\nr 1000 4\nt 0\nr 1004 4\nt 2\nr 1004 4\nr 2000 4\n")
    subprocess.run([warpmem, "import", "-q", "-o", recording, trace], check=True)
    subprocess.run([warpmem, "replay", "-q", recording, "-m", "cpu-core2", "--json", out], check=True)
    cores = [one["counters"] for one in json.loads(out.read_text())["components"] if one["kind"] == "l1"]
    # Each core has an L1 of its own, so both miss the line that they share.
    found = sorted((one["accesses"], one["accesses_missed"]) for one in cores)
    assert found == [(2, 1), (3, 2)], found
    trace.write_text("t 100\nr 1000 4\n")
    done = subprocess.run([warpmem, "import", "-o", recording, trace], capture_output=True, text=True)
    assert done.returncode != 0 and "a trace has the threads 0 to 255" in done.stderr, done


def line_of(source, text):
    lines = (HERE / source).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def check_deadlock(warpmem, folder):
    made, trace = program(warpmem, "threads.c", "-pthread", "-g"), Path(folder, "deadlock.din")
    done = run([made, "deadlock", 2], trace)
    create, join = line_of("threads.c", "if (pthread_create("), line_of("threads.c", "pthread_join(")
    lock = line_of("threads.c", "// deadlock")
    assert done.returncode == 2 and not trace.exists(), done
    assert done.stderr.splitlines()[:4] == [
        "error: WARPMEM_HOST_TRACE: a deadlock: no thread can run",
        f"thread 0 waits at threads.c:{join} for the end of thread 1",
        f"thread 1, made by thread 0 at threads.c:{create}, waits at threads.c:{lock} for a mutex that "
        "thread 2 has",
        f"thread 2, made by thread 0 at threads.c:{create}, waits at threads.c:{lock} for a mutex that "
        "thread 1 has"], done.stderr
    refused = {"cancel": "pthread_cancel() ends a thread out of its turn", "many": "more than 256 threads at a time",
               "clone": "clone() makes a thread past the C library, which takes no turns",
               "futex": "futex() with an operation other than to wait and to wake"}
    for how, sentence in refused.items():
        done = run([made, how], trace)
        assert done.returncode == 2 and sentence + "\nhint: " in done.stderr and not trace.exists(), (how, done)
    # Without lines of the source: the object, and where in it.
    made = program(warpmem, "threads.c", "-pthread")
    done = run([made, "deadlock", 2], trace)
    assert re.search(r"thread 1, made by thread 0 at threads-\w+\+0x\w+, waits at threads-", done.stderr), done


def check_cpp(warpmem, folder):
    made, traces = program(warpmem, "threads.cpp", "-pthread"), set()
    for _ in range(5):
        printed, trace = run([made], Path(folder, "cpp.din")), Path(folder, "cpp.din")
        assert (printed.stdout, printed.stderr) == ("83333000 42 7\n", ""), printed
        traces.add(trace.read_bytes())
    assert len(traces) == 1


# --- Replayed ---

def results(warpmem, trace, folder, machine="cpu-multi2sim"):
    """Of L1 and L2 the accesses that hit and those that missed."""
    made, out = Path(folder, "replayed.wmt"), Path(folder, "replayed.json")
    for command in (["import", "-q", "-o", made, trace],
                    ["replay", "-q", made, "-m", machine, "--json", out]):
        subprocess.run([warpmem, *command], check=True)
    counters = {one["kind"]: one["counters"] for one in json.loads(out.read_text())["components"]}
    return [number for level in ("l1", "l2") for missed in [counters[level]["accesses_missed"]]
            for number in (counters[level]["accesses"] - missed, missed)]


def check_replayed(warpmem, folder):
    made = program(warpmem, "strides.c")

    def check(arguments, machine, expected):
        traced([made, *arguments], folder)
        found = results(warpmem, Path(folder, "t.din"), folder, machine)
        assert found == expected, (arguments, machine, found)

    # 1 KiB in ints, twice: its 16 lines miss once.
    check([1024, 4, 2], "cpu-multi2sim", [512 - 16, 16, 0, 16])
    # 64 lines, four to each set of L1, which holds two: never there again. L2 holds all.
    check([4096, 64, 2], "cpu-multi2sim", [0, 128, 64, 64])
    check([4096, 64, 2], "cpu-multi2sim+nehalem-caches", [64, 64, 0, 64])
    # Four lines a KiB apart are all of one set of L1; in one of L2's four sets, whose ways they take.
    check([4096, 1024, 3], "cpu-multi2sim", [0, 12, 8, 4])
    # 512 lines: twice what L2 holds, so LRU loses each before its turn.
    check([32768, 64, 2], "cpu-multi2sim", [0, 1024, 0, 1024])
    check([32768, 64, 2], "cpu-multi2sim+nehalem-caches", [512, 512, 0, 512])


def check_cuda(warpmem, folder):
    made, variables = program(warpmem, "serial.cu"), sanitized.variables(warpmem)
    printed, found = traced([made], folder, variables)
    place = int(printed.split()[0], 16)
    assert printed.split()[1] == "42"
    assert found == [(letter, place + 4 * i, 4) for i in range(32) for letter in "rw"], found
    alone = Path(folder, "t.din").read_bytes()
    under = Path(folder, "under.din")
    for arguments in ([], ["device"]):
        done = run([warpmem, "run", "-q", "-m", "v100", "--", made, *arguments],
                   None if arguments else under, variables)
        assert done.returncode == 0, done
    assert under.read_bytes() == alone


def main(warpmem, topic):
    with tempfile.TemporaryDirectory() as folder:
        globals()[f"check_{topic}"](Path(warpmem).resolve(), folder)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
