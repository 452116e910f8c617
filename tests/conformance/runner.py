"""Runs many generated programs in processes of their own, and tells which texts are common in their outcomes."""

import collections
import gc
import json
import os
import subprocess
import sys
import traceback

from conformance.state.compare import Outcome, pattern

CHUNK = 250
"""The number of programs of a process."""


def run(module, seed, count, *options):
    """Outcomes by seed, from processes `python -m module --worker` that print one as a line of JSON for each seed."""
    outcomes = {}
    at = seed
    while at < seed + count:
        size = min(CHUNK, seed + count - at)
        command = [sys.executable, "-m", module, "--worker", "--seed", str(at), "--count", str(size), *options]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "TRACEFN_CACHE": "off"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        for line in lines:
            number = line.pop("seed")
            outcomes[number] = Outcome(**line)
        at += len(lines)
        if len(lines) < size:
            what = f"the process ended with {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}"
            outcomes[at] = Outcome("raised", what, what)
            at += 1
        if sys.stderr.isatty():
            print(f"\r{len(outcomes)} programs", end="", file=sys.stderr)
    return outcomes


def work(compare, seed, count):
    """Tells the outcomes of `count` programs from `seed` on, by `compare(seed)`. One that raises has raised."""
    for number in range(seed, seed + count):
        try:
            outcome = compare(number)
        except Exception as error:
            outcome = Outcome("raised", f"{type(error).__name__}: {pattern(str(error))}", traceback.format_exc()[-500:])
        tell(number, outcome)


def tell(seed, outcome):
    """Prints an outcome for the process that waits for it. What is there by now is not gone through when the next
    traces look for garbage."""
    print(json.dumps({"seed": seed, **vars(outcome)}), flush=True)
    gc.freeze()


def common(title, found):
    """Prints the most frequent texts, with the programs where they are."""
    seeds = collections.defaultdict(list)
    for seed, texts in found.items():
        for text in texts:
            seeds[text].append(seed)
    if seeds:
        print(f"\n{title}")
    for text, where in sorted(seeds.items(), key=lambda item: -len(item[1]))[:25]:
        print(f"{len(where):6}  {text}  (seeds {', '.join(map(str, where[:4]))})")
