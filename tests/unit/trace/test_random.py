"""Every method of the random generators draws what eager code draws, and leaves the generator as that does."""

import inspect
import pickle
import warnings

import numpy as np
import pytest
import tracefn
from agreement import assert_alike
from tracefn.errors import UnsupportedFunctionError
from tracefn.ir.op import by_name
from tracefn.ir.types import Kind
from tracefn.ops.random import draws, methods
from tracefn.ops.random_tables import MAKERS

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

BOTH = {
    "beta": [lambda g, x: g.beta(1.0, 2.0), lambda g, x: g.beta(x, 2.0, (4, 2, 3))],
    "binomial": [lambda g, x: g.binomial(10, 0.5), lambda g, x: g.binomial(x.astype(int), 0.5)],
    "chisquare": [lambda g, x: g.chisquare(2, 3), lambda g, x: g.chisquare(x)],
    "dirichlet": [lambda g, x: g.dirichlet([1, 2, 3]), lambda g, x: g.dirichlet(x[0], (2, 2))],
    "exponential": [lambda g, x: g.exponential(), lambda g, x: g.exponential(x[0], size=x.shape)],
    "f": [lambda g, x: g.f(1.0, 2.0), lambda g, x: g.f(x, 2.0)],
    "gamma": [lambda g, x: g.gamma(2.0, size=()), lambda g, x: g.gamma(x, x[0])],
    "geometric": [lambda g, x: g.geometric(0.3), lambda g, x: g.geometric(1 / x)],
    "gumbel": [lambda g, x: g.gumbel(), lambda g, x: g.gumbel(x, scale=2.0)],
    "hypergeometric": [lambda g, x: g.hypergeometric(5, 6, 7), lambda g, x: g.hypergeometric(5, 6, [1, 2], (3, 2))],
    "laplace": [lambda g, x: g.laplace(size=(2, 0)), lambda g, x: g.laplace(x)],
    "logistic": [lambda g, x: g.logistic(1.0), lambda g, x: g.logistic(x)],
    "lognormal": [lambda g, x: g.lognormal(), lambda g, x: g.lognormal(x, size=x.shape)],
    "logseries": [lambda g, x: g.logseries(0.4), lambda g, x: g.logseries(x / 20)],
    "multinomial": [
        lambda g, x: g.multinomial(5, [0.2, 0.8]),
        lambda g, x: g.multinomial(5, x[0] / x[0].sum(), size=4),
    ],
    "multivariate_normal": [
        lambda g, x: g.multivariate_normal([0, 1], np.eye(2)),
        lambda g, x: g.multivariate_normal(x[0], x.T @ x + np.eye(3), size=(2, 2), check_valid="ignore"),
    ],
    "negative_binomial": [lambda g, x: g.negative_binomial(3, 0.5), lambda g, x: g.negative_binomial(x, 0.5)],
    "noncentral_chisquare": [lambda g, x: g.noncentral_chisquare(3, 1.0), lambda g, x: g.noncentral_chisquare(x, 1.0)],
    "noncentral_f": [lambda g, x: g.noncentral_f(3, 2, 1.0), lambda g, x: g.noncentral_f(x, 2, x[0])],
    "normal": [lambda g, x: g.normal(), lambda g, x: g.normal(x, 2.0), lambda g, x: g.normal([x[0, 0], 1.0])],
    "pareto": [lambda g, x: g.pareto(2.0), lambda g, x: g.pareto(x)],
    "poisson": [lambda g, x: g.poisson(), lambda g, x: g.poisson(x, size=(1, 2, 3))],
    "power": [lambda g, x: g.power(2.0), lambda g, x: g.power(a=x)],
    "rayleigh": [lambda g, x: g.rayleigh(), lambda g, x: g.rayleigh(x)],
    "random": [lambda g, x: g.random(), lambda g, x: g.random(x.shape), lambda g, x: g.random((x.shape[0], 2))],
    "standard_cauchy": [lambda g, x: g.standard_cauchy(), lambda g, x: g.standard_cauchy(x.shape[0])],
    "standard_exponential": [lambda g, x: g.standard_exponential(), lambda g, x: g.standard_exponential(len(x))],
    "standard_gamma": [lambda g, x: g.standard_gamma(2.0), lambda g, x: g.standard_gamma(x)],
    "standard_normal": [lambda g, x: g.standard_normal(), lambda g, x: g.standard_normal(x.shape)],
    "standard_t": [lambda g, x: g.standard_t(3), lambda g, x: g.standard_t(x)],
    "triangular": [lambda g, x: g.triangular(0, 1, 2), lambda g, x: g.triangular(x, x + 1, x + 2)],
    "uniform": [lambda g, x: g.uniform(), lambda g, x: g.uniform(-x, x), lambda g, x: g.uniform(high=x[0, 1])],
    "vonmises": [lambda g, x: g.vonmises(0, 1), lambda g, x: g.vonmises(x, 1)],
    "wald": [lambda g, x: g.wald(1, 2), lambda g, x: g.wald(x, 2)],
    "weibull": [lambda g, x: g.weibull(2), lambda g, x: g.weibull(x)],
    "zipf": [lambda g, x: g.zipf(2.0), lambda g, x: g.zipf(x + 1)],
    "choice": [
        lambda g, x: g.choice(5), lambda g, x: g.choice(x[0]), lambda g, x: g.choice(["a", "bc"]),
        lambda g, x: g.choice(x.shape[0], size=3), lambda g, x: g.choice(x[0], (2, 1), p=x[0] / x[0].sum()),
        lambda g, x: g.choice([10, 20, 30], 2, replace=False), lambda g, x: g.choice([x[0, 0], 1.0], 2),
    ],
    "permutation": [
        lambda g, x: g.permutation(4), lambda g, x: g.permutation(x), lambda g, x: g.permutation([3, 4, 5]),
        lambda g, x: g.permutation(len(x)),
    ],
    "shuffle": [lambda g, x: shuffled(g, x.copy()), lambda g, x: shuffled(g, np.arange(5))],
}  # fmt: skip

TABLE = {
    Kind.GENERATOR: BOTH | {
        "choice": [*BOTH["choice"], lambda g, x: g.choice(x, 2, axis=1), lambda g, x: g.choice(x, shuffle=False)],
        "integers": [
            lambda g, x: g.integers(5), lambda g, x: g.integers(2, 9, size=(2, 2), dtype=np.int8, endpoint=True),
            lambda g, x: g.integers(x.astype(int) + 3), lambda g, x: g.integers(2, dtype=bool),
            lambda g, x: g.integers(0, [3, 4], dtype="u2"), lambda g, x: g.integers(9, dtype=int),
        ],
        "multinomial": [*BOTH["multinomial"], lambda g, x: g.multinomial([3, 4], [[0.5, 0.5], [0.1, 0.9]])],
        "multivariate_hypergeometric": [
            lambda g, x: g.multivariate_hypergeometric([3, 4, 5], 6),
            lambda g, x: g.multivariate_hypergeometric([3, 4], 2, size=(2, 1), method="count"),
        ],
        "multivariate_normal": [
            *BOTH["multivariate_normal"], lambda g, x: g.multivariate_normal([0, 1], np.eye(2), 3, method="cholesky"),
        ],
        "permutation": [*BOTH["permutation"], lambda g, x: g.permutation(x, axis=1)],
        "permuted": [
            lambda g, x: g.permuted(x), lambda g, x: g.permuted(x, axis=1), lambda g, x: g.permuted([1, 2, 3]),
            lambda g, x: filled(x.copy(), lambda out: g.permuted(x, axis=0, out=out)),
        ],
        "random": [
            *BOTH["random"], lambda g, x: g.random(3, np.float32), lambda g, x: g.random(dtype="f4"),
            lambda g, x: filled(np.empty(x.shape), lambda out: g.random(out=out)),
        ],
        "shuffle": [*BOTH["shuffle"], lambda g, x: shuffled(g, x + 1, axis=1)],
        "spawn": [lambda g, x: [child.random(2) for child in g.spawn(2)]],
        "standard_exponential": [
            *BOTH["standard_exponential"], lambda g, x: g.standard_exponential(3, dtype="f4", method="inv"),
            lambda g, x: filled(np.empty(3), lambda out: g.standard_exponential(out=out)),
        ],
        "standard_gamma": [
            *BOTH["standard_gamma"], lambda g, x: g.standard_gamma(x.astype("f4"), dtype=np.float32),
            lambda g, x: filled(np.zeros(3), lambda out: g.standard_gamma(2.0, out=out)),
        ],
        "standard_normal": [
            *BOTH["standard_normal"], lambda g, x: g.standard_normal((2, 2), dtype=np.float32),
            lambda g, x: filled(np.zeros((2, 3), order="F"), lambda out: g.standard_normal((2, 3), out=out)),
        ],
    },
    Kind.RANDOM_STATE: BOTH | {
        "rand": [lambda g, x: g.rand(), lambda g, x: g.rand(2, len(x))],
        "randint": [
            lambda g, x: g.randint(5), lambda g, x: g.randint(2, 9, (2, 2), dtype=np.int8),
            lambda g, x: g.randint(x.astype(int) + 3), lambda g, x: g.randint(2, dtype=bool),
        ],
        "randn": [lambda g, x: g.randn(), lambda g, x: g.randn(*x.shape)],
        "random_integers": [lambda g, x: g.random_integers(5), lambda g, x: g.random_integers(2, 4, size=3)],
        "random_sample": [lambda g, x: g.random_sample(), lambda g, x: g.random_sample(x.shape)],
        "seed": [lambda g, x: (g.seed(3), g.rand(2)), lambda g, x: (g.seed([1, 2]), g.rand())],
        "tomaxint": [lambda g, x: g.tomaxint(), lambda g, x: g.tomaxint(3)],
    },
}  # fmt: skip

REFUSED = {
    Kind.GENERATOR: {"bit_generator": lambda g: g.bit_generator.state, "bytes": lambda g: g.bytes(3)},
    Kind.RANDOM_STATE: {
        "bytes": lambda g: g.bytes(3),
        "get_state": lambda g: g.get_state(),
        "set_state": lambda g: g.set_state(None),
    },
}
CLASSES = {Kind.GENERATOR: np.random.Generator, Kind.RANDOM_STATE: np.random.RandomState}


def new(kind):
    return np.random.default_rng(7) if kind is Kind.GENERATOR else np.random.RandomState(7)


def state(generator):
    if isinstance(generator, np.random.Generator):
        return pickle.dumps((generator.bit_generator.state, generator.bit_generator.seed_seq.n_children_spawned))
    return pickle.dumps(generator.get_state(legacy=False))


def shuffled(g, x, **kwargs):
    assert g.shuffle(x, **kwargs) is None
    return x


def filled(out, draw):
    drawn = draw(out)
    assert drawn is out
    return out * 2, drawn


CASES = [(k, n, f) for k, table in TABLE.items() for n, programs in table.items() for f in programs]


@pytest.mark.parametrize(("kind", "name", "draw"), CASES, ids=[f"{k.value}-{n}" for k, n, _ in CASES])
@pytest.mark.filterwarnings("ignore:This function is deprecated")
def test_a_method_draws_what_eager_code_draws(kind, name, draw):
    f = tracefn.function(draw)
    g, h = new(kind), new(kind)
    for scale in (1.0, 2.0, 1.0):
        assert_alike(f(g, A * scale), draw(h, A * scale))
        assert state(g) == state(h)
    (concrete,) = f.concrete_functions
    assert draws(kind, name) in [n.op.name for n in concrete.graph]
    assert concrete.side_effects == ()


@pytest.mark.parametrize("kind", TABLE)
def test_every_public_method_is_traced_or_refused(kind):
    public = {name for name in dir(CLASSES[kind]) if not name.startswith("_")}
    assert public == TABLE[kind].keys() | REFUSED[kind].keys()
    assert set(methods()) == {(k, n) for k, table in TABLE.items() for n in table}


@pytest.mark.parametrize(("kind", "name"), [(k, n) for k, table in REFUSED.items() for n in table])
def test_what_is_not_traced_is_refused_by_name(kind, name):
    g = new(kind)
    before = state(g)
    for f in (lambda rng: REFUSED[kind][name](rng), lambda rng: REFUSED[kind][name](g)):
        with pytest.raises(UnsupportedFunctionError, match=f"`{name}` of .* is not traced"):
            tracefn.function(f)(g)
    assert state(g) == before


@pytest.mark.parametrize(("kind", "name"), methods())
@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="the signatures of a newer NumPy")
def test_signatures_are_those_of_numpy(kind, name):
    expected = list(inspect.signature(getattr(CLASSES[kind], name)).parameters.values())[1:]
    found = list(inspect.signature(by_name(draws(kind, name)).rule).parameters.values())[1:]
    assert [(p.name, p.kind, p.default) for p in found] == [(p.name, p.kind, p.default) for p in expected]


@pytest.mark.parametrize("name", MAKERS)
def test_what_makes_generators_is_made_anew_at_each_call(name):
    def f(seed):
        made = getattr(np.random, name)(np.random.PCG64(seed) if name == "Generator" else seed)
        if name == "SeedSequence":
            made = np.random.default_rng(made)
        elif name not in ("default_rng", "Generator", "RandomState"):
            made = np.random.Generator(made)
        return made.standard_normal(2)

    traced = tracefn.function(f)
    for seed in (1, 1, np.int64(2), np.int64(3), np.int64(3)):
        assert_alike(traced(seed), f(seed))
    assert len(traced.concrete_functions) == 2


def test_without_a_seed_every_call_has_other_numbers():
    f = tracefn.function(
        lambda: (np.random.default_rng().random(3), np.random.default_rng(np.random.SeedSequence()).random())
    )
    first, second = f(), f()
    assert not np.array_equal(first[0], second[0]) and first[1] != second[1]


@pytest.mark.parametrize(
    ("draw", "error"),
    [
        (lambda g, x: g.normal(scale=-1), ValueError),
        (lambda g, x: g.normal(x, size=(7,)), ValueError),
        (lambda g, x: g.integers(3, 3), ValueError),
        (lambda g, x: g.normal(1, 2, 3, 4), TypeError),
        (lambda g, x: g.normal(mean=1), TypeError),
        (lambda g, x: g.random(2.5), TypeError),
        (lambda g, x: g.random(-1), ValueError),
        (lambda g, x: g.choice(x, 2, p=x), ValueError),
        (lambda g, x: g.choice(2.5), ValueError),
        (lambda g, x: g.choice(5, 9, replace=False), ValueError),
        (lambda g, x: g.choice(x, axis=3), IndexError),
        (lambda g, x: g.permutation(x, axis=5), IndexError),
        (lambda g, x: g.dirichlet(1.0), (ValueError, TypeError)),
        (lambda g, x: g.standard_normal(dtype=int), TypeError),
        (lambda g, x: g.standard_normal(out=np.empty(3, "f4")), TypeError),
        (lambda g, x: g.nothing(3), AttributeError),
        (lambda g, x: g + 1, TypeError),
    ],
)
def test_errors_are_those_of_eager_code_and_draw_nothing(draw, error):
    g = new(Kind.GENERATOR)
    before = state(g)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(error):
            draw(new(Kind.GENERATOR), A)
        f = tracefn.function(draw)
        for _ in range(2):
            with pytest.raises(error):
                f(g, A)
    assert state(g) == before


@pytest.mark.parametrize("kind", [Kind.GENERATOR, Kind.RANDOM_STATE])
def test_arguments_arrays_outside_and_views_are_shuffled(kind):
    outside = np.arange(5.0)

    def program(g, x):
        g.shuffle(x)
        g.shuffle(outside)
        g.shuffle(x[1::2])

    f = tracefn.function(program)
    mine, theirs = new(kind), new(kind)
    for _ in range(3):
        x, expected = np.arange(9.0), np.arange(9.0)
        before = outside.copy()
        assert f(mine, x) is None
        after = outside.copy()
        outside[:] = before
        program(theirs, expected)
        np.testing.assert_array_equal(x, expected)
        np.testing.assert_array_equal(outside, after)
    assert state(mine) == state(theirs)


def test_an_argument_takes_what_is_drawn():
    x, expected = np.zeros(3), new(Kind.GENERATOR).random(3)
    f = tracefn.function(lambda g, x: g.random(out=x))
    assert f(new(Kind.GENERATOR), x) is x
    np.testing.assert_array_equal(x, expected)


def test_lists_are_not_shuffled():
    g = new(Kind.GENERATOR)
    with pytest.raises(UnsupportedFunctionError, match="`shuffle` moves the items of a Python list"):
        tracefn.function(lambda: g.shuffle([1, 2, 3]))()
