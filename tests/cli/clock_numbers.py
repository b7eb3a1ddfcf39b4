"""What clock.t asks of results. usage: clock_numbers.py QUESTION FILE…"""
import json
import sys


def load(path):
    with open(path) as file:
        return json.load(file)


def engine(path):
    results = load(path)
    for kernel in results["kernels"]:
        print(results["engine"], kernel["name"], "timed" if kernel.get("cycles") else "not timed")


def same(one, other):
    """All but the command line."""
    a, b = load(one), load(other)
    a["command"] = b["command"] = None
    print("same" if a == b else "different")


def instructions(*paths):
    for path in paths:
        for kernel in load(path)["kernels"]:
            counted = sum(c["counters"]["warp_instructions"] for c in kernel["components"]
                          if c["kind"] == "sm")
            print(path, kernel["warp_instructions"], counted)


def event(path, said):
    """Between two events is the kernel: its cycles at v100's clock, 5 µs for the launch, and half a
    microsecond of the events themselves."""
    with open(said) as file:
        microseconds = float(file.read())
    wanted = load(path)["kernels"][0]["cycles"] / 1530 + 5.5
    print("as its cycles" if abs(microseconds - wanted) < 0.002 else (microseconds, wanted))


globals()[sys.argv[1]](*sys.argv[2:])
