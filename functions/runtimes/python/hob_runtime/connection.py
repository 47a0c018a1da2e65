"""The Runtime API over one bare socket; an answer and the poll for the next event go out in one write."""

# The module `socket` around it is for servers, and takes as long to load as all of this program.
import _socket

from . import settings

_BASE = "/2018-06-01/runtime"
_POLL = "GET {}/invocation/next HTTP/1.1\r\nHost: runtime\r\n\r\n".format(_BASE).encode()


class RuntimeGone(Exception):
    """The Runtime API has closed the connection: there is nothing left to do."""


class Connection:
    def __init__(self):
        if settings.SOCKET_PATH:
            self._socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
            self._socket.connect(settings.SOCKET_PATH)
        else:
            host, _, port = settings.RUNTIME_API.rpartition(":")
            self._socket = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
            self._socket.connect((host, int(port)))
            self._socket.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
        self._buffered = b""

    def poll(self):
        """Sends the first poll; later ones go out with answers."""
        self._socket.sendall(_POLL)

    def event(self):
        """Waits for the next event: its headers by lower-case name, and its bytes."""
        status, headers, body = self._receive()
        if status != 200:
            raise RuntimeGone("a poll was rejected with status {}".format(status))
        return headers, body

    def respond(self, request_id, result, content_type):
        self._answer("invocation/{}/response".format(request_id), result, content_type, "")

    def fail(self, request_id, payload, error_type):
        self._answer(
            "invocation/{}/error".format(request_id), payload, "application/json", error_type
        )

    def report(self, path, payload, error_type):
        """Posts what went wrong outside of an event and waits until it has arrived."""
        self._socket.sendall(_request(path, payload, "application/json", error_type))
        self._receive()

    def restore_next(self):
        """Returns when the process goes on after a snapshot was taken of it."""
        self._socket.sendall(
            "GET {}/restore/next HTTP/1.1\r\nHost: runtime\r\n\r\n".format(_BASE).encode()
        )
        status, _, _ = self._receive()
        if status != 200:
            raise RuntimeGone("restore/next was refused with {}".format(status))

    def _answer(self, path, body, content_type, error_type):
        self._socket.sendall(_request(path, body, content_type, error_type) + _POLL)
        # The service reports to the caller whether the response was too large or too late.
        self._receive()

    def _receive(self):
        buffered = self._buffered
        while True:
            end = buffered.find(b"\r\n\r\n")
            if end >= 0:
                break
            buffered += self._more()
        first, *lines = buffered[:end].decode("utf-8", "replace").split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        begin = end + 4
        needed = begin + int(headers.get("content-length", "0"))
        if len(buffered) < needed:
            buffered = self._whole(buffered, needed)
        self._buffered = buffered[needed:]
        return int(first[9:12]), headers, buffered[begin:needed]

    def _whole(self, start, needed):
        """A large event comes in many pieces: they are put together once."""
        pieces = [start]
        length = len(start)
        while length < needed:
            piece = self._more()
            pieces.append(piece)
            length += len(piece)
        return b"".join(pieces)

    def _more(self):
        piece = self._socket.recv(262144)
        if not piece:
            raise RuntimeGone("the connection was closed")
        return piece


def _request(path, body, content_type, error_type):
    error_header = ""
    if error_type:
        printable = "".join(c if " " <= c <= "~" else "?" for c in error_type[:1024])
        error_header = "Lambda-Runtime-Function-Error-Type: {}\r\n".format(printable)
    return (
        "POST {}/{} HTTP/1.1\r\nHost: runtime\r\nContent-Type: {}\r\n{}Content-Length: {}\r\n\r\n".format(
            _BASE, path, content_type, error_header, len(body)
        ).encode()
        + body
    )
