#!/usr/bin/env python3
"""Adds up meson's test logs and prints the one line that says how it went: "N passed, N failed".

Each argument is a testlog.json (one JSON object a line). A test that was skipped is listed with its
reason's place, and counted apart; it is never counted as passed.
"""
import json
import sys

GOOD = {"OK", "EXPECTEDFAIL"}


def main(paths):
    passed = failed = skipped = 0
    for path in paths:
        seen = 0
        with open(path, encoding="utf-8") as log:
            for line in log:
                test = json.loads(line)
                seen += 1
                if test["result"] in GOOD:
                    passed += 1
                elif test["result"] == "SKIP":
                    skipped += 1
                    told = f"{test.get('stdout') or ''}\n{test.get('stderr') or ''}"
                    reason = told.strip().removeprefix("skipped: ").splitlines()
                    print(f"skipped: {test['name']}: {reason[-1] if reason else 'no reason given'}")
                else:
                    failed += 1
                    print(f"failed: {test['name']} ({path})")
        if seen == 0:
            failed += 1
            print(f"failed: no test ran ({path})")
    tail = f", {skipped} skipped" if skipped else ""
    print(f"{passed} passed, {failed} failed{tail}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
