#!/usr/bin/env python3
"""The check of the list of faults finds what is wrong with one. usage: test_plant_faults.py ROOT"""
import contextlib
import copy
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import plant_faults  # noqa: E402

LISTED = plant_faults.kinds()


def with_change(change):
    changed = copy.deepcopy(LISTED)
    change({kind["name"]: kind for kind in changed})
    plant_faults.kinds = lambda: changed


def expect(what, found):
    found = list(found)
    assert len(found) == 1 and what in found[0], (what, found)


def check_list(root):
    with_change(lambda kinds: kinds["bypass"]["fault"][0].update(old="no such text"))
    expect('the place of "none.decide" is there 0 times', plant_faults.check_places(root))
    with_change(lambda kinds: kinds["bypass"]["fault"][0].update(new=LISTED[1]["fault"][0]["old"]))
    expect('the place of "none.decide"', plant_faults.check_places(root))
    with_change(lambda kinds: kinds["bypass"]["fault"].pop(0))
    expect("bypass: no fault breaks none.decide", plant_faults.check_hooks(root))
    with_change(lambda kinds: kinds["bypass"]["fault"][0]["of"].append("none.guess"))
    expect('"none.guess" is no hook', plant_faults.check_hooks(root))
    with_change(lambda kinds: kinds["warp scheduler"].update(fault=[
        fault for fault in kinds["warp scheduler"]["fault"] if "two-level.limit" not in fault["of"]]))
    expect("no fault breaks two-level.limit", plant_faults.check_hooks(root))


def check_lists():
    plant_faults.kinds = lambda: [{"name": "small", "ops": "wm_small_ops", "entries": "src/small",
                                   "fault": []}]
    with tempfile.TemporaryDirectory() as folder:
        entries = Path(folder) / "src/small"
        entries.mkdir(parents=True)
        (entries / "entries.h").write_text("#define WM_SMALLS(X) X(one)\n")
        for name in ("one", "two"):
            (entries / f"{name}.c").write_text(f"const struct wm_small_ops wm_small_{name} = {{\n}};\n")
        expect("src/small/two.c defines wm_small_two, and the list in src/small/ lacks X(two)",
               plant_faults.check_lists(Path(folder)))


PROJECT = """project('planted', 'c')
test('good', executable('good', 'good.c'))
"""


# A project of one test, which sees one fault of three.
def check_planting():
    plant_faults.kinds = lambda: [{"name": "small", "tests": ["good"], "fault": [
        {"of": ["rule: seen"], "file": "good.c", "old": "return 0", "new": "return 1"},
        {"of": ["rule: not seen"], "file": "good.c", "old": "int unused = 1", "new": "int unused = 2"},
        {"of": ["rule: no C"], "file": "good.c", "old": "return 0", "new": "return 0 +"}]}]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        root.mkdir()
        (root / "meson.build").write_text(PROJECT)
        (root / "good.c").write_text("int unused = 1;\nint main(void)\n{\n    return 0;\n}\n")
        for words in (["init", "-q"], ["add", "."]):
            subprocess.run(["git", "-C", root, *words], check=True)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            assert plant_faults.main(root, Path(folder) / "work", []) == 1
        for line in (r"rule: seen +caught by good", r"rule: not seen +NOT CAUGHT",
                     r"rule: no C +does not build: error", r"3 faults, 1 caught"):
            assert re.search(line, said.getvalue()), said.getvalue()
        assert plant_faults.main(root, Path(folder) / "work", ["another"]) == 0
        assert "return 0" in (Path(folder) / "work/good.c").read_text()


if __name__ == "__main__":
    check_list(Path(sys.argv[1]))
    check_lists()
    check_planting()
