"""Encrypts what rows hold of people's secrets anew, when the installation's secret was changed (`kit.sealing`)."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from django.db import models, transaction
from django.views.decorators.debug import sensitive_variables

from provenance_site.kit.sealing import resealed

M = TypeVar("M", bound=models.Model)


@sensitive_variables("secrets", "token")
def reseal_rows(
    rows: models.QuerySet[M], *, column: str, place: Callable[[M], str], secrets: Sequence[str]
) -> tuple[int, int]:
    """Encrypts `column` of these rows anew under the first of `secrets`; gives how many, and how many cannot be read.

    `place` names where a row keeps its secret, as it was sealed. What cannot be read stays as it is: the secret that it
    needs may come back. Twice is safe. One transaction, which holds the rows.
    """
    done = lost = 0
    with transaction.atomic():
        for row in rows.select_for_update(no_key=True).order_by("pk"):
            token = resealed(getattr(row, column), place=place(row), secrets=secrets)
            if token is None:
                lost += 1
                continue
            setattr(row, column, token)
            row.save(update_fields=[column])
            done += 1
    return done, lost
