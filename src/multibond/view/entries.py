"""The palette: every type, a user's own included, as plain data that JSON can hold.

One entry has what a shelf of parts shows (group, letters, a line of story, an icon), what a form asks for (parameters),
and what a sheet needs to put the thing down and wire it up (values to begin with, ports).
"""

from __future__ import annotations

import json
from dataclasses import MISSING, replace
from inspect import cleandoc
from typing import Any

import numpy as np

from multibond import elements
from multibond.catalogue import CATALOGUE, apart, elsewhere, with_types
from multibond.errors import unknown_name
from multibond.graph.component import Component, Element, Parameter
from multibond.graph.port import FramePort, PlanarFramePort, Port, SignalPort
from multibond.graph.values import declared
from multibond.view import ink
from multibond.view.geometry import Box
from multibond.view.marks import Drawing
from multibond.view.scene import Node, part_size
from multibond.view.specimen import given_values, specimen
from multibond.view.svg import to_svg
from multibond.view.words import node_of, size_of

Entry = dict[str, Any]


def palette(types: Any = None) -> list[Entry]:
    """An entry for every type, in order of groups; types: modules or classes of one's own, as for `load`.

    type, group, code (its letters in drawings), kind ("element" or "part"), story (one line), doc (all of it);
    parameters: name, unit, default (null where there is none), needed, shape ([] one number, [3] three, null any, or a
    word), sign, structural, start, live, formula (the variables it may use); values: those to begin with;
    ports of a component with these values (null where none could be guessed): name, kind ("power", "signal" or
    "frame"), size (null: as connected), domain, direction, optional; icon: SVG.

    >>> palette(my_parts)[-1]["type"]
    'my_parts.Motor'
    """
    known = with_types(types)
    found = [_entry(name, kind) for name, kind in known.items()]
    order = list(dict.fromkeys(entry["group"] for entry in found))
    return sorted(found, key=lambda entry: order.index(entry["group"]))


def named_entries(found: list[Entry], name: str) -> list[Entry]:
    """The entries of one name, with its library (`spatial.Revolute`) or without."""
    chosen = [entry for entry in found if name in (entry["type"], entry["type"].rpartition(".")[2])]
    if not chosen:
        known = [entry["type"].rpartition(".")[2] for entry in found]
        offer = apart(name) or "`multibond palette` lists all types."
        raise unknown_name("the palette", name, dict.fromkeys(known), offer=offer, meant=elsewhere(name))
    return chosen


def spoken(entry: Entry) -> str:
    """An entry as text: what it is, its ports, its parameters with unit and default."""
    ports = [f"  {port['name']}: {_port_kind(port)}" for port in entry["ports"] or ()]
    values = [f"  {about['name']}{_unit(about)}: {_default(about)}" for about in entry["parameters"]]
    lines = [entry["type"], *(f"  {line}".rstrip() for line in entry["doc"].splitlines())]
    return "\n".join([*lines, *(["ports", *ports] if ports else []), *(["parameters", *values] if values else [])])


def _port_kind(port: Entry) -> str:
    if port["kind"] == "signal":
        return f"signal {port['direction']}{', may stay open' if port['optional'] else ''}"
    return port["kind"] if "frame" in port["kind"] else port["domain"]


def _unit(about: Entry) -> str:
    return f"  [{about['unit']}]" if about["unit"] else ""


def _default(about: Entry) -> str:
    if about["needed"]:
        return "needed"
    return "may be left out" if about["default"] in (None, "") else f"{json.dumps(about['default'])} if left out"


def _entry(name: str, kind: type[Component]) -> Entry:
    item = specimen(kind)
    text = doc_of(kind)
    return {
        "type": name,
        "group": _group(name, kind),
        "code": kind.code or kind.__name__,
        "kind": "element" if issubclass(kind, Element) else "part",
        "story": text.partition("\n")[0],
        "doc": text,
        "parameters": [_parameter(word, *declared(kind)[word]) for word in _own_first(kind)],
        "values": {} if item is None else given_values(item),
        "ports": None if item is None else [_port(port) for port in item.ports()],
        "icon": icon(kind, item),
    }


def _own_first(kind: type[Component]) -> list[str]:
    """The names of all parameters; those that every element has (size, split, role) come last."""
    return sorted(declared(kind), key=lambda name: kind.__dataclass_fields__[name].kw_only)


def doc_of(kind: type[Component]) -> str:
    """The docstring of a class; nothing where Python has made one of its own."""
    text = cleandoc(kind.__doc__ or "")
    return "" if text.startswith(f"{kind.__name__}(name:") else text


def icon(kind: type[Component], item: Component | None) -> str:
    """A component of a type as it is drawn, without its name, as SVG; a framed word where there is none."""
    if item is None:
        node = Node("", kind.__name__, "", Box(0.0, 0.0, *part_size(kind.__name__, "")), "part")
    else:
        node = replace(node_of(item, Box(0.0, 0.0, *size_of(item))), name="")
    return to_svg(Drawing(node.code, node.box.grown(3.0), (ink.node(node),)))


def _group(name: str, kind: type[Component]) -> str:
    """The library of a type, or where it stands without one."""
    if "." in name:
        return name.partition(".")[0]
    if CATALOGUE.get(name) is not kind:
        return "own"
    return "kinematics" if kind in elements.KINEMATIC else "elements"


def _parameter(name: str, about: Parameter, default: Any) -> Entry:
    return {
        "name": name,
        "unit": about.unit,
        "default": None if default is MISSING else _plain(default),
        "needed": default is MISSING,
        "shape": list(about.shape) if isinstance(about.shape, tuple) else about.shape,
        "sign": about.sign,
        "structural": about.structural,
        "start": about.start,
        "live": about.live,
        "formula": list(about.formula),
    }


def _plain(value: Any) -> Any:
    """A default as JSON can hold it."""
    return value if value is None or isinstance(value, str | bool) else np.asarray(value).tolist()


def _port(port: Port) -> Entry:
    if isinstance(port, PlanarFramePort):
        return _told(port.name, "planar frame", 3, "mechanics", "either")
    if isinstance(port, FramePort):
        return _told(port.name, "frame", 6, "mechanics", "either")
    if isinstance(port, SignalPort):
        return _told(port.name, "signal", port.size, "signal", port.direction, port.optional)
    return _told(port.name, "power", port.size, port.domain.name, "in" if port.inward else "out")


def _told(name: str, kind: str, size: int | None, domain: str, direction: str, optional: bool = False) -> Entry:
    return {
        "name": name,
        "kind": kind,
        "size": size,
        "domain": domain,
        "direction": direction,
        "optional": optional,
    }


__all__ = ["doc_of", "icon", "named_entries", "palette", "spoken"]
