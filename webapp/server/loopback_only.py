"""While accounts are off, nobody is asked who they are: then the web server answers this machine alone, however it was started."""

from ipaddress import ip_address

from django.conf import settings

NAMES = ("localhost", "127.0.0.1", "[::1]")
PROXIED = (
    b"x-forwarded-for",
    b"x-forwarded-host",
    b"x-forwarded-proto",
    b"x-real-ip",
    b"forwarded",
    b"via",
)  # which proxies add
REFUSAL = (
    "Accounts are off on this Topograph: whoever reaches it may do everything, so it answers only the machine that it runs on, as "
    "http://127.0.0.1 or http://localhost. To use it from elsewhere, turn accounts on (TOPOGRAPH_ACCOUNTS=1): docs/accounts.md says how.\n"
)


def only_from_here(application):
    """The ASGI application, which is asked by clients on this machine under its own names, unless accounts are on."""

    async def front(scope, receive, send):
        if (
            settings.ACCOUNTS
            or scope["type"] != "http"
            or (_local(scope.get("client")) and _asked_here(scope["headers"]))
        ):
            return await application(scope, receive, send)
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"connection", b"close"),
        ]
        await send({"type": "http.response.start", "status": 403, "headers": headers})
        await send({"type": "http.response.body", "body": REFUSAL.encode()})

    return front


def _local(client) -> bool:
    """By its address, which is that of the browser where a proxy says so; no address is a socket of this machine."""
    try:
        return client is None or ip_address(client[0]).is_loopback
    except ValueError:
        return False


def _asked_here(headers) -> bool:
    """By the name that it was asked under, as a page of another site can give one of its own to this machine's address; and not through
    a proxy on this machine, which would make everybody's request one of its own."""
    if any(name in PROXIED for name, _ in headers):
        return False
    hosts = [value.decode("latin-1").lower() for name, value in headers if name == b"host"]
    return (
        len(hosts) == 1
        and hosts[0].removesuffix(":" + hosts[0].rpartition(":")[2] if not hosts[0].endswith("]") else "") in NAMES
    )
