"""What went wrong on the network, from the errors of four libraries to one closed word and one plain sentence.

The sentences are our own: an error's text may carry bytes of the other side or addresses of this network.
"""

import errno
import ssl

import aiohttp
import httpx

from provenance_site.kit.outbound.answers import Trouble
from provenance_site.kit.outbound.decoding import Undecodable
from provenance_site.kit.outbound.resolving import AddressRefused, NameNotFound
from provenance_site.kit.outbound.targets import UnusableTarget

NETWORK_ERRORS = (
    httpx.TransportError,
    aiohttp.ClientError,
    OSError,  # socket and TLS errors, and the connection's time-outs
    AddressRefused,
    NameNotFound,
    UnusableTarget,
    Undecodable,
)

# OpenSSL's X509_V_ERR_… numbers.
_NOT_YET_VALID, _EXPIRED, _OTHER_NAME, _OTHER_ADDRESS = 9, 10, 62, 64

_CONNECT_ERRORS = {
    errno.ECONNREFUSED: "the connection was refused",
    errno.ENETUNREACH: "the host cannot be reached",
    errno.EHOSTUNREACH: "the host cannot be reached",
    errno.ETIMEDOUT: "the host does not answer",
}


def trouble_of(error: BaseException) -> tuple[Trouble, str]:
    """The trouble behind one of `NETWORK_ERRORS`, and a sentence about it without a final stop."""
    match error:
        case AddressRefused():
            return Trouble.BLOCKED_ADDRESS, str(error)
        case NameNotFound():
            return Trouble.DNS, str(error)
        case UnusableTarget():
            return Trouble.UNUSABLE_URL, str(error)
        case Undecodable():
            return Trouble.UNDECODABLE, str(error)
        case httpx.TransportError() if error.__cause__ is not None:
            return trouble_of(error.__cause__)
        case aiohttp.ClientConnectorDNSError():
            return Trouble.DNS, "the name could not be looked up for now"
        case aiohttp.ClientConnectorCertificateError():
            return Trouble.TLS, _certificate(error.certificate_error)
        case aiohttp.ClientSSLError() | ssl.SSLError():
            return Trouble.TLS, "the encrypted connection could not be set up"
        case aiohttp.ConnectionTimeoutError():
            return Trouble.CONNECTION, "the host does not answer"
        case aiohttp.ClientConnectorError():
            return Trouble.CONNECTION, _CONNECT_ERRORS.get(error.os_error.errno or 0, "no connection could be made")
        case aiohttp.ServerTimeoutError() | TimeoutError():
            return Trouble.DEADLINE, "the server fell silent"
        case aiohttp.ClientResponseError() | aiohttp.InvalidURL():
            return Trouble.UNDECODABLE, "the answer is not HTTP"
        case _:
            return Trouble.HANG_UP, "the connection broke off"


def _certificate(error: Exception) -> str:
    code = getattr(error, "verify_code", None)
    if code == _EXPIRED:
        return "the certificate has expired"
    if code == _NOT_YET_VALID:
        return "the certificate is not valid yet"
    if code in {_OTHER_NAME, _OTHER_ADDRESS}:
        return "the certificate is for another name"
    return "the certificate is not from a trusted authority"
