"""Containers from outside that the traced code has changed before a function of a library reads them: each call gives
it the items that are there."""

import copy
import json
import statistics
import types

import numpy as np
import pytest
import tracefn


def appended(o, x):
    o.items.append(float(x[0]))
    mean = statistics.mean(o.items)
    o.items = o.items[-2:]
    return mean


def appended_and_deleted(o, x):
    o.items.append(x[0])
    mean = statistics.mean(o.items)
    if len(o.items) > 2:
        del o.items[0]
    return mean


def inserted(o, x):
    o.items.insert(0, float(x[0]))
    middle = statistics.median(o.items)
    o.items = o.items[:2]
    return middle


def item_set(o, x):
    o.three[0] = float(x[0])
    mean = statistics.mean(o.three)
    o.three.append(o.three.pop(0))
    return mean


def dict_in_a_dict(o, x):
    o.table["inner"]["value"] = float(x[0])
    text = json.dumps(o.table)
    o.table["inner"]["before"] = o.table["inner"]["value"]
    return text


def arrays(o, x):
    o.items.append(x * 2)
    copies = copy.deepcopy(o.items)
    o.items = o.items[-2:]
    return copies


CASES = [appended, appended_and_deleted, inserted, item_set, dict_in_a_dict, arrays]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning", "ignore::tracefn.errors.RetraceWarning")
def test_as_eager(case):
    def run(function):
        o = types.SimpleNamespace(items=[], three=[1.0, 2.0, 3.0], table={"inner": {"before": 0.0}})
        return [repr((function(o, np.array([v])), o)) for v in (0.0, 0.0, 0.75, 0.0, 1.0, 2.0)]

    assert run(tracefn.function(case, on_unsupported="eager")) == run(case)
