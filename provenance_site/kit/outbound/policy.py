"""What an outbound client may do. Handed in by whoever builds the client; nothing here reads a setting."""

from dataclasses import dataclass

from provenance_site.kit.outbound.addresses import is_loopback, is_private_network, is_public

MIB = 1024 * 1024

# Below 1024 the web has two ports; the rest are system services (RFC 6335), where a GET is at best noise and at worst a
# command in another protocol. Above, any port may hold a web server, except those where a well-known service that is
# none would be talked to: databases, caches, queues, remote control, chat, and the ports the Fetch standard blocks.
_SYSTEM_PORTS_END = 1024
_WEB_SYSTEM_PORTS = frozenset({80, 443})
_OTHER_SERVICES = frozenset(
    {1080, 1433, 1434, 1521, 1719, 1720, 1723, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3268, 3269, 3306, 3389}
    | {3659, 4045, 4190, 4369, 5060, 5061, 5432, 5433, 5671, 5672, 5900, 5901, 5984, 5985, 5986, 6000, 6379, 6443, 6566}
    | {6665, 6666, 6667, 6668, 6669, 6679, 6697, 8086, 9042, 9092, 9160, 9200, 9300, 10080, 10250, 10255}
    | {11211, 15672, 25672, 26379, 27017, 27018, 27019, 28017}
)


@dataclass(frozen=True, slots=True)
class OutboundPolicy:
    """Identity, limits and exemptions of one client.

    Times in seconds, sizes in bytes. `deadline_s` bounds one `get` with all its redirects and its retry; time spent
    waiting for a turn at a host does not count. `max_raw` bounds what is read from the network, `max_body` what it may
    decode to, `max_document` a PDF that comes unpacked. `loopback_hosts` are exact `host:port` pairs that may lie on
    this machine; `private_hosts` are exact `host:port` pairs of the operator's own services, which may also lie on a
    private network. Both may use any port.
    """

    user_agent: str
    deadline_s: float = 20.0
    connect_s: float = 5.0
    first_byte_s: float = 10.0
    lookup_s: float = 5.0
    max_raw: int = 1 * MIB
    max_body: int = 2 * MIB
    max_document: int = 4 * MIB
    max_hops: int = 10
    retry_wait_s: float = 1.0
    max_retry_wait_s: float = 5.0
    loopback_hosts: frozenset[str] = frozenset()
    private_hosts: frozenset[str] = frozenset()

    def port_refusal(self, host: str, port: int) -> str:
        """Why nothing is sent to this port of `host`; '' when it may be used."""
        if self.is_listed(host, port):
            return ""
        if port in _OTHER_SERVICES or (port < _SYSTEM_PORTS_END and port not in _WEB_SYSTEM_PORTS):
            return f"port {port} is not a web port"
        return ""

    def address_refusal(self, host: str, port: int, address: str) -> str:
        """Why `address` may not be contacted for `host:port`; '' when it may. The reason does not name it."""
        if is_public(address):
            return ""
        key = _key(host, port)
        if key in self.loopback_hosts | self.private_hosts and is_loopback(address):
            return ""
        if key in self.private_hosts and is_private_network(address):
            return ""
        return f"{host} lies on a private or reserved address"

    def socket_refusal(self, address: str, port: int) -> str:
        """The same question asked again at the socket, where the name is no longer known; '' when it may be opened.

        Not public, then an exemption of the right kind must at least have this port.
        """
        if is_public(address):
            return ""
        ending = f":{port}"
        listed_private = any(entry.endswith(ending) for entry in self.private_hosts)
        listed_here = listed_private or any(entry.endswith(ending) for entry in self.loopback_hosts)
        if (listed_here and is_loopback(address)) or (listed_private and is_private_network(address)):
            return ""
        return "the address is private or reserved"

    def is_listed(self, host: str, port: int) -> bool:
        """True for the sample's hosts and the operator's own services."""
        key = _key(host, port)
        return key in self.loopback_hosts or key in self.private_hosts


def _key(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
