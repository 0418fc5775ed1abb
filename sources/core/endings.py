"""Where an address or identifier ends when a sentence runs on after it."""

_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}
_OPENERS = frozenset(_CLOSERS.values())
_NEVER_LAST = frozenset(".,;:!?'\"“”‘’«»…*~|·")


def without_sentence_end(text: str, *, also: str = "") -> str:
    """`text` without the punctuation of the sentence around it, and without the characters of `also` at its end.

    Final `.,;:!?`, quotes and emphasis marks go; a closing bracket goes unless it has its opener inside (so that
    `…/Mercury_(planet)` stays whole); an opener at the very end goes. Twice is the same as once. Linear.
    """
    surplus = {closer: text.count(closer) - text.count(opener) for closer, opener in _CLOSERS.items() if closer in text}
    end = len(text)
    while end:
        last = text[end - 1]
        if last in _NEVER_LAST or last in also:
            end -= 1
        elif last in _CLOSERS and surplus[last] > 0:
            surplus[last] -= 1
            end -= 1
        elif last in _OPENERS:
            closer = next(closer for closer, opener in _CLOSERS.items() if opener == last)
            if closer in surplus:
                surplus[closer] += 1
            end -= 1
        else:
            break
    return text[:end]
