#!/usr/bin/env python3
"""Installs into an empty folder and uses what is there as a stranger would: the program, its pages,
its presets, its compiler, and the library from C and C++. usage: installed_tree.py SOURCE BUILD

Nothing but the installed tree is used, so a file that is not installed is missed here.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import sanitized

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
BOTH_LANGUAGES = """
#include <warpmem/warpmem.h>
int main(void)
{
    struct warpmem_error error;
    struct warpmem_machine *machine;
    return warpmem_machine_load("none", 0, &machine, &error) == WARPMEM_NOT_FOUND ? 0 : 1;
}
"""


WITH_PLUGIN = """
#include <warpmem/warpmem.h>
#include <stdio.h>
int main(void)
{
    static const char *const settings[] = {"gpu.l1.replacement=frequency(most=3)"};
    static const char *const plugins[] = {"./frequency.so"};
    const struct warpmem_machine_options options = {settings, 1, plugins, 1};
    struct warpmem_error error;
    struct warpmem_machine *machine;
    struct warpmem_memory *memory;
    struct warpmem_access load = {.sectors = 1};
    uint64_t hits;
    if (warpmem_machine_load("v100", &options, &machine, &error) != WARPMEM_OK ||
        warpmem_memory_new(machine, NULL, &memory, &error) != WARPMEM_OK) {
        printf("%s\\n", error.message);
        return 1;
    }
    warpmem_machine_free(machine);
    for (int i = 0; i < 100000; i++, load.address = i % 4099 * 128)
        warpmem_memory_access(memory, &load, &error);
    warpmem_memory_value(memory, "l1", "hits", &hits, &error);
    warpmem_memory_free(memory);
    printf("%s: %d\\n", warpmem_version(), hits > 0);
    return 0;
}
"""


class Tree:
    def __init__(self, source, build, root):
        self.source, self.root = source, root
        subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir",
                        root], check=True, capture_output=True)
        [package] = root.rglob("warpmem.pc")
        self.libraries = package.parents[1]
        [program] = root.rglob("bin/warpmem")
        self.prefix = program.parents[1]
        self.environment = {"PATH": f"{program.parent}:/usr/local/bin:/usr/bin:/bin",
                            "HOME": str(root), "LC_ALL": "C.UTF-8"}
        self.sanitized = sanitized.variables(program)
        # pkg-config's own libraries stay visible for what the static library requires.
        self.package = {**os.environ, "PKG_CONFIG_PATH": str(package.parent),
                        "PKG_CONFIG_SYSROOT_DIR": str(root)}

    def run(self, command, **more):
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, timeout=200,
                              env=self.environment | more)
        if done.returncode:
            raise SystemExit(f"$ {' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
                             f"[{done.returncode}]")
        return done.stdout

    def flags(self, *options):
        return subprocess.run(["pkg-config", *options, "warpmem"], env=self.package, check=True,
                              capture_output=True, text=True).stdout.split()


def check_files(tree):
    """Every page, preset and header of the source tree has come along."""
    wanted = {f"share/man/man1/{page.name}" for page in (tree.source / "docs/man").glob("*.1")}
    wanted |= {f"share/warpmem/machines/{preset.name}"
               for preset in (tree.source / "machines").glob("*.yaml")}
    wanted |= {f"include/warpmem/{header.name}"
               for header in (tree.source / "include/warpmem").glob("*.h")}
    wanted |= {"share/bash-completion/completions/warpmem", "share/zsh/site-functions/_warpmem",
               "share/fish/vendor_completions.d/warpmem.fish"}
    wanted |= {f"lib/warpmem/include/{header.name}"
               for header in (tree.source / "include/warpmem/cuda").glob("*.h")}
    missing = sorted(name for name in wanted if not (tree.prefix / name).exists())
    if missing or len(wanted) < 40:
        raise SystemExit(f"{len(wanted)} files wanted, not installed: {missing}")


def check_program(tree):
    presets = {preset.stem for preset in (tree.source / "machines").glob("*.yaml")}
    listed = {line.split()[0] for line in tree.run(["warpmem", "machine", "list"]).splitlines()}
    if listed != presets:
        raise SystemExit(f"warpmem machine list: {listed} instead of {presets}")
    if shutil.which("clang") or shutil.which("clang-14"):
        tree.run(["warpmem", "cc", tree.source / "examples/saxpy.cu", "-o", "saxpy"])
        report = tree.run(["warpmem", "run", "-m", "v100", "./saxpy"], **tree.sanitized)
        if "saxpy" not in report:
            raise SystemExit(f"warpmem run ./saxpy:\n{report}")


def check_library(tree):
    """The example from both libraries: one output, with other hit rates for other patterns."""
    example = tree.source / "examples/library_example.c"
    compile_flags = ["-std=c11", "-g", *STRICT, *tree.flags("--cflags")]
    tree.run(["cc", *compile_flags, "-o", "shared", example, *tree.flags("--libs")])
    shared = tree.run(["./shared"], LD_LIBRARY_PATH=str(tree.libraries), **tree.sanitized)
    # The archive by its file name, what it requires by pkg-config.
    static = [flag if flag != "-lwarpmem" else "-l:libwarpmem.a"
              for flag in tree.flags("--static", "--libs")]
    runtime = ["-fsanitize=address,undefined"] if tree.sanitized else []
    tree.run(["cc", *compile_flags, *runtime, "-o", "static", example, *static])
    linked = tree.run(["readelf", "-d", "static"])
    if "libwarpmem" in linked:
        raise SystemExit("the static program needs libwarpmem.so")
    presets = {"WARPMEM_MACHINES": str(tree.prefix / "share/warpmem/machines")}
    separate = tree.run(["./static"], **presets)
    rates = {line.split(" %")[0].split()[-1] for line in shared.splitlines()}
    if shared != separate or len(shared.splitlines()) != 3 or len(rates) < 2:
        raise SystemExit(f"shared:\n{shared}static:\n{separate}")
    if shared not in (tree.source / "docs/library.md").read_text():
        raise SystemExit(f"docs/library.md shows another output than:\n{shared}")


def check_documented(tree):
    """The lines of docs/library.md as they stand, where pkg-config looks by itself."""
    shown = (tree.source / "docs/library.md").read_text().split("```")[1]
    [line] = [line[2:] for line in shown.splitlines() if line.startswith("$ cc ")]
    looked_at = subprocess.run(["pkg-config", "--variable", "pc_path", "pkg-config"], check=True,
                               capture_output=True, text=True).stdout.strip().split(":")
    prefix = "/" + str(tree.prefix.relative_to(tree.root))
    if not any(folder.startswith(prefix + "/") for folder in looked_at):
        print(f"{prefix} is where pkg-config does not look: its lines are not tried")
        return
    shutil.copy(tree.source / "examples/library_example.c", tree.root)
    # What the static library requires is the system's; nothing else of the system's is looked at.
    required = tree.root / "required"
    required.mkdir()
    where = subprocess.run(["pkg-config", "--variable", "pcfiledir", "yaml-0.1"], check=True,
                           capture_output=True, text=True).stdout.strip()
    shutil.copy(f"{where}/yaml-0.1.pc", required)
    folders = ":".join([*(f"{tree.root}{folder}" for folder in looked_at), str(required)])
    tree.run(["sh", "-c", line], PKG_CONFIG_LIBDIR=folders, PKG_CONFIG_SYSROOT_DIR=str(tree.root))
    said = tree.run(["./library_example"], LD_LIBRARY_PATH=str(tree.libraries), **tree.sanitized)
    if said not in shown:
        raise SystemExit(f"docs/library.md shows another output than:\n{said}")


def check_default_folder(tree):
    """A build that names no folders installs where pkg-config looks, also without dpkg-dev."""
    tools = tree.root / "tools"
    tools.mkdir()
    for folder in ("/usr/bin", "/bin"):
        for tool in Path(folder).iterdir():
            link = tools / tool.name
            if tool.name != "dpkg-architecture" and not link.is_symlink():
                link.symlink_to(tool)
    said = subprocess.run([shutil.which("meson"), "introspect", "--buildoptions",
                           tree.source / "meson.build"], env={**os.environ, "PATH": str(tools)},
                          capture_output=True, text=True)
    options = {option["name"]: option["value"] for option in json.loads(said.stdout)}
    looked_at = subprocess.run(["pkg-config", "--variable", "pc_path", "pkg-config"], check=True,
                               capture_output=True, text=True).stdout.strip().split(":")
    folder = f"{options['prefix']}/{options['libdir']}/pkgconfig"
    if folder not in looked_at:
        raise SystemExit(f"pkg-config does not look in {folder}: {looked_at}")


def check_plugin(tree):
    """An entry built from the installed header alone, through the library; and one version."""
    tree.run(["cc", "-shared", "-fPIC", *tree.flags("--cflags"), "-o", "frequency.so",
              tree.source / "examples/plugin_frequency.c"])
    Path(tree.root, "with_plugin.c").write_text(WITH_PLUGIN)
    tree.run(["cc", *STRICT, *tree.flags("--cflags"), "-o", "with_plugin", "with_plugin.c",
              *tree.flags("--libs")])
    said = tree.run(["./with_plugin"], LD_LIBRARY_PATH=str(tree.libraries), **tree.sanitized)
    [version] = tree.flags("--modversion")
    if said != f"{version}: 1\n" or tree.run(["warpmem", "--version"]) != f"warpmem {version}\n":
        raise SystemExit(f"{said!r} of version {version}")


def check_languages(tree):
    """The header alone, in the strictest C and C++ that are there."""
    for compiler, standard, suffix in [("cc", "c11", "c"), ("c++", "c++11", "cc"),
                                       ("c++", "c++20", "cc"), ("clang++", "c++17", "cc")]:
        if not shutil.which(compiler):
            print(f"{compiler} is not installed: {standard} is not tried")
            continue
        Path(tree.root, f"both.{suffix}").write_text(BOTH_LANGUAGES)
        tree.run([compiler, f"-std={standard}", *STRICT, "-Wconversion", "-Wshadow",
                  *tree.flags("--cflags"), "-o", "both", f"both.{suffix}", *tree.flags("--libs")])
        tree.run(["./both"], LD_LIBRARY_PATH=str(tree.libraries), **tree.sanitized)


def main(source, build):
    with tempfile.TemporaryDirectory() as root:
        tree = Tree(Path(source).resolve(), Path(build).resolve(), Path(root))
        for check in (check_files, check_program, check_library, check_documented,
                      check_default_folder, check_plugin, check_languages):
            check(tree)
    print("the installed tree is whole")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
