"""Rows of parallelograms on common cranks, planar and in space, with their one equation of motion.

Crank 0 turns by φ; each further crank is joined to the one before by a coupler as long as the way between their ground
pivots, so that all turn alike. Where a crank carries two couplers its second arm stands at an angle to the first: the
parallelograms come into line one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import planar as pl

G = 9.81


@dataclass(frozen=True)
class Row:
    """Loops that come into line at φ = -offset each, offsets counted from the first arm of crank 0.

    friction: torque in each hinge, ground hinges first, then the two of each coupler.
    """

    offsets: tuple[float, ...]
    angle: float = 0.3
    speed: float = 0.0
    arm: float = 0.5
    base: float = 1.0
    mass: float = 1.0
    friction: tuple[float, ...] = ()
    sizes: tuple[float, ...] = ()
    longer: float = 0.0
    """By how much the last rocker is longer than its crank  [m]."""
    centre: float = 0.5
    """Where the mass of a coupler lies, in parts of its length."""
    extra: dict[str, Any] = field(default_factory=dict)

    def size(self, k: int) -> float:
        """The length of the arms of a loop, in parts of `arm`."""
        return self.sizes[k] if self.sizes else 1.0

    def resisting(self, k: int) -> dict[str, float]:
        """The friction of a hinge."""
        value = self.friction[k] if k < len(self.friction) else 0.0
        return {"friction": value} if value else {}

    def model(self, library: ModuleType) -> mb.Model:
        """The machine of planar parts or of parts in space."""
        plane = library is pl
        model = mb.Model("row")
        world = model.add(library.World() if not plane else pl.World(gravity=(0.0, -G)))

        def at(x: float, y: float) -> tuple[float, ...]:
            return (x, y) if plane else (x, y, 0.0)

        def body(name: str, mass: float, inertia: float, x: float, y: float) -> Any:
            moment = inertia if plane else (inertia, inertia, inertia)
            return model.add(library.Body(name, mass=mass, inertia=moment, centre=at(x, y)))

        n, hinge = len(self.offsets), model.add
        cranks, grounds = [], []
        for k in range(n + 1):
            start: Any = {"angle": self.angle, "speed": self.speed} if k == 0 else {"angle": mb.Guess(self.angle)}
            more = self.extra if k == 0 else {}
            grounds.append(hinge(library.Revolute(f"A{k}", **start, **self.resisting(k), **more)))
            cranks.append(body(f"crank{k}", self.mass, 0.1, 0.0, 0.0))
            model.connect(grounds[k].frame_b, cranks[k].frame)
        model.connect(world.frame, grounds[0].frame_a)
        place = np.zeros(2)
        for k, offset in enumerate(self.offsets):
            r, beam = self.arm * self.size(k), self.base * max(1.0, self.size(k))
            place = place + np.array([beam, 0.0])
            post = model.add(library.Rod(f"post{k}", at(*place)))
            model.connect(world.frame, post.frame_a)
            model.connect(post.frame_b, grounds[k + 1].frame_a)
            ends = []
            for side, crank, length in (("a", k, r), ("b", k + 1, r + (self.longer if k == n - 1 else 0.0))):
                arm = model.add(library.Rod(f"arm{k}{side}", at(length * np.cos(offset), length * np.sin(offset))))
                model.connect(cranks[crank].frame, arm.frame_a)
                ends.append(arm.frame_b)
            coupler = body(f"coupler{k}", self.mass, 0.05, self.centre * beam, 0.0)
            beam_rod = model.add(library.Rod(f"beam{k}", at(beam, 0.0)))
            first = hinge(library.Revolute(f"B{k}", angle=mb.Guess(-self.angle), **self.resisting(n + 1 + 2 * k)))
            last = hinge(library.Revolute(f"C{k}", angle=mb.Guess(self.angle), **self.resisting(n + 2 + 2 * k)))
            model.connect(ends[0], first.frame_a)
            model.connect(first.frame_b, coupler.frame)
            model.connect(coupler.frame, beam_rod.frame_a)
            model.connect(beam_rod.frame_b, last.frame_a)
            model.connect(last.frame_b, ends[1])
        return model

    def reference(self, t: np.ndarray, drive: Any = lambda t, q, u: 0.0) -> np.ndarray:
        """φ of the one equation of motion, direction of friction by the sign of the speed, without rest."""
        n = len(self.offsets)
        radius = np.array([self.arm * self.size(k) for k in range(n)])
        inertia = 0.1 * (n + 1) + self.mass * float(np.square(radius).sum())
        resist = float(np.sum(self.friction[: n + 1 + 2 * n]))
        offsets = np.asarray(self.offsets)

        def rate(t: float, y: np.ndarray) -> list[float]:
            weight = -G * self.mass * float((radius * np.cos(y[0] + offsets)).sum())
            return [y[1], (weight - resist * np.sign(y[1]) + drive(t, *y)) / inertia]

        turned = lambda t, y: y[1]  # noqa: E731
        turned.terminal = True  # pyright: ignore[reportFunctionMemberAccess]
        found, begin, y = [], 0.0, np.array([self.angle, self.speed])
        if self.speed == 0.0:  # it falls the way gravity pulls
            pull = -G * self.mass * float((radius * np.cos(self.angle + offsets)).sum())
            y[1] = 1e-300 * np.sign(pull)
        times = np.asarray(t)
        done = 0
        while done < times.size:
            left = times[done:]
            run = solve_ivp(rate, (begin, times[-1]), y, "DOP853", left, events=turned if resist else None, rtol=1e-13,
                            atol=1e-13, first_step=1e-6)  # fmt: skip
            found.append(run.y[0])
            done += run.y.shape[1]
            if run.status != 1:
                break
            begin, y = float(run.t_events[0][0]), run.y_events[0][0]
            y = np.array([y[0], 1e-300])
            y[1] *= np.sign(-(rate(begin, np.array([y[0], 0.0]))[1]) * -1)
        return np.concatenate(found)

    def along_the_curve(self, t: np.ndarray) -> np.ndarray:
        """φ of one loop whose rocker may be longer, by integration along its curve (centre 0, no friction).

        Coordinates are crank, rocker, coupler; q' = τ v with τ along the curve, τᵀMτ v' = τᵀ(Q - M τ' v²).
        """
        r, R, b = self.arm, self.arm + self.longer, self.base
        M = np.diag([0.1 + self.mass * r**2, 0.1, 0.05])

        def slope(q: np.ndarray) -> np.ndarray:
            (s1, s2, s3), (c1, c2, c3) = np.sin(q), np.cos(q)
            return np.array([[-r * s1, R * s2, -b * s3], [r * c1, -R * c2, b * c3]])

        def rate(_: float, y: np.ndarray) -> np.ndarray:
            q, v = y[:3], y[3]
            along = tangent(slope(q), y[4:7])
            bend = np.array([[-r * np.cos(q[0]), R * np.cos(q[1]), -b * np.cos(q[2])],
                             [-r * np.sin(q[0]), R * np.sin(q[1]), -b * np.sin(q[2])]]) @ along**2  # fmt: skip
            turn = np.linalg.solve(np.vstack([slope(q), along]), np.append(-bend, 0.0))
            force = np.array([-G * self.mass * r * np.cos(q[0]), 0.0, 0.0])
            speed = (along @ force - along @ M @ turn * v**2) / (along @ M @ along)
            return np.concatenate([along * v, [speed], turn * v])

        q = assembled(r, R, b, self.angle)
        along = tangent(slope(q), np.array([1.0, 1.0, 0.0]))
        begin = np.concatenate([q, [self.speed / along[0]], along])
        run = solve_ivp(rate, (0.0, t[-1]), begin, "DOP853", t, rtol=1e-13, atol=1e-13)
        return run.y[0]


def tangent(slope: np.ndarray, near: np.ndarray) -> np.ndarray:
    """The unit vector along the curve, on the side of another one."""
    along = np.cross(slope[0], slope[1])
    along /= np.linalg.norm(along)
    return along if along @ near > 0 else -along


def assembled(r: float, R: float, b: float, angle: float) -> np.ndarray:
    """The position next to a parallelogram with a given crank angle."""
    q = np.array([angle, angle, 0.0])
    for _ in range(50):
        gap = np.array([r * np.cos(q[0]) + b * np.cos(q[2]) - b - R * np.cos(q[1]),
                        r * np.sin(q[0]) + b * np.sin(q[2]) - R * np.sin(q[1])])  # fmt: skip
        slope = np.array([[R * np.sin(q[1]), -b * np.sin(q[2])], [-R * np.cos(q[1]), b * np.cos(q[2])]])
        q[1:] -= np.linalg.solve(slope, gap)
    return q
