"""`o.__dict__` and `vars(o)`: their items are the attributes, whose reads and changes are followed."""

from __future__ import annotations

import copy
import functools
import json
import types
from typing import Any

import numpy as np
import pytest
import tracefn


class Plain:
    kind = "plain"

    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)


class Noted(Plain):
    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        self.__dict__.setdefault("sets", []).append(name)


class Lazy(Plain):
    @functools.cached_property
    def heavy(self) -> Any:
        return self.n * 2


def read(o: Any, x: Any) -> Any:
    return vars(o)["n"] + x, o.__dict__.get("none", x), "n" in vars(o), "kind" in o.__dict__, "extra" in o.__dict__


def written(o: Any, x: Any) -> Any:
    o.__dict__["n"] += 1
    vars(o)["last"] = x * 2
    o.__dict__.update(a=x, b=o.n)
    o.__dict__.setdefault("cache", {})["k"] = x.sum()
    return o.n


def dropped(o: Any, x: Any) -> Any:
    first = o.heavy if hasattr(type(o), "heavy") else x
    o.tmp = x
    del o.__dict__["tmp"]
    o.between = 1
    o.tmp = 2
    del o.tmp
    return first, o.__dict__.pop("heavy", None), o.__dict__.pop("none", 5)


def over_all(o: Any, x: Any) -> Any:
    found = [(name, value) for name, value in vars(o).items()]
    return found, list(vars(o)), len(o.__dict__), {**o.__dict__}, sorted(vars(o)), dict(vars(o)), o.__dict__.copy()


def in_branch(o: Any, x: Any) -> Any:
    if x.sum() > 2:
        o.__dict__["n"] = x.sum()
    else:
        vars(o)["w"] = x
    return o.n, o.w


def in_loop(o: Any, x: Any) -> Any:
    i = 0
    while x.sum() > i:
        o.__dict__["n"] = o.__dict__["n"] + 1
        i += 1
    return o.n


def missing(o: Any, x: Any) -> Any:
    try:
        return o.__dict__["extra"]
    except KeyError as error:
        return error.args


def asked(o: Any, x: Any) -> Any:
    return o.__dict__ is vars(o), isinstance(vars(o), dict), type(o.__dict__) is dict


STAGED = [read, written, dropped, over_all, in_branch, in_loop, missing, asked]


def whole(o: Any, x: Any) -> Any:
    return f"{vars(o)}", o.__dict__ == {"n": 1}


def given_away(o: Any, x: Any) -> Any:
    return o.__dict__, json.dumps(vars(o), default=str)


def _objects() -> list[Any]:
    given = [{"n": 1, "w": np.arange(3.0)} for _ in range(4)]
    return [cls(**kw) for cls, kw in zip((Plain, Noted, Lazy, types.SimpleNamespace), given, strict=True)]


def _same(program: Any, number: int, refused: Any) -> Any:
    mine, theirs, traced = _objects()[number], _objects()[number], tracefn.function(program, on_unsupported=refused)
    for step in range(6):
        for o in (mine, theirs):
            if step == 3:
                o.extra = step
            elif step == 4:
                del o.extra
        x = np.full(3, step - 1.5)
        assert repr(traced(mine, x)) == repr(program(theirs, x.copy()))
        assert repr(vars(mine)) == repr(vars(theirs))
    return traced


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("program", STAGED)
def test_items_are_attributes(program: Any, number: int) -> None:
    assert _same(program, number, "error").fallbacks == []


@pytest.mark.parametrize("program", [whole, given_away])
def test_a_dict_that_is_taken_as_a_whole_is_refused(program: Any) -> None:
    assert len(_same(program, 0, "eager").fallbacks) == 1


def test_copies_have_the_attributes_that_an_object_has_at_the_call() -> None:
    for o in _objects()[:3]:
        f = tracefn.function(lambda o=o: (copy.copy(o), copy.deepcopy(o)))
        assert [list(vars(c)) for c in f()] == [list(vars(o))] * 2
        o.later = 1
        found = f()
        assert [list(vars(c)) for c in found] == [list(vars(o))] * 2
        assert found[0].w is o.w and found[1].w is not o.w and type(found[0]) is type(o)
        assert f.fallbacks == []


def test_namespaces_are_copied_and_kept() -> None:
    kept = types.SimpleNamespace(model=types.SimpleNamespace(n=1, w=np.arange(2.0), cfg={"lr": 0.5}), last=None)

    @tracefn.function
    def step(x: Any) -> Any:
        gone = types.SimpleNamespace(n=0)
        gone.n += kept.model.n
        kept.model.w += x
        kept.shallow, kept.deep = copy.copy(kept.model), copy.deepcopy(kept.model)
        kept.last = types.SimpleNamespace(n=gone.n, w=x + 1)
        return kept.shallow, kept.deep.cfg is kept.shallow.cfg

    for number in range(3):
        found, is_same = step(np.full(2, number))
        assert found is kept.shallow and not is_same and found.w is kept.model.w and found.cfg is kept.model.cfg
        assert (
            repr(kept.deep) == repr(kept.model) and repr(kept.last) == f"namespace(n=1, w={np.full(2, number) + 1!r})"
        )


def test_a_copy_that_a_branch_makes_is_another_namespace() -> None:
    def step(o: Any, x: Any) -> Any:
        if x.sum() > 1:
            o.last = copy.copy(o.model)
        return o.last is o.model

    mine, theirs, traced = types.SimpleNamespace(), types.SimpleNamespace(), tracefn.function(step)
    for o in (mine, theirs):
        o.model = o.last = types.SimpleNamespace(n=1)
    with tracefn.config.on_unsupported("eager"):
        for number in (0.0, 2.0, 0.0):
            assert traced(mine, np.full(1, number)) is step(theirs, np.full(1, number))
            assert (mine.last is mine.model) is (theirs.last is theirs.model)


def test_a_name_that_a_branch_adds_is_there_where_it_has_run() -> None:
    def step(o: Any, x: Any) -> Any:
        if x.sum() > 1:
            o.big = x * 2
        return "big" in vars(o), vars(o).get("big", 5.0)

    mine, theirs, traced = Plain(n=1), Plain(n=1), tracefn.function(step, on_unsupported="eager")
    for number in (0.0, 2.0, 0.0):
        assert repr(traced(mine, np.full(1, number))) == repr(step(theirs, np.full(1, number)))
        assert repr(vars(mine)) == repr(vars(theirs))


def deleted_where(o: Any, x: Any) -> Any:
    if x[0] > 0:
        del o.n
    return x


def deleted_unless(o: Any, x: Any) -> Any:
    n = o.last
    del o.last
    if x[0] > 0:
        o.last = n
    return x


def popped_where(o: Any, x: Any) -> Any:
    if x[0] > 0:
        o.last = vars(o).pop("n", None)
    return x


def listed_and_deleted(o: Any, x: Any) -> Any:
    names = [list(vars(o)) for _ in x]
    del o.n
    return names


def set_again(o: Any, x: Any) -> Any:
    del o.n
    o.last = x
    o.n = x
    return list(vars(o))


def set_again_where(o: Any, x: Any) -> Any:
    if x[0] > 0:
        o.n = vars(o).pop("n") + 1
    return x


DELETING = [deleted_where, deleted_unless, popped_where, listed_and_deleted, set_again, set_again_where]


@pytest.mark.parametrize("function", DELETING)
@pytest.mark.parametrize("numbers", [(-1.0, 1.0, -1.0), (1.0, -1.0, 1.0)])
@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_an_attribute_is_deleted_where_a_branch_deletes_it(function: Any, numbers: tuple[float, ...]) -> None:
    traced = tracefn.function(function, on_unsupported="eager")
    for number in numbers:
        mine, theirs = Plain(n=1, items=[1], last=None), Plain(n=1, items=[1], last=None)
        x = np.full(2, number)
        assert repr(traced(mine, x)) == repr(function(theirs, x))
        assert repr(vars(mine)) == repr(vars(theirs))
    assert bool(traced.fallbacks) is (function is set_again_where)
