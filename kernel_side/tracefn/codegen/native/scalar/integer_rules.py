"""The rules of integers that divide and shift: NumPy has results where C has none."""

from __future__ import annotations

from .emitter import DType, Emitter, llvm_type
from .rules import rule_for


@rule_for("floor_divide", "iu")
def _floor_divide(e: Emitter, t: DType, x: list[str]) -> str:
    if (bits := _power_of_two(x[1])) is not None:
        return e.do(f"{'a' if t.kind == 'i' else 'l'}shr {llvm_type(t)} {x[0]}, {bits}")
    quotient, remainder, safe = _divided(e, t, x)
    if t.kind == "i" and _is_positive(x[1]):
        quotient = e.do(f"add {llvm_type(t)} {quotient}, {_sign_bits(e, t, remainder)}")
    elif t.kind == "i":
        lower = e.do(f"sub {llvm_type(t)} {quotient}, 1")
        quotient = e.select(_signs_differ(e, t, remainder, x[1]), t, lower, quotient)
    if not safe:
        return quotient
    by_zero = e.do(f"icmp eq {llvm_type(t)} {x[1]}, 0")
    return e.select(safe, t, quotient, e.select(by_zero, t, "0", x[0]) if t.kind == "i" else "0")


@rule_for("remainder", "iu")
def _remainder(e: Emitter, t: DType, x: list[str]) -> str:
    kind = llvm_type(t)
    if _power_of_two(x[1]) is not None:
        return e.do(f"and {kind} {x[0]}, {int(x[1]) - 1}")
    _, remainder, safe = _divided(e, t, x)
    if t.kind == "i" and _is_positive(x[1]):
        remainder = e.do(f"add {kind} {remainder}, {e.do(f'and {kind} {_sign_bits(e, t, remainder)}, {x[1]}')}")
    elif t.kind == "i":
        moved = e.do(f"add {kind} {remainder}, {x[1]}")
        remainder = e.select(_signs_differ(e, t, remainder, x[1]), t, moved, remainder)
    return e.select(safe, t, remainder, "0") if safe else remainder


@rule_for("fmod", "iu")
def _fmod(e: Emitter, t: DType, x: list[str]) -> str:
    _, remainder, safe = _divided(e, t, x)
    return e.select(safe, t, remainder, "0") if safe else remainder


def _divided(e: Emitter, t: DType, x: list[str]) -> tuple[str, str, str | None]:
    """The quotient and the remainder of integers as C has them, and whether the divisor is fit for it, unless that is
    known. A zero divisor, and the least integer by -1, are faults: NumPy warns of them."""
    kind, sign = llvm_type(t), "s" if t.kind == "i" else "u"
    if e.fit_divisor(t, x[1]):
        return e.do(f"{sign}div {kind} {x[0]}, {x[1]}"), e.do(f"{sign}rem {kind} {x[0]}, {x[1]}"), None
    safe = e.do(f"icmp ne {kind} {x[1]}, 0")
    if t.kind == "i":
        least = -(1 << (t.itemsize * 8 - 1))
        overflow = e.do(f"and i1 {e.do(f'icmp eq {kind} {x[0]}, {least}')}, {e.do(f'icmp eq {kind} {x[1]}, -1')}")
        safe = e.do(f"and i1 {safe}, {e.do(f'xor i1 {overflow}, true')}")
    e.integer_faults.append(e.do(f"xor i1 {safe}, true"))
    divisor = e.select(safe, t, x[1], "1")
    return e.do(f"{sign}div {kind} {x[0]}, {divisor}"), e.do(f"{sign}rem {kind} {x[0]}, {divisor}"), safe


def _is_positive(divisor: str) -> bool:
    return divisor.isdigit() and divisor != "0"


def _power_of_two(divisor: str) -> int | None:
    """The exponent of a known power of two."""
    if not _is_positive(divisor) or int(divisor).bit_count() > 1:
        return None
    return int(divisor).bit_length() - 1


def _sign_bits(e: Emitter, t: DType, value: str) -> str:
    """-1 for a negative integer, and 0 for others."""
    return e.do(f"ashr {llvm_type(t)} {value}, {t.itemsize * 8 - 1}")


def _signs_differ(e: Emitter, t: DType, remainder: str, divisor: str) -> str:
    """Whether a remainder is not zero and has another sign than the divisor."""
    kind = llvm_type(t)
    differ = e.do(f"icmp slt {kind} {e.do(f'xor {kind} {remainder}, {divisor}')}, 0")
    return e.do(f"and i1 {differ}, {e.do(f'icmp ne {kind} {remainder}, 0')}")


def _shift(name: str) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        """Shifts by as much as there are bits, or by less than nothing, give 0 or -1 by the sign."""
        kind, bits = llvm_type(t), t.itemsize * 8
        inside = e.do(f"icmp ult {kind} {x[1]}, {bits}")
        by = e.select(inside, t, x[1], "0")
        if name == "left_shift":
            return e.select(inside, t, e.do(f"shl {kind} {x[0]}, {by}"), "0")
        shifted = e.do(f"{'a' if t.kind == 'i' else 'l'}shr {kind} {x[0]}, {by}")
        beyond = e.do(f"ashr {kind} {x[0]}, {bits - 1}") if t.kind == "i" else "0"
        return e.select(inside, t, shifted, beyond)

    rule_for(name, "iu")(rule)


_shift("left_shift")
_shift("right_shift")
