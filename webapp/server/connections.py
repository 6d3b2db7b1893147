"""The web server's connections: a client that is slow, or sends headers without end, is let go (uvicorn --http webapp.server.connections:Connection).

uvicorn's own protocol waits for the end of a request's headers, and for a client to take its answer, for as long as the client likes,
and keeps headers of any size in memory. A few hundred such clients (Slowloris, slow read) would hold every connection there is. How
long a body may take is said in webapp/server/bodies.py.
"""

from asyncio import TimerHandle

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADERS = 64 << 10  # bytes of a request's line and headers together
BEGINNING = 15.0  # seconds from the first byte of a request, or from the connection, to the end of its headers
TAKING = 60.0  # seconds without a byte, after which a client that takes its answer is gone


class Connection(HttpToolsProtocol):
    _deadline: TimerHandle | None = None  # while the end of a request's headers is waited for
    _stalled: TimerHandle | None = None  # while a client does not take its answer
    _came = 0  # bytes since the headers began

    def connection_made(self, transport) -> None:
        super().connection_made(transport)
        self._await_headers()

    def connection_lost(self, exc) -> None:
        self._headers_ended()
        self._taken()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._await_headers()

    def on_headers_complete(self) -> None:
        self._headers_ended()
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        waiting = self._deadline is not None
        super().data_received(data)
        if waiting and self._deadline is not None:  # the parser keeps what came of a header, and tells no one how much
            self._came += len(data)
            if self._came > HEADERS and not self.transport.is_closing():
                self.send_400_response(f"The headers of a request may have {HEADERS} bytes.")

    def _await_headers(self) -> None:
        if self._deadline is None:
            self._came = 0
            self._deadline = self.loop.call_later(BEGINNING, self.transport.abort)

    def _headers_ended(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(TAKING, self.transport.abort)

    def resume_writing(self) -> None:
        self._taken()
        super().resume_writing()

    def _taken(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
        self._stalled = None
