"""What explaining adds to results, and that it changes none of them.

usage: explained_numbers.py PLAIN.json EXPLAINED.json
"""
import json
import sys

plain, explained = (json.load(open(path)) for path in sys.argv[1:])


def by_path(components):
    return {it["path"]: it for it in components}


for one, other in zip([plain, *plain["kernels"]], [explained, *explained["kernels"]]):
    for path, component in by_path(one["components"]).items():
        assert by_path(other["components"])[path] == component, path
    assert one.get("cycles") == other.get("cycles"), "other cycles"
for one, other in zip(plain["kernels"], explained["kernels"]):
    for instruction, same in zip(one["instructions"], other["instructions"]):
        assert instruction == {k: v for k, v in same.items() if k != "explained"}, instruction["pc"]
kinds = {it["kind"] for it in explained["components"]} - {it["kind"] for it in plain["components"]}
print("adds", *sorted(kinds))
