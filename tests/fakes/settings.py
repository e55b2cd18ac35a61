"""Settings in memory."""

from core.domain.json_types import Json

DEFAULTS: dict[str, Json] = {
    "ui.language": "en",
    "ui.theme": "light",
    "ui.text_percent": 100,
    "ui.letters": True,
}


class FakeSettings:
    """Keeps what is set; unknown keys are empty text."""

    def __init__(self, **values: Json) -> None:
        self.values: dict[str, Json] = {**DEFAULTS, **values}

    def get(self, key: str) -> Json:
        return self.values.get(key, "")

    def set(self, key: str, value: Json) -> None:
        self.values[key] = value
