"""docs/RECALL.md: every setting of every recipe as it is, and the shares of the injection's sections."""

from pathlib import Path

from core.services.inject.booku_layout import SHARES as BOOKU_SHARES
from core.services.inject.sections import SHARES
from tests.project.recipe_tables import PAGE, with_tables


def test_settings_on_the_page_are_those_of_the_recipes() -> None:
    page = Path(PAGE).read_text(encoding="utf-8")
    assert page == with_tables(page), "run: python -m tests.project.recipe_tables"


def test_shares_on_the_page_are_those_of_the_code() -> None:
    page = Path(PAGE).read_text(encoding="utf-8")
    for name, share in SHARES.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| {name} |"))
        assert row.endswith(f"| {share:.2f} |")
    assert ", ".join(f"{share:.2f}" for share in BOOKU_SHARES.values()) in page
