"""What a person chose in the legend of each graph, kept in the library and taken up when it is shown again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject

from core.domain.enums import Layer, Status
from core.domain.ids import FolderPk, RelationId, TypeId
from core.domain.json_types import Json, JsonObject
from ui.context import Context
from ui.drafts import drafts_of
from ui.graph.coloring import Coloring
from ui.graph.state import EVER, NEVER, GraphState, Shown
from ui.tasks import single_shot
from ui.views.graph.picture import GraphPicture

KEY = "view/graph"
KEEP_AFTER_MS = 400
_WHOLE = "library"
_OF_THE_MOMENT = frozenset({Coloring.ENERGY})
"""Ways of colouring that need what was asked just now."""
_NOTHING: JsonObject = {"color": Coloring.TYPE.value, "shown": {}}


class KeptChoices(QObject):
    """Lays the kept choices over each new graph, and keeps those that a person makes."""

    def __init__(self, ctx: Context, picture: GraphPicture) -> None:
        super().__init__(picture)
        self._picture = picture
        self._keeper = drafts_of(ctx)
        self._shown: dict[str, JsonObject] = {}
        self._color = Coloring.TYPE
        self._known = False
        self._keep_soon = single_shot(self, KEEP_AFTER_MS, self.keep)
        picture.begin = self._begin
        picture.changed.connect(self._on_changed)
        self._keeper.changed.connect(self._take)
        self._keeper.load()
        self._take()

    def keep(self) -> None:
        """Put the choices into the library now."""
        self._keep_soon.stop()
        if not self._keeper.loaded:
            self._keep_soon.start()
            return
        data: dict[str, Json] = {"color": self._color.value, "shown": dict(self._shown)}
        if self._known or data != _NOTHING:
            self._keeper.keep(KEY, data)

    @property
    def _scope(self) -> str:
        folder = next(iter(self._picture.scope.folders), None)
        return _WHOLE if folder is None else str(folder)

    def _take(self) -> None:
        """What the library holds, once it is read."""
        data = self._keeper.get(KEY)
        if data is None or self._known:
            return
        self._known = True
        shown = data.get("shown")
        kept = shown if isinstance(shown, Mapping) else {}
        self._shown = {key: value for key, value in kept.items() if isinstance(value, Mapping)} | self._shown
        color = data.get("color")
        if self._color is Coloring.TYPE and color in [each.value for each in Coloring]:
            self._color = self._picture.coloring = Coloring(str(color))
        state = self._picture.state
        if state is not None and not state.shown.active:
            self._begin(state)
            self._picture.compose()

    def _begin(self, state: GraphState) -> None:
        """A graph is about to be shown."""
        state.shown = shown_of(self._shown.get(self._scope, {}))

    def _on_changed(self) -> None:
        state, color = self._picture.state, self._picture.coloring
        if state is None:
            return
        if color not in _OF_THE_MOMENT:
            self._color = color
        if chosen := shown_json(state.shown):
            self._shown[self._scope] = chosen
        else:
            self._shown.pop(self._scope, None)
        self._keep_soon.start()


def shown_json(shown: Shown) -> dict[str, Json]:
    """The choices of a legend; what is searched for is none. {} when everything is shown."""
    off: dict[str, list[Json]] = {
        "types": [*sorted(shown.types_off)],
        "relations": [*sorted(shown.relations_off)],
        "layers": [*sorted(shown.layers_off)],
        "statuses": [*sorted(shown.statuses_off)],
        "folders": [*sorted(shown.folders_off)],
        "recalled": [*sorted(shown.recalled_off)],
    }
    found: dict[str, Json] = {part: values for part, values in off.items() if values}
    if shown.importance_min:
        found["importance_min"] = shown.importance_min
    if shown.strength_min:
        found["strength_min"] = shown.strength_min
    if not shown.past_edges:
        found["past_edges"] = False
    return found


def shown_of(data: JsonObject) -> Shown:
    """The choices that were kept so; what cannot be read is left out."""
    layers, statuses = {each.value for each in Layer}, {each.value for each in Status}
    return replace(
        Shown(),
        types_off=frozenset(map(TypeId, _texts(data, "types"))),
        relations_off=frozenset(map(RelationId, _texts(data, "relations"))),
        layers_off=frozenset(Layer(each) for each in _texts(data, "layers") if each in layers),
        statuses_off=frozenset(Status(each) for each in _texts(data, "statuses") if each in statuses),
        folders_off=frozenset(FolderPk(each) for each in _list(data, "folders") if type(each) is int),
        recalled_off=frozenset(each for each in _texts(data, "recalled") if each in (EVER, NEVER)),
        importance_min=_number(data, "importance_min"),
        strength_min=_number(data, "strength_min"),
        past_edges=data.get("past_edges") is not False,
    )


def _list(data: JsonObject, key: str) -> Sequence[Json]:
    value = data.get(key)
    return value if isinstance(value, list) else ()


def _texts(data: JsonObject, key: str) -> list[str]:
    return [each for each in _list(data, key) if isinstance(each, str)]


def _number(data: JsonObject, key: str) -> float:
    value = data.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
