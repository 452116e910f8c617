"""Runs many programs with state and prints a table: python -m conformance.state --count 5000 --seed 0 [--show SEED]"""

import argparse
import collections
import os
import signal
import sys
import time
import traceback
from pathlib import Path

import tracefn
from conformance.runner import common, run, tell
from conformance.state.compare import Outcome, compare, compare_source, pattern
from conformance.state.programs import programs, tags
from conformance.state.shrink import shrunk, without_imports

SECONDS = 30
"""How long a program may take."""


def main():
    parser = argparse.ArgumentParser(prog="python -m conformance.state", description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, metavar="SEED", help="print a program, what differs, and a smaller one")
    parser.add_argument("--file", help="compare the program of a file")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.file:
        outcome = compare_source(Path(options.file).read_text(), Path(options.file).stem)
        return print(outcome) or int(not outcome.agrees)
    if options.show is not None:
        return show(programs(options.show))
    if options.worker:
        return work(options.seed, options.count)
    started = time.perf_counter()
    outcomes = run("conformance.state", options.seed, options.count)
    return table(outcomes, time.perf_counter() - started)


def show(source):
    outcome = compare_source(source, "shown")
    print(source, outcome, sep="\n")
    if not outcome.agrees or outcome.fallbacks:
        source, outcome = shrunk(source)
        print("\n# --- smaller\n\n" + without_imports(source), outcome, sep="\n")
    return int(not outcome.agrees)


def work(seed, count):
    late = []

    def too_long(*_):
        if late:
            os._exit(1)
        late.append(True)
        signal.alarm(SECONDS)
        raise TimeoutError("the program takes too long")

    tracefn.config.jit("off")  # native code rounds otherwise
    signal.signal(signal.SIGALRM, too_long)
    for number in range(seed, seed + count):
        signal.alarm(SECONDS)
        try:
            outcome = compare(number)
        except BaseException as error:
            outcome = Outcome("raised", f"{type(error).__name__}: {pattern(str(error))}", traceback.format_exc()[-500:])
        signal.alarm(0)
        if late:
            outcome = Outcome("raised", f"takes more than {SECONDS} seconds")
        late.clear()
        tell(number, outcome)


def table(outcomes, seconds):
    kinds = collections.Counter(outcome.kind for outcome in outcomes.values())
    count = len(outcomes)
    fell = sum(bool(outcome.fallbacks) for outcome in outcomes.values())
    traces = any(outcome.traces for outcome in outcomes.values())
    print(f"{count} programs, {count / seconds:.1f} a second")
    for kind, told in (("agrees", "agree"), ("wrong", "silently wrong"), ("raised", "raise"), ("refused", "refused")):
        print(f"{told:>16}: {kinds[kind]:5}  {kinds[kind] / count:6.1%}")
    print(f"{'by fallback':>16}: {fell:5}  {fell / count:6.1%}")
    if traces:
        most = sorted(outcomes, key=lambda seed: -max(outcomes[seed].traces.values(), default=0))[:6]
        told = ", ".join(f"{max(outcomes[seed].traces.values(), default=0)} in {seed}" for seed in most)
        print(f"traces per program and method: {traces_of(outcomes):.2f} (most: {told})")
    common("differences", {s: [f"{o.kind}: {o.what}"] for s, o in outcomes.items() if not o.agrees})
    common("reasons to fall back", {s: {pattern(r) for r in o.fallbacks} for s, o in outcomes.items() if o.fallbacks})
    suspects(outcomes)
    return int(kinds["agrees"] < count)


def traces_of(outcomes):
    """How many traces a method has, on average."""
    traces = [n for outcome in outcomes.values() if not outcome.fallbacks for n in outcome.traces.values()]
    return sum(traces) / max(len(traces), 1)


def suspects(outcomes):
    """What programs that disagree, or run by fallback, have in them more often than others."""
    uses, bad = collections.Counter(), collections.defaultdict(list)
    for seed, outcome in outcomes.items():
        for tag in set(tags(seed)):
            uses[tag] += 1
            if not outcome.agrees or outcome.fallbacks:
                bad[tag].append(seed)
    ranked = sorted(bad, key=lambda tag: -(len(bad[tag]) + 0.5) / (uses[tag] + 5))
    if ranked:
        print("\nwhat these programs contain (programs that disagree or fall back, of all with it)")
    for tag in ranked[:25]:
        print(f"{len(bad[tag]):6} of {uses[tag]:4}  {tag!r}  (seeds {', '.join(map(str, bad[tag][:4]))})")


if __name__ == "__main__":
    sys.exit(main())
