"""What a user holds: a model that opens and draws itself, a run that plots and animates itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multibond import pipeline
from multibond.arguments import Row
from multibond.errors import Finding, Interrupted, ModelError, SimulationError, unknown_name
from multibond.export.place import put_text, require_place, unknown_ending
from multibond.export.record import Record, Settings
from multibond.graph import file
from multibond.graph.collect import collect
from multibond.graph.component import Component
from multibond.graph.graph import Graph
from multibond.graph.model import Model as Builder
from multibond.interrupt import interruptible
from multibond.lower.system import System
from multibond.report import Item, Shown
from multibond.rewrite.method import METHODS, form_of
from multibond.rewrite.parasitic import Parasitic
from multibond.solve.options import require_possible
from multibond.solve.solution import Solution
from multibond.view.draw import draw
from multibond.view.progress import shown

if TYPE_CHECKING:
    from multibond.solve.accuracy import Accuracy, ErrorEstimate
    from multibond.structure.advice import Advice
    from multibond.structure.paths import CausalPath
    from multibond.view.animate import Animation
    from multibond.view.causality_report import CausalReport
    from multibond.view.comparison import Comparison
    from multibond.view.count import Count
    from multibond.view.equations import Equations
    from multibond.view.explain import Explanation
    from multibond.view.power_flow import PowerFlow


class Model(Builder):
    """A machine under construction: parts or elements, and how they are joined.

    name: used in files and drawings. size: number of components of bonds that nothing else fixes (1 for scalar graphs).

    >>> arm = Model("arm")
    """

    def open(self, path: str | None = None, *, depth: int = 2) -> Model:
        """The multibond graph inside, as a model of its own: of one part, or of everything.

        depth 2 keeps vector bonds, depth 3 unfolds them into scalar ones. A whole model runs at every depth.
        """
        if depth not in (2, 3):
            raise ModelError(
                Finding(f"a model cannot be opened to depth {depth!r}.", "Depths: 2, 3.", "Choose one of these.")
            )
        graph = at_depth(self, depth)
        if path is not None:
            graph = _inside(graph, path)
        return _user_model(collect(graph, self.name if path is None else f"{self.name}-{path}"))

    def check(self) -> pipeline.Checked:
        """Raise all faults of all stages as one error; without a fault tell what was found, with notes on oversights.

        >>> print(arm.check())
        """
        return pipeline.check(self)

    def _repr_svg_(self) -> str:
        return draw(self)


def _user_model(model: Builder) -> Model:
    own = Model(model.name, size=model.size)
    own.sheet, own.library = model.sheet, model.library
    return own


def load(path: str | PathLike[str], types: Any = None, *, strict: bool = False) -> Model:
    """The model in a file (.mbg, .yaml).

    types: what is known besides the catalogue: a module, a class, a mapping from names to classes, or a list of these.
    strict: refuse unknown types, instead of keeping their components as inert boxes.

    >>> load("robot.mbg", types=my_parts)
    """
    return _user_model(file.load(path, types, strict=strict))


def at_depth(model: Builder | Graph, depth: int) -> Graph:
    """The graph of a model with vector bonds (2) or scalar bonds (3), guessed parameters as its start needs them."""
    return form_of(pipeline.with_found(model)[0], depth=depth).graph


def _inside(graph: Graph, path: str) -> Graph:
    """What belongs to one part, with the junctions that it is bonded to."""
    own = {p for p in graph.elements if p == path or p.startswith(f"{path}.")}
    if not own:
        raise unknown_name("the model", path, {p.split(".")[0] for p in graph.elements})
    bonds = tuple(b for b in graph.bonds if b.tail.element in own or b.head.element in own)
    ends = own | {e.element for b in bonds for e in (b.tail, b.head)}
    signals = [s for s in graph.signals if any(e.element in own for e in s.ends)]
    kept = tuple(
        s.__class__(s.name, s.size, tuple(e for e in s.ends if e.element in ends))
        for s in signals
        if any(e.element in ends and e.select is None for e in s.ends)
    )
    elements = {p: e for p, e in graph.elements.items() if p in ends}
    return graph.with_(elements=elements, bonds=bonds, signals=kept, frames=(), planes=())


@dataclass(frozen=True, repr=False)
class Run(Solution, Shown):
    """A run of a model: every variable by name, plots, animation, energy audit, files.

    settings: how it was asked for (end time, tolerances).
    """

    settings: Settings = field(default_factory=Settings)

    def plot(self, *names: str, path: str | PathLike[str] | None = None, title: str | None = None) -> Any:
        """Draw variables over time (a matplotlib figure), all states where none is named; saved to `path` if given."""
        from multibond.export.figure import save_figure
        from multibond.view.plot import plot

        target = None if path is None else require_place(path)
        figure = plot(self, *names, title=title)
        return figure if target is None else save_figure(figure, target)

    def animate(self, path: str | PathLike[str] | None = None, **options: Any) -> Animation:
        """The run in motion, written to `path` where one is given: .html (a page to play with), .gif or .mp4.

        On request: frames=True (axes of all frames), forces=True (arrows of what is applied: springs, dampers, loads,
        drives, weights), constraints=True (arrows of what joints hold); torques have two heads. arrow_scale: factor on
        their length. Further: names, trails, view ("front", "side", "top", "oblique" or two angles  [degrees]), fps,
        speed (seconds of the run in one of the film), size  [pixels], title; see `Showing`. A notebook shows the page.

        >>> run.animate("arm.gif", forces=True, constraints=True, speed=0.5)
        """
        from multibond.export.film import require_film, save_animation
        from multibond.view.animate import animate
        from multibond.view.showing import showing

        wanted = showing(options)
        if path is not None:
            require_film(path, wanted.fps)
        animation = animate(self, wanted)
        if path is not None:
            save_animation(animation, path)
        return animation

    def power_flow(
        self,
        path: str | PathLike[str] | None = None,
        *,
        at: float | None = None,
        average: bool = False,
        scale: str = "root",
        full: float | None = None,
        threshold: float = 1e-3,
        **look: Any,
    ) -> PowerFlow:
        """Draw the graph with every bond as thick as its power: a page that plays the run (.html), or a still.

        at: a time  [s] for a still (.svg, .tex); average: a still of mean power. scale: thickness by the "root" of
        power, or "linear"; full: the power of the greatest thickness  [W], else the largest; threshold: the part of it
        below which bonds are thin and grey. look: kind, depth, causal, highlight, variables, signals as in `draw`, of
        the graph as the run's method has it; signals are left out unless asked for.
        The result shows itself in a notebook; it is written to `path` where one is given.

        >>> run.power_flow("flow.html", depth=2)
        >>> run.power_flow("mean.svg", average=True)
        """
        from multibond.view.power_flow import ENDINGS, Request, look_of, power_flow, require_format

        target, asked = None if path is None else require_place(path), Request(at, average, scale, full, threshold)
        if target is not None and target.suffix.lower() not in ENDINGS:
            raise unknown_ending(target, tuple(ENDINGS))
        if target is not None:
            require_format(asked, ENDINGS[target.suffix.lower()])
        made = power_flow(self, asked, look_of(look))
        if target is not None:
            put_text(target, made.text(ENDINGS[target.suffix.lower()]))
        return made

    def description(self) -> list[Item]:
        """How it went, and where usual variables begin and end."""
        from multibond.view.run_report import run_items

        return run_items(self)

    def to_xarray(self, names: Sequence[str] | str | None = None, times: Row = None) -> Any:
        """An `xarray.Dataset` of the named variables, or of states and household names, with units and the record.

        times: an array  [s], or a number of equally spaced times; the ends of the steps where nothing is said.
        """
        from multibond.export.files import dataset
        from multibond.export.table import tabulate

        return dataset(tabulate(self, names, times), self.record)

    def save(self, path: str | PathLike[str], names: Sequence[str] | str | None = None, times: Row = None) -> Path:
        """Write variables to a file by its ending: .nc (NetCDF), .parquet, .csv, .mat; returns its path.

        names, times: as in `to_xarray`. Vectors have a dimension in NetCDF, elsewhere a column `name[k]` each. The
        record goes with them: inside, or for .csv as a .json file beside it.

        >>> run.save("arm.nc")
        >>> run.save("hip.csv", ["hip.angle", "hip.speed"], times=1001)
        """
        from multibond.export.files import require_format, write
        from multibond.export.table import tabulate

        require_format(path)
        return write(path, tabulate(self, names, times), self.record)[0]

    def accuracy(self, names: Sequence[str] | str | None = None) -> Accuracy:
        """Estimated errors of variables (of the states, where none is named), over the run and as functions of time.

        The run is done once more at a hundredth of its tolerance, or with shorter fixed steps; `run.accuracy()` prints
        itself, `run.accuracy()["hip.angle"](3.2)` is the error at a time.

        >>> print(run.accuracy(["hip.angle", "hip.speed"]))
        """
        from multibond.equations.household import state_names
        from multibond.solve.accuracy import compare

        wanted = (
            [names] if isinstance(names, str) else list(names or dict.fromkeys(state_names(self.system.dae).values()))
        )
        for name in wanted:
            self[name]
        other = self._companion
        return compare(self, other, wanted, f"{other.trajectory.method} with {_tolerances(other.settings)}")

    def error_estimate(self, name: str) -> ErrorEstimate:
        """The estimated error of one variable; called with a time, that at the time.

        >>> run.error_estimate("hip.angle").largest
        """
        return self.accuracy(name)[name]

    @cached_property
    def _companion(self) -> Run:
        """The same run by smaller steps."""
        from multibond.solve.accuracy import companion_tolerances

        asked, until = self.settings, float(self.t[-1])
        rtol, atol, step = companion_tolerances(asked.rtol, asked.atol, asked.step)
        solver = self.trajectory.method
        return simulate(self.system, until, solver=solver, rtol=rtol, atol=atol, step=step)

    @cached_property
    def record(self) -> Record:
        """What is needed to repeat the run: hash of the model, versions, tolerances, solver, statistics."""
        from multibond.export.record import record_of

        return record_of(self, self.settings)


def simulate(
    model: Builder | Graph | System | Component,
    until: float,
    *,
    method: str = "auto",
    solver: str = "auto",
    rtol: float = 1e-9,
    atol: float = 1e-12,
    step: float | None = None,
    events: Mapping[str, tuple[float, int] | float] | None = None,
    parasitic: Parasitic | None = None,
    progress: bool | Callable[[float], None] | None = None,
) -> Run:
    """Run a model from its start to `until` seconds; a part of one (`model["leg"]`) runs alone, its open ports closed.

    method: how constraints are treated: "auto", "zcp", "rc" (with the values of `parasitic`), "multiplier", "minimal".
    solver: "auto", "dop853", "dopri5", "rodas5p" (stiff), or with a fixed `step` "rk4", "heun", "euler".
    rtol, atol: relative and absolute tolerance; explicit solvers keep each step to a tenth of rtol, as errors add up.
    events: crossings to record: by variable name the level, or the level and a direction (-1, 0, +1).
    progress: a function that is told the time reached  [s] now and then; True for a bar at once, False for none. Where
    nothing is said a bar shows after a second of waiting, in notebooks and terminals.
    A run that cannot go on raises an error whose `.run` is the trajectory so far; Ctrl-C an `Interrupted` that has it.

    >>> run = simulate(arm, 10.0, events={"hip.angle": 0.0})
    """
    require_possible(until, solver, rtol, atol, step)
    watched = {name: what if isinstance(what, tuple) else (float(what), 0) for name, what in (events or {}).items()}
    asked = Settings(float(until), solver, rtol, atol, step, tuple(watched))
    try:
        with interruptible("starting a run") as press, shown(float(until), progress) as told:
            solution = pipeline.simulate(
                model, until, method=method, solver=solver, rtol=rtol, atol=atol, step=step, events=watched,
                parasitic=parasitic, progress=press.heard(told),
            )  # fmt: skip
    except (SimulationError, Interrupted) as error:
        error.run = _as_run(error.run, asked) if isinstance(error.run, Solution) else None
        raise
    run = _as_run(solution, asked)
    run.check()
    return run


def _tolerances(asked: Settings) -> str:
    return f"rtol {asked.rtol:.2g}" if asked.step is None else f"steps of {asked.step:.3g} s"


def _as_run(solution: Solution, asked: Settings) -> Run:
    return Run(**{item.name: getattr(solution, item.name) for item in fields(Solution)}, settings=asked)


def causality(
    model: Builder | Graph, *, method: str = "auto", depth: int = 2, prefer: Mapping[str, str] | None = None
) -> CausalReport:
    """The strokes of a model and what they tell; prints itself, `.report()`, `.to_dict()`, `.steps`, `.why(name)`.

    method: as in `simulate`. depth: 2 for vector bonds, 3 for scalar ones. prefer: wishes by element, such as
    {"coil": "derivative"} or {"winding": "gives flow"}; "field[0]" for a component.

    >>> print(causality(arm))
    >>> for step in causality(arm).steps: print(step)
    """
    from multibond.view.causality_report import causality

    return causality(model, method=method, depth=depth, prefer=prefer)


def compare(
    model: Builder | Graph,
    until: float,
    *,
    methods: Sequence[str] = METHODS,
    depths: Sequence[int] = (2, 3),
    rtol: float = 1e-9,
    parasitic: Parasitic | None = None,
) -> Comparison:
    """Methods side by side: time, steps, operations, memory, error, reactions, energy; prints itself, `.plot()`.

    methods: some of "auto", "zcp", "rc", "multiplier", "minimal". depths: 2 vector, 3 scalar bonds. rtol: of the runs;
    the reference is "auto" at 1e-12. parasitic: springs and dampers of "rc".

    >>> print(compare(crank, 2.0))
    """
    from multibond.view.compare import compare

    return compare(model, until, methods=methods, depths=depths, rtol=rtol, parasitic=parasitic)


def count(model: Builder | Graph) -> Count:
    """Freedoms joint by joint, the plain count, the mobility by rank, and which constraints are redundant.

    >>> print(count(crank))
    """
    from multibond.view.count import count

    return count(model)


def advise(model: Builder | Graph) -> Advice:
    """The method for a model, what the paper of Boudon et al. would advise, and the reasons; prints itself.

    >>> print(advise(crank))
    """
    from multibond.view.causality_report import causality

    return causality(model).advice


def paths(model: Builder | Graph, input: str, output: str, *, most: int = 20, depth: int = 2) -> tuple[CausalPath, ...]:
    """Causal paths from what an element gives to a variable, short ones first; each names the bonds to light up.

    >>> for path in paths(motor, "battery", "shaft.f"): print(path)
    """
    from multibond.view.causality_report import paths

    return paths(model, input, output, most=most, depth=depth)


def irrelevant(model: Builder | Graph, output: str, *, depth: int = 2) -> tuple[str, ...]:
    """Elements that do not act on a variable, as no causal path leads from them to it.

    >>> irrelevant(motor, "shaft.f")
    """
    from multibond.view.causality_report import irrelevant

    return irrelevant(model, output, depth=depth)


def equations(model: Builder | Graph, part: str | None = None, *, method: str = "auto") -> Equations:
    """The equations of a model: what each element contributes, and the reduced system; prints itself, `.latex()`.

    part: elements of this part only. method: as in `simulate`.

    >>> print(equations(arm, "hip"))
    """
    from multibond.view.equations import equations

    return equations(model, part, method=method)


def explain(model: Builder | Graph | System, *, until: float = 10.0, method: str = "auto") -> Explanation:
    """What became of a model: freedoms, states, loops, redundancies, index, solver and cost; prints itself.

    until: length of the run for which a solver is chosen  [s]. method: as in `simulate`.

    >>> print(explain(arm))
    """
    from multibond.view.explain import explain

    return explain(model, until=until, method=method)
