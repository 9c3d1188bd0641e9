"""The commands `robot` and `linearise`: what the equations of motion are in one state."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibond.cli.answers import say, told
from multibond.cli.opening import opened
from multibond.cli.options import AsJson, File, Set, With, changes

if TYPE_CHECKING:
    from multibond.solve.named import Named
    from multibond.solve.plant import Plant

At = Annotated[
    list[str] | None,
    typer.Option("--at", metavar="NAME=VALUE", callback=changes, help="Coordinate or speed; the start else. Repeat."),
]
Wanted = Annotated[
    list[str] | None,
    typer.Option(
        "--acceleration", metavar="JOINT=VALUE", callback=changes, help="Inverse dynamics for it; may be repeated."
    ),
]
Actuated = Annotated[list[str] | None, typer.Option(metavar="JOINT", help="Joints with drives, for inverse dynamics.")]
Frames = Annotated[list[str] | None, typer.Option("--frame", metavar="FRAME", help="Jacobian of a frame; repeat.")]
Tree = Annotated[bool, typer.Option("--tree", help="In the speeds of all joints of the tree, not of independent ones.")]
Reactions = Annotated[bool, typer.Option("--reactions", help="Forces and torques in all joints.")]
Inputs = Annotated[list[str] | None, typer.Option("--input", metavar="NAME", help="Parameter as an input; repeat.")]
Outputs = Annotated[list[str] | None, typer.Option("--output", metavar="NAME", help="Variable as an output; repeat.")]


def robot(
    file: File,
    at: At = None,
    acceleration: Wanted = None,
    actuated: Actuated = None,
    frame: Frames = None,
    reactions: Reactions = False,
    tree: Tree = False,
    settings: Set = None,
    modules: With = None,
    as_json: AsJson = False,
) -> None:
    """Tell M and h of M u' + h = τ in a state, the accelerations, and on request efforts, Jacobians, reactions."""
    with told(as_json):
        system = _compiled(file, settings, modules)
        x = system.state(_by_name(at))
        of = "tree" if tree else "independent"
        found: dict[str, Named] = {
            "mass_matrix": system.mass_matrix(x, of=of),
            "bias": system.bias(x, of=of),
            "drives": system.drives(x, of=of),
            "accelerations": system.accelerations(x),
        }
        if acceleration:
            found["inverse_dynamics"] = system.inverse_dynamics(x, _by_name(acceleration), actuated=actuated or None)
        for name in frame or ():
            found[f"jacobian {name}"] = system.jacobian(x, name, of=of)
            found[f"jacobian_rate {name}"] = system.jacobian_rate(x, name)
        pushed = _reactions(system, x) if reactions else {}
        facts = {name: value.to_dict() for name, value in found.items()}
        lines = [line for name, value in found.items() for line in _lines(name, value)]
        lines += [f"reaction {j}: force {_row(r['force'])}, torque {_row(r['torque'])}" for j, r in pushed.items()]
        say(as_json, facts | ({"reactions": pushed} if reactions else {}), *lines)


def _compiled(file: File, settings: Set, modules: With) -> Plant:
    from multibond.pipeline import compile

    return compile(opened(file, settings, modules))


def _by_name(given: Any) -> dict[str, Any]:
    """What the callback made of the options."""
    return dict(given or ())


def _row(values: list[float]) -> str:
    return f"({', '.join(f'{value:.6g}' for value in values)})"


def _reactions(system: Plant, x: Any) -> dict[str, Any]:
    found = system.reactions(x)
    return {j: {"force": r.force.tolist(), "torque": r.torque.tolist(), "unique": r.unique} for j, r in found.items()}


def linearise(
    file: File,
    at: At = None,
    inputs: Inputs = None,
    outputs: Outputs = None,
    settings: Set = None,
    modules: With = None,
    as_json: AsJson = False,
) -> None:
    """Linearise about a state: A, B, C, D of small motions, and their eigenvalues."""
    with told(as_json):
        from multibond.equations.household import state_entries

        system = _compiled(file, settings, modules)
        found = system.jacobians(_by_name(at), inputs=inputs or None, outputs=outputs or ())
        known = dict(zip(system.state_names, state_entries(system.dae), strict=True))
        lines = [line for name in "ABCD" for line in _lines(name, getattr(found, name), known)]
        values = ", ".join(f"{v.real:.6g}{v.imag:+.6g}j" for v in found.eigenvalues)
        say(as_json, found.to_dict(), *lines, f"eigenvalues: {values}")


def _lines(title: str, value: Named, known: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """A named vector or matrix as text; known: names that users know better."""
    if not value.names or (value.ndim == 2 and not value.columns):
        return []
    if value.ndim == 1:
        return [f"{title}:", *(f"  {name} = {v + 0.0:.9g}" for name, v in value.to_dict().items())]
    columns, names = ([known.get(name, name) for name in side] for side in (value.columns, value.names))
    width = max(12, *(len(name) + 2 for name in columns))
    side = max(len(name) for name in names) + 2
    lines = [f"{title}:", " " * side + "".join(name.rjust(width) for name in columns)]
    rows = zip(names, value.tolist(), strict=True)
    return lines + [name.ljust(side) + "".join(f"{v + 0.0:.5g}".rjust(width) for v in row) for name, row in rows]
