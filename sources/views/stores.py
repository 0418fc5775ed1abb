"""Stores: their documents, the chunks of one with where they come from, and taking a document in."""

from datetime import UTC, datetime

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted
from sources import permissions
from sources.core.chunking import hash_of
from sources.core.kinds import UseKind
from sources.core.lines import one_line
from sources.core.payload import payload_json
from sources.models import Chunk, ChunkStore
from sources.queries.chunks import chunks_of, documents_of, provenance_of, stores_of
from sources.queries.readable import readable
from sources.queries.retraction_evidence import meant, tell
from sources.services import chunks
from sources.services.chunks import IngestRefused
from sources.views.knowledge_forms import IngestForm
from sources.views.knowledge_lookups import chunk_for, store_for


@needs_workspace
@require_GET
def store_list(request: MemberRequest) -> HttpResponse:
    """The workspace's stores with counts."""
    page = page_of(request, stores_of(request.workspace.pk))
    context = {"page": page, "can_curate": permissions.can_curate(request.user, request.workspace.pk)}
    return render_page(request, "sources/store_list.html", context)


@needs_workspace
@require_GET
def store(request: MemberRequest, pk: int) -> HttpResponse:
    """The documents of a store; `q` searches path, title and DOI; htmx gets the results alone."""
    found = store_for(request.user, pk)
    words = one_line(request.GET.get("q", ""))[:500]
    context = {
        "store": found,
        "q": words,
        "page": page_of(request, documents_of(found, words=words)),
        "can_curate": permissions.can_curate(request.user, found.workspace_id),
    }
    return render_page(request, "sources/store.html", context, partial="sources/_documents.html")


@needs_workspace
@require_GET
def document(request: MemberRequest, pk: int) -> HttpResponse:
    """The chunks of the document `key` of a store."""
    found = store_for(request.user, pk)
    key = one_line(request.GET.get("key", ""))[:64]
    page = page_of(request, chunks_of(found, path_key=key), per_page=20)
    first = chunks_of(found, path_key=key).first()
    if first is None:
        raise Http404
    tell([first.source, *(chunk.source for chunk in page.object_list)])
    kept = meant(use_kind=UseKind.STORE, use_ids=[found.pk]).get((first.source_id or 0, found.pk))
    context = {
        "store": found,
        "kept": kept,
        "first": first,
        "key": key,
        "page": page,
        "can_curate": permissions.can_curate(request.user, found.workspace_id),
    }
    return render_page(request, "sources/document.html", context)


@needs_workspace
@require_POST
def document_remove(request: MemberRequest, pk: int) -> HttpResponse:
    """Takes the document `key` out of a store."""
    found = store_for(request.user, pk)
    permissions.check_can_curate(request.user, found.workspace_id)
    first = (
        readable(Chunk.objects.all()).filter(store=found, path_key=one_line(request.POST.get("key", ""))[:64]).first()
    )
    if first is None:
        raise Http404
    gone = chunks.remove_document(
        store=found, path=first.path, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC)
    )
    messages.success(request, f"{first.path} is taken out of {found.name}: {counted(gone, 'chunk')}.")
    return redirect("store", found.pk)


@needs_workspace
@require_GET
def chunk_provenance(request: MemberRequest, pk: int) -> HttpResponse:
    """The provenance of one chunk as a JSON file."""
    found = chunk_for(request.user, pk)
    response = HttpResponse(payload_json(provenance_of(found)) + "\n", content_type="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="chunk-{found.pk}-provenance.json"'
    return response


@needs_workspace
@require_http_methods(["GET", "POST"])
def ingest(request: MemberRequest) -> HttpResponse:
    """The form that takes a document into a store; a good one leads to its chunks."""
    permissions.check_can_curate(request.user, request.workspace.pk)
    if request.method == "GET":
        known = {name: one_line(request.GET.get(name, ""))[:4_000] for name in ("store", "path")}
        return _form(request, IngestForm(initial=known))
    form = IngestForm(request.POST, request.FILES)
    if not form.is_valid():
        return _form(request, form, status=422)
    name, data = form.document
    try:
        done = chunks.ingest_file(
            workspace_id=request.workspace.pk,
            store=form.cleaned_data["store"],
            name=name,
            data=data,
            about=form.about,
            by=request.user,
            channel=Channel.PAGE,
            at=datetime.now(UTC),
        )
    except IngestRefused as refused:
        form.add_error(refused.field, str(refused))
        return _form(request, form, status=422)
    messages.success(
        request,
        f"{done.path}: {counted(done.added, 'chunk')} added, {done.replaced:,} replaced, {done.removed:,} removed, "
        f"{done.unchanged:,} unchanged.",
    )
    if done.warning:
        messages.warning(request, done.warning)
    return redirect(f"{reverse('document', args=[done.store.pk])}?key={hash_of(done.path)}")


def _form(request: MemberRequest, form: IngestForm, *, status: int = 200) -> HttpResponse:
    names = ChunkStore.objects.filter(workspace=request.workspace).order_by("name").values_list("name", flat=True)
    return render_page(request, "sources/ingest.html", {"form": form, "stores": list(names[:100])}, status=status)
