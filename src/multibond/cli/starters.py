"""The small model that `multibond new` writes, as YAML, as .mbg data or as Python."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from multibond.errors import FileError, Finding
from multibond.export.place import put_text, require_place, unknown_ending

YAML = """\
# A pendulum: a rod that hangs from a hinge.
#   multibond run {file} --until 5 --plot hinge.angle
#   multibond check {file}            (tells every fault)
#   multibond palette                 (lists all types)
#   multibond palette Revolute        (tells ports, parameters and units of one)
format: multibond
version: 1
name: {name}
components:
  - name: world
    type: spatial.World           # gravity 9.81 m/s^2 along -y
  - name: hinge
    type: spatial.Revolute
    parameters:
      axis: z                     # x, y, z or three numbers
      angle: 0.5                  # at the start, rad
      damping: 0.05               # N.m.s/rad
  - name: rod
    type: spatial.Body
    parameters:
      mass: 1.0                   # kg
      inertia: [0.083, 0.001, 0.083]   # about its centre, kg.m^2
      centre: [0.0, -0.5, 0.0]    # from its frame, m
connections:
  - [world.frame, hinge.frame_a]
  - [hinge.frame_b, rod.frame]
"""

PYTHON = '''\
"""A pendulum: a rod that hangs from a hinge. Run it: python {file}"""

import multibond as mb
from multibond import spatial as sp

model = mb.Model("{name}")
world = model.add(sp.World())  # gravity 9.81 m/s^2 along -y
hinge = model.add(sp.Revolute("hinge", axis="z", angle=0.5, damping=0.05))  # rad, N.m.s/rad
rod = model.add(sp.Body("rod", mass=1.0, inertia=(0.083, 0.001, 0.083), centre=(0.0, -0.5, 0.0)))  # kg, kg.m^2, m
model.connect(world.frame, hinge.frame_a)
model.connect(hinge.frame_b, rod.frame)

if __name__ == "__main__":
    run = mb.simulate(model, 5.0)
    print(run)
    print("angle at the end:", run["hinge.angle"](5.0), "rad")
    run.plot("hinge.angle", path="{name}.png")
'''

ENDINGS = (".yaml", ".yml", ".mbg", ".json", ".py")


def write_starter(path: Path) -> None:
    """Write the starter in the format that the ending says."""
    target, suffix = require_place(path), path.suffix.lower()
    if suffix not in ENDINGS:
        raise unknown_ending(target, ENDINGS)
    name = target.stem
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        fact = "Names are made of letters, digits, '_' and '-', and begin with a letter."
        raise FileError(Finding(f"a model cannot be called {name!r}.", fact, "Choose another name for the file."))
    if suffix in (".mbg", ".json"):
        from multibond.graph.file import from_data, save

        return save(from_data(_data(name)), target)
    put_text(target, (PYTHON if suffix == ".py" else YAML).format(name=name, file=target.name))


def _data(name: str) -> dict[str, Any]:
    """The same as data, for the formats that hold no comments."""
    rod = {"mass": 1.0, "inertia": [0.083, 0.001, 0.083], "centre": [0.0, -0.5, 0.0]}
    return {
        "format": "multibond",
        "version": 1,
        "name": name,
        "components": [
            {"name": "world", "type": "spatial.World"},
            {"name": "hinge", "type": "spatial.Revolute", "parameters": {"axis": "z", "angle": 0.5, "damping": 0.05}},
            {"name": "rod", "type": "spatial.Body", "parameters": rod},
        ],
        "connections": [["world.frame", "hinge.frame_a"], ["hinge.frame_b", "rod.frame"]],
    }
