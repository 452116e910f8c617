"""Why a function was traced again, what it cost, whether it was needless, and what to change."""

from .explanation import Explanation, explain

__all__ = ["Explanation", "explain"]
