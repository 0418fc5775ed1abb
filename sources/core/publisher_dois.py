"""Publishers that write the DOI of the work into the address of its page."""

import re
from urllib.parse import unquote

# Only hosts whose page *is* the work. A `/doi/10…` path elsewhere may be a page about it (metrics, comments, a mirror),
# and joining such a page to the DOI would merge two sources that nobody could tell apart afterwards.
_HOSTS = frozenset(
    {
        "acpjournals.org",
        "aeaweb.org",
        "ahajournals.org",
        "aip.scitation.org",
        "annualreviews.org",
        "ascelibrary.org",
        "ascopubs.org",
        "asmedigitalcollection.asme.org",
        "atsjournals.org",
        "biomedcentral.com",
        "biorxiv.org",
        "degruyter.com",
        "degruyterbrill.com",
        "dl.acm.org",
        "emerald.com",
        "epubs.siam.org",
        "frontiersin.org",
        "healthaffairs.org",
        "iopscience.iop.org",
        "journals.aps.org",
        "journals.asm.org",
        "journals.physiology.org",
        "journals.plos.org",
        "journals.sagepub.com",
        "journals.uchicago.edu",
        "jstor.org",
        "karger.com",
        "liebertpub.com",
        "link.aps.org",
        "link.springer.com",
        "medrxiv.org",
        "nejm.org",
        "onlinelibrary.wiley.com",
        "pnas.org",
        "psycnet.apa.org",
        "pubs.acs.org",
        "pubs.rsna.org",
        "pubsonline.informs.org",
        "royalsocietypublishing.org",
        "science.org",
        "springeropen.com",
        "tandfonline.com",
        "taylorfrancis.com",
        "thieme-connect.com",
        "worldscientific.com",
    }
)
_IN_PATH = re.compile(r"/(10\.\d{4,9}(?:\.\d+)*/.+)", re.ASCII)
_IN_QUERY = re.compile(r"(?:^|&)(?:id|doi)=(10\.\d{4,9}(?:\.\d+)*/[^&]+)", re.ASCII)
# What stands after the DOI: the form in which the page shows the work.
_VIEW = re.compile(
    r"(?:/(?:full|pdf|epdf|epub|pdfdirect|abstract|abs|html|fullhtml|fulltext|meta|xml|references|citations?|figures?|"
    r"summary|tables|media|info))+/?$",
    re.IGNORECASE,
)
_FILE = re.compile(r"(?:\.(?:pdf|full|full-text|abstract|epub|xml|html))+$", re.IGNORECASE)
_PREPRINT_VERSION = re.compile(r"v\d+$")
_NOT_THE_WORK = re.compile(r"/(?:suppl_file|suppl|supplementary|downloadsupplement)(?:/|$)", re.IGNORECASE)


def doi_in_address(host: str, path: str, query: str) -> str:
    """The DOI that a publisher's address carries, as written there without the view after it; '' where there is none.

    `host` without `www.`; `path` and `query` still escaped. The prefix 10.5555 is left out: one publisher numbers pages
    with it that no agency has registered.
    """
    labels = host.split(".")
    if not any(".".join(labels[at:]) in _HOSTS for at in range(len(labels) - 1)):
        return ""
    path = unquote(path)
    found = _IN_PATH.search(path) or _IN_QUERY.search(unquote(query))
    if not found or _NOT_THE_WORK.search(path) or found[1].startswith("10.5555/"):
        return ""
    doi = _FILE.sub("", _VIEW.sub("", found[1]))
    return _PREPRINT_VERSION.sub("", doi) if host.endswith(("biorxiv.org", "medrxiv.org")) else doi
