"""The smallest change that brings a memory in, applied: to the request, or to the memory itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.domain.commands import Command, RestoreMemories, UntrashMemories
from core.domain.ids import FolderPk
from core.domain.recall import RecallRequest, Remedy, Scope, WhyNotAnswer
from core.domain.recipes import Recipe

Changed = Callable[[RecallRequest, "float | str | None"], RecallRequest]


def remedied(request: RecallRequest, answer: WhyNotAnswer, recipe: Recipe | None) -> RecallRequest | None:
    """The request with the answer's remedy; None when the remedy is no change of the request."""
    if answer.remedy is None:
        return None
    match answer.remedy:
        case Remedy.LOWER_DIVERSITY:
            known = {setting.key for setting in recipe.settings} if recipe is not None else set()
            key = "diversity" if "diversity" in known or "dedup_threshold" not in known else "dedup_threshold"
            return _setting(request, key, answer.value)
        case Remedy.LOWER_CUTOFF:
            return _setting(request, "cutoff", answer.value)
        case Remedy.RESTORE | Remedy.ADD_ALIAS | Remedy.MERGE_TWIN:
            return None
        case remedy:
            return _CHANGES[remedy](request, answer.value)


def writes(answer: WhyNotAnswer) -> bool:
    """Whether the remedy changes the library; the others change what is asked."""
    return answer.remedy in {Remedy.RESTORE, Remedy.ADD_ALIAS, Remedy.MERGE_TWIN}


def restoring(answer: WhyNotAnswer, *, trashed: bool) -> Command | None:
    """The command of the remedy that gets a memory back into use."""
    if answer.remedy is not Remedy.RESTORE:
        return None
    pks = (answer.recalled.pk,)
    return UntrashMemories(memories=pks) if trashed else RestoreMemories(memories=pks)


def _wider(request: RecallRequest, value: float | str | None) -> RecallRequest:
    """The scope with one folder more; the whole library when it is not said which."""
    if not isinstance(value, int | float):
        return replace(request, scope=Scope.LIBRARY)
    own = {request.folder} if request.folder is not None else set()
    chosen = request.chosen if request.scope is Scope.CHOSEN else frozenset(own)
    return replace(request, scope=Scope.CHOSEN, chosen=chosen | {FolderPk(int(value))})


def _number(value: float | str | None) -> int | None:
    return int(value) if isinstance(value, int | float) else None


def _setting(request: RecallRequest, key: str, value: float | str | None) -> RecallRequest:
    if value is None:
        return request
    return replace(request, settings={**request.settings, key: value})


def _without(request: RecallRequest, key: str) -> RecallRequest:
    return replace(request, settings={name: value for name, value in request.settings.items() if name != key})


_CHANGES: dict[Remedy, Changed] = {
    Remedy.WIDEN_SCOPE: _wider,
    Remedy.INCLUDE_ARCHIVED: lambda request, _: replace(
        _without(request, "include_archived"), include_archived=True
    ),
    Remedy.INCLUDE_KNOWLEDGE: lambda request, _: replace(
        _without(request, "include_knowledge"), include_knowledge=True
    ),
    Remedy.LATER_FLOOR: lambda request, value: replace(request, as_of_seq=_number(value)),
    Remedy.CHANGE_VIEWER: lambda request, value: replace(request, viewer="" if value is None else str(value)),
    Remedy.RAISE_TOP_K: lambda request, value: replace(request, top_k=_number(value)),
    Remedy.RAISE_BUDGET: lambda request, value: replace(request, budget_tokens=_number(value)),
}
