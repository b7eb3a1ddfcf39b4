#!/usr/bin/env python3
"""Makes results databases for tests of warpmem report (docs/formats/results-database.md).

usage: results_database.py FILE [FAULT…]

Two studies: "sharing", two workloads on four machines of two axes with every kind of claim and
figure, a failed point, one not reached, and texts full of markup; and "tiny", one point. Numbers
are made up, but of the form of warpmem's. Each FAULT breaks one thing (FAULTS below).
"""
import json
import sqlite3
import sys

APPLICATION, VERSION = 0x574D7273, 1
ODD = '</script><b>"lbm" & \'co\'</b>'  # a workload's label

SCHEMA = """
CREATE TABLE study(id INTEGER PRIMARY KEY, name TEXT, title TEXT, paper TEXT, file TEXT, hash TEXT, version TEXT);
CREATE TABLE workload(id INTEGER PRIMARY KEY, study_id INTEGER, label TEXT, position INTEGER, arguments TEXT, hash TEXT);
CREATE TABLE machine(id INTEGER PRIMARY KEY, study_id INTEGER, label TEXT, position INTEGER, axes TEXT, description TEXT, hash TEXT);
CREATE TABLE point(id INTEGER PRIMARY KEY, study_id INTEGER, workload_id INTEGER, machine_id INTEGER, status TEXT,
  error TEXT, seconds REAL, results TEXT, UNIQUE(study_id, workload_id, machine_id));
CREATE TABLE metric(point_id INTEGER, name TEXT, value REAL, PRIMARY KEY(point_id, name));
CREATE TABLE metric_definition(study_id INTEGER, name TEXT, position INTEGER, expression TEXT, title TEXT, unit TEXT,
  PRIMARY KEY(study_id, name));
CREATE TABLE claim(study_id INTEGER, id TEXT, position INTEGER, place TEXT, text TEXT, statement TEXT, paper TEXT,
  holds INTEGER, ours TEXT, PRIMARY KEY(study_id, id));
CREATE TABLE figure(study_id INTEGER, id TEXT, position INTEGER, title TEXT, specification TEXT, PRIMARY KEY(study_id, id));
"""

DESCRIPTION = """# a comment
name: lab
device:
  title: "Lab <GPU>"
gpu:
  sm:
    count: 15
    carveouts: [0B, 8KiB]
  l2:
    size: {l2}
  tracker:
    present: {tracker}
"""

COUNTERS = ["executions", "lanes", "bytes_requested", "requests", "sectors", "l1.hits", "l1.misses", "l2.hits",
            "l2.misses", "l2.bytes", "dram.bytes", "remote_hits"]


def instruction(pc, factor, hits):
    sectors = 1000 * factor
    values = [250 * factor, 8000 * factor, 32000 * factor, 250 * factor, sectors, hits, sectors - hits,
              100, sectors - hits - 100, 32 * (sectors - hits), 32 * (sectors - hits - 100), hits // 3]
    return {"pc": pc, "ptx_line": 30 + pc, "text": f"ld.global.f32 %f{pc}, [%rd{pc}+</script>]",
            "source": {"file": f"/somewhere/of/mine/{'stencil'}.cu", "line": 10 + pc} if pc != 3 else None,
            "kind": "load" if pc % 2 else "store", "space": "global", "counters": dict(zip(COUNTERS, values))}


def results(workload, machine):
    instructions = [instruction(pc, pc + workload + 1, 200 + 40 * machine * pc) for pc in range(5)]
    total = lambda name: sum(i["counters"][name] for i in instructions)
    components = [
        {"path": f"gpu0.sm[{sm}].l1", "kind": "l1", "counters": {
            "hits": total("l1.hits") // 2, "misses": total("l1.misses") // 2, "bypasses": 0}} for sm in range(2)]
    components.append({"path": "gpu0.l2[0]", "kind": "l2", "counters": {
        "hits": total("l2.hits"), "misses": total("l2.misses")}})
    components.append({"path": "gpu0.dram[0]", "kind": "dram", "counters": {
        "bytes_read": total("dram.bytes"), "bytes_written": 4096}})
    kernel = {"name": "_Z7stencilPf", "signature": "stencil<float>(float const*, float*)", "module": "stencil.ptx",
              "launches": 2, "grid": [64, 1, 1], "block": [256, 1, 1], "registers_per_thread": 20,
              "blocks_per_sm": 6, "occupancy_limiter": "threads", "warp_instructions": 123456 + workload,
              "thread_instructions": 3950592, "components": components, "instructions": instructions}
    empty = {"name": "clear", "signature": "clear", "module": "stencil.ptx", "launches": 1, "grid": [1, 1, 1],
             "block": [32, 1, 1], "registers_per_thread": 4, "blocks_per_sm": 8, "occupancy_limiter": "blocks",
             "warp_instructions": 3, "thread_instructions": 96, "components": [], "instructions": []}
    structures = [{"structure": "l1", "units": 15, "interpolated": True, "reads": 1000, "writes": 10, "dynamic_pj": 25250.5,
                   "leakage_mw": 12.5}, {"structure": "interconnect", "payload_bytes": 64, "dynamic_pj": 74749.5}]
    energy = {"dynamic_pj": 100000.0, "structures": structures}
    kernel["energy"] = energy
    return {"format": "warpmem-results", "version": 2, "energy": energy, "kernels": [kernel, empty],
            "counters": {"instruction": {"title": "memory instruction", "counters": {
                name: {"unit": "bytes" if "bytes" in name else "sectors", "sentence": f"how many {name}"}
                for name in COUNTERS}}},
            "components": components}


WORKLOADS = ["stencil", ODD, "spmv"]
MACHINES = [(l2, mechanism) for l2 in ("128KiB", "1MiB") for mechanism in ("base", "tracker")]


def label_of(machine):
    return ", ".join(machine)


def figure(**keys):
    return json.dumps({"metrics": ["dram_bytes"], "normalise": None, "x": "workload", "mean": False,
                       "machines": [label_of(m) for m in MACHINES], "workloads": WORKLOADS, "chart": "bars",
                       "axis_title": "", "paper": {}} | keys)


def figures():
    base, tracker = label_of(MACHINES[2]), label_of(MACHINES[3])
    few = [WORKLOADS[0], WORKLOADS[1]]
    return [
        ("4.1", "DRAM traffic & \"bytes\" </script>", figure(
            normalise=base, mean=True, machines=[base, tracker], workloads=few, axis_title="relative to base",
            paper={base: {"stencil": 1, ODD: 1, "mean": 1}, tracker: {"stencil": 0.9, ODD: 0.75, "mean": 0.83}})),
        ("4.2", "Energy by structure", figure(metrics=["l1_energy", "l2_energy"], chart="stacked-bars",
                                             axis_title="pJ")),
        ("4.3", "Capacity", figure(x="l2", chart="lines", workloads=few,
                                   paper={base: {"mean": 1200}})),
        ("4.3b", "In parts", figure(metrics=["l1_energy", "l2_energy", "dram_bytes", "l1_energy"], chart="stacked-bars",
                                    workloads=few, paper={base: {"stencil": 8e6}})),
        ("4.4", "Of one workload", figure(workloads=["spmv"], machines=[base])),
    ]


CLAIMS = [
    ("1", "Fig. 4.1", "the tracker saves DRAM traffic", "mean(dram_bytes[tracker] / dram_bytes[base]) <= 0.85",
     "0.83", 1, "0.84"),
    ("2", "Sec. 4 <b>", "lbm gains most", "argmin(dram_bytes[tracker]) is lbm", "lbm", 0, "stencil & others"),
    ("3", "Fig. 4.2", "it costs no energy", "max(energy) < 2", "", None, "spmv on 1MiB, tracker is missing"),
]


def add_study(db, number, name, workloads, machines):
    db.execute("INSERT INTO study VALUES(?, ?, ?, ?, ?, ?, ?)",
               (number, name, f"The study of {name} <i>&amp;", "A. Author: \"A paper\", 2011", "title: x\n", "0" * 16,
                "0.1.0 build 0123456789abcdef"))
    for i, label in enumerate(workloads):
        db.execute("INSERT INTO workload VALUES(?, ?, ?, ?, ?, ?)",
                   (10 * number + i, number, label, i, f"{label}.cu --n 64", "1" * 16))
    for i, machine in enumerate(machines):
        description = DESCRIPTION.format(l2=machine[0], tracker=str(machine[1] == "tracker").lower())
        db.execute("INSERT INTO machine VALUES(?, ?, ?, ?, ?, ?, ?)",
                   (10 * number + i, number, label_of(machine), i,
                    json.dumps({"l2": machine[0], "mechanism": machine[1]}), description, "2" * 16))


# Points come in the order in which workers finish: the page does not show it.
def add_points(db, number, workloads, machines, backwards):
    points = [(w, m) for w in range(len(workloads)) for m in range(len(machines))]
    for i, (w, m) in enumerate(reversed(points) if backwards else points):
        if (number, w, m) == (1, 2, 3):
            continue  # not reached
        failed = (number, w, m) == (1, 2, 1)
        point = 100 * number + i
        db.execute("INSERT INTO point VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                   (point, number, 10 * number + w, 10 * number + m, "failed" if failed else "done",
                    "error: gpu.tracker: <no room> & more" if failed else None, 0.25 + i,
                    None if failed else json.dumps(results(w, m))))
        if not failed:
            metrics = {"dram_bytes": 1000.0 * (w + 1) - 100 * m, "l1_energy": 2.5e6 + w, "l2_energy": 1.5e6 * (m + 1)}
            for name, value in metrics.items():
                db.execute("INSERT INTO metric VALUES(?, ?, ?)", (point, name, value))


FAULTS = {
    "foreign": "PRAGMA application_id = 7",
    "newer": "PRAGMA user_version = 2",
    "older": "PRAGMA user_version = 0",
    "no-points": "DELETE FROM point",
    "no-table": "DROP TABLE claim",
    "bad-results": "UPDATE point SET results = '{]' WHERE id = 101",
    "odd-results": "UPDATE point SET results = '{}' WHERE id = 101",
    "bad-figure": "UPDATE figure SET specification = '{}' WHERE id = '4.1'",
    "bad-machine": "UPDATE machine SET description = 'a: [' WHERE id = 11",
    "not-utf-8": "UPDATE workload SET label = CAST(x'ff41' AS TEXT) WHERE id = 10",
    "unknown-machine": "UPDATE figure SET specification = replace(specification, '1MiB, base', 'nowhere') WHERE id = '4.3'",
    "lost-machine": "DELETE FROM machine WHERE id = 13",
}


def make(path, faults=(), backwards=False):
    db = sqlite3.connect(path)
    db.executescript(SCHEMA)
    add_study(db, 1, "sharing", WORKLOADS, MACHINES)
    add_study(db, 2, "tiny", WORKLOADS[:1], MACHINES[:1])
    add_points(db, 1, WORKLOADS, MACHINES, backwards)
    add_points(db, 2, WORKLOADS[:1], MACHINES[:1], backwards)
    for i, (name, title) in enumerate((("dram_bytes", "DRAM bytes"), ("l1_energy", "L1"), ("l2_energy", "L2"))):
        db.execute("INSERT INTO metric_definition VALUES(1, ?, ?, 'x', ?, '')", (name, i, title))
    for i, claim in enumerate(CLAIMS):
        db.execute("INSERT INTO claim VALUES(1, ?, ?, ?, ?, ?, ?, ?, ?)", (claim[0], i, *claim[1:]))
    for i, (name, title, specification) in enumerate(figures()):
        db.execute("INSERT INTO figure VALUES(1, ?, ?, ?, ?)", (name, i, title, specification))
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute(f"PRAGMA user_version = {VERSION}")
    for fault in faults:
        db.execute(FAULTS[fault])
    db.commit()
    db.close()


if __name__ == "__main__":
    make(sys.argv[1], sys.argv[2:])
