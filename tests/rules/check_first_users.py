#!/usr/bin/env python3
"""Each finding of a first user has a test that exists. usage: check_first_users.py LIST BUILD

LIST is first_users.txt: a line a finding, "number | what it was | tests", numbers from 1 to 22 without
a gap, and "small" for those that have none. A finding that is not mended says "open: what is missing" in place of tests.
"""
import json
import subprocess
import sys


def rows(path):
    for line in open(path, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            parts = [part.strip() for part in line.split("|")]
            assert len(parts) == 3, f"not three parts: {line}"
            yield parts[0], parts[1], parts[2]


def main(path, build):
    found = subprocess.run(["meson", "introspect", "--tests", build], check=True, text=True,
                           capture_output=True).stdout
    names = {test["name"] for test in json.loads(found)}
    numbers, missing = [], []
    for number, what, tests in rows(path):
        numbers.append(number)
        if tests.startswith("open: "):
            print(f"{number}, {what}: {tests}")
            continue
        missing += [f"{number}, {what}: there is no test \"{name.strip()}\""
                    for name in tests.split(";") if name.strip() not in names]
    if set(numbers) - {"small"} != {str(number) for number in range(1, 23)}:
        missing.append(f"numbers {numbers}")
    print("\n".join(missing) or "each finding has its tests")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
