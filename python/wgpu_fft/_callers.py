"""Who has called this package, for errors that come later than the call that caused them.

Calls on arrays on the device are queued, so that the device or its driver refuses them later. Each
carries the function of this package and the place that called it. Words are made of them only if
something fails.
"""

from __future__ import annotations

import collections
import sys
from types import CodeType

# The function, and the code and the instruction that called it.
Caller = tuple[str, CodeType, int]

# The last ones, of all threads.
_recent: collections.deque[Caller] = collections.deque(maxlen=64)
# How many of them an error names.
NAMED = 5


def caller() -> Caller:
    """The function of this package that a program has called, and where."""
    frame = own = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        own, frame = frame, frame.f_back
    # A program may be run inside of this package, as doctests are.
    at = frame or own
    found = (own.f_code.co_name, at.f_code, at.f_lasti)
    _recent.append(found)
    return found


def said(call: Caller) -> str:
    """A call in words: `fft` at script.py:12."""
    name, code, instruction = call
    line = code.co_firstlineno
    for first, end, number in code.co_lines():
        if first <= instruction < end:
            line = number or line
    return f"`{name}` at {code.co_filename}:{line}"


def last() -> str:
    """The end of an error's message that names the last calls, any of which may have caused it."""
    names = list(dict.fromkeys(said(call) for call in reversed(list(_recent))))[:NAMED]
    return f"; the last calls that were queued, any of which may be the reason: {', '.join(names)}" if names else ""
