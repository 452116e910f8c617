"""Functions of one element in LLVM IR: accuracy, special values, hardware flags, and loops that become vectors."""

from __future__ import annotations

import ctypes
import ctypes.util
import math
import platform
import re

import llvmlite.binding as llvm
import numpy as np
import pytest
from tracefn.codegen.native.scalar.functions import FUNCTIONS, LIMITED, definitions, symbol

EXACT = {name for name, found in FUNCTIONS.items() if found.is_exact}
TWO_ARGUMENTS = {"power", "arctan2", "hypot", *EXACT}
ANGLES = LIMITED.keys() - EXACT
DTYPES = {64: np.float64, 32: np.float32}
EVERY = [(name, bits) for name in sorted(FUNCTIONS) for bits in (64, 32)]
POINTS = 200_000

libm = ctypes.CDLL(ctypes.util.find_library("m"))
#: invalid, divide by zero, overflow
FLAGS = 1 | 4 | 8 if platform.machine() in {"x86_64", "AMD64"} else 1 | 2 | 4


#: What LLVM knows something about, as instructions for a double in %x and as NumPy's function.
PREPARED = {
    "the size": ("%z = call double @llvm.fabs.f64(double %x)", np.abs),
    "a small integer": (
        "%b = bitcast double %x to i64\n  %s = and i64 %b, 255\n  %z = uitofp i64 %s to double",
        lambda x: (x.view(np.uint64) & np.uint64(255)).astype(float),
    ),
}


def loop(name: str, bits: int, prepare: str = "") -> str:
    """A loop that calls a function on the elements of contiguous arrays; of a predicate, it stores bytes."""
    real = "double" if bits == 64 else "float"
    result, store = (real, real) if "in_range" not in name else ("i1", "i8")
    count = 2 if name.removesuffix(".in_range") in TWO_ARGUMENTS else 1
    loads = [
        f"  %p{k} = getelementptr {real}, ptr %a{k}, i64 %i\n  %x{k} = load {real}, ptr %p{k}" for k in range(count)
    ]
    if prepare:
        loads += ["  " + re.sub(r"%(\w+)", rf"%\g<1>{k}", prepare) for k in range(count)]
    arguments = ", ".join(f"{real} %{'z' if prepare else 'x'}{k}" for k in range(count))
    value = "%y" if store == real else "%byte"
    return f"""
define void @"loop.{name}.{bits}"(ptr noalias %a0, ptr noalias %a1, ptr noalias %out, i64 %n) {{
entry:
  br label %body
body:
  %i = phi i64 [0, %entry], [%next, %body]
{chr(10).join(loads)}
  %y = call {result} {symbol(name, bits)}({arguments})
  {"" if store == real else "%byte = zext i1 %y to i8"}
  %p = getelementptr {store}, ptr %out, i64 %i
  store {store} {value}, ptr %p
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %done
done:
  ret void
}}
"""


class Loops:
    """Compiled loops over every function, and their LLVM IR after its passes."""

    def __init__(self, fma: bool, functions: list[tuple[str, int]] = EVERY, prepare: str = "") -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        text, declarations = definitions(functions, fma)
        names = functions + [(f"{name}.in_range", bits) for name, bits in functions if name in LIMITED]
        declarations |= {"declare double @llvm.fabs.f64(double)"}
        loops = (loop(name, bits, prepare) for name, bits in names)
        module = llvm.parse_assembly("\n".join([*declarations, text, *loops]))
        features = llvm.get_host_cpu_features()
        features["fma"] = fma
        machine = llvm.Target.from_default_triple().create_target_machine(
            opt=3, cpu=llvm.get_host_cpu_name(), features=features.flatten()
        )
        options = llvm.create_pipeline_tuning_options(speed_level=3)
        options.loop_vectorization = True
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        self.text = str(module)
        self.assembly = machine.emit_assembly(module)
        self.engine = llvm.create_mcjit_compiler(module, machine)
        self.engine.finalize_object()
        prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)
        self.every = 1 if fma == llvm.get_host_cpu_features()["fma"] else 4
        """Of how many points one is tried: of formulas for other processors, a quarter."""
        self.functions = {
            name: prototype(self.engine.get_function_address("loop.{}.{}".format(*name))) for name in names
        }

    def call(self, name: str, *arguments: np.ndarray) -> tuple[np.ndarray, int]:
        """The results for contiguous arrays, and the flags that computing them raised."""
        bits = arguments[0].itemsize * 8
        out = np.empty(arguments[0].shape, bool if "in_range" in name else arguments[0].dtype)
        pointers = [argument.ctypes.data for argument in (*arguments, arguments[-1])[:2]]
        libm.feclearexcept(FLAGS)
        self.functions[name, bits](*pointers, out.ctypes.data, out.size)
        return out, libm.fetestexcept(FLAGS)


@pytest.fixture(
    scope="module", params=[True, False] if llvm.get_host_cpu_features()["fma"] else [False], ids="fma={}".format
)
def loops(request: pytest.FixtureRequest) -> Loops:
    return Loops(request.param)


def neighbours(center: float, dtype: type, count: int) -> np.ndarray:
    """The numbers of a type next to a positive number, or to zero."""
    bits = np.array(center, dtype).view(f"i{np.dtype(dtype).itemsize}")
    return (bits + np.arange(-count if center else 0, count, dtype=bits.dtype)).view(dtype)


def points(dtype: type, seed: int) -> np.ndarray:
    """Finite numbers: spread over all exponents, over everyday ranges, and next to where formulas change."""
    rng = np.random.default_rng(seed)
    limits = np.finfo(dtype)
    exponents = rng.uniform(np.log2(limits.smallest_subnormal), np.log2(limits.max), POINTS // 4)
    wide = [np.minimum(2.0**exponents, limits.max) * rng.choice([-1.0, 1.0], exponents.size)]
    wide += [rng.uniform(-width, width, POINTS // 6) for width in (1, 2, 10, 800)]
    edges = [0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 20.0, math.sqrt(0.5), math.tan(math.pi / 8), 1 / math.tan(math.pi / 8)]
    edges += [2.0**k for k in (-54, -28, -26, -13, -12, 12, 13, 28)] + [math.pi / 2 * k for k in range(1, 40)]
    edges += [
        limits.max * (1 - limits.eps),
        limits.tiny,
        88.72,
        89.41,
        103.97,
        128.0,
        149.0,
        709.78,
        710.47,
        745.13,
        1024.0,
    ]
    # Next to multiples of pi/2, all bits that are left come from the last parts of pi/2.
    near_zeros = np.rint(2.0 ** rng.uniform(0, 29, 5000)).astype(np.longdouble) * np.longdouble(
        "1.5707963267948966192313"
    )
    wide.append(near_zeros)
    near = np.concatenate([neighbours(edge, dtype, 50) for edge in edges])
    near = near[np.isfinite(near)]
    return np.concatenate([*(part.astype(dtype) for part in wide), near, -near])


def arguments(name: str, dtype: type) -> tuple[np.ndarray, ...]:
    first = points(dtype, 1)
    if name not in TWO_ARGUMENTS:
        return (first,)
    rng = np.random.default_rng(2)
    second = rng.permutation(first)
    half, quarter = first.size // 2, first.size // 4
    if name == "power":
        # Results over the whole range, also of powers of numbers next to 1, and integer powers of negative numbers.
        first[:half] = np.abs(first[:half])
        bound = 1.02 * math.log(np.finfo(dtype).max)
        logarithms = np.log(first[:half].astype(float) + 5e-324)
        with np.errstate(divide="ignore", over="ignore"):
            second[:half] = rng.uniform(-bound, bound, half) / logarithms
        second[half:-quarter] = np.rint(rng.uniform(-20, 20, second[half:-quarter].size))
    else:
        second[:half] = first[:half] * rng.uniform(0.1, 10.0, half)
    return first, second


def exact(name: str, *values: np.ndarray) -> np.ndarray:
    """NumPy's result in extended precision; of erf the C library's, and of what has to be exact NumPy's own."""
    if name in EXACT:
        return getattr(np, name)(*values).astype(np.longdouble)
    if name == "erf":
        return np.array([math.erf(value) for value in values[0].tolist()], np.longdouble)
    return getattr(np, name)(*(value.astype(np.longdouble) for value in values))


def errors(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Distances in units in the last place of what is wanted."""
    limits = np.finfo(got.dtype)
    size = np.clip(np.abs(want), limits.tiny, limits.max).astype(got.dtype)
    unit = size.astype(np.longdouble) - np.nextafter(size, got.dtype.type(0))
    overflow = np.abs(want) >= limits.max + unit / 2
    same = (
        (got == want) | (np.isnan(got) & np.isnan(want)) | (overflow & np.isinf(got) & (np.sign(got) == np.sign(want)))
    )
    with np.errstate(invalid="ignore"):
        return np.where(same, 0, np.nan_to_num(np.abs(got - want) / unit, nan=np.inf))


@pytest.mark.sampled(4, everywhere=True)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "bits"), EVERY)
def test_within_a_few_units_in_the_last_place(loops: Loops, name: str, bits: int):
    assert np.finfo(np.longdouble).nmant >= 63
    values = arguments(name, DTYPES[bits])
    assert values[0].size >= 200_000
    values = tuple([np.ascontiguousarray(value[:: loops.every]) for value in values])
    if name in LIMITED:
        inside, _ = loops.call(f"{name}.in_range", *values)
        sizes = np.abs(values)
        near = sizes[0] <= 1e5
        if name in EXACT:
            near &= (sizes[0] < 1e5 * sizes[1]) & (sizes[1] > 1e-9) & (sizes[1] < 1e9)
        assert inside[near].all()
        values = tuple(np.ascontiguousarray(value[inside]) for value in values)
    got, _ = loops.call(name, *values)
    distances = errors(got, exact(name, *values))
    worst = int(np.argmax(distances))
    assert distances[worst] <= (0 if name in EXACT else 3.0), [value[worst] for value in values]


def edges(name: str, dtype: type) -> np.ndarray:
    """Special values, and numbers on both sides of what warns: for each argument an array of one element."""
    limits = np.finfo(dtype)
    sizes = [0, 0.5, 1, 2, 3, limits.smallest_subnormal, limits.tiny, limits.max, math.inf, math.nan]
    if name in TWO_ARGUMENTS:
        sizes += [1 - limits.eps, 1.5, 127.9, 128, 1023.9, 1024]
        values = np.array(sizes + [-size for size in sizes], dtype)
        return np.stack(np.meshgrid(values, values), axis=-1).reshape(-1, 2, 1)
    sizes += [0.1, 0.7, 1.5, 10, 100, 600, 1e5, 1e15, 1e30, math.pi / 2, 1 - limits.eps, 1 + limits.eps]
    sizes += [88.7, 88.8, 89.4, 89.5, 104.5, 127.9, 128, 129, 709.7, 709.8, 710.4, 710.5, 746, 1023.9, 1024, 1100]
    return np.array(sizes + [-size for size in sizes], dtype).reshape(-1, 1, 1)


@pytest.mark.sampled(4, everywhere=True)
@pytest.mark.parametrize(("name", "bits"), [(name, bits) for name, bits in EVERY if name != "erf"])
def test_special_values_and_flags_are_those_of_numpy(loops: Loops, name: str, bits: int):
    """One element alone and as many as fill vectors, which are different machine code."""
    warned: list[str] = []
    with np.errstate(all="call", under="ignore", call=lambda kind, _: warned.append(kind)):
        for values in edges(name, DTYPES[bits]):
            if name in LIMITED and not loops.call(f"{name}.in_range", *values)[0]:
                continue
            warned.clear()
            want = getattr(np, name)(*values)
            undue = name == "power" and np.isinf(values[1]).all()
            for count in (1, 64):
                got, flags = loops.call(name, *values.repeat(count, axis=1))
                if not np.isfinite(want) or want == 0:
                    assert (np.isnan(got) if np.isnan(want) else got == want).all(), values
                    assert np.isnan(want) or (np.signbit(got) == np.signbit(want)).all(), values
                if warned:
                    assert flags, (values, count, warned)
                elif not undue:
                    assert not flags, (values, count, flags)


@pytest.mark.parametrize("known", PREPARED)
def test_flags_survive_what_llvm_knows_of_the_argument(known: str):
    prepare, prepared = PREPARED[known]
    names = sorted(FUNCTIONS.keys() - LIMITED.keys() - {"erf"})
    loops = Loops(llvm.get_host_cpu_features()["fma"], [(name, 64) for name in names], prepare)
    warned: list[str] = []
    with np.errstate(all="call", under="ignore", call=lambda kind, _: warned.append(kind)):
        for name in names:
            for values in edges(name, np.float64):
                warned.clear()
                getattr(np, name)(*map(prepared, values))
                if name != "power" or not np.isinf(values[1]).all():
                    for count in (1, 64):
                        _, flags = loops.call(name, *values.repeat(count, axis=1))
                        assert bool(flags) == bool(warned), (name, values, count, warned)


@pytest.mark.parametrize("bits", [64, 32])
def test_erf_of_special_values(loops: Loops, bits: int):
    values = np.array([0.0, -0.0, math.inf, -math.inf, math.nan, 30.0, -30.0], DTYPES[bits])
    got, flags = loops.call("erf", values)
    np.testing.assert_array_equal(got, [0.0, -0.0, 1.0, -1.0, math.nan, 1.0, -1.0])
    assert np.signbit(got[1])
    assert not flags


@pytest.mark.parametrize(("name", "bits"), EVERY)
def test_loops_become_vectors(loops: Loops, name: str, bits: int):
    section = loops.text.partition(f"@loop.{name}.{bits}(")[2].partition("\n}")[0]
    assert re.search(rf"<\d+ x {'double' if bits == 64 else 'float'}>", section)
    assert not re.search(r"call \S+ @(?!llvm\.)", section)


def test_machine_code_calls_no_function(loops: Loops):
    """An intrinsic without an instruction would become a call to the C library, element by element."""
    assert not re.findall(r"^\s*call\S*\s+(.*)", loops.assembly, re.MULTILINE)


def test_out_of_range(loops: Loops):
    for name in ANGLES:
        inside, flags = loops.call(
            f"{name}.in_range", np.array([0.0, -1e5, 1e10, -1e300, math.inf, -math.inf, math.nan])
        )
        assert inside.tolist() == [True, True, False, False, True, True, True]
        assert not flags


def test_quotients_of_too_many_digits_are_out_of_range(loops: Loops):
    x = np.array([1.0, 1e300, math.inf, 1.0, 1.0, math.nan, 2.0**60, 2.0**51, 0.0])
    y = np.array([3.0, 1e-300, 1.0, 0.0, math.inf, 1.0, 1.0, 1.0, -2.0])
    for name in EXACT:
        inside, _ = loops.call(f"{name}.in_range", x, y)
        assert inside.tolist() == [True, False, False, False, False, False, False, True, True]
