"""What block-dispatch.t asks of block maps.
usage: block_maps.py show FILE | same RECORDING OPTIONS PROGRAM [ARGUMENT…]"""
import json
import subprocess
import sys


def load(path):
    with open(path) as file:
        return json.load(file)


def show(path):
    """A line a launch."""
    results = load(path)
    for it in results["block_maps"]:
        kernel = results["kernels"][it["kernel"]]
        where = f" gpu{kernel['gpu']}" if "gpu" in kernel else ""
        sms = " ".join("-" if sm is None else str(sm) for sm in it["sms"])
        print(f"{it['launch']} {kernel['name']}{where} {it['grid']}: {sms}")


def once(path):
    """In each launch as many blocks are on each SM as its counters have."""
    results = load(path)
    counted = {}
    for it in results["block_maps"]:
        gpu = results["kernels"][it["kernel"]].get("gpu", 0)
        for sm in it["sms"]:
            counted[f"gpu{gpu}.sm[{sm}]"] = counted.get(f"gpu{gpu}.sm[{sm}]", 0) + 1
    for component in results["components"]:
        if component["kind"] == "sm" and component["counters"]["blocks"] != counted.get(component["path"], 0):
            print(component["path"], component["counters"]["blocks"], counted)


def entries():
    listed = subprocess.run(["warpmem", "list", "block-dispatch"], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in listed.stdout.splitlines() if line[2] != " "]


def same(recording, options, *program):
    """Live, replayed on one thread and on two, by each entry in each engine."""
    for entry in entries():
        for engine in "walk", "clock":
            common = options.split() + ["-q", "--block-map", "-s", f"gpu.sm.block_dispatch={entry}",
                                        "--engine", engine]
            subprocess.run(["warpmem", "run", *common, "--json", "live.json", *program],
                           stdout=subprocess.DEVNULL, check=True)
            for threads in 1, 2:
                subprocess.run(["warpmem", "replay", *common, "-j", str(threads),
                                "--json", f"{threads}.json", recording], check=True)
            live, one, two = (load(name) for name in ("live.json", "1.json", "2.json"))
            live["command"] = one["command"] = two["command"] = None
            once("live.json")
            print(entry, engine, "same" if live == one == two else "different")


if __name__ == "__main__":
    {"show": show, "same": same}[sys.argv[1]](*sys.argv[2:])
