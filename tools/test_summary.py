#!/usr/bin/env python3
"""Adds up meson's test logs and prints the one line that says how it went: "N passed, N failed".

Each argument is a testlog.json (one JSON object a line). Tests that were skipped are listed by reason and
counted apart; they are never counted as passed, and one that gives no reason counts as failed.
"""
import json
import re
import sys

GOOD = {"OK", "EXPECTEDFAIL"}


def reason_of(test):
    """Why a test was skipped: its own line "skipped: …", or what it says in TAP."""
    said = f"{test.get('stdout') or ''}\n{test.get('stderr') or ''}"
    found = re.findall(r"^skipped: *(\S.*)$", said, re.M) or \
        re.findall(r"# SKIP +(\S.*)$", said, re.M)
    return found[-1].strip() if found else None


def main(paths):
    passed = failed = 0
    skipped = {}
    for path in paths:
        seen = 0
        with open(path, encoding="utf-8") as log:
            for line in log:
                test = json.loads(line)
                seen += 1
                if test["result"] in GOOD:
                    passed += 1
                elif test["result"] == "SKIP":
                    reason = reason_of(test)
                    if reason:
                        skipped.setdefault(reason, []).append(test["name"])
                    else:
                        failed += 1
                        print(f"failed: {test['name']}: skipped without a reason ({path})")
                else:
                    failed += 1
                    print(f"failed: {test['name']} ({path})")
        if seen == 0:
            failed += 1
            print(f"failed: no test ran ({path})")
    for reason, names in skipped.items():
        print(f"skipped: {reason}: {', '.join(dict.fromkeys(names))}")
    tail = f", {sum(map(len, skipped.values()))} skipped" if skipped else ""
    print(f"{passed} passed, {failed} failed{tail}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
