"""While accounts are off nobody signs in, so the web server answers only requests from its own
machine, however it was started."""

from django.conf import settings

from webapp.platform.local.loopback import is_loopback
from webapp.platform.server.bodies import respond

NAMES = ("localhost", "127.0.0.1", "[::1]")
# Headers that proxies add
PROXIED = (
    b"x-forwarded-for",
    b"x-forwarded-host",
    b"x-forwarded-proto",
    b"x-real-ip",
    b"forwarded",
    b"via",
)
REFUSAL = (
    "Accounts are off on this Topograph: whoever reaches it may do everything, so it answers only"
    " the machine that it runs on, as http://127.0.0.1 or http://localhost. To use it from"
    " elsewhere, turn accounts on (TOPOGRAPH_ACCOUNTS=1): docs/accounts.md says how.\n"
)


def loopback_only(application):
    """ASGI middleware: unless accounts are on, refuse all but clients on this machine that use its
    loopback names."""

    async def middleware(scope, receive, send):
        # uvicorn has replaced a client's address by the browser's where a trusted proxy names that.
        # One without is a Unix socket.
        client = scope.get("client")
        if (
            settings.ACCOUNTS
            or scope["type"] != "http"
            or ((client is None or is_loopback(client[0])) and _names_loopback(scope["headers"]))
        ):
            return await application(scope, receive, send)
        await respond(send, 403, REFUSAL)

    return middleware


def _names_loopback(headers) -> bool:
    """Whether Host is a loopback name, and no proxy is between. Another site can give a name of its
    own to this machine's address (DNS rebinding), and a proxy on this machine would make
    everybody's request a local one."""
    if any(name in PROXIED for name, _ in headers):
        return False
    hosts = [value.decode("latin-1").lower() for name, value in headers if name == b"host"]
    return len(hosts) == 1 and _without_port(hosts[0]) in NAMES


def _without_port(host: str) -> str:
    """localhost:8000 is localhost; [::1], which ends with no port, stays as it is."""
    if ":" not in host or host.endswith("]"):
        return host
    name, _, _ = host.rpartition(":")
    return name
