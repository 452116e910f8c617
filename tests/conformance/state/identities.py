"""Objects that a call makes, stores and returns, behind conditions: after each call they are the same objects, or
others, as in eager code. A program for each kind, place, result and course."""

import itertools
import sys

from conformance.state.compare import compare_source

KINDS = {
    "list": "[x[0]]",
    "empty list": "[]",
    "dict": "{'a': x[1]}",
    "array": "x * 2",
    "object": "Plain(x)",
    "deque": "deque([x[0]], 3)",
    "set": "{1, 2}",
    "lists": "[[x[0]], 1]",
    "tuple": "([x[0]], x + 1)",
    "OrderedDict": "OrderedDict(a=x)",
    "dict of lists": "{'a': [x[0]]}",
    "dataclass": "Record([x[0]])",
}
PLACES = {
    "global": ("held = v", "held"),
    "attribute": ("owner.a = v", "owner.a"),
    "inner attribute": ("owner.b.a = v", "owner.b.a"),
    "class": ("Plain.a = v", "Plain.a"),
    "nonlocal": ("outer = v", "outer"),
    "item": ("table['k'] = v", "table['k']"),
    "list": ("rows.append(v)", "rows[-1]"),
    "attribute of an argument": ("p.a = v", "p.a"),
    "item of an argument": ("q['k'] = v", "q['k']"),
}
RESULTS = ("v", "(v, 1)", "{'r': v}", "[v, v]", "None", "p", "<place>", "(<place>, v)")
COURSES = {
    "always": "v = <made>\n<store>\nreturn <result>",
    "returns a number before": "if x.sum() > 3:\n    return len(x)\nv = <made>\n<store>\nreturn <result>",
    "returns None before": "if x.sum() > 3:\n    return None\nv = <made>\n<store>\nreturn <result>",
    "returns it before": "v = <made>\nif x.sum() > 3:\n    return v\n<store>\nreturn <result>",
    "returns an array behind": "v = <made>\n<store>\nif x.sum() > 3:\n    return x\nreturn <result>",
    "returns what was there": "v = <place>\nif x.sum() > 3:\n    return <result>\nv = <made>\n<store>\nreturn <result>",
    "stores in a branch": "v = <made>\nif x.sum() > 3:\n    <store>\nreturn <result>",
    "makes in a branch": "v = None\nif x.sum() > 3:\n    v = <made>\n    <store>\nreturn <result>",
    "replaces in a branch": "v = <place>\nif x.sum() > 3:\n    v = <made>\n    <store>\nreturn <result>",
    "makes in both branches": "if x.sum() > 3:\n    v = <made>\n    <store>\nelse:\n    v = <made>\n    <store>\n"
    "return <result>",
    "makes in inner branches": "if x[0] > 0.2:\n    if x.sum() > 3:\n        return None\n    v = <made>\n    <store>\n"
    "    return <result>\nreturn None",
    "stores twice": "v = None\nif x.sum() > 3:\n    v = <made>\n    <store>\n    old.append(v)\nreturn <result>",
    "makes in a loop": "v, i = <place>, 0\nwhile i < x.sum():\n    v = <made>\n    <store>\n    i = i + 1\n"
    "return <result>",
}
PROGRAM = """
import numpy as np
from collections import OrderedDict, deque
from dataclasses import dataclass
from tracefn import function as traced

class Plain:
    a = None
    def __init__(self, v):
        self.v = v

@dataclass
class Record:
    items: list

held, owner, table, rows, p, q, old = [0.0], Plain(1), {'k': [0.0]}, [[0.0]], Plain(3), {'k': [0.0]}, []
owner.a, owner.b, p.a = [0.0], Plain(2), [0.0]
owner.b.a = [0.0]

def make():
    outer = [0.0]
    @traced
    def f(x, p, q):
        global held
        nonlocal outer
        <body>
    return f

f = make()
low, high = np.array([0.5, 1.0]), np.array([2.0, 3.0])
STEPS = ["r = f(low, p, q)", "old.append(r)", "r = f(high, p, q)", "old.append(r)"]
STEPS += ["r = f(high, p, q)", "r = f(low, p, q)"] * 2
"""


def cases():
    """All combinations."""
    return list(itertools.product(KINDS, PLACES, RESULTS, COURSES))


def outcome(kind, place, result, course):
    """What came of one of them."""
    store, held = PLACES[place]
    body = COURSES[course].replace("<made>", KINDS[kind]).replace("<store>", store)
    body = body.replace("<result>", result).replace("<place>", held).replace("\n", "\n        ")
    return compare_source(PROGRAM.replace("<body>", body), "identities")


if __name__ == "__main__":
    for case in cases()[:: int(sys.argv[1])]:
        if not (found := outcome(*case)).agrees:
            print(case, found.difference)
