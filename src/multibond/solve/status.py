"""How a run ended, as a number for the compiled code and a sentence for people."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """End of a run."""

    DONE = 0
    EVENT = 1
    FULL = 2
    TOO_SMALL = 3
    NOT_FINITE = 4
    PROJECTION_FAILED = 5
    TOO_MANY = 6
    INTERRUPTED = 7
    SINGULAR = 8

    @property
    def sentence(self) -> str:
        """What happened, in words."""
        return _SENTENCES[self]

    @property
    def failed(self) -> bool:
        """Whether the run stopped before its end without being asked to."""
        return self not in (Status.DONE, Status.EVENT)


_SENTENCES = {
    Status.DONE: "The end time was reached.",
    Status.EVENT: "A terminal event ended the run.",
    Status.FULL: "The buffers are full; the run can go on.",
    Status.TOO_SMALL: "The step became too small for the tolerance; the motion may be singular or stiff here.",
    Status.NOT_FINITE: "The derivative is not finite here, however small the step.",
    Status.PROJECTION_FAILED: "The constraints could not be met here, however small the step.",
    Status.SINGULAR: "The constraints of a loop lost their hold.",
    Status.INTERRUPTED: "It was interrupted.",
    Status.TOO_MANY: "The largest number of steps was reached.",
}
