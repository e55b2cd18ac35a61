"""Vectors made anew beside those in use; a person decides with the figures of the recall tests (DESIGN §3).

Vectors lie in SQL under the key of their model. New ones of the same model are made under a key of their own, so
that all that is in use stays in use; batches are saved as they come, so that a crash, a pause or a model that
does not answer costs one batch at most. Accepting puts them in place in one transaction.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.domain.errors import Cancelled, Invalid, Unavailable, UserError
from core.domain.health import RebuildEstimate, RebuildJob, RebuildScope, RebuildState
from core.domain.ids import FolderPk, MemoryPk
from core.domain.json_types import Json, JsonObject
from core.ports.embedder import Embedder, EmbedderIdentity, Thresholds, Vectors
from core.ports.health_store import HealthStore
from core.ports.index_queue import IndexQueue
from core.ports.jobs import Job, Jobs
from core.ports.progress import CancelToken, Progress, ignore_progress
from core.services.embedding_cost import embedding_cost

KIND = "rebuild"
BESIDE = "~new"
"""Stands behind the variant of a model while its vectors are made anew."""
BATCH = 64
PAGE = 512

Figures = Mapping[str, float]
Trial = Callable[[Embedder, "CancelToken | None"], Figures]
"""Runs the saved recall tests with an embedder, i.e. with the vectors under its key."""


class Beside:
    """An embedder under another key: the same vectors, kept apart."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        own = embedder.identity
        self._identity = replace(own, variant=own.variant + BESIDE)

    @property
    def identity(self) -> EmbedderIdentity:
        """The key of the new set."""
        return self._identity

    @property
    def thresholds(self) -> Thresholds:
        """Those of the model."""
        return self._embedder.thresholds

    def embed_documents(self, texts: Sequence[str], cancel: CancelToken | None = None) -> Vectors:
        """As the model does."""
        return self._embedder.embed_documents(texts, cancel)

    def embed_query(self, text: str) -> Vectors:
        """As the model does."""
        return self._embedder.embed_query(text)


class Rebuilder:
    """One rebuild at a time, kept as a job. `cases`: how many recall tests are saved; `trial` runs them."""

    def __init__(
        self,
        health: HealthStore,
        queue: IndexQueue,
        jobs: Jobs,
        embedder: Embedder,
        cases: Callable[[], int],
        trial: Trial,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._health, self._queue, self._jobs = health, queue, jobs
        self._embedder, self._beside = embedder, Beside(embedder)
        self._cases, self._trial, self._clock = cases, trial, clock

    # --- before --------------------------------------------------------------------------

    def estimate(
        self, scope: RebuildScope, folder: FolderPk | None, cancel: CancelToken | None = None
    ) -> RebuildEstimate:
        """Texts, tokens and time; a few texts are embedded to measure the speed. Errors: Unavailable."""
        key = self._embedder.identity.key
        stale = scope is RebuildScope.STALE
        cost = embedding_cost(
            self._health,
            self._embedder,
            folder=folder,
            missing_in=key if stale else None,
            probe_key=key if stale else self._beside.identity.key,
            cancel=cancel,
            clock=self._clock,
        )
        return RebuildEstimate(
            scope=scope,
            folder=folder,
            memories=cost.memories,
            texts=cost.texts,
            characters=cost.characters,
            tokens=cost.tokens,
            seconds=cost.seconds,
            model=self._embedder.identity.model,
            cases=self._cases(),
        )

    def current(self) -> RebuildJob | None:
        """The rebuild there is. One that no program works on any more counts as paused."""
        jobs = self._jobs.all(KIND)
        if not jobs:
            return None
        job = _view(jobs[-1])
        if job.state is RebuildState.RUNNING:
            with self._jobs.working(KIND) as free:
                if free:
                    job = replace(job, state=RebuildState.PAUSED)
        return job

    # --- the work ------------------------------------------------------------------------

    def run(
        self,
        scope: RebuildScope | None,
        folder: FolderPk | None,
        cancel: CancelToken | None = None,
        progress: Progress = ignore_progress,
    ) -> RebuildJob:
        """Begin, or go on with what there is. Cancelled: it waits, paused.

        Errors: Invalid (nothing to go on with, or another under way), Unavailable (then it is paused too).
        """
        with self._jobs.working(KIND) as free:
            if not free:
                raise Invalid("error.rebuild.under_way")
            job = self._begin(scope, folder)
            try:
                failed = self._embed_all(job, cancel, progress)
                return self._ready(job, failed, cancel)
            except (Cancelled, Unavailable) as error:
                done, total = self._counted(job)
                reason = error.reason if isinstance(error, Unavailable) else ""
                self._save(job, RebuildState.PAUSED, done, total, error=reason)
                raise

    def _begin(self, scope: RebuildScope | None, folder: FolderPk | None) -> RebuildJob:
        jobs = self._jobs.all(KIND)
        if scope is None:
            if not jobs:
                raise Invalid("error.rebuild.none")
            job = _view(jobs[-1])
            if job.model != self._embedder.identity.key:
                raise Invalid("error.rebuild.other_model", model=job.model)
            return job
        if jobs:
            raise Invalid("error.rebuild.waiting")
        if scope is RebuildScope.FOLDER and folder is None:
            raise Invalid("error.folder.missing")
        data: JsonObject = {"scope": scope.value, "folder": folder, "model": self._embedder.identity.key}
        pk = self._jobs.add(KIND, RebuildState.RUNNING.value, [data])[0]
        found = self._jobs.one(pk)
        assert found is not None
        return _view(found)

    def _target(self, job: RebuildJob) -> str:
        """Stale texts have no old vectors to be compared with: theirs go straight into use."""
        one = self._embedder if job.scope is RebuildScope.STALE else self._beside
        return one.identity.key

    def _counted(self, job: RebuildJob) -> tuple[int, int]:
        return self._health.vectors_in(self._target(job), job.folder)

    def _embed_all(self, job: RebuildJob, cancel: CancelToken | None, progress: Progress) -> int:
        """Embed page by page what the target lacks; returns how many texts were refused."""
        done, total = self._counted(job)
        self._save(job, RebuildState.RUNNING, done, total)
        after, failed = MemoryPk(0), 0
        while page := self._health.texts_without(job.folder, self._target(job), after, PAGE):
            after = page[-1][0]
            texts = {digest: text for _, digest, text in page if text}
            items = list(texts.items())
            for start in range(0, len(items), BATCH):
                if cancel is not None:
                    cancel.check()
                batch = items[start : start + BATCH]
                made = self._embed(batch, cancel)
                self._queue.save_vectors(self._target(job), made)
                done, failed = done + len(made), failed + len(batch) - len(made)
                progress(done, total)
                self._save(job, RebuildState.RUNNING, done, total, failed=failed)
            if job.scope is RebuildScope.STALE:
                self._health.enqueue([pk for pk, _, _ in page])
        return failed

    def _embed(self, batch: Sequence[tuple[str, str]], cancel: CancelToken | None) -> dict[str, Vectors]:
        """Vectors by hash; one text that is refused never sinks the others."""
        try:
            rows = self._embedder.embed_documents([text for _, text in batch], cancel)
        except UserError:
            if len(batch) == 1:
                return {}
            return {
                digest: vector for item in batch for digest, vector in self._embed([item], cancel).items()
            }
        if rows.shape != (len(batch), self._embedder.identity.dims):
            raise Unavailable("embedder", f"gave an array of shape {rows.shape}", key="index.wrong_shape")
        return {digest: row for (digest, _), row in zip(batch, rows, strict=True) if np.isfinite(row).all()}

    def _ready(self, job: RebuildJob, failed: int, cancel: CancelToken | None) -> RebuildJob:
        """All is made: stale texts are done with; else the recall tests are run on both sets."""
        done, total = self._counted(job)
        if job.scope is RebuildScope.STALE:
            self._jobs.remove([job.pk])
            return replace(job, state=RebuildState.READY, done=done, total=total, failed=failed)
        if job.scope is RebuildScope.FOLDER:  # recall reads other folders too: they keep their vectors
            self._health.fill_vectors(self._embedder.identity.key, self._beside.identity.key)
        old: Figures = {}
        new: Figures = {}
        if self._cases():
            old, new = self._trial(self._embedder, cancel), self._trial(self._beside, cancel)
        job = replace(job, old=old, new=new)
        self._save(job, RebuildState.READY, done, total, failed=failed)
        return replace(job, state=RebuildState.READY, done=done, total=total, failed=failed)

    # --- after ---------------------------------------------------------------------------

    def accept(self) -> int:
        """The new vectors take the place of the old ones. Errors: Invalid when there is nothing ready."""
        job = self.current()
        if job is None or job.state is not RebuildState.READY:
            raise Invalid("error.rebuild.not_ready")
        if job.model != self._embedder.identity.key:
            raise Invalid("error.rebuild.other_model", model=job.model)
        count = self._health.take_vectors(self._beside.identity.key, self._embedder.identity.key)
        self._jobs.remove([job.pk])
        return count

    def drop(self) -> bool:
        """Give it up: the old vectors stay in use, the new ones go. Errors: Invalid while it runs elsewhere."""
        with self._jobs.working(KIND) as free:
            if not free:
                raise Invalid("error.rebuild.under_way")
            jobs = self._jobs.all(KIND)
            self._jobs.remove([job.pk for job in jobs])
            for key, _count in self._health.vector_models():
                if key.endswith(BESIDE):
                    self._health.drop_vectors(key)
        return bool(jobs)

    def _save(
        self, job: RebuildJob, state: RebuildState, done: int, total: int, *, failed: int = 0, error: str = ""
    ) -> None:
        data: dict[str, Json] = {
            "scope": job.scope.value,
            "folder": job.folder,
            "model": job.model,
            "failed": failed,
            "old": dict(job.old),
            "new": dict(job.new),
        }
        self._jobs.save(job.pk, state.value, data, done=done, total=total, error=error)


def _view(job: Job) -> RebuildJob:
    data = job.data
    folder = data.get("folder")
    failed = data.get("failed", 0)
    return RebuildJob(
        pk=job.pk,
        scope=RebuildScope(str(data["scope"])),
        folder=FolderPk(folder) if isinstance(folder, int) else None,
        state=RebuildState(job.state),
        model=str(data["model"]),
        done=job.done,
        total=job.total,
        failed=failed if isinstance(failed, int) else 0,
        old=_figures(data.get("old")),
        new=_figures(data.get("new")),
        started=job.created_at,
        error=job.error,
    )


def _figures(value: Json) -> Figures:
    if not isinstance(value, Mapping):
        return {}
    return {name: float(number) for name, number in value.items() if isinstance(number, int | float)}
