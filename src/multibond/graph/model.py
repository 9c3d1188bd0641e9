"""The one builder: a model takes commands, each with an inverse, and freezes when compiled.

    >>> m = Model("drive")
    >>> i = m.add(One("current"))
    >>> m.bond(Se("battery", 12.0), i)

The contents are an immutable `Sheet`; a command turns one sheet into the next. Undo replays the inverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, overload

from multibond.border import public
from multibond.errors import Finding, ModelError, WiringError, raise_findings, unknown_name, with_article
from multibond.formula import Formula
from multibond.formula.tree import shared
from multibond.graph.component import Component, Element, Kind
from multibond.graph.compound import changed, owners
from multibond.graph.edge import At, Connection, PowerBond, SignalLink, without
from multibond.graph.ends import (
    as_given,
    bare_port,
    is_name,
    misfits,
    no_bonds,
    no_signals,
    title_faults,
    to_make,
    unconnectable,
)
from multibond.graph.expressions import require_name, values_of
from multibond.graph.opened_frames import frames_among
from multibond.graph.port import Port, PortRef
from multibond.graph.sharing import renewed, with_shared, with_value, without_shared
from multibond.graph.sheet import Library, Sheet, Submodel


@dataclass(frozen=True)
class Command:
    """A change of the sheet and the sheet before it: applying and undoing are both exact."""

    verb: str
    before: Sheet
    after: Sheet

    @property
    def inverse(self) -> Command:
        """The command that takes this one back."""
        return Command(f"undo {self.verb}", self.after, self.before)


@public
class Model:
    """A machine under construction: parts or elements, and how they are joined.

    name: used in files and drawings. size: number of components of bonds that nothing else fixes (1 for scalar graphs).
    """

    def __init__(self, name: str = "model", *, size: int | None = None) -> None:
        if size is not None and (size != int(size) or size < 1):
            fact = "It is the number of components of its bonds."
            raise ModelError(Finding(f"the size of {name!r} cannot be {size!r}.", fact, "Give 1, 2, 3 and so on."))
        self.name = name
        self.size = size
        self.sheet = Sheet()
        self.library: Library | None = None
        self._done: list[Command] = []
        self._undone: list[Command] = []

    @property
    def name(self) -> str:
        """What the model is called in files and drawings."""
        return self._name

    @name.setter
    def name(self, text: str) -> None:
        raise_findings(ModelError, title_faults(text))
        self._name = text

    def __copy__(self) -> Self:
        """The same contents, with nothing to undo: what is done to one from now on is not done to the other."""
        made = type(self)(self.name, size=self.size)
        made.sheet, made.library = self.sheet, self.library
        return made

    # -- commands -------------------------------------------------------------------------------------------------

    @overload
    def add(self, item: Model, *, name: str | None = None) -> Submodel: ...

    @overload
    def add(self, item: Kind, *, name: str | None = None) -> Kind: ...

    def add(self, item: Any, *, name: str | None = None) -> Any:
        """Add a component, or a whole model as a part; returns it for use in `connect` and `bond`.

        name: another name than its own, as for a part used twice: `add(load("leg.mbg"), name="left")`.
        """
        part = item
        if isinstance(item, Model):
            part = Submodel(name or item.name, sheet=item.sheet, size=item.size, library=item.library)
        elif isinstance(item, Component) and name is not None:
            part = item.replace(name=name)
        if not isinstance(part, Component):
            raise ModelError(
                Finding(
                    f"{as_given(item)} cannot be added to {self.name!r}.",
                    "It is a class." if isinstance(item, type) else "It is no part and no element.",
                    to_make(item) or "Add parts, elements or models.",
                )
            )
        if self.sheet.number_of(part.name) is not None:
            raise ModelError(
                Finding(
                    f"{self.name!r} has two components named {part.name!r}.",
                    f"One is {self[part.name]!r}.",
                    "Give each its own name.",
                    (part.name,),
                )
            )
        sheet = self.sheet
        part = renewed(part, self.parameters, self.name)
        components = {**sheet.components, sheet.next_id: part}
        self._do("add", replace(sheet, components=components, next_id=sheet.next_id + 1))
        return part

    def connect(self, *ports: PortRef | str) -> None:
        """Join ports of one kind: frames, flanges, pins."""
        if len(ports) < 2:
            raise WiringError(
                Finding("connect needs at least two ports.", f"It was given {len(ports)}.", "Name both ends.")
            )
        ends = tuple(self._at(port) for port in ports)
        for at in ends:
            if not at.port:
                raise WiringError(self._which_port("connect", at))
        met, paths = [self._port(at) for at in ends], [self._path(at) for at in ends]
        elements = [isinstance(self.sheet.components[at.component], Element) for at in ends]
        raise_findings(WiringError, unconnectable(met, paths, elements) or misfits(met, paths))
        self._do("connect", replace(self.sheet, edges=(*self.sheet.edges, Connection(ends))))

    def bond(self, tail: Any, head: Any, *, size: int | None = None) -> None:
        """Bond tail to head, the half-arrow pointing to head. Elements not yet in the model are added."""
        ends = [self._bond_end(end) for end in (tail, head)]
        self._do("bond", replace(self.sheet, edges=(*self.sheet.edges, PowerBond(ends[0], ends[1], size))))

    def signal(self, source: PortRef | str, *targets: PortRef | str) -> None:
        """Lead a signal from an output to one or more inputs; `signal("sensor.value[1]", ...)` leads one component."""
        ends = (self._at(source, indexed=True), *(self._at(p) for p in targets))
        if not targets:
            raise WiringError(Finding("signal needs at least two ports.", "It was given 1.", "Name both ends."))
        self._require_signals("signal", ends)
        self._do("signal", replace(self.sheet, edges=(*self.sheet.edges, SignalLink(ends))))

    def equate(self, *ports: PortRef | str) -> None:
        """Make signals equal without saying which one is computed from which."""
        ends = tuple(self._at(p, indexed=k == 0) for k, p in enumerate(ports))
        if len(ports) < 2:
            raise WiringError(
                Finding("equate needs at least two ports.", f"It was given {len(ports)}.", "Name both ends.")
            )
        self._require_signals("equate", ends)
        self._do("equate", replace(self.sheet, edges=(*self.sheet.edges, SignalLink(ends, equality=True))))

    def parameter(self, name: str, value: Any) -> Formula:
        """A shared parameter of the model: a number with a name, for use in the parameters of many components.

        What comes back stands for the number in expressions. `set(name, value)` changes it and all that uses it;
        `with_parameters` does so without compiling. As a part of another model it is a parameter of that part.

        >>> L = m.parameter("L", 0.3)
        >>> m.add(Rod("rod", (2 * L, 0, 0)))
        """
        require_name(name, self.name)
        if name in self.sheet.shared:
            fact = f"It is {self.sheet.shared[name]}."
            cure = f"Change it: set({name!r}, ...)."
            raise ModelError(Finding(f"{self.name!r} has a parameter {name!r} already.", fact, cure, (name,)))
        self._do("parameter", with_shared(self.sheet, name, value, self.name))
        return self.shared(name)

    def shared(self, name: str) -> Formula:
        """A shared parameter as it stands in expressions."""
        if name not in self.parameters:
            raise unknown_name(f"Model {self.name!r}", name, self.parameters)
        return shared(name, self.parameters[name])

    def set(self, path: str, value: Any) -> None:
        """Change a parameter, also inside sub-models: `set("leg.mass", 2.0)`; a shared one by its name alone."""
        self._do("set", with_value(self.sheet, path, value, self.name))

    def rename(self, old: str, new: str) -> None:
        """Rename a component; its connections stay."""
        number = self._number(old)
        if self.sheet.number_of(new) is not None:
            raise ModelError(
                Finding(
                    f"{new!r} is taken in {self.name!r}.", "Names are unique within a model.", "Choose another.", (new,)
                )
            )
        twin = self.sheet.components[number].replace(name=new)
        layout = {new if name == old else name: place for name, place in self.sheet.layout.items()}
        own = {k: v for k, v in self.sheet.names.items() if old in owners(v)}
        names = self.sheet.names | {k: changed(v, lambda name: _renamed(name, old, new)) for k, v in own.items()}
        components = {**self.sheet.components, number: twin}
        self._do("rename", replace(self.sheet, components=components, layout=layout, names=names))

    def remove(self, name: str) -> None:
        """Remove a component and what ends at it; other ports that were connected through it stay connected.

        Also a shared parameter that nothing uses.
        """
        if name in self.sheet.shared and name not in self:
            return self._do("remove", without_shared(self.sheet, name, self.name))
        number = self._number(name)
        components = {k: c for k, c in self.sheet.components.items() if k != number}
        edges = tuple(e for e in (without(e, number) for e in self.sheet.edges) if e is not None)
        exposed = {k: at for k, at in self.sheet.exposed.items() if at.component != number}
        layout = {k: place for k, place in self.sheet.layout.items() if k != name}
        names = {k: v for k, v in self.sheet.names.items() if name not in owners(v)}
        origins = {k: v for k, v in self.sheet.origins.items() if k != number}
        frames = frames_among(self.sheet.frames, self.sheet.edges, components, {number})
        changed = {"components": components, "edges": edges, "exposed": exposed, "layout": layout, "names": names}
        self._do("remove", replace(self.sheet, **changed, origins=origins, frames=frames))

    def expose(self, name: str, port: PortRef | str) -> None:
        """Make a port of a component a port of this model, for use as a part of another."""
        if not is_name(name):
            fact = "Names are made of letters, digits, '_' and '-'; the dot separates levels."
            raise ModelError(Finding(f"{name!r} cannot be the name of a port.", fact, "Choose another name."))
        at = self._at(port)
        if not at.port:
            raise WiringError(self._which_port("expose", at))
        self._do("expose", replace(self.sheet, exposed={**self.sheet.exposed, name: at}))

    def place(self, name: str, x: float, y: float) -> None:
        """Say where a component is drawn."""
        self._number(name)
        self._do("place", replace(self.sheet, layout={**self.sheet.layout, name: (float(x), float(y))}))

    def undo(self) -> None:
        """Take the last command back."""
        if self._done:
            command = self._done.pop()
            self._undone.append(command)
            self.sheet = command.inverse.after

    def redo(self) -> None:
        """Do again what was taken back."""
        if self._undone:
            command = self._undone.pop()
            self._done.append(command)
            self.sheet = command.after

    # -- reading --------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Component:
        return self.sheet.components[self._number(name)]

    def how_to_change(self, name: Any) -> str:
        """How one gets another value, or another component, of a name."""
        item = name if isinstance(name, str) and name in self else "hip"
        return f"Parameters change by set('{item}.…', value), components by remove({item!r}) and add(...)."

    def how_to_read(self, name: str) -> str:
        """How one reads a component, which stands in brackets."""
        return f"Components stand in brackets: m[{name!r}]." if name in self else ""

    def _ipython_key_completions_(self) -> list[str]:
        return [item.name for item in self.components]

    def __contains__(self, name: str) -> bool:
        return self.sheet.number_of(name) is not None

    @property
    def parameters(self) -> dict[str, Any]:
        """The shared parameters and their numbers."""
        return values_of(self.sheet.shared, self.name)

    @property
    def components(self) -> tuple[Component, ...]:
        """All components in the order they were added."""
        return tuple(self.sheet.components.values())

    def __repr__(self) -> str:
        return f"Model {self.name!r}: {len(self.sheet.components)} components, {len(self.sheet.edges)} connections"

    # -- inside ---------------------------------------------------------------------------------------------------

    def _do(self, verb: str, after: Sheet) -> None:
        self._done.append(Command(verb, self.sheet, after))
        self._undone.clear()
        self.sheet = after

    def _number(self, name: str) -> int:
        number = self.sheet.number_of(name)
        if number is None:
            what = f": add({name} ...)" if isinstance(name, str) and is_name(name) else ""
            offer = f"Use one of these, or add it first{what}."
            raise unknown_name(f"Model {self.name!r}", name, (c.name for c in self.components), offer=offer)
        return number

    def _at(self, ref: PortRef | str | Component, *, indexed: bool = False) -> At:
        if isinstance(ref, Component):
            return At(self._number(ref.name))
        if isinstance(ref, str):
            name, dot, port = ref.rpartition(".")
            if not dot:
                return At(self._number(ref))
            ref = PortRef(name, port)
        if not isinstance(ref, PortRef):
            fact = "A parameter that is left out, or a value, stands where a port is meant."
            joint = "the signal of a joint's angle or place is its coordinate, such as 'hip.coordinate'"
            raise WiringError(Finding(f"{ref!r} is no port.", fact, f"Name a port, such as 'motor.flange'; {joint}."))
        number = self._number(ref.component)
        owner = self.sheet.components[number]
        if ref.origin is not None and ref.origin is not owner._origin:
            raise WiringError(self._stranger(ref, owner))
        if bare_port(ref.port, indexed=indexed) not in {p.name for p in owner.ports()}:
            raise unknown_name(f"{type(owner).__name__} {owner.name!r}", ref.port, (p.name for p in owner.ports()))
        return At(number, ref.port)

    def _bond_end(self, end: Any) -> At:
        if isinstance(end, PortRef) or (isinstance(end, str) and end not in self):
            at = self._at(end)
            if at.port:
                raise_findings(WiringError, no_bonds([self._port(at)], [self._path(at)]))
            return at
        end = self[end] if isinstance(end, str) else end
        if isinstance(end, Element):
            number = self.sheet.number_of(end.name)
            if number is None or self.sheet.components[number]._origin is not end._origin:
                self.add(end)  # refused where another component has this name
            return At(self._number(end.name))
        raise WiringError(
            Finding(
                f"{as_given(end)} cannot end a bond.",
                "Bonds end at elements or at power ports.",
                to_make(end) or "Use connect() for frames, flanges and pins.",
            )
        )

    def _stranger(self, ref: PortRef, owner: Component) -> Finding:
        """The fault of a port of a component that has the name of one of this model, and is another."""
        fact = f"{self.name!r} has {with_article(type(owner).__name__)} {owner.name!r} of its own."
        cure = f"Name the port from this model, m[{owner.name!r}].{ref.port}, or add that component under another name."
        return Finding(f"'{ref}' is the port of another model's component.", fact, cure, (owner.name,))

    def _require_signals(self, verb: str, ends: Sequence[At]) -> None:
        """Refuse ends that are no signals."""
        for at in ends:
            if not at.port:
                raise WiringError(self._which_port(verb, at))
        bare = [replace(at, port=bare_port(at.port, indexed=True)) for at in ends]
        raise_findings(WiringError, no_signals([self._port(at) for at in bare], [self._path(at) for at in ends]))

    def _which_port(self, verb: str, at: At) -> Finding:
        item = self.sheet.components[at.component]
        ports = ", ".join(f"{item.name}.{p.name}" for p in item.ports())
        return Finding(f"{verb} needs a port of {item.name!r}.", f"It has {ports}.", "Name one of these.", (item.name,))

    def _port(self, at: At) -> Port:
        return next(p for p in self.sheet.components[at.component].ports() if p.name == at.port)

    def _path(self, at: At) -> str:
        return f"{self.sheet.components[at.component].name}.{at.port}"


def _renamed(variable: str, old: str, new: str) -> str:
    """A variable of a component that got another name."""
    return new + variable.removeprefix(old) if variable.partition(".")[0] == old else variable
