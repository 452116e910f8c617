"""The ops: one family a file, one block an op. Importing the package fills the registry (`ir.op`)."""

from . import elementwise, scalar

__all__ = ["elementwise", "scalar"]
