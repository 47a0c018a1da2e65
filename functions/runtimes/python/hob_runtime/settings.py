"""What the environment says, read once: the function's own code may change it."""

import os

HANDLER = os.environ.get("_HANDLER", "")
# A connection to the socket costs half of one over TCP.
SOCKET_PATH = os.environ.pop("HOB_RUNTIME_SOCKET", "")
RUNTIME_API = os.environ.get("AWS_LAMBDA_RUNTIME_API", "")
LOG_AS_JSON = os.environ.get("AWS_LAMBDA_LOG_FORMAT", "").upper() == "JSON"
LOG_LEVEL = {"TRACE": "DEBUG"}.get(
    os.environ.get("AWS_LAMBDA_LOG_LEVEL", "").upper(),
    os.environ.get("AWS_LAMBDA_LOG_LEVEL", "").upper(),
)
SNAP_START = os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "snap-start"


def _concurrency():
    try:
        return max(1, int(os.environ.get("AWS_LAMBDA_MAX_CONCURRENCY", "1")))
    except ValueError:
        return 1


def _escapes_text():
    """Up to python3.11, answers are plain ASCII; from then on text stays as it is."""
    minor = os.environ.get("AWS_EXECUTION_ENV", "").rpartition("python3.")[2]
    return minor.isdigit() and int(minor) < 12


CONCURRENCY = _concurrency()
ESCAPES_TEXT = _escapes_text()
