"""Gradients of random programs against finite differences: python -m conformance.gradients --count 5000 --seed 0

`--jax` takes programs without writes into arrays, and compares with JAX's gradients, too: it must be installed."""

import argparse
import collections
import sys
import time

from conformance.gradients.compare import compare
from conformance.gradients.programs import Program
from conformance.runner import common, run, work


def main():
    parser = argparse.ArgumentParser(prog="python -m conformance.gradients", description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jit", choices=("off", "now"), default="off")
    parser.add_argument("--jax", action="store_true", help="compare with JAX, too, programs without writes")
    parser.add_argument("--show", type=int, metavar="SEED", help="print a program and its outcome")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.show is not None:
        outcome = compare(options.show, options.jit, options.jax)
        print(Program(options.show, options.jax).source, outcome.kind, outcome.what, outcome.difference, sep="\n")
        return int(outcome.kind in ("wrong", "raised"))
    if options.worker:
        return work(lambda seed: compare(seed, options.jit, options.jax), options.seed, options.count)
    started = time.perf_counter()
    more = ["--jax"] if options.jax else []
    outcomes = run("conformance.gradients", options.seed, options.count, "--jit", options.jit, *more)
    return table(outcomes, time.perf_counter() - started)


def table(outcomes, seconds):
    counts = collections.Counter(outcome.kind for outcome in outcomes.values())
    print(f"{len(outcomes)} programs, {len(outcomes) / seconds:.1f} a second")
    for kind in ("agrees", "wrong", "raised", "refused", "skipped"):
        print(f"{kind:>16}: {counts[kind]:5}  {counts[kind] / len(outcomes):6.1%}")
        common(kind, {seed: [o.what] for seed, o in outcomes.items() if o.kind == kind and o.what})
    return int(bool(counts["wrong"] or counts["raised"]))


if __name__ == "__main__":
    sys.exit(main())
