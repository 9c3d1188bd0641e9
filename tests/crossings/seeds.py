"""Thirty faults put into the program by hand, each a small change of its text, and the case to notice first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "multibond"


@dataclass(frozen=True)
class Seed:
    """A change of a file under src/multibond; first: the case that is tried first."""

    what: str
    file: str
    old: str
    new: str
    first: str

    def planted(self, text: str) -> str:
        """The file's text with the fault."""
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file} has {text.count(self.old)} times: {self.old}")
        return text.replace(self.old, self.new)


def read(file: str) -> str:
    return (SOURCE / file).read_text()


GIVEN, SWITCHES = "solve/given.py", "elements/switches.py"
HYBRID, TABLEAU, REDUCE, TURNS = "solve/hybrid.py", "solve/tableau.py", "equations/reduce.py", "solve/turns.py"
RUBBED, STOPPED, LOOP = "double pendulum: friction", "crane: stop", "slider crank"

SEEDS = (
    Seed("given and guessed are exchanged", GIVEN, "self.kinds[index] = known.kinds",
         "self.kinds[index] = np.array([FREE, FIXED, GUESSED])[known.kinds]", LOOP),
    Seed("a given speed moves", "solve/initial.py", "freedom = at.freedom(states)\n        z, _ = close(",
         "freedom = type(at.freedom(states))(states, np.inf, lambda z: None)\n        z, _ = close(", LOOP),
    Seed("a given place moves", "solve/branches.py", "at.freedom(states), states).run()",
         "type(at.freedom(states))(states, 0.5, at.freedom(states).normal), states).run()", LOOP),
    Seed("a start has the other sign: another branch", GIVEN,
         "self.x[np.array(index, int)[given]] = known.values[given]",
         "self.x[np.array(index, int)[given]] = -known.values[given]", LOOP),
    Seed("a path begins at another time", GIVEN, 'path.evaluate({"t": 0.0})',
         'path.evaluate({"t": 0.1})', "crane: given"),
    Seed("turns at the start are rounded down", TURNS, "np.round((first - ends[0]) / TURN)",
         "np.floor((first - ends[0]) / TURN)", "four-bar: large angle"),
    Seed("turns are counted backwards", TURNS, "whole[1:] += np.cumsum(", "whole[1:] -= np.cumsum(",
         "slider crank: turning"),
    Seed("slip ends the wrong way", SWITCHES, 'self.leave(at, k, "stick", -sign * f)',
         'self.leave(at, k, "stick", sign * f)', RUBBED),
    Seed("what sticks lets go too early", SWITCHES, 'self.leave(at, k, "backward", -e - sticking)',
         'self.leave(at, k, "backward", -e - 0.9 * sticking)', RUBBED),
    Seed("sign of sliding friction", SWITCHES, "at.zero(e - sign * sliding -", "at.zero(e + sign * sliding -", RUBBED),
    Seed("a stop lets go where it presses", SWITCHES, '"free", -e if mode == "upper" else e)',
         '"free", e if mode == "upper" else -e)', "crane: stop, resting"),
    Seed("a lower stop at the wrong side", SWITCHES, "SX(self.lower) - q)", "SX(self.lower) + q)", "pendulum: stop"),
    Seed("restitution gives back too little", HYBRID, "v + (1.0 + share) * (hit[name] - v)",
         "v + (1.0 + 0.9 * share) * (hit[name] - v)", STOPPED),
    Seed("sign of an impulse", "solve/modes.py", "fresh[s] = x[s] + impulse[k]",
         "fresh[s] = x[s] - impulse[k]", STOPPED),
    Seed("sign of the impulse that is told", "solve/hits.py", "return -_outward(item.mode_of(k))",
         "return _outward(item.mode_of(k))", STOPPED),
    Seed("every second sample is left out", "solve/calendar.py", "self.count += 1", "self.count += 2",
         "double pendulum: sampled"),
    Seed("a diode lets current back", SWITCHES, '"off", leak * threshold - f)', '"off", leak * threshold - f - 0.1)',
         "double pendulum: diode"),
    Seed("a switch closes late", SWITCHES, "else control - 0.5)", "else control - 0.9)", "double pendulum: switch"),
    Seed("a stale parameter", "pipeline/changing.py", "= [new[r, c] for r, c", "= [old[r, c] for r, c",
         "double pendulum: changed"),
    Seed("sign of the speed error of a row", REDUCE, "flow_error[k] = -flow", "flow_error[k] = flow",
         "slider crank: stop, hitting"),
    Seed("sign of the gap of a row", REDUCE, "position_error[k] = -gap", "position_error[k] = gap", LOOP),
    Seed("one pivot too few", "equations/core.py", "rank = generic_rank([scale[:, None] * each for each in G])",
         "rank = generic_rank([scale[:, None] * each for each in G]) - 1", "sledge"),
    Seed("sign of redundant reactions", "solve/reactions.py", "return -np.linalg.lstsq(",
         "return np.linalg.lstsq(", "pendulum: redundant"),
    Seed("reactions in the world's axes", "library/planar/joint.py", '"reaction_force": "to_world.a.e"',
         '"reaction_force": "to_world.b.e"', LOOP),
    Seed("weights of RK4", TABLEAU, "row(1 / 6, 1 / 3, 1 / 3, 1 / 6)", "row(1 / 3, 1 / 6, 1 / 6, 1 / 3)",
         "double pendulum: long steps"),
    Seed("a weight of DOPRI5", TABLEAU, "-2187 / 6784, 11 / 84),", "-2187 / 6784, 11 / 83),",
         "double pendulum: solver dopri5"),
    Seed("dense output of Rodas5P", "solve/rosenbrock.py", "out[1 + k][j] = bend", "out[1 + k][j] = -bend",
         "double pendulum: diode, solver rodas5p"),
    Seed("a tolerance a million times too wide", "solve/contract.py", "rtol=steps.rtol,",
         "rtol=1e6 * steps.rtol,", LOOP),
    Seed("a far side without the rates before it", "solve/crossing.py", "np.vstack([before[1], after[1]])",
         "np.vstack([0.9 * before[1], after[1]])", "parallelogram: passing"),
    Seed("the mode before is read after an instant", "solve/solution.py",
         'owner = np.clip(np.searchsorted(starts, times, side="right") - 1',
         'owner = np.clip(np.searchsorted(starts, times, side="right") - 2', RUBBED),
)  # fmt: skip
