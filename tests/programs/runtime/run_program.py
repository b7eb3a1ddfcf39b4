#!/usr/bin/env python3
"""Compiles programs of this folder and runs them with `warpmem run`, checking what comes back.
usage: run_program.py WARPMEM COMPILER CASE

COMPILER is "clang" (warpmem cc) or "nvcc"; the test is skipped (77) where it is missing.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent)]
import compiled  # noqa: E402
import sanitized  # noqa: E402

SKIPPED = 77


class Failed(Exception):
    pass


def expect(condition, what, done=None):
    if not condition:
        text = f"\n--- status {done.returncode}\n{done.stdout}--- stderr\n{done.stderr}" if done else ""
        raise Failed(what + text)


class Bench:
    """A folder to compile and run in, with one compiler."""

    def __init__(self, warpmem, compiler, folder):
        self.warpmem, self.compiler, self.folder = warpmem, compiler, Path(folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("WARPMEM_")
                            or k in ("WARPMEM_MACHINES", "WARPMEM_CLANG", "WARPMEM_ISA")}
        self.environment |= sanitized.variables(warpmem)

    def compile(self, *sources, flags=()):
        """A copy in the folder, so that a test may damage it."""
        try:
            made = compiled.program(self.warpmem, *(HERE / source for source in sources),
                                    compiler=self.compiler, flags=flags)
        except subprocess.CalledProcessError as error:
            raise Failed(f"{sources} does not compile\n{error.stdout}{error.stderr}") from error
        return Path(shutil.copy(made, self.folder / Path(sources[0]).stem))

    def run(self, *arguments, options=(), environment=None):
        return subprocess.run([self.warpmem, "run", *options, "--", *map(str, arguments)],
                              capture_output=True, text=True, cwd=self.folder, timeout=120,
                              env={**self.environment, **(environment or {})})

    def command(self, *arguments):
        done = subprocess.run([self.warpmem, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder, timeout=120, env=self.environment)
        expect(done.returncode == 0, f"warpmem {arguments[0]} fails", done)
        return done


def status_of(check, warpmem, compiler="clang", needs_compiler=True, make_bench=Bench):
    """The exit status of a test that calls `check` with a bench in a folder of its own."""
    if needs_compiler and shutil.which(compiler) is None:
        print(f"skipped: no {compiler} on this machine")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="warpmem-test-") as folder:
        try:
            check(make_bench(str(Path(warpmem).resolve()), compiler, folder))
        except (Failed, subprocess.TimeoutExpired) as failure:
            print(failure)
            return 1
    print("as it should be")
    return 0


def passes(bench, name, *arguments, options=(), flags=()):
    done = bench.run(bench.compile(f"{name}.cu", flags=flags), *arguments, options=options)
    expect(done.returncode == 0 and "PASS" in done.stdout, f"{name} fails", done)
    return done


def simple(name):
    return lambda bench: passes(bench, name)


def tiles(bench):
    """Right on machines of sm_80, where NVIDIA's header keeps tiles' memory in what the system has
    reserved of shared memory; and their waits are no races."""
    for flags in [[]] + [["-arch=sm_80"]] * (bench.compiler == "nvcc"):
        done = passes(bench, "tiles", options=["-q", "--no-memory", "--check", "race"], flags=flags)
        expect("checks found nothing" in done.stderr, f"a race with {flags}", done)


def cooperative(bench):
    for options in ([], ["-m", "gtx480", "--engine", "clock"]):
        done = passes(bench, "cooperative", options=["-q", *options])
        expect("holds" in done.stderr and done.stderr.count("error:") == 1, "too many blocks", done)


def textures(bench):
    """Fetches read several texels each: recordings carry them, and replays count the same."""
    program = bench.compile("textures.cu")
    recording, live, again = (bench.folder / name for name in ("t.wmt", "live.json", "again.json"))
    passes(bench, "textures", options=["--explain"])
    done = bench.command("record", "-q", "-o", recording, "--", program)
    bench.command("trace", "check", recording)
    # An L1 for all, a texture cache of its own, and a timed one.
    for options in (["-m", "v100"], ["-m", "gtx680"], ["-m", "gtx480", "--engine", "clock"]):
        done = bench.run(program, options=["-q", *options, "--json", str(live)])
        expect(done.returncode == 0, f"textures on {options} fails", done)
        bench.command("replay", "-q", *options, "--json", again, recording)
        results = [json.loads(path.read_text()) for path in (live, again)]
        for of in ("kernels", "components"):
            expect(results[0][of] == results[1][of], f"{of} of the replay on {options} differ")
    fetch = [instruction["counters"] for kernel in results[0]["kernels"]
             for instruction in kernel["instructions"] if "tex.1d.v4.f32.f32" in instruction["text"]]
    expect(fetch[0]["executions"] == 12 * 8, f"executions of tex.1d: {fetch[0]}")
    expect(fetch[0]["bytes_requested"] > 5 * fetch[0]["lanes"], f"texels of tex.1d: {fetch[0]}")


def thread_streams(bench):
    """Default streams of threads, in both engines; and the legacy one in a program without."""
    nvcc = bench.compiler == "nvcc"
    flags = ["--default-stream", "per-thread"] if nvcc else ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"]
    for engine in ("walk", "clock"):
        passes(bench, "thread_streams", options=["-q", "--engine", engine], flags=flags)
        passes(bench, "thread_streams", options=["-q", "--engine", engine])


def references(bench):
    done = passes(bench, "references", "unbound", options=["-q"])
    expect("nothing is bound to it" in done.stderr and done.stderr.count("error:") == 1, "unbound", done)


def errors(bench):
    done = passes(bench, "errors")
    expect("65 threads" in done.stderr, "the refused launch is not explained", done)
    expect(done.stderr.count("cudaGraphicsUnregisterResource") == 1, "the refusal is not said once", done)


def graphs(bench):
    done = passes(bench, "graphs", "drawn.dot", options=["-q"])
    drawing = (bench.folder / "drawn.dot").read_text().splitlines()
    expect(re.fullmatch(r"digraph graph_\d+ {", drawing[0]) and drawing[-1] == "}", "drawing", done)
    expect('"n0" -> "n1";' in drawing and 'subgraph "cluster_n1_0_" {' in drawing and
           any("append" in line and "<<<(1,1,1),(1,1,1),0>>>" in line for line in drawing),
           "what is drawn", done)


def device_graphs(bench):
    program = bench.compile("device_graphs.cu", flags=["-rdc=true"])
    for options in ([], ["--engine", "clock"], ["--serial-streams"], ["--no-memory"]):
        done = bench.run(program, options=["-q", *options])
        expect(done.returncode == 0 and done.stdout == "PASS\n", f"device graphs {options}", done)
    for words in ("is no executable graph", "is no node of a graph", "is being executed"):
        expect(words in done.stderr, f"does not say {words}", done)
    bench.command("record", "-q", "-o", "d.wmt", "--", program)
    bench.command("trace", "check", "d.wmt")


def captures(bench):
    program = bench.compile("captures.cu")
    done = [bench.run(program, part, options=["-q", "--json", f"{i}.json"])
            for i, part in enumerate(["one", "one", "threads"])]
    for run in done:
        expect(run.returncode == 0 and run.stdout == "PASS\n", "captures fails", run)
    expect((bench.folder / "0.json").read_bytes() == (bench.folder / "1.json").read_bytes(),
           "two runs differ", done[1])


def conditions(bench):
    for options in ([], ["-m", "gtx480", "--engine", "clock"]):
        done = passes(bench, "conditions", options=["-q", *options])
        expect("123456" in done.stderr or "0x1e240" in done.stderr, "no handle", done)


def faults(bench):
    program = bench.compile("faults.cu", flags=["-lineinfo"] if bench.compiler == "nvcc" else [])
    words = {"bounds": "store", "null": "store", "freed": "freed", "misaligned": "aligned",
             "trap": "trap"}
    for kind, word in words.items():
        done = bench.run(program, kind)
        expect(done.returncode == 0 and "PASS" in done.stdout, f"fault {kind}", done)
        expect(word in done.stderr, f"fault {kind} is not explained", done)
        expect(done.stderr.count("error:") == 1, f"fault {kind} is not said once", done)


def functions(bench):
    """Virtual functions, function pointers, recursion; at the end a call through a null pointer."""
    done = passes(bench, "functions", options=["-q"])
    for words in ("_Z8pointers", "block (0,0,0), thread (0,0,0): call through 0x0, a null pointer"):
        expect(words in done.stderr, f"does not say {words}", done)


def events(bench):
    program = bench.compile("events.cu")
    first, second = bench.run(program), bench.run(program)
    expect(first.returncode == 0, "events", first)
    expect(first.stdout == second.stdout, "two runs differ: " + second.stdout, first)
    ready = bench.run(program, "ready", options=["-q"])
    expect(ready.returncode == 0 and ready.stdout == "PASS\n", "what is ready", ready)


PRINTED = """before
thread 0: words  1.50 x -123456789012 % sh    |    0|abc
thread 2: words  1.50 x -123456789012 % sh    |    2|abc
odd
odd
after
depth 3
depth 2
depth 1
depth 0
3 frames
(null)
PASS
line 0
line 1
"""


def printing(bench):
    program = bench.compile("printing.cu")
    for options in ([], ["--engine", "clock"]):
        done = bench.run(program, "prints", options=["-q", *options])
        expect(done.returncode == 0 and done.stdout == PRINTED, f"printf {options}", done)
    done = bench.run(program, "overflows", options=["-q"])
    lines = done.stdout.splitlines()
    expect(done.returncode == 0 and lines[-1] == "PASS", "a full buffer", done)
    expect(lines[:-1] == [f"line {i}" for i in range(1001 - len(lines), 1000)] and
           60 < len(done.stdout) - 5 <= 100, "not the last lines are kept", done)
    expect("cudaLimitPrintfFifoSize" in done.stderr, "lost text is not told of", done)
    done = bench.run(program, "allocates", options=["-q"])
    expect(done.returncode == 0 and "PASS" in done.stdout, "malloc", done)
    for part, words in (("string", "printf"), ("twice", "free"), ("assert", "threadIdx.x < limit")):
        done = bench.run(program, part, options=["-q"])
        expect(done.returncode == 0 and "PASS" in done.stdout, part, done)
        expect(words in done.stderr and done.stderr.count("error:") == 1, f"{part}: message", done)
    failed = re.findall(r"^\S*printing\.cu:\d+: \S.*: block: \[0,0,0\], thread: \[(\d),0,0\] "
                        r"Assertion `threadIdx\.x < limit` failed\.$", done.stderr, re.MULTILINE)
    expect(failed == ["5", "6", "7"], "not each thread that fails is printed", done)


def pending(bench):
    program = bench.compile("pending.cu")
    for how, status in (("return", 3), ("exit", 7)):
        out = bench.folder / f"{how}.json"
        done = bench.run(program, how, options=["--json", out])
        expect(done.returncode == status, f"status of {how}", done)
        expect(done.stdout.startswith(how), "the program's output comes first", done)
        expect("spin" in done.stdout, "no report", done)
        expect(json.loads(out.read_text())["kernels"][0]["launches"] == 4,
               "not all launches were finished", done)
    done = bench.run(program, "abort", options=["--json", bench.folder / "a.json"])
    expect(done.returncode == 128 + signal.SIGABRT, "status of abort", done)
    expect("signal 6" in done.stderr and "before it could write" in done.stderr, "abort", done)
    expect(not (bench.folder / "a.json").exists(), "half a file", done)
    done = bench.run(program, "_exit")
    expect(done.returncode == 9, "status of _exit", done)
    expect("before it could write" in done.stderr, "_exit leaves no report and says so", done)


def unordered_warps(bench):
    """Warps of a block stay near each other, in every order, with a memory system and without."""
    program = bench.compile("unordered_warps.cu")
    listed = re.findall(r"^  ([a-z]\S*)", bench.command("list", "warp-scheduler").stdout, re.M)
    expect("oldest" in listed, "no list of warp schedulers", listed)
    orders = [["-m", "gtx680", "--set", f"gpu.sm.warp_scheduler={order}"] for order in listed]
    for options in ([], ["--no-memory"], ["-m", "a100"], *orders):
        done = bench.run(program, options=["-q", *options])
        expect(done.returncode == 0 and done.stdout == "PASS\n", f"{options}: warps fall apart", done)
    checked = bench.run(program, options=["-q", "--no-memory", "--check", "race"])
    expect(checked.returncode == 1 and "race on shared memory" in checked.stderr, "no race", checked)
    # A replay has the same turns: live and recorded warps use them up alike.
    recording, live, again = (bench.folder / name for name in ("r.wmt", "live.json", "again.json"))
    bench.command("record", "-q", "-o", recording, "--", program)
    bench.run(program, options=["-q", "--json", str(live)])
    bench.command("replay", "-q", "--json", again, recording)
    results = [json.loads(path.read_text()) for path in (live, again)]
    expect(results[0]["components"] == results[1]["components"], "the replay's turns differ")


def forked(bench):
    out = bench.folder / "out.json"
    done = passes(bench, "forked", options=["--json", str(out)])
    expect(out.exists() and not list(bench.folder.glob("out.2*")), "the child reported", done)


def processes(bench):
    """Two processes share memory and events: one report and one recording each, and no findings that
    are not there; a process that ends before its event has completed is said. A wait for an event of
    another process holds up a stream, not a device, nor the program's end."""
    done = passes(bench, "processes", options=["--check", "all", "--json", "p.json"])
    expect((bench.folder / "p.2.json").exists(), "two reports", done)
    expect(done.stderr.count("checks found nothing") == 2, "findings", done)
    reports = [json.loads((bench.folder / name).read_text()) for name in ("p.json", "p.2.json")]
    meetings = [meeting for report in reports for meeting in report.get("host_device_races", [])]
    expect(any("cudaIpcOpenMemHandle" in meeting["what"] for meeting in meetings), meetings, done)
    program = bench.folder / "processes"
    bench.command("record", "-q", "-o", "p.wmt", "--", program)
    for recording in ("p.wmt", "p.2.wmt"):
        bench.command("trace", "check", recording)
    done = bench.run(program, "outlived", options=["-q"])
    expect("PASS" in done.stdout and "the process that recorded it has ended" in done.stderr,
           "a process that ends", done)
    for case, options in (("beside", []), ("left", []), ("left", ["--serial-streams"])):
        done = bench.run(program, case, options=["-q", *options])
        expect(done.returncode == 0 and "PASS" in done.stdout, f"{case} {options}", done)


def outputs(bench):
    program = bench.compile("streams.cu")
    quiet = bench.run(program, options=["--quiet", "--json", "o.json", "--csv", "o.csv"])
    expect(quiet.returncode == 0 and quiet.stdout == "PASS\n", "--quiet", quiet)
    results = json.loads((bench.folder / "o.json").read_text())
    expect(results["machine"]["name"] == "v100" if isinstance(results.get("machine"), dict)
           else "v100" in json.dumps(results), "the machine's name", quiet)
    expect((bench.folder / "o.csv").read_text().count("\n") > 5, "csv", quiet)
    first = (bench.folder / "o.json").read_bytes()
    bench.run(program, options=["--quiet", "--json", "o.json"])
    expect(first == (bench.folder / "o.json").read_bytes(), "two runs differ", quiet)
    to_file = bench.run(program, options=["--report", "r.txt", "-m", "gtx480"])
    expect(to_file.stdout == "PASS\n" and "append" in (bench.folder / "r.txt").read_text(),
           "--report", to_file)
    temporary = bench.folder / "temporary"
    temporary.mkdir()
    alone = bench.run(program, options=["--no-memory"], environment={"TMPDIR": str(temporary)})
    expect(alone.returncode == 0 and "PASS" in alone.stdout, "--no-memory", alone)
    expect(not list(temporary.iterdir()), "left behind", alone)


def script(bench):
    """A script that starts two programs: one report each, in order."""
    program = bench.compile("symbols.cu")
    wrapper = bench.folder / "both.sh"
    wrapper.write_text(f"#!/bin/sh\n{program} && {program}\nexit 4\n")
    wrapper.chmod(0o755)
    done = bench.run(wrapper, options=["--json", "s.json"])
    expect(done.returncode == 4, "the script's status", done)
    expect((bench.folder / "s.json").exists() and (bench.folder / "s.2.json").exists(),
           "two files", done)
    expect(done.stdout.count("PASS") == 2, "both programs ran", done)


def signals(bench):
    """A signal sent to warpmem reaches the program."""
    program = bench.compile("together.cu")
    wrapper = bench.folder / "wait.sh"
    wrapper.write_text("#!/bin/sh\ntrap 'echo caught; exit 21' TERM\necho ready\n"
                       "while :; do sleep 0.05; done\n")
    wrapper.chmod(0o755)
    process = subprocess.Popen([bench.warpmem, "run", str(wrapper)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=bench.environment)
    expect(process.stdout.readline() == "ready\n", "the script starts")
    time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=20)
    expect(out == "caught\n" and process.returncode == 21, f"{out!r} {process.returncode}")
    done = bench.run(program)
    expect(done.returncode == 0, "together", done)


def without_warpmem(bench):
    """The library alone, by LD_LIBRARY_PATH and environment variables."""
    program = bench.compile("symbols.cu")
    environment = {**bench.environment, "LD_LIBRARY_PATH": str(libraries(bench)),
                   "WARPMEM_REPORT": "-", "WARPMEM_MACHINE": "gtx480",
                   "WARPMEM_SET": "gpu.l1.size=32KiB\n", "WARPMEM_JSON": "alone.json"}
    done = subprocess.run([str(program)], capture_output=True, text=True, cwd=bench.folder,
                          env=environment)
    expect(done.returncode == 0 and done.stdout.startswith("PASS\n") and "use" in done.stdout,
           "alone", done)
    expect((bench.folder / "alone.json").exists(), "json", done)
    environment["WARPMEM_MACHINE"] = "no-such-machine"
    done = subprocess.run([str(program)], capture_output=True, text=True, cwd=bench.folder,
                          env=environment)
    expect(done.returncode == 1 and done.stderr.count("no-such-machine") >= 1, "machine", done)


def from_c(bench, name, version):
    """Compiles NAME.c with the runtime of that CUDA version."""
    program = bench.folder / name
    library = libraries(bench) / f"libcudart.so.{version}"
    clean = {k: v for k, v in bench.environment.items() if k != "LD_PRELOAD"}
    done = subprocess.run(["gcc", str(HERE / f"{name}.c"), str(library), "-o", str(program),
                           "-Wl,--allow-shlib-undefined"], capture_output=True, text=True,
                          env=clean)
    expect(done.returncode == 0, f"{name}.c does not compile", done)
    return program


def version12(bench):
    """A program of CUDA 12: other layouts under the same names."""
    done = bench.run(from_c(bench, "version12", 12), options=["-q"])
    expect(done.returncode == 0 and done.stdout == "PASS\n", "version 12", done)


def version11(bench):
    """A program of CUDA 11: its stubs, LZ4, and the layouts of its time."""
    done = bench.run(from_c(bench, "version11", "11.0"), options=["-q"])
    expect(done.returncode == 0 and done.stdout == "PASS\n", "version 11", done)


def linked(bench):
    """Modules that use each other, as -rdc=true leaves them."""
    program = from_c(bench, "linked", 13)
    done = bench.run(program, options=["-q"])
    expect(done.returncode == 0 and done.stdout == "PASS\n", "linked modules", done)
    expect("no module of the program defines 'nowhere'" in done.stderr and
           "linked.0.1.ptx:" in done.stderr, "which symbol and module", done)
    done = bench.run(program, "contradict", options=["-q"])
    expect(done.returncode == 0 and done.stdout == "PASS\n", "contradicting modules", done)
    for word in ("'total' is defined twice", "linked.0.2.ptx", "linked.0.3.ptx"):
        expect(done.stderr.count(word) >= 1, f"does not say {word}", done)


def libraries(bench):
    built = Path(bench.warpmem).resolve().parent.parent
    return next(folder for folder in (built / "cuda", built / "lib/warpmem") if folder.is_dir())


def refused(bench):
    """Programs that cannot run: status 2, a reason, and nothing started."""
    def refuse(*words, arguments, options=()):
        done = bench.run(*arguments, options=options)
        expect(done.returncode == 2 and not done.stdout, "is not refused", done)
        for word in words:
            expect(word in done.stderr, f"does not say {word}", done)
    program = bench.compile("symbols.cu")
    plain = bench.folder / "plain.txt"
    plain.write_text("no program\n")
    refuse("may not be executed", arguments=[plain])
    plain.chmod(0o755)
    refuse("neither an ELF program nor a script", arguments=[plain])
    refuse("no such program", arguments=["./missing"])
    refuse("PATH", arguments=["warpmem-no-such-program"])
    refuse("not a file", arguments=["/"])
    refuse("no-such-machine", arguments=[program], options=["-m", "no-such-machine"])
    refuse("--set", arguments=[program], options=["--set", "gpu.l1.siez=1KiB"])
    refuse("cannot write", arguments=[program], options=["--json", "/no/such/folder/x.json"])
    refuse("contradict", arguments=[program], options=["-q", "--report", "x"])
    damaged(bench, program, refuse)


def damaged(bench, program, refuse):
    """Every kind of damage to the file itself."""
    data = program.read_bytes()
    def variant(name, change):
        copy = bytearray(data)
        change(copy)
        path = bench.folder / name
        path.write_bytes(copy)
        path.chmod(0o755)
        return path
    def narrow(copy):
        copy[4] = 1
    refuse("32-bit", arguments=[variant("narrow", narrow)])
    def foreign(copy):
        copy[18] = 183
    refuse("another processor", arguments=[variant("foreign", foreign)])
    def headers(copy):
        copy[32:40] = (1 << 60).to_bytes(8, "little")
    refuse("outside the file", arguments=[variant("headers", headers)])
    def cut(copy):
        del copy[40:]
    refuse("cut off", arguments=[variant("cut", cut)])
    at = data.find((0xBA55ED50).to_bytes(4, "little") + b"\1\0\x10\0")
    if at >= 0:
        def size(copy):
            copy[at + 8:at + 16] = (1 << 50).to_bytes(8, "little")
        refuse("claims", ".nv_fatbin", arguments=[variant("size", size)])
        def version(copy):
            copy[at + 4] = 9
        refuse("version 9", arguments=[variant("version", version)])


def damage(bench, mode, find, put, code, word):
    """Damage that only shows when the device code is used: the call's code, and the reason."""
    program = bench.compile("symbols.cu", flags=[f"--compress-mode={mode}"])
    data = program.read_bytes()
    at = data.find(find)
    expect(at >= 0, f"no {find} in the program")
    program.write_bytes(data[:at] + put + data[at + len(put):])
    done = bench.run(program)
    expect(done.returncode == 1 and f"gave {code} " in done.stdout and word in done.stderr,
           f"damage of {find}", done)


def separate(bench):
    """-rdc=true: a kernel calls functions of other files, in reports and recordings too."""
    program = bench.compile("separate_main.cu", "separate_other.cu", "separate_third.cu",
                            flags=["-rdc=true", "-lineinfo"])
    done = bench.run(program)
    expect(done.returncode == 0 and "PASS" in done.stdout, "separate compilation", done)
    for line in ("separate_other.cu:16", "separate_main.cu:28"):
        expect(line in done.stdout, f"no traffic of {line}", done)
    shown = bench.command("annotate", "--", program)
    expect("sum += values[i];" in shown.stdout, "another file's source is not shown", shown)
    bench.command("record", "-q", "-o", "separate.wmt", "--", program)
    bench.command("trace", "check", "separate.wmt")
    replayed = bench.command("replay", "separate.wmt", "-m", "v100")
    for line in done.stdout.splitlines():
        if line.startswith(("crossing", "twice", "separate_", "  L1 - L2")):
            expect(line in replayed.stdout, f"replay does not say: {line}", replayed)


def of_later_machines(name, *architectures):
    """A program of what only NVIDIA's headers reach, in both engines."""
    def case(bench):
        for architecture in architectures:
            program = bench.compile(f"{name}.cu", flags=[f"-arch={architecture}"])
            for engine in ("walk", "clock"):
                done = bench.run(program, options=["-q", "--engine", engine])
                expect(done.returncode == 0 and "PASS" in done.stdout, f"{name} fails", done)
    return case


def toolkit(bench):
    """What only NVIDIA's compiler makes."""
    damage(bench, "balance", b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd" + bytes(24), 200, "corrupt")
    damage(bench, "none", b".address_size", b".adress_sizee", 218, "sm_75.ptx:")
    damage(bench, "none", b".version 9", b".version 7,", 218, "sm_75.ptx:")
    for mode in ("none", "speed", "size", "balance"):
        passes(bench, "symbols", flags=[f"--compress-mode={mode}"])
    passes(bench, "managed_variable")
    passes(bench, "managed_variable", flags=["-O0", "-Xcompiler", "-O0"])
    passes(bench, "parameters", flags=["-default-stream", "per-thread"])
    passes(bench, "symbols", flags=["-gencode", "arch=compute_75,code=[sm_75,compute_75]",
                                    "-gencode", "arch=compute_90,code=[sm_90,compute_90]"])
    separate(bench)
    passes(bench, "functions", options=["-q"], flags=["-rdc=true"])
    for flags, words in ((["-gencode", "arch=compute_75,code=sm_75"], ["sm_75", "compute_75"]),
                         (["-cudart", "shared", "-lcublas"], ["libcublas"])):
        done = bench.run(bench.compile("parameters.cu", flags=flags))
        if "-lcublas" in flags and done.returncode == 0:
            continue  # the linker dropped what nobody calls
        expect(done.returncode == 2, f"{flags} is not refused", done)
        for word in words:
            expect(word in done.stderr, f"{flags}: does not say {word}", done)
    # A path to NVIDIA's libraries that is searched before LD_LIBRARY_PATH must not win.
    program = bench.compile("symbols.cu", flags=["-Xlinker", "-rpath=/usr/local/cuda/lib64",
                                                 "-Xlinker", "--disable-new-dtags"])
    done = bench.run(program)
    expect(done.returncode == 0 and "PASS" in done.stdout and "use" in done.stdout, "RPATH", done)


CASES = {name: simple(name) for name in
         ("absent", "arrays", "graph_resources", "group_calls", "settings", "shared_pools", "shared_work", "surfaces", "texture_kinds", "groups", "logs", "streams", "symbols", "together", "device", "copies", "threads", "parameters", "pools", "libraries", "batches", "advice")}
CASES.update({case.__name__: case for case in
              (cooperative, tiles, graphs, device_graphs, references, conditions, captures, functions, errors, faults, printing, events, unordered_warps, pending, forked, processes, outputs, script, signals,
               textures, thread_streams, without_warpmem, refused, toolkit,
               version11, version12, linked)})

CASES["matrices"] = of_later_machines("matrices", "sm_75", "sm_90")


def asynchronous(bench):
    """What barriers and pipelines order is no race; a replay waits there as a run does."""
    of_later_machines("asynchronous", "sm_80", "sm_90")(bench)
    done = bench.run(bench.folder / "asynchronous", options=["-q", "--no-memory", "--check", "race"])
    expect(done.returncode == 0 and "checks found nothing" in done.stderr, "a race", done)
    recording = bench.folder / "waits.wmt"
    bench.command("record", "-q", "-o", recording, "--", bench.folder / "asynchronous")
    done = bench.command("replay", recording)
    expect("waits by" not in done.stderr, "a wait that is not made", done)
    expect(bench.command("replay", "-q", recording).stderr == "", "a quiet replay", done)


CASES["asynchronous"] = asynchronous


def children(bench):
    """Kernels that launch kernels, in both engines; a replay has each launch as the run had it."""
    flags, recording = ["-rdc=true"], bench.folder / "children.wmt"
    for options in ([], ["-m", "gtx480", "--engine", "clock"]):
        done = passes(bench, "children", options=["-q", *options], flags=flags)
        expect(done.stderr.count("error:") == 1 and "2048" in done.stderr, "the refused launch", done)
    live, again = bench.folder / "live.json", bench.folder / "again.json"
    program = bench.folder / "children"
    passes(bench, "children", options=["-q", "-m", "v100", "--json", str(live)], flags=flags)
    bench.command("record", "-q", "-o", recording, "--", program)
    bench.command("trace", "check", recording)
    bench.command("replay", "-q", "-m", "v100", "--json", again, recording)
    results = [json.loads(path.read_text()) for path in (live, again)]
    for of in ("kernels", "components"):
        expect(results[0][of] == results[1][of], f"{of} of the replay differ")
    # What the runtime keeps parameters of such launches in is no leak of the program's.
    done = bench.run(program, options=["-q", "--check", "leak", "-m", "v100"])
    expect("memory that was never freed" not in done.stderr, "what has leaked", done)


CASES["children"] = children


if __name__ == "__main__":
    sys.exit(status_of(CASES[sys.argv[3]], *sys.argv[1:3]))
