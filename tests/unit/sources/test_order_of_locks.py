"""People who write to the same rows at the same moment wait for each other, never in a circle."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.db import DatabaseError

from lineage.models import Entity
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.entries import Relationship
from sources.models import CorpusEntry, ObservationSource, Source
from sources.services import bulk_edit, corpus_rows, importing, observation_links, removal, retractions
from sources.services.source_edits import Edit, digest_of
from tests.clock import NOW
from tests.desk import Desk
from tests.unit.sources.disturbance import one_in_the_other, together
from tests.unit.sources.lists import staged
from tests.unit.sources.test_corpora import keep, project_of, section_of
from tests.unit.sources.test_observations import known, written

pytestmark = pytest.mark.django_db(transaction=True)
LATER = NOW + timedelta(hours=1)
_TURN = "SELECT pg_advisory_xact_lock"


def faults(*done: object) -> list[object]:
    """What the database itself refused."""
    return [one for one in done if isinstance(one, DatabaseError)]


def classify(desk: Desk, source: Source) -> object:
    return bulk_edit.edit(
        workspace_id=desk.workspace.pk,
        source_ids=[source.pk],
        change=Edit({"classification": "restricted"}),
        seen=digest_of([(source.pk, source.row_version)]),
        by=desk.person(Role.EDITOR),
        channel=Channel.PAGE,
        at=LATER,
    )


def mark(desk: Desk, source: Source) -> object:
    return retractions.mark(
        workspace_id=desk.workspace.pk,
        source_ids=[source.pk],
        note="Made up",
        by=desk.person(Role.ADMIN),
        channel=Channel.PAGE,
        at=LATER,
    )


def remove(desk: Desk, source: Source, **how: bool) -> object:
    return removal.remove(source=source, by=desk.person(Role.ADMIN), channel=Channel.PAGE, at=LATER, **how)


@pytest.mark.parametrize("deed", [classify, mark])
def test_a_source_is_changed_while_an_observation_comes_to_rest_on_it(
    desk: Desk, deed: Callable[[Desk, Source], object]
) -> None:
    source, observation = known(desk), written(desk)
    link = partial(
        observation_links.link,
        observation=observation,
        source=source,
        relationship=Relationship.CITED,
        by=desk.person(),
        channel=Channel.PAGE,
        at=LATER,
    )
    done = one_in_the_other(link, partial(deed, desk, source))
    assert not [one for one in done if isinstance(one, Exception)], done
    assert ObservationSource.objects.count() == 1
    claim = Entity.objects.get(type="claim")
    assert (claim.label == "restricted") if deed is classify else (claim.state == "stale")


@pytest.mark.parametrize("attempt", range(3))
def test_a_source_is_removed_for_reprocessing_while_another_person_classifies_it(desk: Desk, attempt: int) -> None:
    source = known(desk)
    done = together(
        partial(classify, desk, source), partial(remove, desk, source, reprocessing=True), meet_before="UPDATE"
    )
    assert not faults(*done), done
    assert not Source.objects.exists()
    assert Entity.objects.get(type="source").state == "tombstoned"


def test_a_source_that_two_people_remove_at_once_is_removed_once(desk: Desk) -> None:
    source = known(desk)
    done = together(*[partial(remove, desk, source)] * 2, meet_before="DELETE")
    assert sorted(type(one).__name__ for one in done) == ["ChangeSet", "Held"]
    assert ChangeSet.objects.count() == 1


@pytest.mark.parametrize("attempt", range(3))
def test_a_list_comes_whose_text_rests_on_a_source_that_falls_at_that_moment(desk: Desk, attempt: int) -> None:
    source = known(desk)
    batch = staged(desk, "[Harbour survey](https://harbour.example/survey) and https://harbour.org/new")
    commit = partial(importing.commit, batch=batch, by=desk.person(), channel=Channel.PAGE, at=LATER)
    done = together(commit, partial(mark, desk, source), meet_before=_TURN)
    assert not [one for one in done if isinstance(one, Exception)], done
    assert Entity.objects.get(type="report").state == "stale"


def test_an_entry_that_two_people_take_out_of_a_corpus_at_once_goes_once(desk: Desk) -> None:
    keep(desk, section_of(project_of(desk)))

    def take_out() -> None:
        row = CorpusEntry.objects.select_related("entry__project", "section", "entity").get()
        corpus_rows.remove(row=row, by=desk.person(), channel=Channel.PAGE, at=LATER)

    assert together(take_out, take_out, meet_before="DELETE") == [None, None]
    assert ChangeSet.objects.filter(kind=corpus_rows.REMOVE_KIND).count() == 1
