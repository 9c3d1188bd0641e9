"""The way of the data: Model → Graph → Dae → Reduced → System → Solution, composed.

`compile(model)` runs all arrows up to the system; `stages(model)` hands back every value on the way.
"""

from multibond.pipeline.changing import with_parameters
from multibond.pipeline.checking import Checked, check
from multibond.pipeline.compiling import compile, rebuilt
from multibond.pipeline.running import simulate, stepper
from multibond.pipeline.staging import Stages, as_graph, causality, stages, with_found

__all__ = [
    "Checked",
    "Stages",
    "as_graph",
    "causality",
    "check",
    "compile",
    "rebuilt",
    "simulate",
    "stages",
    "stepper",
    "with_found",
    "with_parameters",
]
