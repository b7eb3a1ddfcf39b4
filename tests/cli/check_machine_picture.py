#!/usr/bin/env python3
"""The SVG of warpmem machine graph in headless Chromium, of every preset and of a machine with every
part: all text lies in its box or next to the wires, in both colour schemes with enough contrast.

usage: check_machine_picture.py SOURCE BUILD [FOLDER]. Leaves pictures in FOLDER, if it is given. Exit
status 77: skipped, with the reason.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("", "cli")]
import browser
import sanitized

EVERYTHING = ["gpu.tracker.present=true", "gpu.tracker.sms_each=8", "gpu.tracker.sets=512",
              "gpu.interconnect.topology=butterfly", "gpu.tlb.present=true", "gpu.tlb.l2_entries=65536",
              "gpu.constant.present=true", "gpu.constant.line=32B", "gpu.texture.present=true",
              "gpu.texture.line=32B", "gpu.scalar.present=true", "gpu.scalar.line=32B",
              "gpu.scalar.loads=read-only", "gpu.instruction.present=true",
              "gpu.instruction.line=32B", "gpu.instruction.sms_each=5", "gpu.l2.atomic_buffer=64"]

# What does not fit: text that reaches over its box's border, or of no box over one or the image's edge.
MISFITS = """(() => {
  const area = e => { const b = e.getBBox(); return {l: b.x, t: b.y, r: b.x + b.width, b: b.y + b.height}; };
  const boxes = [...document.querySelectorAll('.box')].map(area), image = area(document.querySelector('.paper'));
  const holds = (o, i) => o.l + 4 <= i.l && i.r + 4 <= o.r && o.t <= i.t && i.b <= o.b;
  const meets = (a, b) => a.l < b.r && b.l < a.r && a.t < b.b && b.t < a.b;
  return [...document.querySelectorAll('text')].filter(e => {
    const text = area(e), met = boxes.filter(b => meets(b, text));
    return !holds(image, text) || met.length > 1 || met.length && !holds(met[0], text) ||
           e.classList.contains('rate') == met.length > 0;
  }).map(e => e.textContent);
})()"""
# Colours of the texts and of what they lie on, as [red, green, blue].
COLOURS = """(() => {
  const rgb = (e, what) => getComputedStyle(e)[what].match(/\\d+/g).slice(0, 3).map(Number);
  const paper = rgb(document.querySelector('.paper'), 'fill'), box = rgb(document.querySelector('.box'), 'fill');
  return [...document.querySelectorAll('text')].map(
    e => [rgb(e, 'fill'), e.classList.contains('rate') ? paper : box, parseFloat(getComputedStyle(e).fontSize)]);
})()"""


def light(colour):
    parts = [v / 255 for v in colour]
    parts = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return sum(v * share for v, share in zip(parts, (0.2126, 0.7152, 0.0722)))


def contrast(a, b):
    """WCAG 2.2, "contrast ratio"."""
    lights = sorted((light(a), light(b)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def look(page, path, name, pictures):
    page.open(path.as_uri())
    papers = []
    for scheme in ("light", "dark"):
        page.look(760, 1200, scheme)
        misfits = page.value(MISFITS)
        assert misfits == [], f"{name}, {scheme}: does not fit: {misfits}"
        colours = page.value(COLOURS)
        assert len(colours) >= 8, f"{name}: {len(colours)} texts"
        worst = min(contrast(text, behind) for text, behind, _ in colours)
        assert worst >= 4.5, f"{name}, {scheme}: a contrast of {worst:.1f}"
        assert min(size for _, _, size in colours) >= 13, f"{name}: small text"
        papers.append(light(colours[0][1]))
        if pictures:
            page.screenshot(Path(pictures) / f"{name}-{scheme}.png")
    assert papers[0] > 0.8 > 0.1 > papers[1], f"{name}: boxes do not follow the scheme: {papers}"


def check_can_fail(page, path):
    """The checks see a text that is too long, and one that cannot be read."""
    page.open(path.as_uri())
    page.look(760, 1200, "light")
    page.value("document.querySelector('.fact').textContent = 'wide '.repeat(40)")
    assert len(page.value(MISFITS)) == 1, "a text across its box is not seen"
    page.value("document.querySelector('.title').style.fill = '#dddddd'")
    assert min(contrast(a, b) for a, b, _ in page.value(COLOURS)) < 4.5, "a pale text is not seen"


def main(source, build, pictures=None):
    if not browser.installed():
        print("skipped: chromium is not installed (Debian: apt-get install chromium)")
        return 77
    warpmem = Path(build).resolve() / "src/cli/warpmem"
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **sanitized.variables(warpmem)}
    machines = {path.stem: [path.stem] for path in sorted((Path(source) / "machines").glob("*.yaml"))}
    for path in [*sorted((Path(source) / "machines/examples").glob("*.yaml")), Path(source) / "tests/cli/chains.yaml"]:
        machines[path.stem] = [path]
    machines["everything"] = ["anssari", *(word for key in EVERYTHING for word in ("--set", key))]
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as page:
        for name, words in machines.items():
            path = Path(folder) / f"{name}.svg"
            subprocess.run([warpmem, "machine", "graph", *words, "--svg", path], check=True,
                           stdout=subprocess.DEVNULL, env=environment)
            look(page, path, name, pictures)
        check_can_fail(page, path)
        assert page.complaints == [], page.complaints
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
