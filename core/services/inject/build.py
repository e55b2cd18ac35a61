"""The text for the prompt in any layout."""

from __future__ import annotations

from dataclasses import replace

from core.domain.errors import Invalid
from core.domain.recall import Injection, Layout
from core.ports.token_counter import TokenCounter
from core.services.inject.booku_layout import booku_blocks
from core.services.inject.compose import compose
from core.services.inject.sections import budgeted_blocks
from core.services.inject.tables import tables_injection
from core.services.inject.types import MAX_DEPTH, InjectInput, InjectOptions
from core.services.inject.wording import wording


def build(given: InjectInput, options: InjectOptions, counter: TokenCounter) -> Injection:
    """The text, what of it came from which memory, and how many tokens that took.

    A memory that does not fit is cut and marked, or stands in `left_out` of its section: none is dropped
    silently. Errors: Invalid for a budget below 0 or a depth outside 0..9999.
    """
    _check(options)
    words = wording(options.language)
    match options.layout:
        case Layout.TABLES:
            return tables_injection(given, replace(options, budget_tokens=None), counter)
        case Layout.BUDGETED:
            return compose(budgeted_blocks(given, options, words), words("preface"), options, counter)
        case Layout.BOOKU:
            return compose(booku_blocks(given, options, words), words("preface"), options, counter)


def _check(options: InjectOptions) -> None:
    budget = options.budget_tokens
    if budget is not None and budget < 0:
        raise Invalid("error.inject.budget", budget=budget)
    if not 0 <= options.depth <= MAX_DEPTH:
        raise Invalid("error.inject.depth", depth=options.depth, most=MAX_DEPTH)
