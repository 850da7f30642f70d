"""Which addresses belong together."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

SAME_CUSTOMER = 64  # bits of an IPv6 address


def network_of(address: str) -> str:
    """What one customer has: an IPv4 address, or all IPv6 addresses that begin alike."""
    try:
        found = ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ip_network((found, SAME_CUSTOMER), strict=False))
