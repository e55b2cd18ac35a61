"""Makes the README's pictures out of those of the tour: a chosen few, smaller.

usage: python packaging/pictures.py TOUR_DIRECTORY
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

CHOSEN = {
    "06-read-en-light": "memories",
    "22-recall-left-out-en-light": "recall",
    "44-graph-drawn-zh_CN-light": "graph",
    "47-graph-many-en-dark": "graph-10000",
}
WIDTH_PX = 1080
SMALLEST = 0
TARGET = Path(__file__).resolve().parents[1] / "docs" / "pictures"


def main(tour: Path) -> None:
    """Write each chosen picture to docs/pictures."""
    TARGET.mkdir(parents=True, exist_ok=True)
    for source, name in CHOSEN.items():
        image = QImage(str(tour / f"{source}.png"))
        if image.isNull():
            raise SystemExit(f"no picture {source}.png in {tour}: run the tour first")
        small = image.scaledToWidth(WIDTH_PX, Qt.TransformationMode.SmoothTransformation)
        small.convertToFormat(QImage.Format.Format_RGB888).save(str(TARGET / f"{name}.png"), "PNG", SMALLEST)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
