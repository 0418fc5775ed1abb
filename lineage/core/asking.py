"""Who asks: every answer is computed on what the asker may see."""

from dataclasses import dataclass

from lineage.core.relations import Label


@dataclass(frozen=True, slots=True)
class Asker:
    """Someone who asks in one workspace and may read nodes up to a level (`Label.level`)."""

    workspace_id: int
    level: int
    user_id: int | None = None

    @property
    def sees_everything(self) -> bool:
        """True where no label of the workspace is hidden from them, so that walks need no filter."""
        return self.level >= Label.RESTRICTED.level


def system(workspace_id: int) -> Asker:
    """The desk itself: impact and labels run over everything."""
    return Asker(workspace_id, Label.RESTRICTED.level)
