"""The table of commands: name, arguments and function. The command line is built from it.

A function takes the open library and the arguments by name and gives an answer: JSON with stable keys
(docs/CLI.md) and lines for people. Errors are those of core.domain.errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app import (
    commands_about,
    commands_documents,
    commands_drop,
    commands_evaluate,
    commands_extract,
    commands_health,
    commands_manual,
    commands_merge,
    commands_models,
    commands_read,
    commands_recall,
    commands_transfer,
    commands_upkeep,
    commands_vectors,
    commands_write,
)
from app.answers import Answer, Say
from core.domain.commands import Border
from core.domain.commands_proposals import IfChanged
from core.domain.document import Cutting
from core.domain.endpoints import PRESETS, ModelTask
from core.domain.enums import Layer, Status
from core.domain.package import Collision
from core.domain.proposal import ProposalKind, ProposalState
from core.domain.queries import SortKey, TrashScope
from core.domain.queries_extract import Reach
from core.domain.recall import Layout, Scope
from core.domain.recipes import DEFAULT_RECIPE, RECIPES
from core.domain.transfer import Format
from core.domain.upkeep import FORGET_BELOW, TRIAL_ACTIVATIONS, TRIAL_DAYS, FlashbackLayer

if TYPE_CHECKING:
    from app.library import Library
    from core.settings import Settings

DEFAULT_LIMIT = 50


class Takes(StrEnum):
    """What kind of value an argument takes."""

    TEXT = "text"
    TEXTS = "texts"
    ANY_TEXTS = "any_texts"
    OPTIONAL_TEXT = "optional_text"
    NUMBER = "number"
    DECIMAL = "decimal"
    FLAG = "flag"
    REPEATED = "repeated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument. Names without `--` stand by position; help is the text `cli.arg.<name>`."""

    name: str
    takes: Takes = Takes.TEXT
    choices: tuple[str, ...] = ()
    default: object = None
    required: bool = False
    metavar: str = ""

    @property
    def key(self) -> str:
        """Name under which the function finds the value."""
        return self.name.lstrip("-").replace("-", "_")


Function = Callable[["Library", Mapping[str, Any], Say], Answer]
Unopened = Callable[[Path, "Settings", Mapping[str, Any], Say], "Answer | None"]
Anywhere = Callable[["Settings", Mapping[str, Any], Say], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSpec:
    """One command; its help is the text `cli.command.<name>`. `creates`: makes a library that is missing.

    `unopened` is asked first, with the library's directory: what it answers needs no opened library.
    `anywhere`: needs no library at all; `function` is not called then.
    """

    name: str
    function: Function
    arguments: tuple[Argument, ...] = field(default=())
    creates: bool = False
    unopened: Unopened | None = None
    anywhere: Anywhere | None = None


_FOLDER = Argument(name="--folder", metavar="NAME")
_IDS = Argument(name="ids", takes=Takes.TEXTS, metavar="ID")
_LIMIT = Argument(name="--limit", takes=Takes.NUMBER, default=DEFAULT_LIMIT, metavar="N")
_FILTERS = (
    _FOLDER,
    Argument(name="--subfolders", takes=Takes.FLAG),
    Argument(name="--type", takes=Takes.REPEATED, metavar="TYPE"),
    Argument(name="--layer", takes=Takes.REPEATED, choices=tuple(Layer)),
    Argument(name="--status", takes=Takes.REPEATED, choices=tuple(Status)),
    Argument(name="--tag", takes=Takes.REPEATED, metavar="TAG"),
    Argument(name="--min-importance", takes=Takes.DECIMAL, metavar="N"),
    Argument(name="--locked", takes=Takes.FLAG),
    Argument(name="--trash", choices=tuple(TrashScope), default=TrashScope.OUTSIDE.value),
    _LIMIT,
)

_MESSAGE = Argument(name="message", metavar="TEXT")
_RECALL = (
    _FOLDER,
    Argument(
        name="--scope",
        choices=(Scope.ALSO_READS, Scope.FOLDER, Scope.LIBRARY),
        default=Scope.ALSO_READS.value,
    ),
    Argument(name="--viewer", metavar="NAME"),
    Argument(name="--as-of", takes=Takes.NUMBER, metavar="FLOOR"),
    Argument(name="--recipe", choices=RECIPES, default=DEFAULT_RECIPE),
    Argument(name="--set", takes=Takes.REPEATED, metavar="SETTING=VALUE"),
    Argument(name="--budget", takes=Takes.NUMBER, metavar="N"),
    Argument(name="--core", takes=Takes.REPEATED, metavar="TAGS"),
    Argument(name="--diffusion", takes=Takes.REPEATED, metavar="TAGS"),
    Argument(name="--opposing", takes=Takes.REPEATED, metavar="TAGS"),
    Argument(name="--include-archived", takes=Takes.FLAG),
    Argument(name="--include-knowledge", takes=Takes.FLAG),
    Argument(name="--top-k", takes=Takes.NUMBER, metavar="N"),
    Argument(name="--seed", takes=Takes.NUMBER, metavar="N"),
)

_PLAN = (
    Argument(name="--apply", takes=Takes.FLAG),
    Argument(name="--dry-run", takes=Takes.FLAG),
)
_BELOW = (_FOLDER, Argument(name="--subfolders", takes=Takes.FLAG))
UPKEEP: tuple[CommandSpec, ...] = (
    CommandSpec(
        name="promote",
        function=commands_upkeep.promote,
        arguments=(
            Argument(name="ids", takes=Takes.ANY_TEXTS, metavar="ID"),
            *_BELOW,
            Argument(name="--days", takes=Takes.DECIMAL, default=TRIAL_DAYS, metavar="N"),
            Argument(name="--activations", takes=Takes.NUMBER, default=TRIAL_ACTIVATIONS, metavar="N"),
            Argument(name="--keep-unused", takes=Takes.FLAG),
            _LIMIT,
            *_PLAN,
        ),
    ),
    CommandSpec(
        name="forget",
        function=commands_upkeep.forget,
        arguments=(
            *_BELOW,
            Argument(name="--threshold", takes=Takes.DECIMAL, default=FORGET_BELOW, metavar="N"),
            Argument(name="--as", choices=commands_upkeep.FORGOTTEN_AS, default=Status.ARCHIVED.value),
            _LIMIT,
            *_PLAN,
        ),
    ),
    CommandSpec(
        name="compress",
        function=commands_upkeep.compress,
        arguments=(
            *_BELOW,
            Argument(name="--type", takes=Takes.REPEATED, metavar="TYPE"),
            Argument(name="--force", takes=Takes.FLAG),
            Argument(name="--hint", metavar="TEXT"),
            Argument(name="--suggest", takes=Takes.FLAG),
            *_PLAN,
        ),
    ),
    CommandSpec(
        name="memos",
        function=commands_upkeep.memos,
        arguments=(
            _FOLDER,
            Argument(name="--keep", metavar="TEXT"),
            Argument(name="--hours", takes=Takes.DECIMAL, default=2.0, metavar="N"),
            Argument(name="--stream", metavar="NAME"),
            Argument(name="--remove", takes=Takes.REPEATED, metavar="ID"),
            Argument(name="--expired", takes=Takes.FLAG),
        ),
    ),
    CommandSpec(
        name="flashback",
        function=commands_upkeep.flashback,
        arguments=(
            *_BELOW,
            Argument(name="--layer", choices=tuple(FlashbackLayer)),
            Argument(name="--candidates", takes=Takes.NUMBER, default=50, metavar="N"),
            Argument(name="--exponent", takes=Takes.DECIMAL, default=1.0, metavar="N"),
            Argument(name="--layer-draw", takes=Takes.DECIMAL, metavar="N"),
            Argument(name="--memory-draw", takes=Takes.DECIMAL, metavar="N"),
        ),
    ),
)
DOUBLES: tuple[CommandSpec, ...] = (
    CommandSpec(
        name="duplicates",
        function=commands_merge.duplicates,
        arguments=(
            _FOLDER,
            Argument(name="--across", takes=Takes.FLAG),
            Argument(name="--type", takes=Takes.REPEATED, metavar="TYPE"),
            Argument(name="--verdict", takes=Takes.REPEATED, choices=commands_merge.VERDICTS),
            Argument(name="--contradictions", takes=Takes.FLAG),
            Argument(name="--ask", takes=Takes.FLAG),
            _LIMIT,
        ),
    ),
    CommandSpec(
        name="merge",
        function=commands_merge.merge,
        arguments=(
            _IDS,
            _FOLDER,
            Argument(name="--title"),
            Argument(name="--body"),
            Argument(name="--visible-to", takes=Takes.REPEATED, metavar="NAME"),
            Argument(name="--no-names", takes=Takes.FLAG),
            Argument(name="--dry-run", takes=Takes.FLAG),
        ),
    ),
    CommandSpec(
        name="unmerge",
        function=commands_merge.unmerge,
        arguments=(_IDS, _FOLDER, Argument(name="--dry-run", takes=Takes.FLAG)),
    ),
)
_MODEL = Argument(name="--model", choices=commands_extract.MODELS)
_TASK = (
    Argument(name="folder", metavar="FOLDER"),
    _MODEL,
    Argument(name="--apply", takes=Takes.FLAG),
)

COMMANDS: tuple[CommandSpec, ...] = (
    CommandSpec(
        name="import",
        function=commands_transfer.import_files,
        creates=True,
        arguments=(
            Argument(name="files", takes=Takes.TEXTS, metavar="FILE"),
            Argument(name="--dry-run", takes=Takes.FLAG),
            Argument(name="--yes", takes=Takes.FLAG),
            Argument(name="--partly", takes=Takes.FLAG),
            Argument(name="--as-new", takes=Takes.FLAG),
            Argument(name="--only", takes=Takes.TEXTS, metavar="NAME"),
            Argument(name="--collision", choices=tuple(Collision)),
        ),
    ),
    CommandSpec(
        name="export",
        function=commands_transfer.export,
        arguments=(
            Argument(name="folder", takes=Takes.OPTIONAL_TEXT, metavar="FOLDER"),
            Argument(
                name="--format",
                choices=tuple(each.value for each in commands_transfer.WRITTEN),
                default=Format.STBME.value,
            ),
            Argument(name="--to", required=True, metavar="PATH"),
            Argument(name="--overwrite", takes=Takes.FLAG),
            Argument(name="--ids", takes=Takes.TEXTS, metavar="ID"),
            Argument(name="--copy-of", metavar="FILE"),
        ),
    ),
    CommandSpec(
        name="write-back",
        function=commands_transfer.write_back,
        arguments=(
            Argument(name="folder", metavar="FOLDER"),
            Argument(name="--to", metavar="PATH"),
            Argument(name="--dry-run", takes=Takes.FLAG),
            Argument(name="--overwrite", takes=Takes.FLAG),
            Argument(name="--replace-changed", takes=Takes.FLAG),
        ),
    ),
    CommandSpec(
        name="ingest",
        function=commands_documents.ingest,
        creates=True,
        arguments=(
            Argument(name="paths", takes=Takes.ANY_TEXTS, metavar="PATH"),
            _FOLDER,
            Argument(name="--title", metavar="TITLE"),
            Argument(name="--content", metavar="TEXT"),
            Argument(name="--encoding", metavar="NAME"),
            Argument(name="--password", metavar="TEXT"),
            Argument(name="--source", metavar="TEXT"),
            Argument(name="--cutting", choices=tuple(Cutting), default=Cutting.DEFAULT.value),
            Argument(name="--max-chars", takes=Takes.NUMBER, metavar="N"),
            Argument(name="--overlap", takes=Takes.NUMBER, metavar="N"),
            Argument(name="--dry-run", takes=Takes.FLAG),
            Argument(name="--yes", takes=Takes.FLAG),
        ),
    ),
    CommandSpec(
        name="drop",
        function=commands_drop.drop,
        creates=True,
        arguments=(
            Argument(name="paths", takes=Takes.TEXTS, metavar="PATH"),
            _FOLDER,
            Argument(name="--dry-run", takes=Takes.FLAG),
            Argument(name="--yes", takes=Takes.FLAG),
        ),
    ),
    CommandSpec(
        name="documents",
        function=commands_documents.documents,
        arguments=(
            _FOLDER,
            Argument(name="--to", metavar="PATH"),
            Argument(name="--overwrite", takes=Takes.FLAG),
            Argument(name="--delete", takes=Takes.REPEATED, metavar="ID"),
        ),
    ),
    CommandSpec(
        name="list",
        function=commands_read.list_memories,
        arguments=(
            *_FILTERS,
            Argument(name="--text", metavar="WORDS"),
            Argument(name="--saved", metavar="NAME"),
            Argument(name="--sort", choices=tuple(SortKey), default=SortKey.UPDATED.value),
            Argument(name="--ascending", takes=Takes.FLAG),
        ),
    ),
    CommandSpec(
        name="search",
        function=commands_read.search,
        arguments=(
            Argument(name="text", metavar="WORDS"),
            *_FILTERS,
            Argument(name="--meaning", takes=Takes.FLAG),
        ),
    ),
    CommandSpec(name="show", function=commands_read.show, arguments=(_IDS, _FOLDER)),
    CommandSpec(
        name="about",
        function=commands_about.about,
        arguments=(
            Argument(name="subject", metavar="NAME"),
            _FOLDER,
            Argument(name="--everywhere", takes=Takes.FLAG),
            _LIMIT,
        ),
    ),
    CommandSpec(name="recall", function=commands_recall.recall, arguments=(_MESSAGE, *_RECALL)),
    CommandSpec(
        name="inject",
        function=commands_recall.inject,
        arguments=(
            _MESSAGE,
            *_RECALL,
            Argument(name="--layout", choices=tuple(Layout)),
            Argument(name="--commit", takes=Takes.FLAG),
        ),
    ),
    CommandSpec(
        name="why",
        function=commands_recall.why,
        arguments=(Argument(name="memory", metavar="MEMORY"), _MESSAGE, *_RECALL),
    ),
    CommandSpec(
        name="evaluate",
        function=commands_evaluate.evaluate,
        arguments=(
            _FOLDER,
            Argument(name="--export", metavar="PATH"),
            Argument(name="--import", metavar="PATH"),
            Argument(name="--overwrite", takes=Takes.FLAG),
        ),
    ),
    CommandSpec(
        name="extract",
        function=commands_extract.extract,
        arguments=(
            Argument(name="folder", takes=Takes.OPTIONAL_TEXT, metavar="FOLDER"),
            Argument(
                name="--reach", choices=(Reach.NEXT, Reach.ALL, Reach.REBUILD), default=Reach.NEXT.value
            ),
            Argument(name="--range", metavar="A-B"),
            _MODEL,
            Argument(name="--apply", takes=Takes.FLAG),
            Argument(name="--dry-run", takes=Takes.FLAG),
            Argument(name="--resume", takes=Takes.NUMBER, metavar="RUN"),
            Argument(name="--auto", takes=Takes.FLAG),
        ),
    ),
    CommandSpec(
        name="proposals",
        function=commands_extract.proposals,
        arguments=(
            Argument(name="action", choices=commands_extract.ACTIONS),
            Argument(name="proposal", takes=Takes.OPTIONAL_TEXT, metavar="NUMBER"),
            _FOLDER,
            Argument(
                name="--state",
                choices=(*ProposalState, commands_extract.ALL),
                default=ProposalState.OPEN.value,
            ),
            Argument(name="--kind", choices=tuple(ProposalKind)),
            Argument(name="--group", takes=Takes.REPEATED, metavar="KEY"),
            Argument(name="--if-changed", choices=tuple(IfChanged), default=IfChanged.SKIP.value),
        ),
    ),
    CommandSpec(name="synopsis", function=commands_extract.synopsis, arguments=_TASK),
    CommandSpec(name="reflect", function=commands_extract.reflect, arguments=_TASK),
    CommandSpec(name="evolve", function=commands_extract.evolve, arguments=_TASK),
    CommandSpec(name="consolidate", function=commands_extract.consolidate, arguments=_TASK),
    CommandSpec(
        name="manual",
        function=commands_manual.manual,
        arguments=(
            Argument(name="action", choices=commands_manual.ACTIONS),
            Argument(name="request", takes=Takes.OPTIONAL_TEXT, metavar="NUMBER"),
            Argument(name="--file", metavar="FILE"),
        ),
    ),
    CommandSpec(name="folders", function=commands_read.folders),
    CommandSpec(name="searches", function=commands_read.searches),
    CommandSpec(name="history", function=commands_read.history, arguments=(_LIMIT,)),
    CommandSpec(
        name="verify",
        function=commands_read.verify,
        arguments=(Argument(name="package", takes=Takes.OPTIONAL_TEXT, metavar="PACKAGE"),),
    ),
    CommandSpec(
        name="check",
        function=commands_health.check,
        arguments=(
            Argument(name="--repair", takes=Takes.REPEATED, metavar="safe|all|FAULT"),
            Argument(name="--dry-run", takes=Takes.FLAG),
        ),
    ),
    CommandSpec(
        name="backup",
        function=commands_health.backup,
        unopened=commands_health.backups_of,
        arguments=(
            Argument(name="action", choices=commands_health.ACTIONS),
            Argument(name="name", takes=Takes.OPTIONAL_TEXT, metavar="NAME"),
        ),
    ),
    CommandSpec(name="rebuild", function=commands_write.rebuild),
    CommandSpec(
        name="vectors",
        function=commands_vectors.vectors,
        arguments=(
            Argument(name="action", takes=Takes.OPTIONAL_TEXT, choices=commands_vectors.ACTIONS),
            _FOLDER,
            Argument(name="--to", metavar="NAME"),
            Argument(name="--dry-run", takes=Takes.FLAG),
        ),
    ),
    CommandSpec(
        name="models",
        function=commands_read.folders,
        anywhere=commands_models.models,
        arguments=(
            Argument(name="action", takes=Takes.OPTIONAL_TEXT, choices=commands_models.ACTIONS),
            Argument(name="name", takes=Takes.OPTIONAL_TEXT, metavar="NAME"),
            Argument(name="--preset", choices=tuple(each.id for each in PRESETS)),
            Argument(name="--url", metavar="URL"),
            Argument(name="--model-name", metavar="NAME"),
            Argument(name="--embedding", takes=Takes.FLAG),
            Argument(name="--timeout", takes=Takes.NUMBER, metavar="SECONDS"),
            Argument(name="--price-in", takes=Takes.DECIMAL, metavar="N"),
            Argument(name="--price-out", takes=Takes.DECIMAL, metavar="N"),
            Argument(name="--key", takes=Takes.FLAG),
            Argument(name="--task", takes=Takes.REPEATED, choices=tuple(ModelTask)),
        ),
    ),
    *UPKEEP,
    *DOUBLES,
    CommandSpec(
        name="edit",
        function=commands_write.edit,
        arguments=(
            Argument(name="id", metavar="ID"),
            _FOLDER,
            Argument(name="--title"),
            Argument(name="--body"),
            Argument(name="--set", takes=Takes.REPEATED, metavar="COLUMN=VALUE"),
            Argument(name="--type", metavar="TYPE"),
            Argument(name="--importance", takes=Takes.DECIMAL, metavar="N"),
            Argument(name="--layer", choices=tuple(Layer)),
            Argument(name="--tag", takes=Takes.REPEATED, metavar="TAG"),
        ),
    ),
    CommandSpec(
        name="move",
        function=commands_write.move,
        arguments=(
            _IDS,
            _FOLDER,
            Argument(name="--to", required=True, metavar="FOLDER"),
            Argument(name="--create", takes=Takes.FLAG),
            Argument(name="--border", choices=tuple(Border), default=Border.LEAVE.value),
        ),
    ),
    CommandSpec(name="trash", function=commands_write.trash, arguments=(_IDS, _FOLDER)),
    CommandSpec(name="restore", function=commands_write.restore, arguments=(_IDS, _FOLDER)),
    CommandSpec(
        name="undo",
        function=commands_write.undo,
        arguments=(
            Argument(name="--op", takes=Takes.NUMBER, metavar="N"),
            Argument(name="--partly", takes=Takes.FLAG),
        ),
    ),
    CommandSpec(name="redo", function=commands_write.redo),
)
