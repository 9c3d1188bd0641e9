"""Sine and cosine of one argument as inlined LLVM IR text.

The argument is reduced by multiples of pi/2 in three parts (Cody and Waite, 1980), the remainder goes through the
minimax polynomials of fdlibm (Sun Microsystems 1993, k_sin.c and k_cos.c). From 1e6 on, and for NaN, libm is called.
"""

from __future__ import annotations

import struct

TWO_OVER_PI = 0.63661977236758134308
# pi/2 in three parts; the first two have 33 bits, so their product with a multiple below 2**20 is exact (e_rem_pio2.c).
HALF_PI = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
SINE = (
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
    -1.66666666666666324348e-01,
)
COSINE = (
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
)
# Adding and subtracting 1.5 * 2**52 rounds to an integer whose low bits are the low bits of the sum.
ROUNDING = 6755399441055744.0
LIMIT = 1e6


def number(value: float) -> str:
    """The IR literal of a double, exact for every value including infinities and NaN."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def _horner(prefix: str, variable: str, coefficients: tuple[float, ...]) -> tuple[list[str], str]:
    """Lines that evaluate a polynomial (highest power first) and the name of the result."""
    lines, value = [], number(coefficients[0])
    for k, coefficient in enumerate(coefficients[1:]):
        lines.append(f"{prefix}{k}m = fmul contract double {variable}, {value}")
        lines.append(f"{prefix}{k} = fadd contract double {prefix}{k}m, {number(coefficient)}")
        value = f"{prefix}{k}"
    return lines, value


def sincos(argument: str, tag: str, block: str) -> tuple[list[str], str, str, str]:
    """Lines that compute sine and cosine of `argument`.

    `tag` makes the local names unique, `block` is the label of the block these lines are appended to.
    Returns (lines, name of the sine, name of the cosine, label of the block that follows).
    """
    v = f"%{tag}"
    sine_lines, sine = _horner(f"{v}.ps", f"{v}.z", SINE)
    cosine_lines, cosine = _horner(f"{v}.pc", f"{v}.z", COSINE)
    lines = [
        *_reduction(v, argument),
        f"{v}.z = fmul contract double {v}.r, {v}.r",
        *sine_lines,
        *cosine_lines,
        *_assembly(v, sine, cosine),
        *_quadrant(v),
        f"{v}.abs = call double @llvm.fabs.f64(double {argument})",
        f"{v}.ok = fcmp olt double {v}.abs, {number(LIMIT)}",
        f"br i1 {v}.ok, label {v}.done, label {v}.libm, !prof !0",
        f"{tag}.libm:",
        f"{v}.sl = call double @sin(double {argument})",
        f"{v}.cl = call double @cos(double {argument})",
        f"br label {v}.done",
        f"{tag}.done:",
        f"{v}.s = phi double [ {v}.sf, %{block} ], [ {v}.sl, {v}.libm ]",
        f"{v}.c = phi double [ {v}.cf, %{block} ], [ {v}.cl, {v}.libm ]",
    ]
    return lines, f"{v}.s", f"{v}.c", f"{tag}.done"


OUTLINED = "multibond.sincos"


def sincos_call(argument: str, tag: str) -> tuple[list[str], str, str]:
    """Lines that call the function `outlined_sincos` defines; returns (lines, name of the sine, name of the cosine)."""
    v = f"%{tag}"
    lines = [
        f"{v}.p = call {{ double, double }} @{OUTLINED}(double {argument})",
        f"{v}.s = extractvalue {{ double, double }} {v}.p, 0",
        f"{v}.c = extractvalue {{ double, double }} {v}.p, 1",
    ]
    return lines, f"{v}.s", f"{v}.c"


def outlined_sincos() -> str:
    """Sine and cosine as a function of its own, for text with so many angles that inlining would compile slowly."""
    lines, sine, cosine, _ = sincos("%x", "q", "entry")
    head = f"define internal {{ double, double }} @{OUTLINED}(double %x) nounwind {{"
    pair = [
        f"%pair = insertvalue {{ double, double }} poison, double {sine}, 0",
        f"%both = insertvalue {{ double, double }} %pair, double {cosine}, 1",
        "ret { double, double } %both",
    ]
    return "\n".join([head, "entry:", *lines, *pair, "}"]) + "\n"


def _reduction(v: str, x: str) -> list[str]:
    """Remainder r = x - k*pi/2 rounded once, and the integer whose two low bits are the quadrant."""
    first, second, third = map(number, HALF_PI)
    return [
        f"{v}.k0 = fmul contract double {x}, {number(TWO_OVER_PI)}",
        f"{v}.k1 = fadd contract double {v}.k0, {number(ROUNDING)}",
        f"{v}.k = fsub double {v}.k1, {number(ROUNDING)}",
        f"{v}.n = bitcast double {v}.k1 to i64",
        f"{v}.t1 = fmul contract double {v}.k, {first}",
        f"{v}.r1 = fsub contract double {x}, {v}.t1",
        f"{v}.t2 = fmul contract double {v}.k, {second}",
        f"{v}.r2 = fsub contract double {v}.r1, {v}.t2",
        # What rounding took from r2 is added back together with the third part.
        f"{v}.e0 = fsub double {v}.r1, {v}.r2",
        f"{v}.e1 = fsub contract double {v}.e0, {v}.t2",
        f"{v}.t3 = fmul contract double {v}.k, {third}",
        f"{v}.e = fsub contract double {v}.e1, {v}.t3",
        f"{v}.r = fadd contract double {v}.r2, {v}.e",
    ]


def _assembly(v: str, sine: str, cosine: str) -> list[str]:
    """sin r = r + r z S(z);  cos r = 1 - z/2 + z z C(z), with the rounding of 1 - z/2 added back."""
    return [
        f"{v}.rz = fmul contract double {v}.r, {v}.z",
        f"{v}.sa = fmul contract double {v}.rz, {sine}",
        f"{v}.sr = fadd contract double {v}.r, {v}.sa",
        f"{v}.hz = fmul double {v}.z, {number(0.5)}",
        f"{v}.w = fsub double {number(1.0)}, {v}.hz",
        f"{v}.w1 = fsub double {number(1.0)}, {v}.w",
        f"{v}.w2 = fsub double {v}.w1, {v}.hz",
        f"{v}.zz = fmul contract double {v}.z, {v}.z",
        f"{v}.ca = fmul contract double {v}.zz, {cosine}",
        f"{v}.cb = fadd contract double {v}.w2, {v}.ca",
        f"{v}.cr = fadd contract double {v}.w, {v}.cb",
    ]


def _quadrant(v: str) -> list[str]:
    """Exchange and change signs according to the quadrant: bit 0 exchanges, bit 1 is the sign of the sine."""
    return [
        f"{v}.n0 = trunc i64 {v}.n to i1",
        f"{v}.su = select i1 {v}.n0, double {v}.cr, double {v}.sr",
        f"{v}.cu = select i1 {v}.n0, double {v}.sr, double {v}.cr",
        f"{v}.sn = shl i64 {v}.n, 62",
        f"{v}.n1 = add i64 {v}.n, 1",
        f"{v}.cn = shl i64 {v}.n1, 62",
        *_with_sign(f"{v}.sf", f"{v}.su", f"{v}.sn"),
        *_with_sign(f"{v}.cf", f"{v}.cu", f"{v}.cn"),
    ]


def _with_sign(result: str, value: str, bits: str) -> list[str]:
    """result = value, negated where the top bit of `bits` is set."""
    return [
        f"{result}.b = and i64 {bits}, -9223372036854775808",
        f"{result}.i = bitcast double {value} to i64",
        f"{result}.x = xor i64 {result}.i, {result}.b",
        f"{result} = bitcast i64 {result}.x to double",
    ]
