"""Polling for signals in loop kernels, once in 2**20 rounds."""

from __future__ import annotations

from .checked import INT, Checking

ROUNDS = 1 << 20


class Rounds:
    """Counts rounds, and emits the ways back to the heads of loops."""

    def __init__(self, emitter: Checking) -> None:
        self._e = emitter
        self._left = emitter.variable("i64")
        emitter.put(f"store i64 {ROUNDS}, ptr {self._left}")

    def again(self, head: str, weight: int = 1) -> None:
        """Counts a round, as `weight` rounds, and goes back to the head of a loop, after a poll for signals where it
        is due."""
        e = self._e
        left = self.count(str(weight))
        pause, loop = e.block("pause"), e.loop()
        e.put(f"br i1 {e.compare('sle', INT, left, '0')}, label %{pause}, label %{head}, !prof !0, {loop}")
        e.begin(pause)
        e.put(f"store i64 {ROUNDS}, ptr {self._left}")
        raised = e.do("call i32 @pause(ptr %state)")
        e.put(f"br i1 {e.do(f'icmp eq i32 {raised}, 0')}, label %{head}, label %interrupted, {loop}")

    def count(self, rounds: str) -> str:
        """Counts rounds, and gives the number that is left before the next poll for signals."""
        e = self._e
        left = e.do(f"sub i64 {e.do(f'load i64, ptr {self._left}')}, {rounds}")
        e.put(f"store i64 {left}, ptr {self._left}")
        return left

    def count_from(self, begun: str, index: str, step: str) -> str:
        """Counts the rounds of a loop with a step of 1 or -1, whose index was `begun`, and gives its present value."""
        e = self._e
        now = e.do(f"load i64, ptr {index}")
        self.count(e.do(f"sub i64 {now}, {begun}" if step == "1" else f"sub i64 {begun}, {now}"))
        return now

    def limit(self, start: str, stop: str, step: str) -> str:
        """Where a loop with a step of 1 or -1 ends or pauses, whatever comes first: its rounds are counted together."""
        e = self._e
        if step == "1":
            distance, ahead = e.do(f"sub i64 {stop}, {start}"), e.compare("slt", INT, start, stop)
        else:
            distance, ahead = e.do(f"sub i64 {start}, {stop}"), e.compare("sgt", INT, start, stop)
        far = e.do(f"and i1 {ahead}, {e.compare('ugt', INT, distance, str(ROUNDS))}")
        return e.select(far, INT, e.do(f"add i64 {start}, {ROUNDS if step == '1' else -ROUNDS}"), stop)
