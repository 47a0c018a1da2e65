"""How errors look: as the answer to an event, and in the log."""

import os
import sys
import time

from . import settings

_OWN_FOLDER = os.path.dirname(os.path.abspath(__file__))
_NO_BREAK_SPACE = "\u00a0"


class RuntimeFault(Exception):
    """An error of this program rather than of the function; its type is part of the answer."""

    def __init__(self, error_type, message, stack_trace=None):
        super().__init__(message)
        self.error_type = "Runtime." + error_type
        self.stack_trace = stack_trace or []


def failure(error, request_id=""):
    """The response that reports an exception, in the order that clients expect."""
    if isinstance(error, RuntimeFault):
        error_type, stack_trace = error.error_type, error.stack_trace
    else:
        error_type, stack_trace = type(error).__name__, _stack_trace(error)
    return {
        "errorMessage": str(error),
        "errorType": error_type,
        "requestId": request_id,
        "stackTrace": stack_trace,
    }


def log_failure(described):
    """Writes one line: a line feed inside would look like the end."""
    if settings.LOG_AS_JSON:
        from .marshalling import to_json

        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        line = to_json({"timestamp": stamp, "level": "ERROR", **described})
    else:
        line = "\r".join(_text_lines(described))
    sys.stdout.write(line + "\n")


def _stack_trace(error):
    # Costs a third of the start of the interpreter: loaded when something has failed.
    import traceback

    frames = [
        # Plain tuples: marks below the line, which newer versions add, are no part of the answer.
        (frame.filename, frame.lineno, frame.name, frame.line)
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    while frames and _is_ours(frames[0][0]):
        frames.pop(0)
    return traceback.format_list(frames)


def _is_ours(filename):
    return filename.startswith(_OWN_FOLDER) or filename.startswith("<frozen importlib")


def _text_lines(described):
    message = described["errorMessage"]
    lines = ["[ERROR] " + described["errorType"] + (": " + message if message else "")]
    lines.append("Traceback (most recent call last):")
    for element in described["stackTrace"]:
        lines.extend(_visibly_indented(line) for line in element.splitlines() or [""])
    return lines


def _visibly_indented(line):
    text = line.lstrip(" ")
    return _NO_BREAK_SPACE * (len(line) - len(text)) + text
