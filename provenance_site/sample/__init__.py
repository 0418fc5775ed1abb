"""The sample publishers: eight small invented sites, a search engine and a DOI agency, served on loopback.

A stranger to the product on purpose: pure standard library, nothing of ours imported, so what the product finds here
it finds by real requests. `draft.md` is the text that cites these pages, `expected.json` what each citation should come
to.
"""
