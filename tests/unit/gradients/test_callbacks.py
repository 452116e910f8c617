"""Derivatives of SciPy's functions that call a function of the user's back, against central differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import tracefn
from tracefn.autodiff.libraries.callbacks import RULES, optima
from tracefn.errors import GradientError, MissingDerivativeError
from unit.gradients.library_calls import MATRIX, X, check

SHIFT = np.array([0.5])
TIMES = np.linspace(0, 1, 6)
DATA = np.exp(-1.3 * TIMES) + 0.1
ARRAY_OF_PAIRS = np.array([[0.0, 9.0], [0.0, 0.2]])
TIGHT = {"ftol": 1e-12, "xtol": 1e-12, "gtol": 1e-12}


@dataclass
class Cubic:
    by: np.ndarray

    def at(self, t):
        return t**3 + t - np.sum(self.by)


def cubic(t, a):
    return t**3 + t - a


def of_args(f, x):
    return f(cubic, 0, 3, args=(np.sum(x * x),))


def of_variables(f, x):
    table = {"x": x, "parts": [x[0], 2 * x[1]]}

    def at(t):
        if t > 10:
            return t
        return t**3 + table["parts"][1] * t - np.sum(table["x"]) - SHIFT[0]

    return f(at, 0, 3)


def of_method(f, x):
    return f(Cubic(x).at, 0, 3)


def of_brackets(f, x):
    return f(lambda t: t**3 - x[1] ** 2, x[0] - 0.3, 3 + x[2]) * x[2]


def of_system(f, x):
    return f(lambda v: [x[0] * v[0] + v[1] - 1, v[1] ** 3 - x[2] - v[0]], [0.5, 0.5])


def quartic(v, x):
    return np.sum((v - x) ** 4 + x[0] * (v - x**2) ** 2)


def decay(t, a, b):
    return np.exp(-a * t) + b


def of_fit(f, x, **options):
    return f(lambda p, data: decay(TIMES, *p) * x[1] - data, [1.0, 0.0], args=(DATA * x[0],), **TIGHT, **options)


def under_constraints(f, x):
    constraints = [
        {"type": "ineq", "fun": lambda v, most: most - v @ v, "args": (np.sum(x * x) / 2,)},
        {"type": "ineq", "fun": lambda v: v + 10 * x},
    ]
    return both(f(lambda v: np.sum((v - x) ** 2), np.zeros(3), tol=1e-13, constraints=constraints), "fun")


def both(result, other):
    return result.x * getattr(result, other)


BRACKETED = [of_args, of_variables, of_method, of_brackets]
CALLS = {
    **{f"scipy.optimize.{name}": BRACKETED for name in ("brentq", "brenth", "bisect", "ridder", "toms748")},
    "scipy.optimize.newton": [
        lambda f, x: f(cubic, 1.0, args=(np.sum(x),), full_output=True)[0],
        lambda f, x: f(cubic, 1.0, args=(np.sum(x * x),)),
        lambda f, x: f(lambda t, a: t**3 + x[0] * t - a, np.ones(3), args=(x,)),
        lambda f, x: f(lambda t: t * t - x[0], 1.0, fprime=lambda t: 2 * t),
    ],
    "scipy.optimize.fsolve": [of_system, lambda f, x: f(cubic, 1.0, args=(np.sum(x),))],
    "scipy.optimize.root": [lambda f, x: of_system(lambda *args: f(*args).x, x)],
    "scipy.optimize.root_scalar": [lambda f, x: f(cubic, args=(np.sum(x),), bracket=(0, 3)).root * x],
    "scipy.optimize.fixed_point": [
        lambda f, x: f(lambda t, a: np.cos(t) * a, 0.5, args=(x[0],)),
        lambda f, x: f(lambda v: np.cos(v[::-1]) * x, np.ones(3) / 2),
    ],
    "scipy.optimize.minimize": [
        lambda f, x: f(quartic, np.zeros(3), args=(x,), tol=1e-11).x,
        lambda f, x: both(
            f(lambda v: (quartic(v, x), 2 * v), np.zeros(3), jac=True, method="Nelder-Mead", tol=1e-12), "fun"
        ),
        lambda f, x: f(lambda v: quartic(v, x), np.zeros(3), bounds=[(0.5, None), (None, 0.3), (0, 9)]).x * x,
        lambda f, x: f(quartic, np.zeros(3), (x,), bounds=scipy.optimize.Bounds(0.4, 0.7)).x * x,
        lambda f, x: f(lambda v: quartic(v, x[:2]), np.zeros(2), bounds=ARRAY_OF_PAIRS).x * x[0],
        under_constraints,
        lambda f, x: (
            f(
                quartic,
                np.zeros(3),
                x,
                bounds=[(0, 0.1)] * 3,
                tol=1e-12,
                constraints={"type": "eq", "fun": lambda v: v @ x - x[0] / 8},
            ).x
        ),
    ],
    "scipy.optimize.minimize_scalar": [lambda f, x: both(f(quartic, args=(x,)), "fun")],
    "scipy.optimize.fmin": [lambda f, x: f(quartic, x + 0.01, args=(x,), xtol=1e-10, ftol=1e-14, disp=False)],
    "scipy.optimize.fmin_bfgs": [lambda f, x: f(quartic, x, args=(x,), gtol=1e-9, disp=False)],
    "scipy.optimize.fmin_cg": [lambda f, x: f(quartic, x, args=(x,), gtol=1e-9, disp=False)],
    "scipy.optimize.least_squares": [
        lambda f, x: both(of_fit(f, x), "cost"),
        lambda f, x: of_fit(f, x, bounds=([0, -1], [1.1, 1])).x,
    ],
    "scipy.optimize.leastsq": [lambda f, x: of_fit(f, x)[0]],
    "scipy.optimize.lsq_linear": [lambda f, x: both(f(MATRIX[:, :2] * x[1], x), "cost")],
    "scipy.optimize.curve_fit": [
        lambda f, x: f(lambda t, a, b: decay(t * x[1], a, b), TIMES, DATA * x[0], [1.0, 0.0], 1 + TIMES, **TIGHT)[0]
    ],
    "scipy.optimize.linprog": [
        lambda f, x: both(f([-3.0, -2.0, -1.0] * x, MATRIX * x, x**2), "fun"),
        lambda f, x: both(f(-x, MATRIX, [1, 1, 1], x[None, 1:].repeat(2, 1)[:, 1:], [x[0]], (0, None)), "fun"),
        lambda f, x: both(f(x, None, None, [x], [x[0]], [(0, 1), (None, 0.5), (-1, None)]), "fun"),
    ],
    "scipy.integrate.odeint": [],  # in test_trajectories.py
    "scipy.integrate.solve_ivp": [],
    "scipy.integrate.fixed_quad": [
        lambda f, x: f(lambda t: np.exp(-t * t * x[2]), x[0], x[1] ** 2)[0],
        lambda f, x: f(lambda t, a: np.outer(a, np.exp(-t)) * t, 0, x[1], args=(x,), n=3)[0],
    ],
    "scipy.integrate.quad_vec": [
        lambda f, x: f(lambda t: np.sin(t * x), x[1], x[2])[0],
        lambda f, x: f(lambda t, a: np.cos(t * a), 0, 1, epsabs=1e-10, args=(x,))[0],
    ],
    "scipy.integrate.dblquad": [
        lambda f, x: f(lambda v, u: np.sin(u * x[0] + v), 0, x[2], lambda u: u * x[1], lambda u: x[0] + u)[0],
        lambda f, x: f(lambda v, u, a: u * np.exp(v * a), x[1], 1, 0, 0.5, args=(x[2],))[0],
    ],
    "scipy.integrate.nquad": [
        lambda f, x: f(lambda u, v, a: np.exp(-u * v * a), [lambda v, a: (0, v * x[1]), (x[2], 1)], (x[0],))[0],
    ],
    "scipy.integrate.quad": [
        lambda f, x: f(lambda t: np.exp(-t * t), x[0], x[1] ** 2)[0],
        lambda f, x: f(lambda t, a, b: a * np.exp(-b * t), 0, np.inf, args=(x[0], x[1]))[0],
        lambda f, x: f(lambda t: np.sum(np.sin(t * x)) + SHIFT[0], x[1], 2, epsabs=1e-10)[0],
    ],
}


@pytest.mark.parametrize("path", sorted(RULES))
def test_functions(path):
    _, module, name = path.split(".")
    function = getattr(getattr(scipy, module), name)
    is_near = path.removeprefix("scipy.") in optima.RULES or name in ("bisect", "toms748", "ridder", "fixed_point")
    for call in CALLS[path]:
        check(lambda x, call=call: call(function, x), X, *((1e-4, 1e-4) if is_near else ()))


def test_they_are_traced_once():
    derivative = tracefn.grad(lambda x: of_variables(scipy.optimize.brentq, x))
    found = [derivative(X * scale) for scale in (1, 2, 3)]
    assert derivative.tracing_count == 1
    assert not np.allclose(found[0], found[1])


def test_a_global_that_changes_is_read_again():
    derivative = tracefn.grad(lambda x: scipy.optimize.brentq(lambda t: t**3 - x * SHIFT[0], 0, 3))
    first = derivative(2.0)
    SHIFT[0] *= 2
    try:
        np.testing.assert_allclose(derivative(2.0), first * 2 ** (1 / 3))
    finally:
        SHIFT[0] /= 2


def test_second_derivatives():
    def root(a):
        return scipy.optimize.brentq(lambda t: t**3 - a, 0, 9)

    np.testing.assert_allclose(tracefn.grad(tracefn.grad(root))(1.3), -2 / 9 * 1.3 ** (-5 / 3))
    np.testing.assert_allclose(tracefn.jvp(root, (1.3,), (2.0,))[1], 2 / 3 * 1.3 ** (-2 / 3))

    def least(a):
        return np.sum(scipy.optimize.minimize(lambda v: quartic(v, a), np.zeros(3), tol=1e-12).x ** 2)

    def area(a):
        return scipy.integrate.quad(lambda t: np.exp(-a[0] * t * t), 0, a[1])[0]

    for function in (least, area):
        check(tracefn.grad(function), X, 1e-4)
    check(lambda x: tracefn.jacobian(lambda a: scipy.optimize.fsolve(lambda v: v**3 - a, [1.0, 1, 1]))(x), X, 1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: scipy.optimize.root(lambda v: np.exp(v) + x, [0.5, 0.5]).x[0],
        lambda x: scipy.optimize.minimize(lambda v: 1e-7 * np.sum((v - x) ** 2), [0.0]).x[0],
        lambda x: scipy.optimize.newton(lambda t: t**2 + x, 1.0, maxiter=3, disp=False),
    ],
)
def test_no_derivative_where_the_solver_has_not_arrived(call):
    with pytest.raises(GradientError, match=rf"stopped far from its solution.*\n.*{__file__} line.*\n.*start"):
        tracefn.grad(call)(0.7)


def test_a_limit_that_is_read_as_well():
    np.testing.assert_allclose(
        tracefn.grad(lambda a: scipy.integrate.quad(lambda t: t * a, 0, a)[0])(1.3), 1.5 * 1.3**2
    )
    slope = tracefn.grad(lambda a: scipy.integrate.quad(lambda t, b: t * b, 0, a, args=(a,))[0])(1.3)
    np.testing.assert_allclose(slope, 1.5 * 1.3**2)
    second = tracefn.grad(tracefn.grad(lambda a: scipy.integrate.quad(np.exp, 0, a)[0]))(1.3)
    np.testing.assert_allclose(second, np.exp(1.3))


def test_one_in_another():
    def where(x):
        area = scipy.optimize.brentq(lambda t: scipy.integrate.quad(lambda s: np.exp(-s * x[0]), 0, t)[0] - 0.3, 0, 9)
        return area * x[1]

    check(where, X)


HELD = tracefn.Variable(2.0)
OWNER = {"rate": tracefn.Variable([1.0, 2.0])}


def cube(t):
    return t**3 - HELD


def falls(y, t):
    return -OWNER["rate"] * HELD * y


READERS = {
    "root": lambda: scipy.optimize.brentq(cube, 0, 3),
    "roots": lambda: scipy.optimize.fsolve(lambda y: y**3 - OWNER["rate"] * HELD, [1.0, 1.0]),
    "integral": lambda: scipy.integrate.quad(lambda t: t * HELD * np.sum(OWNER["rate"]), 0, 3)[0],
    "integral of a global function": lambda: scipy.integrate.quad(cube, 0, HELD)[0],
    "equation": lambda: scipy.integrate.odeint(falls, [1.0, 2.0], [0.0, 1.0], rtol=1e-10, atol=1e-10)[-1],
}


def by_differences(function, variable):
    held, found = variable.numpy(), []
    for step in 1e-5 * np.eye(max(np.size(held), 1)):
        variable.assign(held + np.reshape(step, held.shape))
        above = np.sum(function())
        variable.assign(held - np.reshape(step, held.shape))
        found.append((above - np.sum(function())) / 2e-5)
    variable.assign(held)
    return np.reshape(found, held.shape)


@pytest.mark.parametrize("name", READERS)
def test_variables_that_it_reads(name):
    function, sources = READERS[name], [HELD, OWNER["rate"]]
    expected = [by_differences(function, v) for v in sources]

    @tracefn.function(on_unsupported="error")
    def inside(factor):
        with tracefn.GradientTape() as tape:
            value = np.sum(function()) * factor
        return tape.gradient(value, sources, unconnected_gradients="zero")

    for factor in (np.float64(1.0), np.float64(2.0)):
        for found, wanted in zip(inside(factor), expected, strict=True):
            np.testing.assert_allclose(found, wanted * factor, rtol=1e-5, atol=1e-8)
    traced = tracefn.function(lambda: np.sum(function()))
    with tracefn.GradientTape() as tape:
        value = traced() * 1.0
    for found, wanted in zip(tape.gradient(value, sources, unconnected_gradients="zero"), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-8)


def test_variables_that_it_reads_again_and_in_loops():
    @tracefn.function(on_unsupported="error")
    def second(n):
        with tracefn.GradientTape() as outer:
            with tracefn.GradientTape() as tape:
                total = 0.0
                for _ in range(n):
                    total = total + scipy.optimize.brentq(cube, 0, 3)
            slope = tape.gradient(total, HELD)
        return slope, outer.gradient(slope, HELD)

    np.testing.assert_allclose(second(3), [2 ** (-2 / 3), -2 / 3 * 2 ** (-5 / 3)], rtol=1e-6)
    np.testing.assert_allclose(tracefn.grad(lambda v: READERS["root"]())(HELD), 2 ** (-2 / 3) / 3)


def test_another_variable_in_its_place():
    box = {"v": tracefn.Variable(2.0)}

    def root():
        return scipy.optimize.brentq(lambda t: t**3 - box["v"], 0, 3)

    @tracefn.function
    def slope():
        with tracefn.GradientTape() as tape:
            value = root()
        return tape.gradient(value, tape.watched_variables())[-1]

    np.testing.assert_allclose(slope(), 2 ** (-2 / 3) / 3)
    box["v"] = tracefn.Variable(1.0)
    np.testing.assert_allclose(slope(), 1 / 3)


@pytest.mark.parametrize(
    "solve",
    [
        lambda p: scipy.optimize.minimize(lambda v: np.sum((v - p**2) ** 2), np.zeros(2)).x,
        lambda p: scipy.optimize.least_squares(lambda v: v - p**2, np.zeros(2)).x,
        lambda p: scipy.optimize.root(lambda v: v - p**2, np.zeros(2)).x,
    ],
)
def test_jacobians_of_solutions_have_derivatives(solve):
    p = np.array([1.0, 2.0])
    for jacobian in (tracefn.jacrev, tracefn.jacfwd):
        found = tracefn.grad(lambda p, jacobian=jacobian: np.sum(jacobian(solve)(p) ** 2))(p)
        np.testing.assert_allclose(found, 8 * p, rtol=1e-6)


def test_a_library_without_a_rule_that_calls_back_is_no_constant():
    @tracefn.function(on_unsupported="error")
    def slope():
        with tracefn.GradientTape() as tape:
            value = scipy.optimize.golden(lambda t: (t - HELD) ** 2)
        return tape.gradient(value, HELD)

    with pytest.raises(MissingDerivativeError, match="golden"):
        slope()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: scipy.optimize.minimize(lambda v: np.sum((v - x) ** 2), [0.0], bounds=[(0, x)]).x[0],
        lambda x: scipy.optimize.minimize(
            lambda v: np.sum((v - 3) ** 2), [0.0], bounds=[(0, x)], constraints={"type": "ineq", "fun": lambda v: 9 - v}
        ).x[0],
        lambda x: scipy.optimize.minimize(
            lambda v: np.sum((v - x) ** 2), [0.0], constraints=scipy.optimize.LinearConstraint([1.0], x, 1)
        ).x[0],
        lambda x: scipy.optimize.least_squares(lambda v: v - x, [0.0], loss="cauchy").x[0],
        lambda x: scipy.optimize.curve_fit(lambda t, a: a * t * x, TIMES, TIMES)[1][0, 0],
        lambda x: scipy.optimize.root(lambda v: v - x, [1.0]).fun[0],
        lambda x: scipy.integrate.quad(lambda t: abs(t - x), 0, 1, points=[0.5])[0],
        lambda x: scipy.integrate.quad(lambda t: t * x, 0, 1)[1],
        lambda x: scipy.integrate.nquad(lambda a, b, c: a * b * c * x, [(0, 1)] * 3)[0],
        lambda x: scipy.integrate.nquad(lambda a, b: a * b, [(0, 1), np.stack([0.0, x])])[0],
        lambda x: scipy.integrate.tplquad(lambda a, b, c: a * b * c * x, 0, 1, 0, 1, 0, 1)[0],
    ],
)
def test_what_is_not_known_is_refused(call):
    with pytest.raises(MissingDerivativeError, match=r"the derivative of `scipy\.(optimize|integrate)\."):
        tracefn.grad(call)(0.7)
