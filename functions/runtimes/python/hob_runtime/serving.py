"""Loads the handler and hands it one event after another."""

import os
import sys

from . import output, settings
from .connection import Connection, RuntimeGone
from .context import LambdaContext
from .failures import failure, log_failure
from .handler import load_handler
from .working import Working


def serve():
    output.set_up()
    if settings.CONCURRENCY > 1:
        _become_several()
    connection = Connection()
    try:
        handler = load_handler(settings.HANDLER)
    except Exception as error:  # pylint: disable=broad-except -- report every exception
        _end(connection, "init/error", failure(error), 1)
    if settings.SNAP_START:
        _pass_snapshot(connection)
    connection.poll()
    # The module `json` takes as long to load as the interpreter: it does so while the first event is on its way.
    from . import marshalling

    try:
        while True:
            _work(connection, marshalling, handler, *connection.event())
    except (RuntimeGone, OSError):
        sys.exit(1)


def _work(connection, marshalling, handler, headers, body):
    request_id = headers.get("lambda-runtime-aws-request-id", "")
    Working.request_id = request_id
    Working.tenant_id = headers.get("lambda-runtime-aws-tenant-id")
    _set_trace(headers.get("lambda-runtime-trace-id"))
    try:
        content_type = headers.get("content-type", "application/json")
        context = _context(marshalling, request_id, headers)
        result = handler(marshalling.event_of(body, content_type), context)
        answer, answer_type = marshalling.answer_of(result)
    except Exception as error:  # pylint: disable=broad-except -- every exception is a response
        described = failure(error, request_id)
        log_failure(described)
        output.flush()
        connection.fail(request_id, marshalling.json_bytes(described), described["errorType"])
    else:
        output.flush()
        connection.respond(request_id, answer, answer_type)


def _context(marshalling, request_id, headers):
    return LambdaContext(
        request_id,
        int(headers.get("lambda-runtime-deadline-ms", "0")),
        headers.get("lambda-runtime-invoked-function-arn"),
        marshalling.parsed_header(headers.get("lambda-runtime-client-context"), "Client Context"),
        marshalling.parsed_header(headers.get("lambda-runtime-cognito-identity"), "Cognito Identity"),
        headers.get("lambda-runtime-aws-tenant-id"),
    )


def _set_trace(trace_id):
    """Libraries for tracing read the header of the event from the environment."""
    if trace_id:
        os.environ["_X_AMZN_TRACE_ID"] = trace_id
    else:
        os.environ.pop("_X_AMZN_TRACE_ID", None)


def _pass_snapshot(connection):
    """Runs the hooks around a snapshot, those before it in reverse order."""
    import snapshot_restore_py

    try:
        for function, arguments, named in reversed(snapshot_restore_py.get_before_snapshot()):
            function(*arguments, **named)
    except Exception as error:  # pylint: disable=broad-except -- report every exception
        _end(connection, "init/error", failure(error), 64, "Runtime.BeforeSnapshotError")
    connection.restore_next()
    try:
        for function, arguments, named in snapshot_restore_py.get_after_restore():
            function(*arguments, **named)
    except Exception as error:  # pylint: disable=broad-except -- report every exception
        _end(connection, "restore/error", failure(error), 65, "Runtime.AfterRestoreError")


def _end(connection, path, described, status, error_type=None):
    log_failure(described)
    output.flush()
    from . import marshalling

    connection.report(path, marshalling.json_bytes(described), error_type or described["errorType"])
    sys.exit(status)


def _become_several():
    """One process for each event that may be worked on at a time; the first to end takes all with it."""
    for _ in range(settings.CONCURRENCY):
        if os.fork() == 0:
            return
    _, status = os.wait()
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
