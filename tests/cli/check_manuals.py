#!/usr/bin/env python3
"""Checks the manual pages. usage: check_manuals.py SOURCE BUILD TOPIC

  lint      mandoc has nothing to warn of
  options   each option that a command's --help lists is in its page, and each command has a page
  examples  each command line of a page ("$ " in a .Dl line) ends with status 0
  helps     so does each example of a command's --help
  settings  each machine that a command line of the manual, the help or docs/ names is one, with the
            settings beside it
  absent    what the page of cc says is not there does not compile, and what it says is there does

Examples run in a folder that holds the sources of workloads/, machines/ and the example of a study, page by
page from the top, so that one may use what an earlier one made. Exit status 77: skipped, as a program is missing.
"""
import lzma
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import sanitized

SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def pages(source):
    found = sorted((source / "docs/man").glob("*.1"))
    assert found, "no manual pages"
    return found


def environment(build, home):
    return {"PATH": f"{build / 'src/cli'}:/usr/local/bin:/usr/bin:/bin", "HOME": home,
            "LC_ALL": "C.UTF-8", **sanitized.variables(build / "src/cli/warpmem")}


def lint(source, build):
    if not shutil.which("mandoc"):
        skip("mandoc is not installed")
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages(source)],
                          capture_output=True, text=True)
    print(done.stdout + done.stderr, end="")
    return done.returncode != 0 or done.stdout != ""


def rendered(page):
    text = subprocess.run(["mandoc", "-T", "ascii", page], capture_output=True, text=True,
                          check=True).stdout
    return re.sub(r".\x08", "", text)


def help_of(build, words):
    with tempfile.TemporaryDirectory() as home:
        return subprocess.run(["warpmem", *words, "--help"], env=environment(build, home),
                              capture_output=True, text=True, check=True).stdout


def commands_in(text):
    listed = re.search(r"^commands:\n((?:  .*\n)+)", text, re.M)
    return re.findall(r"^  ([a-z]\S*)", listed[1], re.M) if listed else []


def walk(build, words):
    """Every command with its help, the subcommands of a page's command included."""
    text = help_of(build, words)
    yield words, text
    for name in commands_in(text):
        yield from walk(build, words + [name])


def options(source, build):
    if not shutil.which("mandoc"):
        skip("mandoc is not installed")
    texts, missing = {page.stem: rendered(page) for page in pages(source)}, []
    for words, text in walk(build, []):
        page = "-".join(["warpmem", *words[:1]])
        if page not in texts:
            missing.append(f"docs/man/{page}.1 is missing")
            continue
        listed = text.split("\noptions:\n")[1].split("\n\n")[0].splitlines()
        spellings = " ".join(line[:26] for line in listed if not line.startswith(" " * 12))
        # An entry of a list begins with the option: the synopsis names it, and describes nothing.
        described = "\n".join(re.findall(r"^ +-.*", texts[page], re.M))
        for option in re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", spellings):
            if not re.search(re.escape(option) + r"(?![\w-])", described):
                missing.append(f"docs/man/{page}.1 does not describe {option} of "
                               f"{' '.join(['warpmem', *words])}")
        for name in commands_in(text):
            if not re.search(rf"^ +{re.escape(name)}\b", texts[page], re.M):
                missing.append(f"docs/man/{page}.1 does not describe the command {name}")
    print("\n".join(sorted(set(missing))))
    return bool(missing)


def example_lines(page):
    for number, line in enumerate(page.read_text().splitlines(), 1):
        match = re.match(r"\.Dl (\$ )?(.*)", line)
        assert not match or match[1], f"{page}:{number}: an example that is no command line"
        if match:
            yield number, match[2].replace(r"\e", "\\").replace(r"\-", "-").replace(r"\&", "")


def may_run(build, line):
    """Under the sanitizers the program's pthread_create() is theirs, and its threads take no turns."""
    return "--host-threads" not in line or not sanitized.is_sanitized(build / "src/cli/warpmem")


def examples(source, build):
    failed = total = 0
    turns = sanitized.share(build / "src/cli/warpmem", pages(source), 0, of=2)
    for page in turns:
        lines = [(number, line) for number, line in example_lines(page) if may_run(build, line)]
        compiles = any(re.match(r"warpmem (cc|run|study)", line) for _, line in lines)
        if compiles and not (build / "src/cuda/libcudart.so.13").exists():
            print(f"{page.name}: its examples need libcudart.so, which is not built")
            continue
        if compiles and not (shutil.which("clang") or shutil.which("clang-14")):
            print(f"{page.name}: its examples need clang, which is not installed")
            continue
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(source / "workloads", folder, dirs_exist_ok=True)
            shutil.copytree(source / "machines", Path(folder, "machines"))
            shutil.copy(source / "examples/study.yaml", folder)
            for number, line in lines:
                done = subprocess.run(["sh", "-c", line], cwd=folder, timeout=300,
                                      env=environment(build, folder), stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True)
                total += 1
                if done.returncode:
                    failed += 1
                    print(f"docs/man/{page.name}:{number}: $ {line}\n{done.stdout}{done.stderr}"
                          f"[{done.returncode}]")
    print(f"{total} examples, {failed} failed")
    return failed > 0 or total == 0


# What the examples of --help are about: five launches of two kernels, of blocks enough to choose.
APP = """
#include <cstdio>
__global__ void scale(float *data) { data[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
__global__ void reduce_all(const float *data, float *sum) { atomicAdd(sum, data[threadIdx.x]); }
int main()
{
    float *data;
    cudaMalloc(&data, 100 * 128 * sizeof *data);
    cudaMemset(data, 0, 100 * 128 * sizeof *data);
    for (int i = 0; i < 4; i++)
        scale<<<100, 128>>>(data);
    reduce_all<<<4, 128>>>(data + 128, data);
    int status = cudaDeviceSynchronize() != cudaSuccess;
    cudaFree(data);
    return status;
}
"""


def prepare(build, source, folder):
    """The files that the examples name."""
    def warpmem(*words):
        subprocess.run(["warpmem", *words], cwd=folder, env=environment(build, str(folder)),
                       check=True, capture_output=True)
    for name in ("workloads", "examples", "machines", "studies"):
        shutil.copytree(source / name, folder / name)
    shutil.copy(source / "workloads/vecadd.cu", folder)
    shutil.copy(source / "workloads/workload.h", folder)
    (folder / "app.cu").write_text(APP)
    (folder / "main.cpp").write_text("int main(int argc, char **argv) { return argv[argc] != nullptr; }\n")
    (folder / "kernels.cu").write_text("__global__ void set(int *to) { *to = N; }\n")
    warpmem("cc", "app.cu", "-o", "app")
    warpmem("record", "-q", "-o", "app.wmt", "./app")
    for name in ("before", "after", "old", "new"):
        shutil.copy(folder / "app.wmt", folder / f"{name}.wmt")
        warpmem("replay", "-q", "--json", f"{name}.json", "app.wmt")
    warpmem("export", "-q", "-o", "traces", "app.wmt")
    record = (0x400000).to_bytes(8, "little") + bytes(24) + (0x1000).to_bytes(8, "little") + bytes(24)
    (folder / "mcf.champsimtrace.xz").write_bytes(lzma.compress(record * 10))
    warpmem("study", "run", "-q", "examples/study.yaml")
    warpmem("study", "run", "-q", "examples/study.yaml", "--database", "results.db")


def examples_of(text):
    return re.findall(r"^  (.*)", text.split("\nexamples:\n")[1], re.M) if "\nexamples:\n" in text else []


def helps(source, build):
    if not (shutil.which("clang") or shutil.which("clang-14")):
        skip("clang is not installed")
    failed = total = 0
    with tempfile.TemporaryDirectory() as home:
        prepared = Path(home, "prepared")
        prepared.mkdir()
        prepare(build, source, prepared)
        for words, text in sanitized.share(build / "src/cli/warpmem", walk(build, []), 1, of=2):
            folder = Path(home, "-".join(["examples", *words]))
            shutil.copytree(prepared, folder)
            for line in examples_of(text):
                if line.startswith("warpmem study run studies/"): # takes minutes
                    study = (source / line.split()[3]).read_text()
                    for name in re.split("[ ,]", line.split("--figure ")[1].replace(" --workload", "")):
                        assert re.search(rf"^ *[\"']?{re.escape(name)}\b", study, re.M), (line, name)
                    continue
                if line.startswith("warpmem export"): # into a new folder
                    shutil.rmtree(folder / "traces")
                done = subprocess.run(["sh", "-c", line], cwd=folder, timeout=300,
                                      env=environment(build, str(folder)), stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True)
                total += 1
                if done.returncode:
                    failed += 1
                    print(f"{' '.join(['warpmem', *words])} --help: {line}\n{done.stdout}"
                          f"{done.stderr}[{done.returncode}]")
            shutil.rmtree(folder)
    print(f"{total} examples, {failed} failed")
    return failed > 0 or total < (20 if sanitized.is_sanitized(build / "src/cli/warpmem") else 40)


def command_lines(source, build):
    """Every line of a page, a document or a help that runs warpmem, with where it is."""
    for page in pages(source):
        for number, line in example_lines(page):
            yield f"docs/man/{page.name}:{number}", line
    for words, text in walk(build, []):
        for line in examples_of(text):
            yield f"{' '.join(['warpmem', *words])} --help", line
    for document in [source / "README.md", *sorted((source / "docs").rglob("*.md"))]:
        text = document.read_text().replace("\\\n", " ")
        for line in re.findall(r"^(?: {4}|\$ )?\$? ?(warpmem .*)", text, re.M):
            yield document.relative_to(source), line


def settings(source, build):
    failed = total = 0
    with tempfile.TemporaryDirectory() as home:
        for place, line in command_lines(source, build):
            line = re.split(r" -- | \./|[|>;&#]", line)[0]
            machines = re.findall(r"(?:-m|--machine|machine show)[ =]([a-z][\w+-]*)(?![\w./])", line)
            keys = [set.strip("'\"") for set in re.findall(r"(?:-s|--set)[ =](\S+)", line)]
            variants = [list(filter(None, variant.strip("'\"").split(",")))
                        for variant in re.findall(r"--variant[ =](\S+)", line)] or [[]]
            if not machines and not keys and variants == [[]] or \
                    re.search("KEY=|…|--plugin", line):
                continue
            for machine in machines or ["v100"]:
                for variant in variants:
                    words = [word for key in keys + variant for word in ("--set", key)]
                    done = subprocess.run(["warpmem", "machine", "show", machine, *words],
                                          env=environment(build, home), cwd=source,
                                          capture_output=True, text=True)
                    total += 1
                    if done.returncode:
                        failed += 1
                        print(f"{place}: {line}\n{done.stderr}")
    print(f"{total} machines, {failed} failed")
    return failed > 0 or total < 30


# A program of each thing that the page of cc speaks of.
FEATURES = {
    "__managed__ variables": ["__managed__ int x; __global__ void k() { x = 1; }"],
    "half precision": ["#include <cuda_fp16.h>\n__global__ void k(__half *x) { *x = __float2half(1); }"],
    "tensor cores": ["#include <mma.h>\n__global__ void k() {}"],
    "clusters": ["#include <cooperative_groups.h>\n"
                 "__global__ void k() { cooperative_groups::this_cluster().sync(); }"],
    "dynamic parallelism": ["__global__ void a() {}\n__global__ void k() { a<<<1, 1>>>(); }"],
    "device code that calls across files": [
        "__device__ int f(int); __global__ void k(int *x) { *x = f(1); }\n"
        "int main() { int *x; return cudaMalloc(&x, 4) != cudaSuccess || (k<<<1, 1>>>(x), "
        "cudaGetLastError() != cudaSuccess); }", "__device__ int f(int x) { return x; }"],
    "the driver API": ["#include <cuda.h>\nint start() { return cuInit(0); }"],
    "NVIDIA's libraries": ["#include <cublas_v2.h>\ncublasHandle_t handle;"],
    "Texture objects": ["__global__ void k(cudaTextureObject_t t, float *to) "
                        "{ *to = tex1Dfetch<float>(t, 0); }"],
    "surface objects": ["__global__ void k(cudaSurfaceObject_t s) { surf1Dwrite(1.0f, s, 0); }"],
    "texture references": ["texture<float> t; __global__ void k(float *to) { *to = tex1Dfetch(t, 0); }"],
    "surface references": ["surface<void, 1> s; __global__ void k() { surf1Dwrite(1.0f, s, 0); }"],
    "cooperative groups": ["#include <cooperative_groups.h>\n"
                           "__global__ void k() { cooperative_groups::this_grid().sync(); }"],
}
THERE = ["Texture objects", "surface objects", "texture references", "surface references",
         "cooperative groups"]


def works(build, folder, sources):
    """Whether they compile, and where there is a main(), run."""
    runs = "main" in sources[0]
    names = [f"{number}.cu" for number in range(len(sources))]
    for name, text in zip(names, sources):
        Path(folder, name).write_text(text + "\n")
    lines = [["cc", "-fsyntax-only", *names]]
    if runs:
        lines = [["cc", *names, "-o", "program"], ["run", "-q", "./program"]]
    return all(subprocess.run(["warpmem", *line], cwd=folder, env=environment(build, folder),
                              capture_output=True).returncode == 0 for line in lines)


def absent(source, build):
    if not (shutil.which("clang") or shutil.which("clang-14")):
        skip("clang is not installed")
    page = (source / "docs/man/warpmem-cc.1").read_text()
    said = page.split("Not there:\n")[1].split(".Sh")[0].replace(".Li ", "").replace("\n", " ")
    listed = [word.removeprefix("and ") for word in said.strip(" .").split(", ")]
    wrong = [f"{word}: of no feature that is checked" for word in listed if word not in FEATURES]
    assert sorted([*listed, *THERE]) == sorted(FEATURES), (listed, wrong)
    with tempfile.TemporaryDirectory() as folder:
        for name, sources in FEATURES.items():
            if works(build, folder, sources) != (name in THERE):
                wrong.append(f"{name}: {'is' if name in THERE else 'is not'} there by the page")
    print("\n".join(wrong))
    return bool(wrong)


def main(arguments):
    source, build = Path(arguments[0]).resolve(), Path(arguments[1]).resolve()
    return int({"lint": lint, "options": options, "examples": examples, "helps": helps,
                "settings": settings, "absent": absent}[arguments[2]](source, build))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
