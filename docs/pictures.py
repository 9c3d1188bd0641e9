"""Draw the pictures of the documentation anew: `python docs/pictures.py`, or `make pictures`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import multibond as mb
from multibond import spatial as sp
from multibond.examples import EXAMPLES, disc, sliding_swing
from multibond.statespace.drift import drift
from multibond.view.draw import draw, format_of

FOLDER = Path(__file__).parent / "pictures"


def still() -> Any:
    """A moment of a four-bar linkage with what its joints hold and what acts on it."""
    run = mb.simulate(EXAMPLES["four_bar"](), 1.0)
    return run.animate(forces=True, constraints=True, title="four bars after 0.4 s").picture(0.4)


def body(points: int) -> mb.Model:
    """A body on a hinge with other points where something is fixed to it: one centre, a rod to each further point."""
    model = mb.Model(f"body with {points} points")
    world, hinge = model.add(sp.World()), model.add(sp.Revolute("hinge"))
    bar = model.add(sp.Body("bar", mass=1.0, inertia=(0.1, 0.2, 0.2), centre=(0.5, 0.0, 0.0)))
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, bar.frame)
    for k in range(2, points + 1):
        rod = model.add(sp.Rod(f"to_point_{k}", (0.3 * k, 0.1 * k, 0.0)))
        model.connect(bar.frame, rod.frame_a)
    return model


def motor_on_body() -> mb.Model:
    """A motor that acts on one of a body's three angular velocities (Tiernego & Bos, Fig. 3)."""
    model = mb.Model("motor on a body")
    current, gyrator = model.add(mb.One("current")), model.add(mb.GY("motor", 0.05))
    model.bond(mb.Se("battery", 12.0), current)
    model.bond(current, mb.R("winding", 1.0))
    model.bond(current, gyrator)
    shaft, axes, spin = (
        model.add(mb.One("shaft")),
        model.add(mb.DirectSum("axes", 1, 2)),
        model.add(mb.One("w", size=3)),
    )
    model.bond(gyrator, shaft)
    model.bond(shaft, axes.part_1)
    model.bond(mb.Se("no_torque", (0.0, 0.0)), axes.part_2)
    model.bond(axes.whole, spin)
    model.bond(spin, mb.I("rotor", (0.1, 0.2, 0.25)))
    model.bond(spin, mb.EulerGyrator("gyroscopic", (0.1, 0.2, 0.25)))
    return model


def conflict() -> mb.Model:
    """Two sources that set the same speed."""
    model = mb.Model("two drives on one slider")
    slider = model.add(mb.One("slider"))
    model.bond(mb.Sf("drive", 1.0), slider)
    model.bond(mb.Sf("wall", 0.0), slider)
    model.bond(slider, mb.R("friction", 2.0))
    return model


def causal_path() -> str:
    """The shortest way from the battery to the capacitor's voltage."""
    model = EXAMPLES["rlc"]()
    return draw(model, kind="causal", highlight=mb.paths(model, "battery", "capacitor.e")[0])


def algebraic_loop() -> str:
    """An algebraic loop in the four transformers of the disc with a sliding mass."""
    model = disc(scalar=True)
    return draw(model, kind="causal", highlight=mb.causality(model).algebraic_loops[0])


def inverse_drive() -> str:
    """A motor whose speed is given and whose voltage is sought."""
    model = mb.Model("drive")
    current, speed, motor = model.add(mb.One("current")), model.add(mb.One("speed")), model.add(mb.GY("motor", 0.7))
    model.bond(mb.Se("battery", 0.0), current)
    model.bond(current, mb.I("coil", 0.2))
    model.bond(current, mb.R("winding", 1.2))
    model.bond(current, motor)
    model.bond(motor, speed)
    model.bond(speed, mb.I("rotor", 0.9))
    model.bond(speed, mb.R("friction", 0.3))
    return mb.invert(model, given={"rotor.f": "tanh(t)**3"}, unknown="battery").draw()


def power_at_a_time() -> str:
    """The circuit while its capacitor is charged and its coil gives back."""
    return mb.simulate(EXAMPLES["rlc"](), 3.0).power_flow(at=0.9).text()


def mean_power() -> str:
    """Where the drive's power goes in the first two seconds of the slider crank."""
    return mb.simulate(EXAMPLES["slider_crank"](), 2.0).power_flow(average=True).text()


def _example(name: str, **options: Any) -> Callable[[], str]:
    return lambda: draw(EXAMPLES[name](), **options)


def _own(make: Callable[[], mb.Model], **options: Any) -> Callable[[], str]:
    return lambda: draw(make(), **options)


SCALAR = {"kind": "causal", "depth": 3, "simple": True, "signals": False}
"""Forms with scalar bonds, as one would draw them by hand."""
TABLE_1 = {
    f"pendulum-{bonds}-{method}.svg": _example("pendulum", method=method, **options)
    for bonds, options in (("vector", {"kind": "causal", "depth": 2}), ("scalar", SCALAR))
    for method in ("zcp", "rc", "multiplier")
} | {"pendulum-scalar-minimal.svg": _example("pendulum", method="minimal", **SCALAR)}
"""The seven forms of Boudon et al. (2017), Table 1: whatever graph a form is, it is drawn in the same way."""

LARGE = {
    "slider_crank-minimal.svg": _example("slider_crank", kind="causal", method="minimal", signals=False),
    "slider_crank-multibond.svg": _example("slider_crank", kind="causal", depth=2),
}
PICTURES: dict[str, Callable[[], str]] = {
    "slider_crank-parts.svg": _example("slider_crank"),
    "pendulum-multibond.svg": _example("pendulum", depth=2),
    **TABLE_1,
    **LARGE,
    "rlc-multibond.svg": _example("rlc", kind="causal", variables=True),
    "rlc-path.svg": causal_path,
    "rlc-power.svg": power_at_a_time,
    "slider_crank-power.svg": mean_power,
    "rlc-blocks.svg": _example("rlc", kind="block"),
    "rlc.tex": _example("rlc", kind="causal", variables=True, format="tikz"),
    "disc-causal.svg": _example("disc", kind="causal"),
    "disc-loop.svg": algebraic_loop,
    "disc-blocks.svg": _example("disc", kind="block"),
    "rate_gyro-causal.svg": _example("rate_gyro", kind="causal"),
    "motor-direct-sum.svg": _own(motor_on_body, kind="causal"),
    "drive-inverse.svg": inverse_drive,
    "conflict.svg": _own(conflict, kind="causal"),
    "body-1-point.svg": _own(lambda: body(1), kind="multibond"),
    "body-2-points.svg": _own(lambda: body(2), kind="multibond"),
    "body-3-points.svg": _own(lambda: body(3), kind="multibond"),
}
"""Every picture by its file name."""


FIGURES: dict[str, Callable[[Path], object]] = {
    "statespace_drift.png": lambda path: drift(sliding_swing(), 30.0, rtol=1e-6).plot(path),
    "animation.png": lambda path: still().save(path),
}
"""Plots and pictures of runs, by file name."""


def main() -> None:
    """Write all pictures."""
    for name, make in PICTURES.items():
        target = FOLDER / name
        target.write_text(make(), encoding="utf-8")
        print(f"{format_of(target)}  {target.relative_to(FOLDER.parent)}")
    for name, plot in FIGURES.items():
        plot(FOLDER / name)
        print(f"png  {(FOLDER / name).relative_to(FOLDER.parent)}")


if __name__ == "__main__":
    main()
