"""Messages between this process and its compiler: bytes of a known length, checked by a hash that has a key."""

from __future__ import annotations

import os
import struct

from ...ir.hashing import blake2b

KEY = 16
"""Bytes of the key, which the process that asks makes for each compiler and sends first."""

MOST = 1 << 30
"""No message has more bytes."""

_HEAD = struct.Struct("<Q16s")


class Broken(Exception):
    """Bytes that are no message."""


class Frames:
    """Messages on two open files, which are blocking. One thread reads, and one at a time writes."""

    def __init__(self, reads: int, writes: int, key: bytes) -> None:
        self._reads = reads
        self._writes = writes
        self._key = key

    def write(self, content: bytes) -> None:
        """Sends a message. Raises OSError where the other end of the pipe is closed."""
        write(self._writes, _HEAD.pack(len(content), self._digest(content)) + content)

    def read(self) -> bytes | None:
        """The next message, None where there are no more. Raises Broken."""
        head = read(self._reads, _HEAD.size)
        if not head:
            return None
        if len(head) < _HEAD.size:
            raise Broken("a message ends in its head")
        size, digest = _HEAD.unpack(head)
        if size > MOST:
            raise Broken(f"a message of {size} bytes")
        content = read(self._reads, size)
        if self._digest(content) != digest:
            raise Broken("a message is not what was sent")
        return content

    def _digest(self, content: bytes) -> bytes:
        return blake2b(content, digest_size=16, key=self._key).digest()


def write(file: int, content: bytes) -> None:
    """Writes all bytes."""
    left = memoryview(content)
    while left:
        left = left[os.write(file, left) :]


def read(file: int, size: int) -> bytes:
    """So many bytes, or fewer where the file ends."""
    parts: list[bytes] = []
    while size and (part := os.read(file, min(size, 1 << 20))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
