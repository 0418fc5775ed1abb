"""Many reads of one state, on both databases."""

import threading

import pytest
from django.db import connection

from provenance_site.kit.snapshot import one_state
from sources.models import Project
from tests.factories import ProjectFactory


def _elsewhere(name: str) -> None:
    """Makes a project as another process would, over a connection of its own."""

    def make() -> None:
        ProjectFactory(name=name)
        connection.close()

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()


@pytest.mark.django_db(transaction=True)
def test_what_others_write_meanwhile_is_not_seen_and_they_do_not_wait() -> None:
    ProjectFactory(name="Before")
    with one_state():
        assert Project.objects.count() == 1
        _elsewhere("Meanwhile")
        assert Project.objects.count() == 1
    assert Project.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_fault_inside_leaves_the_connection_usable() -> None:
    def broken() -> None:
        assert Project.objects.count() == 0
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), one_state():
        broken()
    ProjectFactory()
    assert Project.objects.count() == 1


@pytest.mark.django_db
def test_inside_a_transaction_its_own_writes_are_seen() -> None:
    ProjectFactory()
    with one_state():
        assert Project.objects.count() == 1
