"""Writes the tables of recipe settings into docs/RECALL.md from the recipes: `python -m tests.project.recipe_tables`."""

from __future__ import annotations

from pathlib import Path

from core.domain.recipes import Recipe, RecipeSetting, recipes
from core.domain.texts import render

PAGE = Path(__file__).parents[2] / "docs" / "RECALL.md"
START = "<!-- recipe settings: written by `python -m tests.project.recipe_tables`, do not edit by hand -->"
END = "<!-- end of recipe settings -->"


def tables() -> str:
    """A table for each recipe."""
    return "\n\n".join(map(_table, recipes()))


def _table(recipe: Recipe) -> str:
    rows = ["| setting | default | allowed | stands for | |", "|---|---|---|---|---|"]
    return "\n".join([f"### Settings of `{recipe.id}`", "", *rows, *map(_row, recipe.settings)])


def _row(setting: RecipeSetting) -> str:
    default = str(setting.default).lower() if isinstance(setting.default, bool) else setting.default
    name = render("en", setting.text) + (" (experimental)" if setting.experimental else "")
    return f"| `{setting.key}` | {default} | {setting.allowed} | {', '.join(setting.origin)} | {name} |"


def with_tables(page: str) -> str:
    """The page with its tables made anew."""
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n\n{tables()}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
