"""Gradients of random programs against finite differences: python -m conformance.gradients --count 5000 --seed 0"""

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
    parser.add_argument("--show", type=int, metavar="SEED", help="print a program and its outcome")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.show is not None:
        outcome = compare(options.show, options.jit)
        print(Program(options.show).source, outcome.kind, outcome.what, outcome.difference, sep="\n")
        return int(outcome.kind in ("wrong", "raised"))
    if options.worker:
        return work(lambda seed: compare(seed, options.jit), options.seed, options.count)
    started = time.perf_counter()
    outcomes = run("conformance.gradients", options.seed, options.count, "--jit", options.jit)
    return table(outcomes, time.perf_counter() - started)


def table(outcomes, seconds):
    counts = collections.Counter(outcome.kind for outcome in outcomes.values())
    print(f"{len(outcomes)} programs, {len(outcomes) / seconds:.1f} a second")
    for kind in ("agrees", "wrong", "raised", "refused", "skipped"):
        print(f"{kind:>16}: {counts[kind]:5}  {counts[kind] / len(outcomes):6.1%}")
        common(kind, {seed: [o.what] for seed, o in outcomes.items() if o.kind == kind != "agrees"})
    return int(bool(counts["wrong"] or counts["raised"]))


if __name__ == "__main__":
    sys.exit(main())
