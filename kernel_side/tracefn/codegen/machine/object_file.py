"""Machine code of an object file in memory, ready to run: a process that finds code on disk does without LLVM.

The part of the format that is read here is described in System V ABI, chapters 4 (Object Files) and its AMD64
supplement, 4.4 (Relocation). LLVM writes code for a just-in-time compiler so that it refers to everything by addresses
of 64 bits: nothing else is known here, and other relocations are left to LLVM.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections import namedtuple
from collections.abc import Callable

_HEADER = b"\x7fELF\x02\x01"  # 64 bits, little-endian
_RELOCATABLE, _AMD64 = 1, 62
_SYMBOLS, _ADDENDS, _EMPTY, _UNWINDING = 2, 4, 8, 0x70000001
_WRITE, _ALLOCATED = 1, 2
_ABSOLUTE_64, _ALL_64 = 1, (1 << 64) - 1


class LoadedCode:
    """Functions in memory, which is freed with this object."""

    def __init__(self, memory: mmap.mmap, functions: dict[str, int]) -> None:
        self._view = ctypes.c_char.from_buffer(memory)  # holds the memory
        self._functions = functions

    def address(self, name: str) -> int:
        return ctypes.addressof(self._view) + self._functions[name]


_Section = namedtuple("_Section", "name kind flags address offset size link info alignment entry_size")


def load(content: bytes, resolve: Callable[[str], int | None]) -> LoadedCode | None:
    """The code of an object file, whose symbols `resolve` finds. None where there is more to it than is known here, or
    the system does not let data become code."""
    if (sections := _sections(content)) is None:
        return None
    kept = [s for s in sections if s.flags & _ALLOCATED and s.size and not _is_unwinding(content, sections, s)]
    if any(s.flags & _WRITE or s.kind == _EMPTY for s in kept):
        return None
    places, end = {}, 0
    for section in kept:
        end += -end % max(1, section.alignment)
        places[sections.index(section)] = end
        end += section.size
    if not end:
        return None
    memory = mmap.mmap(-1, end, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for index, place in places.items():
        memory[place : place + sections[index].size] = _bytes(content, sections[index])
    functions: dict[str, int] = {}
    for table in sections:
        if table.kind == _SYMBOLS:
            found = _symbols(content, sections, table)
            functions |= {name: places[index] + value for name, index, value in found if index in places}
        elif table.kind == _ADDENDS and table.info in places:
            symbols = _symbols(content, sections, sections[table.link])
            for offset, info, addend in struct.iter_unpack("<QQq", _bytes(content, table)):
                name, index, value = symbols[info >> 32]
                known = base + places[index] + value if index in places else None if index else resolve(name)
                if info & 0xFFFFFFFF != _ABSOLUTE_64 or known is None:
                    return None
                struct.pack_into("<Q", memory, places[table.info] + offset, (known + addend) & _ALL_64)
    if _protect(base, end, mmap.PROT_READ | mmap.PROT_EXEC):
        return None
    return LoadedCode(memory, functions)


def _sections(content: bytes) -> list[_Section] | None:
    """The sections of an object file for this processor. None for any other file."""
    if not content.startswith(_HEADER) or struct.unpack_from("<HH", content, 16) != (_RELOCATABLE, _AMD64):
        return None
    (first,) = struct.unpack_from("<Q", content, 40)
    size, count = struct.unpack_from("<HH", content, 58)
    return [_Section(*struct.unpack_from("<IIQQQQIIQQ", content, first + k * size)) for k in range(count)]


def _is_unwinding(content: bytes, sections: list[_Section], section: _Section) -> bool:
    """True for sections for exceptions of C++. None pass through this code."""
    (names,) = struct.unpack_from("<H", content, 62)
    return section.kind == _UNWINDING or _text(content, sections[names], section.name) == ".eh_frame"


def _symbols(content: bytes, sections: list[_Section], table: _Section) -> list[tuple[str, int, int]]:
    """Name, section (0 where it is undefined) and value of each symbol of a table."""
    names = sections[table.link]
    return [
        (_text(content, names, name), section, value)
        for name, _, section, value, _ in struct.iter_unpack("<IHHQQ", _bytes(content, table))
    ]


def _bytes(content: bytes, section: _Section) -> bytes:
    return content[section.offset : section.offset + section.size]


def _text(content: bytes, names: _Section, place: int) -> str:
    begin = names.offset + place
    return content[begin : content.index(b"\0", begin)].decode()


def _protect(address: int, size: int, protection: int) -> int:
    change = ctypes.CDLL(None).mprotect
    change.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    return int(change(address, size, protection))
