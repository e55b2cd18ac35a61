"""The state of a library in short, the whole check-up, and making anew what follows from the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.domain.errors import Invalid
from core.domain.health import (
    TREATMENTS,
    Backup,
    CheckReport,
    Cure,
    EndpointState,
    Example,
    Fault,
    Finding,
    HealthState,
    Level,
    Reason,
    Severity,
)
from core.domain.results import VerifyReport
from core.ports.clock import Clock
from core.ports.health_store import HealthStore
from core.ports.progress import CancelToken, ignore_progress
from core.ports.store import Store
from core.services.checkup import index_findings, row_findings
from core.services.indexer import Indexer

LAST_CHECK = "last_check"
OLD_BACKUP_DAYS = 14
MUCH_WAITING = 1_000
INDEX_FAULTS = frozenset({Fault.INDEX, Fault.NO_VECTOR, Fault.UNFIT_VECTORS})


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the library's store does not know itself, asked when it is needed.

    `index`: compares the index (None where there is none to compare). `settings`: names of settings that
    cannot be read. `endpoints`: those in use with what does not answer.
    """

    index: Callable[[int, CancelToken | None], VerifyReport | str]
    settings: Callable[[], Sequence[str]]
    endpoints: Callable[[], Sequence[EndpointState]]
    backups: Callable[[], Sequence[Backup]]
    index_bytes: Callable[[], int]
    model: Callable[[], tuple[str, str, int] | None]
    """Name, key and dimension of the embedder; None = search by meaning is off."""


class HealthService:
    """Answers about a library's health. Nothing here is an op; changes are (core.services.repair)."""

    def __init__(self, store: Store, health: HealthStore, around: Surroundings, clock: Clock) -> None:
        self._store, self._health, self._around, self._clock = store, health, around, clock

    # --- check-up ------------------------------------------------------------------------

    def check_up(self, sample: int, cancel: CancelToken | None = None) -> CheckReport:
        """Everything that does not fit. Errors: Cancelled."""
        findings = list(self._health.file_findings())
        _look(cancel)
        with self._store.read() as reader:
            findings += row_findings(reader, self._clock())
            counts = reader.counts(journal=False)
        _look(cancel)
        findings += self._vector_findings()
        _look(cancel)
        verified = self._around.index(sample, cancel)
        index = verified if isinstance(verified, str) else verified.index
        if isinstance(verified, VerifyReport):
            with self._store.read() as reader:
                findings += index_findings(reader, verified)
        if refused := self._around.settings():
            examples = tuple(Example(name, name) for name in refused)
            findings.append(Finding(fault=Fault.SETTINGS, count=len(refused), examples=examples))
        order = list(Severity)
        findings.sort(key=lambda each: order.index(each.treatment.severity))
        report = CheckReport(
            findings=tuple(findings),
            memories=counts.memories + counts.trashed,
            index=index,
            waiting=counts.waiting_for_index,
            at=self._clock(),
        )
        self._remember(report)
        return report

    def _vector_findings(self) -> list[Finding]:
        model = self._around.model()
        if model is None:
            return []
        _name, key, dims = model
        found = []
        unfit = self._health.unfit_vectors(key, dims)
        if unfit:
            with self._store.read() as reader:
                rows = reader.memory_rows(unfit[:50])
            examples = tuple(Example(row.id, row.title or row.id, row.pk) for row in rows)
            found.append(Finding(fault=Fault.UNFIT_VECTORS, count=len(unfit), examples=examples))
        memories, _texts, _chars = self._health.text_sizes(None, key, only_missing=True)
        if memories:
            found.append(Finding(fault=Fault.NO_VECTOR, count=memories))
        return found

    def _remember(self, report: CheckReport) -> None:
        worst = {each.fault.value: each.count for each in report.findings}
        self._health.keep_fact(
            LAST_CHECK,
            {"at": report.at.isoformat(), "level": report.level.value, "findings": worst},
        )

    # --- in short ------------------------------------------------------------------------

    def state(self, *, sizes: bool = False) -> HealthState:
        """What can be said quickly, with the result of the last check-up; the slow sizes when asked for."""
        rows = self._health.sizes(journal=sizes)
        backups = self._around.backups()
        last_check, reasons = self._last_check()
        endpoints = tuple(self._around.endpoints())
        for endpoint in endpoints:
            if endpoint.problem:
                args = {"name": endpoint.name, "reason": endpoint.problem}
                severity = Severity.ERROR if endpoint.use == "index" else Severity.WARNING
                reasons.append(Reason(f"health.reason.{endpoint.use}", severity, args))
        model = self._around.model()
        if model is not None and rows["waiting"] > MUCH_WAITING:
            reasons.append(Reason("health.reason.waiting", Severity.NOTE, {"count": rows["waiting"]}))
        if refused := self._around.settings():
            reasons.append(Reason("health.reason.settings", Severity.WARNING, {"count": len(refused)}))
        newest = max((backup.at for backup in backups), default=None)
        self._judge_backup(newest, rows, reasons)
        return HealthState(
            reasons=tuple(reasons),
            store_bytes=rows["store"],
            journal_bytes=rows["journal"],
            index_bytes=self._around.index_bytes() if sizes else 0,
            backups_bytes=sum(backup.bytes for backup in backups),
            memories=rows["memories"],
            ops=rows["ops"],
            waiting=rows["waiting"],
            embedder="" if model is None else model[0],
            dims=0 if model is None else model[2],
            endpoints=endpoints,
            last_backup=newest,
            last_check=last_check,
        )

    def _judge_backup(self, newest: datetime | None, rows: Mapping[str, int], reasons: list[Reason]) -> None:
        if newest is not None and (self._clock() - newest).days > OLD_BACKUP_DAYS:
            days = (self._clock() - newest).days
            reasons.append(Reason("health.reason.backup_old", Severity.NOTE, {"count": days}))
        elif newest is None and rows["memories"]:
            reasons.append(Reason("health.reason.backup_none", Severity.NOTE))

    def _last_check(self) -> tuple[datetime | None, list[Reason]]:
        kept = self._health.fact(LAST_CHECK)
        try:
            at, level = datetime.fromisoformat(str(kept["at"])), Level(str(kept["level"]))
        except (KeyError, ValueError):
            return None, []
        found = kept.get("findings")
        names = list(found) if isinstance(found, Mapping) else []
        severity = {Level.BAD: Severity.ERROR, Level.LOOK: Severity.WARNING}.get(level)
        if severity is None:
            return at, []
        return at, [Reason("health.reason.check", severity, {"count": len(names)})]

    # --- making anew ---------------------------------------------------------------------

    def remake(
        self,
        faults: Sequence[Fault],
        indexer: Callable[[], Indexer],
        mend_settings: Callable[[], int],
        cancel: CancelToken | None = None,
    ) -> int:
        """Word search, counters, vectors, index, settings file. Errors: Invalid, Unavailable, Cancelled."""
        for fault in faults:
            if TREATMENTS[fault].cure is not Cure.REMAKE:
                raise Invalid("error.repair.not_remade", fault=fault.value)
        wanted, written = set(faults), 0
        if Fault.SETTINGS in wanted:
            written += mend_settings()
        if Fault.COUNTERS in wanted:
            written += self._health.recount()
        if Fault.FULL_TEXT in wanted:
            written += self._health.rebuild_search(ignore_progress, cancel)
        model = self._around.model()
        if model is None:
            return written
        if Fault.UNFIT_VECTORS in wanted:
            written += len(self._health.drop_unfit(model[1], model[2]))
        if wanted & {Fault.INDEX_DAMAGED, Fault.INDEX_UNREADABLE}:
            written += indexer().rebuild(ignore_progress, cancel).done
        elif wanted & INDEX_FAULTS:
            written += indexer().reconcile(ignore_progress, cancel)
        return written


def _look(cancel: CancelToken | None) -> None:
    if cancel is not None:
        cancel.check()
