"""What went wrong on the network, from the errors of four libraries to one closed word and one plain sentence.

The sentences are our own: an error's text may carry bytes of the other side or addresses of this network.
"""

import errno
import ssl

import aiohttp
import httpx

from provenance_site.kit.outbound.answers import Trouble
from provenance_site.kit.outbound.decoding import Undecodable
from provenance_site.kit.outbound.resolving import AddressRefused, LookupFailed, NameNotFound
from provenance_site.kit.outbound.targets import UnusableTarget

NETWORK_ERRORS = (
    httpx.TransportError,
    aiohttp.ClientError,
    OSError,  # socket and TLS errors, and the connection's time-outs
    AddressRefused,
    NameNotFound,
    LookupFailed,
    UnusableTarget,
    Undecodable,
)

# OpenSSL's X509_V_ERR_… numbers. 20 and 21: the server left out the certificate of an issuer, or the issuer is unknown;
# without that certificate the two cannot be told apart.
_NOT_YET_VALID, _EXPIRED, _OTHER_NAME, _OTHER_ADDRESS = 9, 10, 62, 64
_NO_ISSUER = frozenset({2, 20, 21})

_CONNECT_ERRORS = {
    errno.ECONNREFUSED: "the connection was refused",
    errno.ENETUNREACH: "the host cannot be reached",
    errno.EHOSTUNREACH: "the host cannot be reached",
}


def trouble_of(error: BaseException) -> tuple[Trouble, str]:
    """The trouble behind one of `NETWORK_ERRORS`, and a sentence about it without a final stop."""
    match error:
        case AddressRefused():
            return Trouble.BLOCKED_ADDRESS, str(error)
        case NameNotFound():
            return Trouble.DNS, str(error)
        case LookupFailed():
            return Trouble.DNS_TEMPORARY, str(error)
        case UnusableTarget():
            return Trouble.UNUSABLE_URL, str(error)
        case Undecodable():
            return Trouble.UNDECODABLE, str(error)
        case httpx.TransportError() if error.__cause__ is not None:
            return trouble_of(error.__cause__)
        case aiohttp.ClientConnectorDNSError():
            return Trouble.DNS_TEMPORARY, "the name could not be looked up for now"
        case aiohttp.ClientConnectorCertificateError():
            return _certificate(error.certificate_error)
        case aiohttp.ClientSSLError() | ssl.SSLError():
            return Trouble.TLS, "the encrypted connection could not be set up"
        case aiohttp.ConnectionTimeoutError():
            return Trouble.TIMEOUT, "no connection within the time allowed"
        case aiohttp.ClientConnectorError() if error.os_error.errno == errno.ETIMEDOUT:
            return Trouble.TIMEOUT, "no connection within the time allowed"
        case aiohttp.ClientConnectorError():
            return Trouble.CONNECTION, _CONNECT_ERRORS.get(error.os_error.errno or 0, "no connection could be made")
        case aiohttp.ServerTimeoutError() | TimeoutError():
            return Trouble.DEADLINE, "the server fell silent"
        case aiohttp.ClientResponseError() | aiohttp.InvalidURL():
            return Trouble.UNDECODABLE, "the answer is not HTTP"
        case _:
            return Trouble.HANG_UP, "the connection broke off"


def _certificate(error: Exception) -> tuple[Trouble, str]:
    match getattr(error, "verify_code", None):
        case code if code == _EXPIRED:
            return Trouble.TLS_EXPIRED, "the certificate has expired"
        case code if code == _NOT_YET_VALID:
            return Trouble.TLS_EXPIRED, "the certificate is not valid yet"
        case code if code in {_OTHER_NAME, _OTHER_ADDRESS}:
            return Trouble.TLS_NAME, "the certificate is for another name"
        case code if code in _NO_ISSUER:
            return Trouble.TLS_CHAIN, "the certificate's issuer is missing or unknown"
        case _:
            return Trouble.TLS_UNTRUSTED, "the certificate is not from a trusted authority"
