"""Folders by `/` as a tree: parents that are no folders themselves appear as plain groups."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from core.domain.folder import SEPARATOR
from core.domain.results import FolderNode


@dataclass(slots=True)
class Branch:
    """One level of the tree. `node` None = only a part of other folders' names."""

    path: str
    node: FolderNode | None = None
    children: dict[str, Branch] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The last part of the name."""
        return self.path.rpartition(SEPARATOR)[2]

    @property
    def memories(self) -> int:
        """Memories here and below."""
        own = self.node.memories if self.node is not None else 0
        return own + sum(child.memories for child in self.children.values())


def as_tree(nodes: Iterable[FolderNode]) -> list[Branch]:
    """The top branches, each level by name."""
    root = Branch("")
    for node in nodes:
        at = root
        path = ""
        for part in node.folder.name.split(SEPARATOR):
            path = f"{path}{SEPARATOR}{part}" if path else part
            at = at.children.setdefault(part, Branch(path))
        at.node = node
    return _sorted(root)


def _sorted(branch: Branch) -> list[Branch]:
    children = sorted(branch.children.values(), key=lambda child: child.label.casefold())
    for child in children:
        child.children = {found.path: found for found in _sorted(child)}
    return children
