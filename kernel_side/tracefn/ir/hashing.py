"""BLAKE2b by itself: `hashlib` loads OpenSSL, which takes 3 ms and has no part in it."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # a Python that keeps it elsewhere
    from hashlib import blake2b

__all__ = ["blake2b"]
