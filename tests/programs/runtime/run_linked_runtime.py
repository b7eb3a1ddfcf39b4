#!/usr/bin/env python3
"""Programs whose CUDA runtime is linked into them, as nvcc does when nothing is said: ours takes its
place. usage: run_linked_runtime.py WARPMEM EXPORTS CASE

Most cases make a runtime of their own to link: an object file that has, hidden as in NVIDIA's, every
function of one CUDA version (of the list EXPORTS), and each ends the program when it is called. So a
program that runs has called none. "nvcc" and "nvrtc" use the toolkit and are skipped (77) without it.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent)]
import compiled  # noqa: E402
import sanitized  # noqa: E402

SKIPPED = 77
# Ours of version 11 has all that 12 has; NVIDIA's has not.
NOT_YET = {("11", "cudaGetDeviceProperties_v2")}
VERSIONS = {"11": ("BOTH", "ONLY_12", "EARLIER"), "12": ("BOTH", "ONLY_12"), "13": ("BOTH", "ONLY_13")}


def expect(condition, what, done=None):
    if not condition:
        text = f"\n--- status {done.returncode}\n{done.stdout}--- stderr\n{done.stderr}" if done else ""
        raise SystemExit(what + text)


class Bench:
    def __init__(self, warpmem, exports, folder):
        self.warpmem, self.exports, self.folder = str(Path(warpmem).resolve()), exports, Path(folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("WARPMEM_")
                            or k in ("WARPMEM_MACHINES", "WARPMEM_CLANG", "WARPMEM_ISA")}
        self.clean = {k: v for k, v in self.environment.items() if k != "LD_PRELOAD"}
        self.environment |= sanitized.variables(self.warpmem)

    def tool(self, *command):
        done = subprocess.run([*map(str, command)], cwd=self.folder, capture_output=True, text=True,
                              env=self.clean)
        expect(done.returncode == 0, f"{command} fails", done)
        return self.folder / command[command.index("-o") + 1]

    def warp(self, *arguments):
        return subprocess.run([self.warpmem, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder, timeout=120, env=self.environment)

    def run(self, *arguments):
        return self.warp("run", "-q", "--", *arguments)

    def passes(self, *arguments):
        done = self.run(*arguments)
        expect(done.returncode == 0 and "PASS" in done.stdout and "private table" not in done.stderr,
               f"{arguments}", done)

    def runtime(self, version, flags=(), without=()):
        """The object file. The functions are as short as they can be, one has a name of the future;
        another of the program's own name lies outside."""
        rows = re.findall(r"^(?:DONE|REFUSED)\((\w+), (\w+)\)", Path(self.exports).read_text(), re.M)
        names = [name for name, versions in rows
                 if versions in VERSIONS[version] and name not in without and
                 (version, name) not in NOT_YET]
        names.insert(len(names) // 2, "cudaOfTheFuture")
        lines = ["#include <stdio.h>\n#include <stdlib.h>\n",
                 "__attribute__((noinline)) static int original(const char *name) {\n"
                 "    printf(\"the linked %s runs\\n\", name); exit(9); }\n"]
        lines += [f"int {name}(void) {{ return original(\"{name}\"); }}\n" for name in names]
        source = self.folder / f"runtime{version}.c"
        source.write_text("".join(lines))
        return self.tool("gcc", "-O2", "-fno-toplevel-reorder", "-fvisibility=hidden", "-fPIC", *flags, "-c", source, "-o",
                         f"runtime{version}.o")

    def program(self, name, version, flags=(), name_of_result=None):
        return self.tool("gcc", *flags, HERE / f"{name}.c", self.runtime(version), "-o",
                         name_of_result or name)


def versions(bench):
    """Each version's program, position-independent or not, with marks of indirect jumps or without."""
    for name, version in (("version11", "11"), ("version12", "12"), ("linked", "13")):
        for flags in (["-pie", "-fPIE"], ["-no-pie", "-fno-pie"]):
            program = bench.program(name, version, flags)
            done = bench.run(program)
            expect(done.returncode == 0 and done.stdout == "PASS\n", f"{name} {flags}", done)
    marked = bench.runtime("11", ["-fcf-protection=full"])
    bench.passes(bench.tool("gcc", "-fcf-protection=full", HERE / "version11.c", marked, "-o", "marked"))


def names(bench):
    """A function that ours lacks is refused by name; one of the program's own is left alone."""
    (bench.folder / "names.c").write_text("""
#include <stdio.h>
int cudaOfTheFuture(void), cudaGetDeviceCount(int *), cudaGetDevice(int *);
__attribute__((noinline)) int cudaCheckOfTheProgram(int a) { return a + 1; }
int main(void) {
    int count = 0, device = 7, first = cudaOfTheFuture(), again = cudaOfTheFuture();
    int status = cudaGetDeviceCount(&count) + cudaGetDevice(&device);
    printf("%d %d %d %d %d %d\\n", first, again, count, device, status, cudaCheckOfTheProgram(41));
}
""")
    program = bench.tool("gcc", "names.c", bench.runtime("13"), "-o", "names")
    done = bench.run(program)
    expect(done.returncode == 0 and done.stdout == "801 801 1 0 0 42\n", "names", done)
    expect(done.stderr.count("cudaOfTheFuture is not supported") == 1, "the refusal", done)


def loaded(bench):
    """Shared libraries with a runtime inside: linked, and loaded later; two versions in one process."""
    (bench.folder / "part.c").write_text("""
int cudaRuntimeGetVersion(int *), cudaMalloc(void **, unsigned long);
static int version, status = -1;
static void *memory;
__attribute__((constructor)) static void early(void) {
    status = cudaRuntimeGetVersion(&version) + cudaMalloc(&memory, 256);
}
__attribute__((visibility("default"))) int PART(void) { return status == 0 ? version / 1000 : -1; }
""")
    parts = [bench.tool("gcc", "-shared", "-fPIC", "-fvisibility=hidden", f"-DPART=part{version}", "part.c",
                        bench.runtime(version), "-o", f"libpart{version}.so") for version in ("11", "12")]
    (bench.folder / "whole.c").write_text("""
#include <dlfcn.h>
#include <stdio.h>
int part11(void), cudaGetDeviceCount(int *);
int main(int count, char **names) {
    void *library = dlopen(names[1], RTLD_NOW);
    int (*part12)(void) = (int (*)(void))dlsym(library, "part12"), devices = 0;
    puts(part11() == 11 && part12() == 12 && cudaGetDeviceCount(&devices) == 0 && devices == 1 ? "PASS"
                                                                                             : "FAIL");
}
""")
    whole = bench.tool("gcc", "whole.c", bench.runtime("13"), parts[0], "-o", "whole")
    bench.passes(whole, parts[1])
    # And by an interpreter, which is no CUDA program itself.
    loader = "import ctypes, sys; print('PASS' if ctypes.CDLL(sys.argv[1]).part12() == 12 else 'FAIL')"
    if not sanitized.is_sanitized(bench.warpmem):
        bench.passes("python3", "-c", loader, parts[1])


def refused(bench):
    """Of an older CUDA, or without a symbol table: status 2, with the hint."""
    older = bench.tool("gcc", HERE / "version11.c",
                       bench.runtime("11", without=["cudaCtxResetPersistingL2Cache"]), "-o", "older")
    done = bench.run(older)
    expect(done.returncode == 2 and not done.stdout and "none of CUDA 11, 12 or 13" in done.stderr and
           "nvcc" in done.stderr, "older", done)
    (bench.folder / "empty").mkdir()
    bench.environment["WARPMEM_CUDA_LIBRARIES"] = str(bench.folder / "empty")
    done = bench.run(bench.program("version11", "11"))
    del bench.environment["WARPMEM_CUDA_LIBRARIES"]
    expect(done.returncode == 2 and not done.stdout and "libwarpmem-linked-runtime.so" in done.stderr,
           "no library for it", done)
    (bench.folder / "device.c").write_text("""
int __cudaRegisterFatBinary(void);
__attribute__((section(".nv_fatbin"), aligned(8))) unsigned container[4] = {0xBA55ED50, 0x100001, 0, 0};
int main(void) { return __cudaRegisterFatBinary(); }
""")
    bare = bench.tool("gcc", "-s", "device.c", bench.runtime("12"), "-o", "bare")
    done = bench.run(bare)
    expect(done.returncode == 2 and not done.stdout and "symbol table was stripped" in done.stderr and
           "-cudart shared" in done.stderr, "bare", done)


def commands(bench):
    """Everything that runs a program, and a script that starts it."""
    program = bench.program("version11", "11")
    done = bench.warp("run", "--check", "all", "--json", "v.json", "--", program)
    expect("PASS" in done.stdout and "device memory of main" in done.stderr, "--check", done)
    report = json.loads((bench.folder / "v.json").read_text())
    expect(any(kernel["name"] == "fetch" for kernel in report["kernels"]), "kernels", done)
    done = bench.warp("record", "-q", "-o", "v.wmt", "--", program)
    expect(done.returncode == 0, "record", done)
    done = bench.warp("replay", "v.wmt", "-m", "gtx480")
    expect(done.returncode == 0 and "kernel" in done.stdout, "replay", done)
    done = bench.warp("annotate", "--", program)
    expect(done.returncode == 0 and "st.global.u32" in done.stdout, "annotate", done)
    auditor = Path(bench.warpmem).parents[1] / "cuda/libwarpmem-linked-runtime.so"
    done = subprocess.run([program], capture_output=True, text=True, cwd=bench.folder, timeout=120, env={
        **bench.environment, "LD_AUDIT": str(auditor), "WARPMEM_REPORT": "-"})
    expect(done.returncode == 0 and "PASS" in done.stdout and "untimed walk" in done.stdout,
           "without warpmem run", done)
    script = bench.folder / "twice.sh"
    script.write_text(f"#!/bin/sh\n{program} && {program}\n")
    script.chmod(0o755)
    done = bench.run(script)
    expect(done.returncode == 0 and done.stdout == "PASS\nPASS\n" and not done.stderr, "a script", done)


def nvcc(bench):
    """What the toolkit makes, each as its programs check themselves."""
    if shutil.which("nvcc") is None:
        print("skipped: no nvcc on this machine")
        return SKIPPED
    def build(*sources, flags=()):
        return compiled.program(bench.warpmem, *(HERE / source for source in sources), compiler="nvcc",
                                flags=["-cudart", "static", *flags])
    bench.passes(build("symbols.cu"))
    bench.passes(build("symbols.cu", flags=["-Xcompiler", "-no-pie"]))
    bench.passes(build("parameters.cu", flags=["-default-stream", "per-thread", "-std=c++20"]))
    bench.passes(build("managed_variable.cu"))
    bench.passes(build("separate_main.cu", "separate_other.cu", "separate_third.cu",
                       flags=["-rdc=true"]))
    bench.passes(build("together.cu", flags=["-lcuda", "-Xcompiler", "-fcf-protection=full"]))
    stripped = bench.tool("strip", build("symbols.cu"), "-o", "stripped")
    done = bench.run(stripped)
    expect(done.returncode == 2 and "symbol table was stripped" in done.stderr and
           "-cudart shared" in done.stderr, "stripped", done)
    return 0


def nvrtc(bench):
    """NVRTC compiles to PTX without a device; a stand-in where the toolkit is not."""
    toolkit = Path("/usr/local/cuda")
    link = [f"-L{toolkit}/lib64", "-lnvrtc", f"-Wl,-rpath,{toolkit}/lib64"]
    if not (toolkit / "lib64/libnvrtc.so").exists():
        bench.tool("gcc", "-shared", "-fPIC", HERE / "nvrtc_stand_in.c", "-Wl,-soname,libnvrtc.so.13", "-o",
                   "libnvrtc.so.13")
        link = [bench.folder / "libnvrtc.so.13", f"-Wl,-rpath,{bench.folder}"]
    libraries = Path(bench.warpmem).parents[1] / "cuda"
    program = bench.tool("gcc", HERE / "nvrtc.c", *link, libraries / "libcuda.so.1",
                         "-Wl,--allow-shlib-undefined", "-o", "nvrtc")
    bench.passes(program)
    foreign = bench.tool("gcc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-Wl,-soname,libcublas.so.13", "-o",
                         "libcublas.so.13")
    done = bench.run(bench.tool("gcc", HERE / "nvrtc.c", *link, "-Wl,--no-as-needed", foreign,
                                libraries / "libcuda.so.1", "-Wl,--allow-shlib-undefined", "-o", "both"))
    expect(done.returncode == 2 and "libcublas.so.13" in done.stderr, "cuBLAS", done)


def main(warpmem, exports, case):
    with tempfile.TemporaryDirectory(prefix="warpmem-test-") as folder:
        status = globals()[case](Bench(warpmem, exports, folder))
    print("as it should be" if not status else "")
    return status or 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
