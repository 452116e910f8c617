"""Other tracers draw random numbers once. Here each call draws those that eager code would draw."""

import random

import numpy as np
import tracefn

module_level = np.random.default_rng(0)


def test_the_global_state_is_not_frozen():
    @tracefn.function
    def noisy(x):
        return x + np.random.normal(size=x.shape)

    np.random.seed(3)
    found = [noisy(np.zeros(2)) for _ in range(3)]
    after = np.random.random()
    np.random.seed(3)
    np.testing.assert_array_equal(found, np.random.normal(size=(3, 2)))
    assert after == np.random.random()


def test_a_generator_at_module_level_is_not_frozen():
    global module_level

    @tracefn.function
    def noisy(x):
        return x + module_level.normal(size=x.shape)

    for seed in (0, 1):
        module_level = np.random.default_rng(seed)
        found = [noisy(np.zeros(2)) for _ in range(3)]
        np.testing.assert_array_equal(found, np.random.default_rng(seed).normal(size=(3, 2)))


def test_a_generator_that_is_an_argument_is_not_frozen():
    @tracefn.function
    def noisy(x, rng):
        return x + rng.normal(size=x.shape)

    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        found = [noisy(np.zeros(2), rng) for _ in range(3)]
        np.testing.assert_array_equal(found, np.random.default_rng(seed).normal(size=(3, 2)))
    assert noisy.tracing_count == 1


def test_a_generator_made_inside_with_a_seed_starts_anew_at_each_call():
    @tracefn.function
    def start(seed):
        return np.random.default_rng(seed).normal(size=2)

    for seed in (1, 1, 2):
        np.testing.assert_array_equal(start(np.int64(seed)), np.random.default_rng(seed).normal(size=2))


def test_a_generator_made_inside_without_a_seed_is_not_frozen():
    @tracefn.function
    def fresh():
        return np.random.default_rng().normal(size=4)

    assert not np.array_equal(fresh(), fresh())


def test_an_array_is_shuffled_at_each_call():
    def shuffle(x, rng):
        rng.shuffle(x)

    f, mine, theirs = tracefn.function(shuffle), np.arange(9), np.arange(9)
    a, b = np.random.default_rng(5), np.random.default_rng(5)
    for _ in range(3):
        f(mine, a)
        shuffle(theirs, b)
        np.testing.assert_array_equal(mine, theirs)


def test_numbers_of_pythons_own_random_are_those_of_eager_code():
    own = random.Random(5)

    def noisy(x):
        if random.random() < 0.5:
            x = x + 1
        return x + random.gauss(0, 1), own.randint(0, 9), random.choice([1, 2, 3])

    results = []
    for function in (noisy, tracefn.function(noisy)):
        random.seed(3)
        own.seed(3)
        results.append([function(float(i)) for i in range(8)] + [random.random(), own.random()])
    assert results[0] == results[1]
