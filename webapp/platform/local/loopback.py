"""Whether an address is of this machine alone."""

from ipaddress import ip_address


def is_loopback(address: str) -> bool:
    """False for a name: it may lead anywhere."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
