"""IP addresses: which of them one customer has, and which are on the public network."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

SAME_CUSTOMER = 64  # bits of an IPv6 address
Address = IPv4Address | IPv6Address

_NAT64 = ip_network("64:ff9b::/96")
_GLOBAL_UNICAST = ip_network("2000::/3")  # all that was ever given out of IPv6
# not public, whatever the version of Python says
_SPECIAL = (
    ip_network("192.0.0.0/24"),  # protocol assignments; 192.0.0.192 tells a cloud machine its secrets
    ip_network("192.88.99.0/24"),  # relays of 6to4
    ip_network("168.63.129.16/32"),  # the host of a machine on Azure
    ip_network("3fff::/20"),  # documentation
)


def network_of(address: str) -> str:
    """What one customer has: an IPv4 address, or all IPv6 addresses that begin alike."""
    try:
        parsed = ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, SAME_CUSTOMER), strict=False))


def is_public(address: Address) -> bool:
    """Whether it is globally reachable: of nobody's own network, no machine's own, no group's.

    IPv6 addresses that carry one of IPv4 (mapped, 6to4, Teredo, NAT64) are as public as that: a router on
    the way may unpack it.
    """
    embedded = _embedded_ipv4(address)
    if embedded:
        return all(is_public(inner) for inner in embedded)
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return False
    return (
        address.is_global and not address.is_multicast and not any(address in network for network in _SPECIAL)
    )


def _embedded_ipv4(address: Address) -> tuple[IPv4Address, ...]:
    if not isinstance(address, IPv6Address):
        return ()
    if address in _NAT64:
        return (IPv4Address(int(address) & 0xFFFFFFFF),)
    if address.teredo is not None:
        return address.teredo  # its server, and the client behind it
    inner = address.ipv4_mapped or address.sixtofour
    return (inner,) if inner is not None else ()
