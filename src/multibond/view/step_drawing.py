"""Strokes put one after the other: the drawing after a step, and one page that plays all of them.

The layout is that of the finished drawing, so nothing moves from step to step. Bonds without stroke yet are plain; the
newest stroke and the element that puts it are highlighted, and its reason stands below.
"""

from __future__ import annotations

from dataclasses import replace

from multibond.errors import Finding, ModelError
from multibond.structure.reasons import Step
from multibond.view import ink
from multibond.view.framed import framed
from multibond.view.geometry import BOTH, HEAD, NEITHER, TAIL, bond_shape
from multibond.view.legend import inked
from multibond.view.marks import Cluster, Drawing, Line, Mark
from multibond.view.scene import BondLine, Scene
from multibond.view.svg import to_svg

Lane = tuple[str, int]


def scene_at(scene: Scene, steps: tuple[Step, ...], number: int) -> Scene:
    """A finished drawing as it was after some steps; 0 is before the first."""
    if not 0 <= number <= len(steps):
        fact = f"The strokes are put in {len(steps)} steps."
        raise ModelError(Finding(f"there is no step {number!r}.", fact, f"Choose one of 0 to {len(steps)}."))
    done, last = steps[:number], number == len(steps)
    shown = {(step.bond, k) for step in done for k in step.components}
    newest = done[-1] if done else None
    bonds = tuple(_lit(_partly(line, shown), newest) for line in scene.bonds)
    nodes = tuple(
        replace(node, lit=newest is not None and node.path == newest.by, warning=node.warning if last else "")
        for node in scene.nodes
    )
    note = f"{number} of {len(steps)}: {_told(newest)}" if newest else f"0 of {len(steps)}: no stroke is put yet."
    return replace(scene, bonds=bonds, nodes=nodes, note=note, remark=scene.remark if last else "")


def _told(step: Step) -> str:
    """The sentence of a step without its number."""
    return str(step).partition(". ")[2]


def _partly(line: BondLine, shown: set[Lane]) -> BondLine:
    """A bond with the strokes of some components only."""
    ends = tuple(end if (line.name, k) in shown else NEITHER for k, end in enumerate(_ends(line)))
    shape = bond_shape(line.shape.path, line.size, ends if any(ends) else ())
    late = tuple(k for k in line.late if (line.name, k) in shown)
    wrong = tuple(k for k in line.wrong if (line.name, k) in shown)
    return replace(line, shape=shape, late=late, wrong=wrong, lit=())


def _ends(line: BondLine) -> list[int]:
    """For each component the ends at which a stroke stands."""
    found = [NEITHER] * line.size
    for stroke in line.shape.strokes:
        for k in stroke.components:
            found[k] |= {TAIL: TAIL, HEAD: HEAD}.get(stroke.end, BOTH)
    return found


def _lit(line: BondLine, step: Step | None) -> BondLine:
    return replace(line, lit=step.components) if step is not None and step.bond == line.name else line


# -- all steps on one page ---------------------------------------------------------------------------------------------


def page(scene: Scene, steps: tuple[Step, ...]) -> str:
    """One self-contained HTML page with buttons to go through the steps: one drawing, with the strokes in layers."""
    texts = ["No stroke is put yet.", *(_told(step) for step in steps)]
    return framed("steps", scene.title, {"texts": texts}, to_svg(_layered(scene, steps)))


def _layered(scene: Scene, steps: tuple[Step, ...]) -> Drawing:
    """The drawing with one layer for the strokes of a bond from step to step, and one for what each step lights up."""
    whole = inked(scene)
    marks = [_plain(mark) for mark in whole.marks]
    first = next((k for k, mark in enumerate(marks) if _is_bond(mark)), len(marks))
    after = next((k + 1 for k in range(len(marks) - 1, -1, -1) if _is_bond(marks[k])), first)
    below = [_newest(scene, step) for step in steps]
    above = [layer for line in scene.bonds for layer in _layers(line, steps)]
    return replace(whole, marks=(*marks[:first], *below, *marks[first:after], *above, *marks[after:]))


def _is_bond(mark: Mark) -> bool:
    return isinstance(mark, Cluster) and mark.kind == "bond"


def _plain(mark: Mark) -> Mark:
    """A bond without its strokes; all other marks as they are."""
    if not (isinstance(mark, Cluster) and mark.kind == "bond"):
        return mark
    return replace(mark, marks=tuple(m for m in mark.marks if not (isinstance(m, Line) and m.kind == "stroke")))


def _newest(scene: Scene, step: Step) -> Cluster:
    """What a step lights up: the components of a bond, and the element that puts the stroke."""
    lines = [m for line in scene.bonds if line.name == step.bond for m in ink.lit_bond(_lit(line, step))]
    nodes = [ink.lit_node(replace(node, lit=True)) for node in scene.nodes if node.path == step.by]
    return Cluster("layer", f"{step.number} {step.number + 1}", tuple(m for m in (*lines, *nodes) if m is not None))


def _layers(line: BondLine, steps: tuple[Step, ...]) -> list[Cluster]:
    """The strokes of a bond: for each step at which they change, those that stand until the next change."""
    own = [step for step in steps if step.bond == line.name]
    found = []
    for k, step in enumerate(own):
        shown = {(line.name, j) for earlier in own[: k + 1] for j in earlier.components}
        until = own[k + 1].number if k + 1 < len(own) else len(steps) + 1
        strokes = [m for m in ink.bond(_partly(line, shown)).marks if isinstance(m, Line) and m.kind == "stroke"]
        found.append(Cluster("layer", f"{step.number} {until}", tuple(strokes)))
    return found
