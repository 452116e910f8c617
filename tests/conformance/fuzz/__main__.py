"""Runs many programs of `aliasing` and prints a table: python -m conformance.fuzz --count 5000 --seed 0 --jit off"""

import argparse
import sys
import time

from conformance.fuzz.aliasing import Program
from conformance.fuzz.memory import compare, compare_source, shrunk
from conformance.runner import common, run, work
from conformance.state.compare import pattern


def main():
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jit", choices=("off", "now"), default="off")
    parser.add_argument("--show", type=int, metavar="SEED", help="print a program, what differs, and a smaller one")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.show is not None:
        return show(options.show, options.jit)
    if options.worker:
        return work(lambda seed: compare(seed, options.jit), options.seed, options.count)
    started = time.perf_counter()
    outcomes = run("conformance.fuzz", options.seed, options.count, "--jit", options.jit)
    return table(outcomes, time.perf_counter() - started)


def show(seed, jit):
    program = Program(seed)
    found = compare(seed, jit)
    print(program.source, found, sep="\n")
    if not found.agrees or found.fallbacks:
        source = shrunk(program.source, program.calls, seed, jit)
        print("\n# --- smaller\n\n" + source, compare_source(source, program.calls, "smaller", jit), sep="\n")
    return int(not found.agrees)


def table(outcomes, seconds):
    count = len(outcomes)
    wrong = {seed: [o.what] for seed, o in outcomes.items() if not o.agrees}
    fell = {seed: set(map(pattern, o.fallbacks)) for seed, o in outcomes.items() if o.fallbacks}
    print(f"{count} programs, {count / seconds:.1f} a second")
    for told, number in (("agree", count - len(wrong)), ("differ", len(wrong)), ("as graphs", count - len(fell))):
        print(f"{told:>16}: {number:5}  {number / count:6.1%}")
    common("differences", wrong)
    common("reasons to fall back", fell)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
