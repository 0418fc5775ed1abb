"""The one way out: an HTTP client that contacts only checked addresses, reads only so much, and ends in time.

It knows neither Django nor any app; everything it may do comes in with an `OutboundPolicy`. The walls, outermost first:

- `targets`     one parser for URLs; http and https only, web ports only, no credentials, no address in disguise
- `resolving`   a name is looked up once per connection, every answer is checked, and those answers are connected to
- `transport`   literal addresses, which need no look-up, are checked too, and so is every socket before it is opened
- `client`      redirects are followed by hand, so that each hop passes the same walls; one deadline around all of it
- `decoding`    bodies are decompressed here, under a cap
- `credentials` a provider's key goes to the one host it is for, over https, and over no redirect

Expected outcomes are values (`Answer`, `NoAnswer`); nothing a network does is an exception for the caller.
"""

from provenance_site.kit.outbound.answers import Answer, NoAnswer, Outcome, Step, Trouble
from provenance_site.kit.outbound.client import OutboundClient
from provenance_site.kit.outbound.credentials import Bearer
from provenance_site.kit.outbound.policy import OutboundPolicy
from provenance_site.kit.outbound.turns import HostParked, Turns

__all__ = [
    "Answer",
    "Bearer",
    "HostParked",
    "NoAnswer",
    "OutboundClient",
    "OutboundPolicy",
    "Outcome",
    "Step",
    "Trouble",
    "Turns",
]
