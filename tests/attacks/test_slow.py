"""Slow clients, and those that send without end: the connection is ended, and what it sent is not
kept (webapp/platform/server/connections.py, bodies.py).

Against uvicorn with our protocol and an application that reads bodies as Django does; the bounds
are shortened, so that nobody waits.
"""

import asyncio
import socket
import threading
import time

import pytest
import uvicorn

from webapp.platform.server import bodies, connections

QUICK = 0.3  # seconds, in place of each patience
SOON = 5.0  # seconds within which a connection must have ended


async def application(scope, receive, send):
    """Reads a body, then answers with its length; /long: with 64 MB."""
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    body = bytes(64 << 20) if scope["path"] == "/long" else str(size).encode()
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"content-length", str(len(body)).encode())],
        }
    )
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def server(monkeypatch, settings):
    monkeypatch.setattr(connections, "HEADER_SECONDS", QUICK)
    monkeypatch.setattr(connections, "READ_SECONDS", QUICK)
    monkeypatch.setattr(bodies, "FORM_SECONDS", QUICK)
    monkeypatch.setattr(bodies, "FORM", 1000)
    settings.UPLOAD_PATIENCE = QUICK
    config = uvicorn.Config(
        bodies.bound_bodies(application),
        port=0,
        http="webapp.platform.server.connections:Connection",
        log_level="critical",
        lifespan="off",
        loop="asyncio",
    )
    server = uvicorn.Server(config)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=lambda: loop.run_until_complete(server.serve()))
    thread.start()
    while not server.started:
        time.sleep(0.005)
    yield server
    server.should_exit = True
    thread.join(10)
    loop.close()


@pytest.fixture
def connection(server):
    with socket.create_connection(server.servers[0].sockets[0].getsockname(), SOON) as connection:
        yield connection


def answer(connection) -> bytes:
    """All that comes until the server ends the connection; it must, within SOON."""
    got = b""
    while True:
        try:
            piece = connection.recv(1 << 20)
        except ConnectionResetError:
            return got
        if not piece:
            return got
        got += piece


def trickle(connection, pieces: int = 200) -> None:
    """A byte now and then, as Slowloris does."""
    for _ in range(pieces):
        try:
            connection.sendall(b"x")
        except OSError:
            return
        time.sleep(QUICK / 10)
    raise AssertionError("the server took a trickle for as long as it came")


def test_an_ordinary_request_is_answered(connection):
    connection.sendall(
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
    )
    assert answer(connection).endswith(b"\r\n\r\n5")


def test_a_connection_that_says_nothing_is_ended(connection):
    assert answer(connection) == b""


def test_headers_that_trickle_are_not_waited_for(connection):
    connection.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
    trickle(connection)


def test_second_headers_of_a_connection_are_not_waited_for_either(connection):
    connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert connection.recv(1000)
    connection.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
    trickle(connection)


@pytest.mark.parametrize(
    "line", [b"X-Long: ", b"X-Other: y\r\n", b""], ids=["one header", "many headers", "an address"]
)
def test_headers_without_end_are_refused(connection, line):
    connection.sendall(b"GET / HTTP/1.1\r\nX-Long: " if line else b"GET /")
    filler = b"x" * 4096 if line != b"X-Other: y\r\n" else line * 400
    sent = 0
    try:
        while sent < 4 * connections.HEADERS:
            connection.sendall(filler)
            sent += len(filler)
            time.sleep(0.001)
    except OSError:
        pass
    got = answer(connection)
    assert sent < 4 * connections.HEADERS and (got == b"" or b" 400 " in got.split(b"\r\n")[0])


@pytest.mark.parametrize(
    "start", [b"0\r\nX-Long: ", b"0\r\nX-", b"5;more="], ids=["value", "name", "extension"]
)
def test_what_follows_the_headers_without_end_is_refused(connection, monkeypatch, settings, start):
    """Of a body in chunks: its trailers, and what a chunk says of itself. The parser tells nothing
    before their end."""
    monkeypatch.setattr(bodies, "FORM_SECONDS", 60.0)
    settings.UPLOAD_PATIENCE = 60.0
    connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + start)
    sent = 0
    try:
        while sent < 100 * connections.HEADERS:
            connection.sendall(b"x" * 16384)
            sent += 16384
            time.sleep(0.001)
    except OSError:
        pass
    assert sent < 100 * connections.HEADERS


@pytest.mark.parametrize("where", ["one header", "many headers", "an address", "trailers"])
def test_headers_in_one_piece_are_bounded_too(connection, where):
    head = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    filler = b"x" * (connections.HEADERS - 100)
    request = {
        "one header": lambda more: head + b"X-Long: " + filler + more + b"\r\n\r\n",
        "many headers": lambda more: (
            head + b"X-A: b\r\n" * ((len(filler) + 8 * len(more)) // 8) + b"\r\n"
        ),
        "an address": lambda more: b"GET /" + filler + more + head[5:] + b"\r\n",
        "trailers": lambda more: (
            b"POST"
            + head[3:]
            + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: "
            + filler[:-100]
            + more
            + b"\r\n\r\n"
        ),
    }[where]
    connection.sendall(request(b"x" * 6_000))
    assert answer(connection).startswith(b"HTTP/1.1 400 ")


def test_headers_up_to_the_bound_are_taken(connection):
    connection.sendall(
        b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: "
        + b"x" * (connections.HEADERS - 200)
        + b"\r\n\r\n"
    )
    assert answer(connection).startswith(b"HTTP/1.1 200 ")


def test_a_body_that_trickles_is_not_waited_for(connection):
    connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n")
    trickle(connection)
    assert b" 408 " in answer(connection).split(b"\r\n")[0]


def test_a_large_body_is_refused_before_it_comes(connection):
    connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n")
    assert b" 413 " in answer(connection).split(b"\r\n")[0]


def test_a_large_body_without_a_length_is_refused_on_its_way(connection):
    connection.sendall(
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"1f4\r\n"
        + bytes(500)
        + b"\r\n"
        + b"1f5\r\n"
        + bytes(501)
        + b"\r\n"
    )
    assert b" 413 " in answer(connection).split(b"\r\n")[0]


def test_files_of_a_corpus_may_be_large(connection):
    connection.sendall(
        b"POST /corpora/3/add/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\nConnection:"
        b" close\r\n\r\n" + bytes(5000)
    )
    assert answer(connection).endswith(b"\r\n\r\n5000")


def test_but_not_larger_than_an_upload(connection, settings):
    settings.MAX_UPLOAD = 4000
    connection.sendall(b"POST /corpora/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n")
    assert b" 413 " in answer(connection).split(b"\r\n")[0]


def test_a_client_that_does_not_take_its_answer_is_let_go(connection, server):
    connection.sendall(b"GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
    assert connection.recv(1)
    deadline = time.monotonic() + SOON
    while server.server_state.connections:
        assert time.monotonic() < deadline
        time.sleep(QUICK / 10)


def test_two_lengths_or_a_length_and_chunks_are_refused(connection):
    """Request smuggling: a proxy might believe the other one."""
    connection.sendall(
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding:"
        b" chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n"
    )
    assert b" 400 " in answer(connection).split(b"\r\n")[0]


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
        b"Transfer-Encoding: xchunked\r\nContent-Length: 4\r\n\r\nabcd",
        b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        b"Content-Length: +5\r\n\r\nabcde",
        b"Content-Length: -1\r\n\r\n",
        b"X: a\r\n b: c\r\n\r\n",
        b"X: a\x00b\r\n\r\n",
    ],
)
def test_what_two_servers_would_read_differently_is_refused(connection, head):
    """Else a proxy and this server would not agree where a request ends, and what follows would be
    taken for somebody else's."""
    connection.sendall(
        b"POST / HTTP/1.1\r\nHost: x\r\n" + head + b"GET /long HTTP/1.1\r\nHost: x\r\n\r\n"
    )
    got = answer(connection)
    assert got.startswith(b"HTTP/1.1 400 ") and got.count(b"HTTP/1.1 ") == 1
