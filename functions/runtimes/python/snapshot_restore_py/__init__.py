"""Hooks around a snapshot of the process: a function registers them while its module loads.

Each function can be used as a decorator, and takes the arguments that the hook will be called with.
"""

_before_snapshot = []
_after_restore = []


def register_before_snapshot(function, *arguments, **named):
    _before_snapshot.append((function, arguments, named))
    return function


def register_after_restore(function, *arguments, **named):
    _after_restore.append((function, arguments, named))
    return function


def get_before_snapshot():
    return _before_snapshot


def get_after_restore():
    return _after_restore
