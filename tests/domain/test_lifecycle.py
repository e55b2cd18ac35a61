"""Every move between layer x status x reason x trash: the legal ones with their result, all others refused."""

from __future__ import annotations

import itertools

import pytest

from core.domain.enums import Layer, Status, StatusReason
from core.domain.errors import Invalid
from core.domain.lifecycle import REASONS, LifeState, Verb, apply, check

STATES = [
    LifeState(layer, status, reason, trashed)
    for layer, status, trashed in itertools.product(Layer, Status, (False, True))
    for reason in sorted(REASONS[status], key=str)
]
LIVE = [state for state in STATES if not state.trashed]
TRASHED = [state for state in STATES if state.trashed]


def test_all_states_that_may_exist_are_walked() -> None:
    # 4 layers x (active: no reason; archived, expired: each reason) x in and out of the trash
    assert len(STATES) == 4 * (1 + 2 * len(StatusReason)) * 2
    assert all(check(state) == state for state in STATES)


@pytest.mark.parametrize("state", LIVE, ids=str)
def test_verbs_on_what_is_not_in_the_trash(state: LifeState) -> None:
    for reason in StatusReason:
        filed = apply(state, Verb.ARCHIVE, reason=reason)
        assert filed == LifeState(state.layer, Status.ARCHIVED, reason)
        assert apply(state, Verb.EXPIRE, reason=reason) == LifeState(state.layer, Status.EXPIRED, reason)
    assert apply(state, Verb.RESTORE) == LifeState(state.layer)
    assert apply(state, Verb.TRASH) == LifeState(state.layer, state.status, state.reason, trashed=True)
    for layer in Layer:
        assert apply(state, Verb.SET_LAYER, layer=layer) == LifeState(layer, state.status, state.reason)
    with pytest.raises(Invalid, match="no_layer"):
        apply(state, Verb.SET_LAYER)
    with pytest.raises(Invalid, match="not_trashed"):
        apply(state, Verb.UNTRASH)


@pytest.mark.parametrize("state", LIVE, ids=str)
def test_only_what_is_on_trial_and_in_use_is_promoted(state: LifeState) -> None:
    if state.layer is Layer.EMERGENT and state.status is Status.ACTIVE:
        assert apply(state, Verb.PROMOTE) == LifeState(Layer.MEMORY)
    else:
        with pytest.raises(Invalid, match="not_on_trial"):
            apply(state, Verb.PROMOTE)


@pytest.mark.parametrize("state", TRASHED, ids=str)
def test_nothing_but_the_way_back_happens_in_the_trash(state: LifeState) -> None:
    assert apply(state, Verb.UNTRASH) == LifeState(state.layer, state.status, state.reason)
    for verb in Verb:
        if verb is not Verb.UNTRASH:
            with pytest.raises(Invalid, match="in_trash"):
                apply(state, verb, layer=Layer.MEMORY)


@pytest.mark.parametrize("status", Status)
def test_reason_that_does_not_go_with_the_status_is_refused(status: Status) -> None:
    for reason in {None, *StatusReason} - REASONS[status]:
        with pytest.raises(Invalid, match="reason"):
            check(LifeState(Layer.MEMORY, status, reason))
