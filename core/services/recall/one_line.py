"""One memory as it would stand in the prompt: its line alone, and the tokens of that."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.domain.memory import Memory
from core.domain.recall import InjectedLine, Layout
from core.domain.recipes import DEFAULT_RECIPE, RECIPES, recipe
from core.domain.schema import Schema
from core.ports.token_counter import TokenCounters, TokenFamily
from core.services.inject import InjectInput, InjectMemory, InjectOptions, build


@dataclass(frozen=True, slots=True)
class OneLine:
    """Makes lines in a language. Beside others of its type a row of a table can have empty columns as well."""

    schema: Schema
    language: str
    now: datetime

    def of(self, memory: Memory, used: str, counters: TokenCounters, *, quick: bool) -> InjectedLine:
        """The memory's line by the recipe that was used (the default one when it is none now), uncut."""
        name = used if used in RECIPES else DEFAULT_RECIPE
        values = recipe(name).resolved({})
        wanted = TokenFamily(values.text("token_family"))
        family = TokenFamily.ESTIMATE if quick and not counters.ready(wanted) else wanted
        options = InjectOptions(
            layout=Layout(values.text("layout")),
            language=self.language,
            ids=values.flag("show_ids"),
            budget_tokens=None,
        )
        counter = counters.counter(family)
        given = InjectInput(memories=(InjectMemory(memory),), schema=self.schema, now=self.now)
        injection = build(given, options, counter)
        mine = [injection.text[span.start : span.end] for span in injection.spans if span.memory == memory.pk]
        text = "\n".join(mine)
        return InjectedLine(
            text=text,
            tokens=counter.count(text),
            whole=injection.tokens,
            family=family.value,
            recipe=name,
            exact=family is wanted,
        )
