#!/usr/bin/env python3
"""Checks the manual pages. usage: check_manuals.py SOURCE BUILD lint|options|machines|examples

  lint      mandoc has nothing to warn of
  options   each option that a command's --help lists is in its page, and each command has a page
  machines  the machines that examples of a command's --help name, with their settings, can be
  examples  each command line of a page ("$ " in a .Dl line) ends with status 0

Examples run in a folder that holds the sources of workloads/ and the example of a study, page by
page from the top, so that one may use what an earlier one made. Exit status 77: skipped, as a program is missing.
"""
import re
import shlex
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
        for option in re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", spellings):
            if not re.search(re.escape(option) + r"(?![\w-])", texts[page]):
                missing.append(f"docs/man/{page}.1 does not describe {option} of "
                               f"{' '.join(['warpmem', *words])}")
        for name in commands_in(text):
            if not re.search(rf"^ +{re.escape(name)}\b", texts[page], re.M):
                missing.append(f"docs/man/{page}.1 does not describe the command {name}")
    print("\n".join(sorted(set(missing))))
    return bool(missing)


def machines_in(words):
    """What a command line says of machines: their names, and each list of settings for them."""
    values = {"-m": [], "--set": [], "--variant": []}
    for option, value in zip(words, words[1:]):
        values.get(option, []).append(value)
    common = values["--set"]
    variants = [common, *(common + variant.split(",") for variant in values["--variant"])]
    return [(name, settings) for name in values["-m"] or ["v100"] for settings in variants]


def machines(source, build):
    del source
    wrong, seen = [], 0
    with tempfile.TemporaryDirectory() as home:
        for words, text in walk(build, []):
            for line in text.partition("\nexamples:\n")[2].splitlines():
                example = shlex.split(line.partition("|")[0])
                if not {"--set", "--variant", "-m"} & set(example):
                    continue
                for name, settings in machines_in(example):
                    if name.endswith(".yaml"):
                        continue  # the user's own
                    seen += 1
                    done = subprocess.run(
                        ["warpmem", "machine", "show", name, *(w for s in settings for w in ("--set", s))],
                        env=environment(build, home), capture_output=True, text=True)
                    if done.returncode:
                        wrong.append(f"{' '.join(['warpmem', *words])} --help: {line.strip()}\n{done.stderr}")
    print("\n".join(wrong) or f"{seen} machines")
    return bool(wrong) or seen == 0


def example_lines(page):
    for number, line in enumerate(page.read_text().splitlines(), 1):
        match = re.match(r"\.Dl (\$ )?(.*)", line)
        assert not match or match[1], f"{page}:{number}: an example that is no command line"
        if match:
            yield number, match[2].replace(r"\e", "\\").replace(r"\-", "-").replace(r"\&", "")


def examples(source, build):
    failed = total = 0
    turns = sanitized.share(build / "src/cli/warpmem", pages(source), 0, of=2)
    for page in turns:
        lines = list(example_lines(page))
        compiles = any(re.match(r"warpmem (cc|run|study)", line) for _, line in lines)
        if compiles and not (build / "src/cuda/libcudart.so.13").exists():
            print(f"{page.name}: its examples need libcudart.so, which is not built")
            continue
        if compiles and not (shutil.which("clang") or shutil.which("clang-14")):
            print(f"{page.name}: its examples need clang, which is not installed")
            continue
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(source / "workloads", folder, dirs_exist_ok=True)
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


def main(arguments):
    source, build = Path(arguments[0]).resolve(), Path(arguments[1]).resolve()
    return int({"lint": lint, "options": options, "machines": machines, "examples": examples}[arguments[2]](source, build))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
