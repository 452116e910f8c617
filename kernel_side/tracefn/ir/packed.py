"""JSON and bytes behind it, as one piece of bytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any

_HEAD = struct.Struct("<q")


def pack(header: dict[str, Any], blobs: Sequence[bytes] = ()) -> bytes:
    """A header that JSON can hold, and bytes behind it."""
    text = json.dumps({**header, "blobs": [len(blob) for blob in blobs]}, separators=(",", ":")).encode()
    return b"".join([_HEAD.pack(len(text)), text, *blobs])


def unpack(content: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Both again. Raises ValueError for other bytes."""
    try:
        (size,) = _HEAD.unpack_from(content)
        at = _HEAD.size + size
        header = json.loads(content[_HEAD.size : at])
        blobs = []
        for length in header.pop("blobs"):
            blobs.append(content[at : at + length])
            at += length
    except (KeyError, TypeError, AttributeError, struct.error) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error
    if at != len(content) or not 0 <= size:
        raise ValueError(f"{len(content)} bytes where the header says {at}")
    return header, blobs
