"""Why a recall chose nothing, and the one change that most likely helps."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.domain.recall import RecallRequest, RecallResult, Scope, Stage

EARLY = (Stage.STATUS, Stage.LAYER, Stage.FLOOR, Stage.VISIBILITY)


@dataclass(frozen=True, slots=True)
class Empty:
    """A reason (text `recall_page.empty.<reason>`, its button has `.button` behind it) and what the button asks.

    `request` None: the button leads to the message (`message`) or to "why not?" (all else).
    """

    reason: str
    request: RecallRequest | None = None


def why_empty(result: RecallResult) -> Empty | None:
    """The reason for an empty selection; None when something was selected."""
    if result.selected:
        return None
    request = result.request
    counts = {count.stage: count for count in result.stages}
    scope = counts.get(Stage.SCOPE)
    if scope is not None and not scope.entered:
        if request.scope is Scope.LIBRARY:
            return Empty("library")
        return Empty("folder", replace(request, scope=Scope.LIBRARY))
    emptied = next(
        (stage for stage in EARLY if stage in counts and counts[stage].entered and not counts[stage].left),
        None,
    )
    if emptied is not None:
        return _early(request, emptied)
    if not request.message.strip():
        return Empty("message")
    if request.budget_tokens is not None and Stage.BUDGET in counts and counts[Stage.BUDGET].entered:
        return Empty("budget", replace(request, budget_tokens=None))
    if request.settings:
        return Empty("settings", replace(request, settings={}))
    if request.scope is not Scope.LIBRARY:
        return Empty("nothing", replace(request, scope=Scope.LIBRARY))
    return Empty("nothing_anywhere")


def _early(request: RecallRequest, stage: Stage) -> Empty:
    match stage:
        case Stage.STATUS:
            return Empty("status", replace(request, include_archived=True))
        case Stage.LAYER:
            return Empty("layer", replace(request, include_knowledge=True))
        case Stage.FLOOR:
            return Empty("floor", replace(request, as_of_seq=None))
        case _:
            return Empty("visibility", replace(request, viewer=""))
