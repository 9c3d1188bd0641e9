"""Mutants that are the same law written otherwise: nothing can tell them from the original, and why.

The key is the mutant's description without its line, as `python tests/mutation/run.py --list` prints it. They are run
all the same: one that a test kills is reported, as is an entry that names no mutant any more.
"""

from __future__ import annotations

from mutants import Mutant

FREE = "Between two 1-junctions a half-arrow is free: the bond's effort stands in two balances, once with each sign."

EQUIVALENT: dict[str, str] = {
    "elements/storage.py work_of: leading sign: node + 1.0": (
        "Gauss' nodes lie symmetrically about zero with equal weights, so the sum over -node is the sum over node."
    ),
    "elements/turnings.py Sequence.nearest: other sign: q[0] + half": (
        "A full turn less; of full turns the nearest is taken afterwards."
    ),
    "elements/turnings.py Sequence.nearest: other sign: q[2] + half": "As above.",
    "elements/turnings.py Sequence.nearest: leading sign: (half if self._cardan else 0.0) - q[1]": "As above.",
    "equations/assemble.py _write_state_flow: minus dropped: -law.relations[0][own]": (
        "The balance of a motion, -e = 0, is e = 0. The minus makes the matrix of the unknowns symmetric, which picks "
        "the cheaper factorisation; the solution is the same."
    ),
    "library/spatial/joint.py Mobility._split: arrow reversed: inside.bond(parts.whole, basis.a)": (
        "Neither end is a junction: the direct sum and the transformer each count by their own directions, so this "
        "arrow only signs what is reported of its bond."
    ),
    "library/spatial/drawing.py carried: arrow reversed: inside.bond(through, outlet)": (
        "The outlet is the 1-junction of a body's velocity or a frame, so this is a bond between two 1-junctions, too."
    ),
    "rewrite/unfold_couplers.py _unfold_lever: arrow reversed: draft.bond(End(arm, 'b'), moved, at['b'])": (
        "At a 0-junction the effort is common and the flow counts by the arrow, at the transformer by the port: turned "
        "round, the bond's flow changes its sign in both, which only signs what is reported of it."
    ),
    "library/spatial/solids.py Box.tensor: factors swapped: ca.cross(first, vector(self.across, 3))": (
        "The third axis of the box, and with it the second, point the other way; inertia is the same along both."
    ),
    "library/spatial/solids.py Box.tensor: factors swapped: ca.cross(third, first)": (
        "The second axis of the box points the other way, along which its inertia is the same."
    ),
    "solve/accelerate.py reach: other sign: begin[freedom.free] += step": (
        "Points to search from lie on both sides alike, the nearer ones first; where one is found the nearest is taken."
    ),
    "solve/branches.py _Search.run: comparison turned: np.abs(values(begin)[0]).max(initial=0.0) <= TOLERANCE": (
        "Saves the search where the start meets everything, which no other position can do better. Turned round it "
        "saves none: parameters never begin beside themselves."
    ),
    "solve/branches.py _Search.run: other sign: z - known": (
        "A position that was found twice is ranked twice, which changes no choice: only what differs is a rival."
    ),
    "rotation.py across: factors swapped: np.cross(helper, axis)": (
        "Both vectors change sign, first and second = axis × first, and (first, second, axis) is as right-handed as "
        "before: which perpendicular comes first is free, and every user takes both from here."
    ),
    "rotation.py unit_axis: other sign: length - 1.0": (
        "Decides only whether a vector of length one, to the last digit, is divided by its length: by one."
    ),
    "rotation.py unit_axis: leading sign: length - 1.0": (
        "As above: the sum is never small, so a unit vector is divided by its length, one."
    ),
}


def reason(mutant: Mutant) -> str:
    """Why a mutant is the same law; empty where it is not."""
    return FREE if mutant.neutral else EQUIVALENT.get(mutant.key, "")
