"""What explaining adds to results, that it changes none of them, and that reasons add up: at each cache
to its misses, over the instructions to the caches of a level.

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
        assert instruction == {k: v for k, v in same.items() if k not in ("explained", "served")}, instruction["pc"]
sums = {}
for path, component in by_path(explained["components"]).items():
    if not component["kind"].endswith("_explained"):
        continue
    why, cache = component["counters"], by_path(plain["components"])[path.rsplit(".", 1)[0]]["counters"]
    assert cache["misses"] == sum(
        why[name] for name in ("cold", "coherence", "capacity", "conflict", "unallocated")), path
    assert cache["accesses_missed"] == sum(
        value for name, value in why.items() if name.startswith("accesses_")), path
    level = component["kind"].removesuffix("_explained")
    if level in ("constant", "texture", "scalar", "instruction_cache"):
        level = "side_cache"
    for name, value in why.items():
        sums[f"{level}_{name}"] = sums.get(f"{level}_{name}", 0) + value
for name, value in sums.items():
    assert value == sum(
        it["explained"][name] for kernel in explained["kernels"]
        for it in kernel["instructions"] + ([kernel["fetches"]] if "fetches" in kernel else [])), name
kinds = {it["kind"] for it in explained["components"]} - {it["kind"] for it in plain["components"]}
print("adds", *sorted(kinds))
