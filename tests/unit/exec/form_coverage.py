#!/usr/bin/env python3
"""docs/ptx.md says of every listed instruction whether it is executed, and whether a test would
fail without it.
usage: form_coverage.py PAGE NOTICED LISTER TEST… [--write | --prove | --untested]

LISTER gives the opcode table (src/ptx/opcodes.def) and what the decoder makes of the forms in
forms/*.txt. An opcode of one that is not in the other is named. NOTICED is a list of names, each
with the test that fails when the instructions (or the lane kernel) of that name do nothing; the
names are those of coverage.h. Without an option the page and the list are checked: the page says
what both give, and every test in the list still uses what it is said to notice.

--write     the page's table anew
--prove     what the list lacks, by running tests without each name in turn, and the table (a whole
            new list, when there is none, takes minutes)
--untested  print the names that no test notices
"""
import collections
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FILES = ["measured.txt", "isa.txt", "refused.txt"]
# They compare builds with each other, or ask only whether there is a kernel: no result is checked.
BLIND = ("random_forms/", "table/")
# Families whose instructions have tests, and no forms: forms are of one instruction alone.
WITHOUT_FORMS = {"texture", "surface", "image_query", "reference_query", "call", "branch_index", "stack"}
MOST_NAMES = 40  # of the untested, in the page
BEGIN, END = "<!-- instructions -->\n", "<!-- end of instructions -->"
SECONDS = 20
SEEN = ".seen" # behind a test program's name (meson.build)


def listed_forms(lister):
    """(name, lane kernel or "-", state, message), once each, in the order of the files."""
    text = subprocess.run([lister, *FILES], check=True, capture_output=True, text=True).stdout
    return list(dict.fromkeys(tuple(line.split("\t")) for line in text.splitlines()))


def listed_opcodes(lister):
    """name → (section, family, unit, names in SASS)."""
    text = subprocess.run([lister, "--opcodes"], check=True, capture_output=True, text=True).stdout
    return {name: tuple(rest) for name, *rest in (line.split("\t") for line in text.splitlines())}


def missing_opcodes(opcodes, forms):
    with_forms = {group(form[0]) for form in forms if not is_special(form[0])}
    for name in sorted(with_forms - opcodes.keys()):
        yield f"{name} has forms, and no row in src/ptx/opcodes.def"
    for name, (section, family, *_) in opcodes.items():
        if name not in with_forms and family != "-" and family not in WITHOUT_FORMS:
            yield f"{name} has a row in src/ptx/opcodes.def, and no form in forms/*.txt"
        if not re.fullmatch(r"9\.7\.\d+", section):
            yield f"{name}: \"{section}\" is no section of the ISA"


def run_test(program, test=None, **variables):
    arguments = [program] + (["--filter", test] if test else [])
    environment = {**os.environ, "CRITERION_TEST_TIMEOUT": str(SECONDS), **variables}
    environment.pop("PTX_SEEN" if "PTX_SEEN" not in variables else "PTX_WITHOUT", None)
    try:
        return subprocess.run(arguments, env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=SECONDS + 5).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def what_was_seen(program):
    """What the program's tests say they use. As tests of their own they have said it beside the
    program; where they have not run since it was built, they run here."""
    seen = Path(program + SEEN)
    try:
        if seen.stat().st_mtime > os.stat(program).st_mtime:
            return seen.read_text()
    except FileNotFoundError: # or just being made
        pass
    with tempfile.TemporaryDirectory() as folder:
        seen = Path(folder) / "seen"
        if not run_test(program, PTX_SEEN=str(seen)):
            raise SystemExit(f"{program} fails")
        return seen.read_text() if seen.exists() else "" # it uses no instructions


def used_names(programs):
    """name → {(test, program)}; every test must pass."""
    uses = collections.defaultdict(set)
    for program in programs:
        for line in what_was_seen(program).splitlines():
            test, name = line.split("\t")
            if not test.startswith(BLIND):
                uses[name].add((test, program))
    return uses


def wanted_names(forms):
    return sorted({name for form in forms for name in form[:2] if name != "-"})


def uses_still(noticed, uses):
    return {name: test for name, test in noticed.items()
            if test in {use[0] for use in uses.get(name, ())}}


def prove(forms, uses, noticed):
    # A test that uses few names is about them, and quick.
    breadth = collections.Counter(use for name in uses for use in uses[name])

    def noticed_by(name):
        for test, program in sorted(uses.get(name, ()), key=lambda use: (breadth[use], use)):
            if not run_test(program, test, PTX_WITHOUT=name):
                return test
        return None

    known = uses_still(noticed, uses)
    names = [name for name in wanted_names(forms) if name not in known]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = {name: test for name, test in zip(names, pool.map(noticed_by, names)) if test}
    wanted = set(wanted_names(forms))
    return {name: test for name, test in {**known, **found}.items() if name in wanted}


def read_noticed(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return dict(line.split("\t") for line in lines if not line.startswith("#"))


def write_noticed(path, noticed):
    head = "# By form_coverage.py --prove: what is left out, and a test that fails then.\n"
    path.write_text(head + "".join(f"{name}\t{noticed[name]}\n" for name in sorted(noticed)))


def is_tested(form, noticed):
    return all(name == "-" or name in noticed for name in form[:2])


def is_special(name):
    return name.startswith("%") or name == "WARP_SZ"


def group(name):
    return name if is_special(name) else name.split(".")[0]


def code(names):
    return ", ".join(f"`{name}`" for name in names)


def row_of(name, opcode, counts):
    section, family, unit, sass = opcode
    mark = " (no effect)" if counts and counts["nothing"] else ""
    numbers = [str(counts[column]) if counts else "–"
               for column in ("tested", "untested", "refused")]
    return f"| `{name}`{mark} | {section} | {family} | {unit} | {sass} | {' | '.join(numbers)} |"


def table(opcodes, forms, noticed):
    states = collections.defaultdict(collections.Counter)
    untested, refused = [], collections.defaultdict(list)
    for form in forms:
        name, _, state, message = form
        column = "refused" if state == "refused" else \
            "tested" if is_tested(form, noticed) else "untested"
        states[group(name)][column] += 1
        if state == "nothing":
            states[group(name)]["nothing"] += 1
        if column == "untested":
            untested.append(name)
        if column == "refused":
            refused[re.sub(r"^'.*?': ", "", message)].append(name)
    special = {name for name in states if is_special(name)}
    lines = ["| Opcode | ISA | Family | Unit | SASS | Tested | Untested | Refused |",
             "|---|---|---|---|---|---:|---:|---:|"]
    lines += [row_of(name, opcode, states.get(name)) for name, opcode in sorted(opcodes.items())]
    total = collections.Counter()
    for row in states.values():
        total.update(row)
    lines.append(f"| all, special registers included | | | | | {total['tested']} | "
                 f"{total['untested']} | {total['refused']} |")

    def paragraph(text):
        lines.extend(["", *textwrap.wrap(text, 100, break_long_words=False,
                                         break_on_hyphens=False)])

    tested = sorted(name for name in special if states[name]["tested"])
    paragraph(f"Special registers tested: {code(tested)}.")
    names = list(dict.fromkeys(untested))
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    paragraph(f"Untested: {code(names[:MOST_NAMES]) or 'none'}{more}.")
    for message in sorted(refused):
        paragraph(f"Refused, with “{message}”: {code(dict.fromkeys(refused[message]))}.")
    return "\n".join(lines) + "\n"


def main(page, noticed_path, lister, programs, option):
    page, noticed_path = Path(page), Path(noticed_path)
    forms, opcodes = listed_forms(lister), listed_opcodes(lister)
    noticed = read_noticed(noticed_path)
    if option == "--untested":
        print("\n".join(dict.fromkeys(form[0] for form in forms if form[2] != "refused" and
                                      not is_tested(form, noticed))))
        return False
    problems = list(missing_opcodes(opcodes, forms))
    if option != "--write":
        uses = used_names(programs)
        if option == "--prove":
            noticed = prove(forms, uses, noticed)
            write_noticed(noticed_path, noticed)
        problems += [f"test {noticed[name]} no longer uses {name}: run this with --prove"
                     for name in sorted(noticed.keys() - uses_still(noticed, uses).keys())]
    text = page.read_text()
    before, rest = text.split(BEGIN)
    changed = "".join((before, BEGIN, "\n", table(opcodes, forms, noticed), "\n", END,
                       rest.split(END)[1]))
    if option:
        page.write_text(changed)
    elif changed != text:
        problems.append(f"{page} does not say what the decoder and the tests do: run this with "
                        "--write")
    print("\n".join(problems[:20]) or "the page says what is executed and tested")
    return bool(problems)


if __name__ == "__main__":
    chosen = [word for word in sys.argv[1:] if word.startswith("--")]
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    sys.exit(main(*words[:3], words[3:], chosen[0] if chosen else None))
