"""Makes the README's pictures out of those of the tour: a chosen few, smaller, with 256 colours each.

usage: python packaging/pictures.py TOUR_DIRECTORY
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QImageWriter, qRgb

CHOSEN = {
    "06-read-en-light": "memories",
    "08-move-zh_CN-dark": "move",
    "22-recall-left-out-en-light": "recall",
    "44-graph-drawn-zh_CN-light": "graph",
    "47-graph-many-en-dark": "graph-10000",
    "50-chats-zh_CN-light": "chats",
    "65-review-en-light": "review",
    "73-pieces-zh_CN-dark": "documents",
}
WIDTH_PX = 1080
COLORS = 256
FINE_BITS = 6
"""Bits of a channel that are looked at: finer differences nobody sees."""
MOST_BYTES = 200_000
SMALLEST = 100
TARGET = Path(__file__).resolve().parents[1] / "docs" / "pictures"

Pixels = NDArray[np.uint8]


def palette_of(colors: Pixels, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Up to 256 colours (n, 3) for these (m, 3), by median cut: the box of most weight and widest span is
    split at its weighted middle. Roots of the counts weigh, so that small marks keep their colours."""
    weight = np.sqrt(counts)
    boxes: list[NDArray[np.int64]] = [np.arange(len(colors))]

    def worth(box: NDArray[np.int64]) -> float:
        return float(np.ptp(colors[box], axis=0).max() * weight[box].sum()) if len(box) > 1 else 0.0

    while len(boxes) < COLORS:
        at = max(range(len(boxes)), key=lambda number: worth(boxes[number]))
        if not worth(boxes[at]):
            break
        box = boxes.pop(at)
        channel = int(np.ptp(colors[box], axis=0).argmax())
        box = box[np.argsort(colors[box, channel], kind="stable")]
        sums = np.cumsum(weight[box])
        cut = min(max(int(np.searchsorted(sums, sums[-1] / 2)), 1), len(box) - 1)
        boxes += [box[:cut], box[cut:]]
    return np.array([np.average(colors[box], axis=0, weights=counts[box]) for box in boxes])


def indexed(image: QImage) -> QImage:
    """The picture with a palette of its own."""
    full = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(full.constBits(), np.uint8).reshape(full.height(), full.bytesPerLine())
    pixels = rows[:, : 3 * full.width()].reshape(-1, 3)
    coarse = (pixels >> (8 - FINE_BITS)).astype(np.int64)
    codes = (coarse << np.array([2 * FINE_BITS, FINE_BITS, 0])).sum(axis=1)
    _, first, inverse, counts = np.unique(codes, return_index=True, return_inverse=True, return_counts=True)
    palette = palette_of(pixels[first], counts)
    away = pixels[first].astype(np.float64)[:, None, :] - palette[None, :, :]
    nearest = (away**2).sum(axis=2).argmin(axis=1).astype(np.uint8)
    places = np.ascontiguousarray(nearest[inverse].reshape(full.height(), full.width()))
    made = QImage(places.data, full.width(), full.height(), full.width(), QImage.Format.Format_Indexed8)
    made.setColorTable([qRgb(*(round(value) for value in color)) for color in palette.tolist()])
    return made.copy()


def main(tour: Path) -> None:
    """Write each chosen picture to docs/pictures; one that is too large for a page is an error."""
    TARGET.mkdir(parents=True, exist_ok=True)
    for source, name in CHOSEN.items():
        image = QImage(str(tour / f"{source}.png"))
        if image.isNull():
            raise SystemExit(f"no picture {source}.png in {tour}: run the tour first")
        target = TARGET / f"{name}.png"
        writer = QImageWriter(str(target))
        writer.setCompression(SMALLEST)
        writer.write(indexed(image.scaledToWidth(WIDTH_PX, Qt.TransformationMode.SmoothTransformation)))
        del writer
        if target.stat().st_size > MOST_BYTES:
            raise SystemExit(f"{target.name} has {target.stat().st_size:,} bytes, more than {MOST_BYTES:,}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
