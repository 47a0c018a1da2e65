"""How the lines look that a function logs. Loaded together with the module `logging`, when the function loads that."""

import json
import logging
import sys
import time
import traceback

from . import settings
from .working import Working


def set_up():
    logging.Formatter.converter = time.gmtime
    handler = _OutputHandler()
    handler.setFormatter(_JsonFormatter() if settings.LOG_AS_JSON else _text_formatter())
    handler.addFilter(_add_event)
    root = logging.getLogger()
    root.addHandler(handler)
    if isinstance(logging.getLevelName(settings.LOG_LEVEL), int):
        root.setLevel(settings.LOG_LEVEL)


class _OutputHandler(logging.Handler):
    def emit(self, record):
        # The current stream: functions may have replaced it.
        sys.stdout.write(self.format(record))


def _add_event(record):
    record.aws_request_id = Working.request_id
    record.tenant_id = Working.tenant_id
    return True


def _text_formatter():
    return logging.Formatter(
        "[%(levelname)s]\t%(asctime)s.%(msecs)03dZ\t%(aws_request_id)s\t%(message)s\n",
        "%Y-%m-%dT%H:%M:%S",
    )


class _JsonFormatter(logging.Formatter):
    def format(self, record):
        line = {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": logging.getLevelName(min(50, max(0, record.levelno)) // 10 * 10),
            "message": record.getMessage(),
            "logger": record.name,
            **_exception_of(record),
            "requestId": record.aws_request_id,
        }
        if record.exc_info:
            line["location"] = "{}:{}:{}".format(record.pathname, record.funcName, record.lineno)
        if record.tenant_id is not None:
            line["tenantId"] = record.tenant_id
        for name, value in vars(record).items():
            if name not in _OWN_MEMBERS and name not in line and value is not None:
                line[name] = value
        return json.dumps(line, ensure_ascii=False, default=str) + "\n"


def _exception_of(record):
    if not record.exc_info or record.exc_info[0] is None:
        return {}
    error_type, error, trace = record.exc_info
    return {
        "stackTrace": traceback.format_tb(trace),
        "errorType": error_type.__name__,
        "errorMessage": str(error),
    }


# What every record has; the rest was given by the function as `extra`.
_OWN_MEMBERS = frozenset(vars(logging.makeLogRecord({}))) | {
    "aws_request_id",
    "tenant_id",
    "message",
    "asctime",
    "taskName",
}
