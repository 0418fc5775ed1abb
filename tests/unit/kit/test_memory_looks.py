"""Garbage is looked for seldom inside the block, and as before outside."""

import gc

from provenance_site.kit.memory import SELDOM, few_collections


def test_looks_are_seldom_until_the_last_one_is_out() -> None:
    before = gc.get_threshold()
    first, second = few_collections(), few_collections()
    with first:
        with second:
            assert gc.get_threshold() == SELDOM
        assert gc.get_threshold() == SELDOM
    assert gc.get_threshold() == before


def test_a_fault_inside_gives_back_what_held_before() -> None:
    before = gc.get_threshold()
    try:
        with few_collections():
            raise KeyError
    except KeyError:
        pass
    assert gc.get_threshold() == before
