"""The finer reasons under a verdict; a closed vocabulary that explains itself."""

from enum import StrEnum


class Cause(StrEnum):
    """The finer reason under a verdict. Causes of walls end in `-wall`."""

    CONTENT = "content"
    CONTENT_UNTITLED = "content-untitled"
    TITLE_DIFFERS = "title-differs"
    REDIRECT_TO_ROOT = "redirect-to-root"
    REDIRECT_TO_ERROR = "redirect-to-error"
    CATCH_ALL = "catch-all"
    SAYS_GONE = "says-gone"
    NOT_FOUND = "not-found"
    GONE = "gone"
    ARCHIVED_ERROR = "archived-error"
    DOMAIN_GONE = "domain-gone"
    DOI_NOT_REGISTERED = "doi-not-registered"
    PATTERN = "pattern"
    PLACEHOLDER_HOST = "placeholder-host"
    IMPOSSIBLE_IDENTIFIER = "impossible-identifier"
    LITTLE_TEXT = "little-text"
    EMPTY = "empty"
    JS_SHELL = "js-shell"
    OTHER_TITLE = "other-title"
    PARKED = "parked"
    PAY_WALL = "pay-wall"
    BOT_WALL = "bot-wall"
    LOGIN_WALL = "login-wall"
    CONSENT_WALL = "consent-wall"
    BLOCK_WALL = "block-wall"
    LEGAL_WALL = "legal-wall"
    RECOVERED_BY_SEARCH = "recovered-by-search"
    RATE_LIMITED = "rate-limited"
    SERVER_ERROR = "server-error"
    UNEXPECTED_STATUS = "unexpected-status"
    NEGOTIATION = "negotiation"
    DEADLINE = "deadline"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    HANG_UP = "hang-up"
    TLS = "tls"
    TLS_CHAIN = "tls-chain"
    TLS_EXPIRED = "tls-expired"
    TLS_NAME = "tls-name"
    TLS_UNTRUSTED = "tls-untrusted"
    DNS = "dns"
    DNS_TEMPORARY = "dns-temporary"
    REDIRECT_LOOP = "redirect-loop"
    BLOCKED_ADDRESS = "blocked-address"
    UNUSABLE_URL = "unusable-url"
    UNDECODABLE = "undecodable"
    NO_ADDRESS = "no-address"
    GIVEN_UP = "given-up"

    @property
    def is_wall(self) -> bool:
        """True for walls: they prove neither that the page exists nor that it does not."""
        return self.value.endswith("-wall")

    @property
    def explanation(self) -> str:
        """The reason in words, without a final stop; follows `<url>  <verdict>` on a terminal line."""
        return _CAUSES[self]


_CAUSES: dict[Cause, str] = {
    Cause.CONTENT: "real content and a fitting title",
    Cause.CONTENT_UNTITLED: "real content; no title was claimed, so none was compared",
    Cause.TITLE_DIFFERS: "real content; the title differs a little from the claimed one",
    Cause.REDIRECT_TO_ROOT: "sent on to the site's front page",
    Cause.REDIRECT_TO_ERROR: "sent on to an error page",
    Cause.CATCH_ALL: "the site gives this same page for an address that was made up",
    Cause.SAYS_GONE: "the page says that it is not there",
    Cause.NOT_FOUND: "the server answers 404",
    Cause.GONE: "the server answers 410, gone for good",
    Cause.ARCHIVED_ERROR: "what the archive holds is an error page",
    Cause.DOMAIN_GONE: "the domain does not exist",
    Cause.DOI_NOT_REGISTERED: "the DOI is not registered",
    Cause.PATTERN: "the address matches the shape of invented ones",
    Cause.PLACEHOLDER_HOST: "the host is reserved for examples",
    Cause.IMPOSSIBLE_IDENTIFIER: "the identifier cannot exist",
    Cause.LITTLE_TEXT: "too little text to judge",
    Cause.EMPTY: "an empty page",
    Cause.JS_SHELL: "an empty shell that only a script would fill",
    Cause.OTHER_TITLE: "the title is another work's",
    Cause.PARKED: "a parked domain",
    Cause.PAY_WALL: "a subscription is asked for",
    Cause.BOT_WALL: "a bot check stands before the page",
    Cause.LOGIN_WALL: "a login stands before the page",
    Cause.CONSENT_WALL: "a consent form stands before the page",
    Cause.BLOCK_WALL: "access is refused",
    Cause.LEGAL_WALL: "withheld for legal reasons",
    Cause.RECOVERED_BY_SEARCH: "the same title was found alive by search",
    Cause.RATE_LIMITED: "the server asks to come back later",
    Cause.SERVER_ERROR: "the server reports an error of its own",
    Cause.UNEXPECTED_STATUS: "the status proves nothing",
    Cause.NEGOTIATION: "the server refuses every form of the request",
    Cause.DEADLINE: "no whole answer within the time allowed",
    Cause.TIMEOUT: "the host does not answer at all",
    Cause.CONNECTION: "no connection could be made",
    Cause.HANG_UP: "the server hung up in the middle",
    Cause.TLS: "no encrypted connection could be set up",
    Cause.TLS_CHAIN: "the certificate's chain is incomplete, or its authority unknown",
    Cause.TLS_EXPIRED: "the certificate is not valid at this time",
    Cause.TLS_NAME: "the certificate is for another name",
    Cause.TLS_UNTRUSTED: "the certificate cannot be trusted",
    Cause.DNS: "the host's name does not exist",
    Cause.DNS_TEMPORARY: "the host's name could not be looked up for now",
    Cause.REDIRECT_LOOP: "the redirects never end",
    Cause.BLOCKED_ADDRESS: "the address is private; it was not contacted",
    Cause.UNUSABLE_URL: "the address cannot be requested",
    Cause.UNDECODABLE: "the answer cannot be decoded",
    Cause.NO_ADDRESS: "the source has no address to fetch",
    Cause.GIVEN_UP: "the worker died on this source three times",
}
