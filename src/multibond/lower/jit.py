"""LLVM IR text to native functions of this process."""

from __future__ import annotations

import ctypes
import os
import re
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Literal

import llvmlite.binding as llvm

from multibond.errors import Finding
from multibond.lower.emit import DECLARATIONS, LoweringError
from multibond.lower.pivoted import pivoted_text
from multibond.lower.sincos import OUTLINED, outlined_sincos

Passes = Literal["none", "light", "full"]
"""`none` for straight-line text, `light` for hand-written loops, `full` where functions are to be inlined."""

_CALLED = re.compile(r"@([A-Za-z_.$][\w.$]*)\(")
_PIVOTED = re.compile(r"@pivoted_(sym|lu)_(\d+)_(\d+)\(")
_ATTRIBUTES = re.compile(r" #\d+")
_METADATA = re.compile(r", ![\w.]+ !\d+")
_KNOWN = re.compile(r"^(?:define|declare)[^@\n]*@([A-Za-z_.$][\w.$]*)\(", re.MULTILINE)
# A branch marked with !0 is nearly always taken, so the other side is laid out of the way.
_LIKELY = '!0 = !{!"branch_weights", i32 2000, i32 1}\n'


@dataclass(frozen=True)
class Module:
    """Native code. The functions live exactly as long as this object."""

    names: tuple[str, ...]
    _engine: llvm.ExecutionEngine = field(repr=False)

    def address(self, name: str) -> int:
        """Address of a function defined in the text."""
        if name not in self.names:
            raise LoweringError(
                Finding(
                    f"the native module has no function '{name}'.",
                    f"It offers {', '.join(self.names)}.",
                    "Ask for one of these.",
                )
            )
        return self._addresses[name]

    @cached_property
    def _addresses(self) -> dict[str, int]:
        return {name: self._engine.get_function_address(name) for name in self.names}


def compile_ir(text: str, passes: Passes = "none", effort: int = 2) -> Module:
    """Compile IR text; declarations of the mathematical functions it calls are added here.

    `effort` is LLVM's level of code generation: 2 for what runs often; 0 compiles about five times faster and serves
    for what runs seldom.
    """
    _initialise()
    complete = _declare(text)
    try:
        module = llvm.parse_assembly(complete)
        module.verify()
    except RuntimeError as fault:
        raise LoweringError(
            Finding(
                "the emitted text is not valid LLVM IR.",
                f"{str(fault).strip()}",
                "Please report this with the model.",
            )
        ) from fault
    machine = _machine(effort)
    _optimise(module, machine, passes)
    names = tuple(f.name for f in module.functions if not f.is_declaration and f.linkage.name != "internal")
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return Module(names, engine)


@cache
def _initialise() -> None:
    """Prepare LLVM for this machine, once in a process."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@cache
def _processor() -> tuple[str, str]:
    """Name and features of the processor that code is made for.

    The environment chooses: `MULTIBOND_CPU=native` (unless said otherwise) is this one with all that it can do,
    `generic` the plainest of its family.
    """
    wish = os.environ.get("MULTIBOND_CPU", "native")
    if wish == "generic":
        return "generic", ""
    if wish == "native":
        return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    raise LoweringError(
        Finding(
            f"MULTIBOND_CPU cannot be '{wish}'.",
            "It says which processor code is made for: native, this one, or generic, the plainest of its family.",
            "Set it to one of these, or leave it out.",
        )
    )


def _machine(effort: int) -> llvm.TargetMachine:
    """A code generator; a machine is consumed by the module compiled with it."""
    cpu, features = _processor()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=cpu, features=features, opt=effort, jit=True)


def _declare(text: str) -> str:
    """The text with declarations for what it calls and does not define."""
    if f"@{OUTLINED}(" in text:
        text += outlined_sincos()
    made = [_quick(pivoted_text(kind, int(m), int(r))) for kind, m, r in sorted(set(_PIVOTED.findall(text)))]
    text = "".join([text, *(body for body, _ in made), *sorted({line for _, lines in made for line in lines})])
    known = set(_KNOWN.findall(text))
    missing = sorted(set(_CALLED.findall(text)) - known)
    lines = [text]
    for name in missing:
        if name not in DECLARATIONS:
            raise LoweringError(
                Finding(
                    f"the emitted text calls '{name}', which is not defined.",
                    "It is neither in the text nor a mathematical function known here.",
                    "Emit it into the same text.",
                )
            )
        if not name.startswith("llvm."):
            _provide(name)
        arguments = ", ".join(["double"] * DECLARATIONS[name])
        lines.append(f"declare double @{name}({arguments}) nounwind willreturn memory(none)\n")
    if "!prof !0" in text:
        lines.append(_LIKELY)
    return "".join(lines)


@cache
def _quick(text: str) -> tuple[str, tuple[str, ...]]:
    """A function with loops as text that runs fast without further passes, and declarations of what it calls."""
    _initialise()
    module = llvm.parse_assembly(text.replace("define internal", "define"))
    _optimise(module, _machine(2), "full")
    (made,) = (str(f) for f in module.functions if not f.is_declaration)
    calls = (str(f) for f in module.functions if f.is_declaration)
    body = _ATTRIBUTES.sub("", _METADATA.sub("", made.replace("define", "define internal", 1)))
    return body + "\n", tuple(_ATTRIBUTES.sub("", line).split("\n")[-2] + "\n" for line in calls)


@cache
def _provide(name: str) -> None:
    """Make a C function known to LLVM; without its address LLVM would end the process."""
    if llvm.address_of_symbol(name) is not None:
        return
    for library in (None, "libm.so.6", "ucrtbase"):
        try:
            function = getattr(ctypes.CDLL(library), name)
        except (AttributeError, OSError, TypeError):
            continue
        llvm.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)
        return
    raise LoweringError(
        Finding(
            f"the mathematical function '{name}' was not found on this machine.",
            "The C library of this process does not export it.",
            "Write the law without it.",
        )
    )


def _optimise(module: llvm.ModuleRef, machine: llvm.TargetMachine, passes: Passes) -> None:
    """Run the chosen passes; straight-line text from CasADi needs none (constants are folded there)."""
    if passes == "none":
        return
    if passes == "full":
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
        builder.getModulePassManager().run(module, builder)
        return
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=0))
    manager = llvm.create_new_module_pass_manager()
    manager.add_sroa_pass()
    manager.add_instruction_combine_pass()
    manager.add_simplify_cfg_pass()
    manager.run(module, builder)
