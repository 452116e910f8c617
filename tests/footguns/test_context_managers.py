"""Context managers of `contextlib` that call methods and functions of the user's."""

import contextlib

import numpy as np
import pytest
import tracefn


class Resource:
    def __init__(self):
        self.opened, self.total, self.log = 0, 0.0, []

    def __enter__(self):
        self.opened += 1
        return self

    def __exit__(self, kind, *error):
        self.log.append(kind is None)

    def close(self):
        self.log.append("closed")


@contextlib.contextmanager
def doubled(resource):
    resource.total *= 2
    try:
        yield resource.opened
    finally:
        resource.total += 1


def used(resource, x, k):
    with contextlib.ExitStack() as stack:
        stack.callback(resource.log.append, k)
        stack.callback(lambda: resource.log.append(x.sum()))
        same = stack.enter_context(resource)
        opened = stack.enter_context(doubled(resource))
        if x[0] > 2:
            resource.total += x[0]
        if k == 5:
            raise ValueError("five")
    with contextlib.closing(resource) as last:
        last.opened += 1
    return x * opened, same is resource


def outcomes(decorate):
    resource = Resource()
    step = decorate(lambda x, k: used(resource, x, k))
    for value, k in [(1.0, 1), (3.0, 1), (2.0, 5), (4.0, 1), (1.0, 1)]:
        try:
            found = step(np.full(2, value), k)
        except ValueError as error:
            found = error
        yield repr((found, vars(resource)))


def test_stacks_and_closing_call_what_eager_code_calls():
    expected = list(outcomes(lambda function: function))
    assert list(outcomes(lambda function: tracefn.function(function, on_unsupported="error"))) == expected


def test_a_stack_that_is_filled_before_it_is_entered_is_refused():
    @tracefn.function(on_unsupported="error")
    def step(x):
        stack = contextlib.ExitStack()
        stack.callback(print)
        with stack:
            return x

    with pytest.raises(tracefn.TracefnError, match="before it is entered"):
        step(np.ones(2))
