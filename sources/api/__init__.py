"""The registry over JSON, one router a subject."""

from sources.api.concepts import router as concepts
from sources.api.drafts import router as drafts
from sources.api.duplicates import router as duplicates
from sources.api.exports import router as exports
from sources.api.imports import router as imports
from sources.api.knowledge import router as knowledge
from sources.api.outlines import router as outlines
from sources.api.retractions import router as retractions
from sources.api.turns import router as turns

__all__ = ["concepts", "drafts", "duplicates", "exports", "imports", "knowledge", "outlines", "retractions", "turns"]
