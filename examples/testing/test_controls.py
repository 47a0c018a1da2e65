"""The controls of a server for tests that docs/testing-with-hob.md does not already use with pytest.

It takes conftest.py and seed.yaml of that page.
"""

import datetime
import http.client
import http.server
import queue
import threading
import urllib.error
import urllib.request

import pytest


def look(hob):
    """The bot: says what it makes of a response."""
    try:
        hob.ask("GET", "/api/v3/user")
    except urllib.error.HTTPError as error:
        if error.headers.get("X-RateLimit-Remaining") == "0":
            return "no requests are left"
        return str(error.code)
    except (http.client.RemoteDisconnected, ConnectionError, urllib.error.URLError):
        return "the connection ended"
    return "fine"


@pytest.mark.parametrize(
    "kind, seen",
    [
        ("rate-limit", "no requests are left"),
        ("internal-error", "500"),
        ("bad-gateway", "502"),
        ("cut", "the connection ended"),
    ],
)
def test_tells_failures_apart(hob, kind, seen):
    hob.ask("POST", "/-/test/faults", {"kind": kind, "path": "/user"})
    assert look(hob) == seen
    assert look(hob) == "fine"


def test_gives_a_slow_response_up(hob):
    hob.ask("POST", "/-/test/faults", {"kind": "slow", "path": "/meta", "seconds": 600})
    with pytest.raises(TimeoutError):
        urllib.request.urlopen(hob.url + "/api/v3/meta", timeout=0.1)
    urllib.request.urlopen(hob.url + "/api/v3/meta").close()


def test_goes_on_once_the_failures_are_ended(hob):
    hob.ask("POST", "/-/test/faults", {"kind": "internal-error", "times": 1000})
    assert len(hob.ask("GET", "/-/test/faults")) == 1
    hob.ask("DELETE", "/-/test/faults")
    assert look(hob) == "fine"


def test_waits_until_an_update_is_applied(hob):
    update = ["update-function-configuration", "--function-name", "greet", "--memory-size", "256"]
    status = ["get-function-configuration", "--function-name", "greet", "--query", "LastUpdateStatus", "--output", "text"]
    hob.ask("POST", "/-/test/hold", {"update": "greet"})
    assert hob.functions(*update).returncode == 0
    assert hob.functions(*status).stdout.strip() == "InProgress"
    hob.ask("POST", "/-/test/release", {"update": "greet"})
    assert hob.functions("wait", "function-updated-v2", "--function-name", "greet").returncode == 0
    assert hob.functions(*status).stdout.strip() == "Successful"


@pytest.fixture
def receiver():
    events = queue.Queue()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            events.put(self.headers["X-GitHub-Event"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", events
        server.shutdown()


def test_gets_a_webhook_late(hob, receiver):
    url, events = receiver
    hob.ask("POST", "/-/test/hold", {"deliveries": True})
    hob.ask("POST", "/api/v3/repos/acme/website/hooks", {"config": {"url": url}}, token="token-of-ada")
    # A snapshot waits until the server has nothing left to do.
    hob.ask("POST", "/-/test/snapshot", {"name": "held"})
    assert "held" in hob.ask("GET", "/-/test/snapshots")
    assert events.empty()
    hob.ask("POST", "/-/test/release", {"deliveries": True})
    assert events.get(timeout=60) == "ping"


def test_begins_with_what_it_asks_for(hob):
    commits = [{"files": {"README.md": "# Notes\n"}}]
    hob.ask("POST", "/-/test/seed", {"repositories": [{"name": "root/notes", "commits": commits}]})
    assert hob.ask("GET", "/api/v3/repos/root/notes/readme")["name"] == "README.md"


def test_sees_the_clock_stand_run_on_and_be_that_of_the_host(hob):
    new_year = "2030-01-01T00:00:00.000Z"
    standing = hob.ask("PUT", "/-/test/clock", {"now": new_year})
    assert hob.ask("GET", "/-/test/clock") == standing == {"now": new_year, "running": False}
    hob.ask("PUT", "/-/test/clock", {"now": new_year, "running": True})
    while hob.ask("GET", "/-/test/clock")["now"] == new_year:
        pass
    released = datetime.datetime.fromisoformat(hob.ask("DELETE", "/-/test/clock")["now"].replace("Z", "+00:00"))
    assert abs((datetime.datetime.now(datetime.timezone.utc) - released).total_seconds()) < 60


def test_stops_being_recorded(hob):
    # The fixture has started it.
    assert len(hob.ask("GET", "/-/test/record")["log"]["entries"]) == 0
    hob.ask("POST", "/-/test/record/stop")
    with pytest.raises(urllib.error.HTTPError) as refused:
        hob.ask("GET", "/-/test/record")
    assert refused.value.code == 409
