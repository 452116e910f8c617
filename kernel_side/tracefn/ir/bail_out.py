"""The signal of a program that cannot go on for the call at hand, as a value is not of the type that was traced."""

from __future__ import annotations


class BailOut(Exception):
    """Raised by a step of a program where a value that it got at run time has another type than the trace assumed.

    `reason` says so in words; where it `is_learned`, the next trace does not assume it again. The call is then traced
    anew, or runs eagerly; users never see this exception.
    """

    def __init__(self, reason: str, is_learned: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_learned = is_learned


class RunsEagerlyOnce(BailOut):
    """The same for a call that no other trace would do: it runs eagerly, and the trace stays for other calls."""
