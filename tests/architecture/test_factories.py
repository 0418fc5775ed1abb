"""Every model has a factory, and what a factory makes is a row that the product itself would accept."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from django.db import models
from factory.django import DjangoModelFactory

from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from tests import factories
from tests.architecture.packages import our_models

FACTORIES: list[Any] = [
    member for _, member in inspect.getmembers(factories, inspect.isclass) if issubclass(member, DjangoModelFactory)
]


def test_every_model_has_exactly_one_factory() -> None:
    made = sorted(factory._meta.model._meta.label for factory in FACTORIES)
    assert made == sorted(model._meta.label for model in our_models())


@pytest.mark.parametrize("factory", FACTORIES, ids=lambda factory: factory.__name__)
@pytest.mark.django_db
def test_a_factory_makes_a_row_that_passes_every_rule(factory: Callable[[], models.Model]) -> None:
    row = factory()
    row.full_clean(exclude=_empty_on_purpose(row))
    again = factory()
    assert again.pk != row.pk


@pytest.mark.django_db
def test_the_key_of_a_made_source_is_the_key_of_its_identity() -> None:
    source = factories.SourceFactory()
    identity = Identity(IdentifierType(source.identifier_type), source.identifier_value, source.request_url)
    assert source.canonical_key == identity.key
    assert factories.SourceFactory(untraceable=True).canonical_key == ""


def _empty_on_purpose(row: models.Model) -> set[str]:
    """Columns that are NULL or `{}`: allowed by the database, while `blank` only speaks to forms."""
    return {
        field.name
        for field in row._meta.fields
        if (field.null or isinstance(field, models.JSONField)) and getattr(row, field.attname) in (None, {})
    }
