"""Connections of the web server: a client that is too slow, or sends headers without end, is
disconnected (uvicorn
--http webapp.platform.server.connections:Connection).

uvicorn's own protocol waits as long as the client likes for the end of the headers, and for the
client to read the response, and keeps headers of any size in memory. A few hundred such clients
(Slowloris, slow read) would hold every connection there is. The time of a body is bounded in
webapp/platform/server/bodies.py.
"""

from asyncio import TimerHandle

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADERS = 64 << 10  # bytes that request line and headers may have together
# From the first byte of a request, or from the connection, to the end of its headers
HEADER_SECONDS = 15.0
# Without a byte, after which a client that should read its response is disconnected
READ_SECONDS = 60.0


class Connection(HttpToolsProtocol):
    """uvicorn's HTTP protocol with bounds on headers and on slow clients."""

    _deadline: TimerHandle | None = None  # set until the headers are complete
    _stalled: TimerHandle | None = None  # set while the client does not read
    # received since the headers began, while they are not complete, or without a byte of a body
    _silent_bytes = 0
    _heard = False  # whether the piece that came last had some of a body, or its end
    # of the address and the headers that the parser has told of, of a chunked body's trailers too
    _parsed_bytes = 0

    def connection_made(self, transport) -> None:
        super().connection_made(transport)
        self._begin_headers()

    def connection_lost(self, exc) -> None:
        self._end_headers()
        self._resume()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._parsed_bytes = 0
        self._begin_headers()

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._count(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._count(len(name) + len(value) + 4)

    def _count(self, size: int) -> None:
        """Headers may also come in one piece, so that they are never waited for."""
        self._parsed_bytes += size
        if self._parsed_bytes > HEADERS:
            raise ValueError("headers are too long")  # which the parser answers with 400

    def on_headers_complete(self) -> None:
        self._end_headers()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self._heard = True

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._heard = True

    def data_received(self, data: bytes) -> None:
        """Bytes of which the parser tells nothing are bounded: it holds an incomplete header, also
        one behind a body in chunks, and passes over what a chunk says of itself."""
        waiting = self._deadline is not None
        self._heard = False
        super().data_received(data)
        if waiting != (self._deadline is not None) or self._heard:
            self._silent_bytes = 0
            return
        self._silent_bytes += len(data)
        if self._silent_bytes > HEADERS and not self.transport.is_closing():
            self.send_400_response(f"The headers of a request may have {HEADERS} bytes.")

    def _begin_headers(self) -> None:
        if self._deadline is None:
            self._silent_bytes = 0
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

    def _end_headers(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(READ_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        self._resume()
        super().resume_writing()

    def _resume(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
        self._stalled = None
