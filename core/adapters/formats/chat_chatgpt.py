"""Conversations of a ChatGPT export: `mapping` is a tree of messages, `current_node` the end of the shown path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from core.adapters.formats.foreign_chat import (
    ATTACHMENTS,
    OTHER_BRANCHES,
    THINKING,
    ForeignChat,
    identity,
    inner,
    joined,
    objects,
    said,
    shown_files,
    text_of,
    unseen,
)
from core.domain.json_types import Json

PROGRAM = "ChatGPT"
_SPOKEN = ("user", "assistant")
_UNSAID = frozenset({"reasoning_recap", "app_pairing_content"})
Node = Mapping[str, Json]


def is_conversation(value: Json) -> bool:
    """Whether an object has the form of one."""
    return isinstance(value, Mapping) and isinstance(value.get("mapping"), Mapping)


def chatgpt_chat(value: Mapping[str, Json]) -> ForeignChat:
    """One conversation, along the path that was shown last; answers that were asked for again are alternatives."""
    tree = _Tree(value)
    left_out: Counter[str] = Counter()
    messages = list(_messages(tree, left_out))
    left_out[OTHER_BRANCHES] += tree.unused
    return ForeignChat(
        PROGRAM,
        tuple(messages),
        character=PROGRAM,
        title=text_of(value.get("title")),
        id=identity(value.get("conversation_id")) or identity(value.get("id")),
        plain=True,
        left_out=left_out,
    )


class _Tree:
    """The nodes of a conversation and the shown path through them."""

    def __init__(self, value: Mapping[str, Json]) -> None:
        mapping = value["mapping"]
        self.nodes: dict[str, Node] = {}
        if isinstance(mapping, Mapping):
            self.nodes = {key: node for key, node in mapping.items() if isinstance(node, Mapping)}
        self.path = self._path(text_of(value.get("current_node")))
        on_path = set(self.path)
        self.unused = sum(
            1
            for key, node in self.nodes.items()
            if key not in on_path and _is_spoken(_message(node)) and _text(_message(node))
        )

    def children(self, key: str) -> list[str]:
        found = self.nodes[key].get("children")
        return (
            [child for child in found if isinstance(child, str) and child in self.nodes]
            if isinstance(found, list)
            else []
        )

    def parent(self, key: str) -> str:
        found = self.nodes[key].get("parent")
        return found if isinstance(found, str) and found in self.nodes else ""

    def _path(self, end: str) -> list[str]:
        """From the root to the end; circles are cut. Without a known end the newest children are followed."""
        if end not in self.nodes:
            end = self._last()
        path: list[str] = []
        seen: set[str] = set()
        while end and end not in seen:
            seen.add(end)
            path.append(end)
            end = self.parent(end)
        return path[::-1]

    def _last(self) -> str:
        at = next((key for key in self.nodes if not self.parent(key)), "")
        seen: set[str] = set()
        while at and at not in seen:
            seen.add(at)
            children = self.children(at)
            if not children:
                return at
            at = children[-1]
        return at

    def answers(self, key: str) -> list[str]:
        """The nodes that stand in one place: an answer and those that were asked for in its stead."""
        parent = self.parent(key)
        found = self.children(parent) if parent else [key]
        role = _role(_message(self.nodes[key]))
        same = [each for each in found if _role(_message(self.nodes[each])) == role]
        return same if key in same else [key]


def _message(node: Node) -> Node:
    found = node.get("message")
    return found if isinstance(found, Mapping) else {}


def _role(message: Node) -> str:
    return text_of(inner(message, "author", "role"))


def _kind(message: Node) -> str:
    return text_of(inner(message, "content", "content_type"))


def _is_spoken(message: Node) -> bool:
    """Whether one side said it to the other: no tools, instructions, thoughts."""
    return (
        _role(message) in _SPOKEN
        and inner(message, "metadata", "is_visually_hidden_from_conversation") is not True
        and text_of(message.get("recipient")) in ("", "all")
        and _kind(message) in ("", "text", "multimodal_text", "code")
    )


def _messages(tree: _Tree, left_out: Counter[str]) -> Iterator[dict[str, Json]]:
    thoughts: list[str] = []
    for key in tree.path:
        message = _message(tree.nodes[key])
        kind, role = _kind(message), _role(message)
        if not message or kind in _UNSAID:
            continue
        if kind == "thoughts":
            thoughts += [_thought(each) for each in objects(inner(message, "content", "thoughts"))]
            continue
        made = _spoken(tree, key, left_out) if _is_spoken(message) else _behind(message)
        if made is None:
            continue
        if thoughts and role == "assistant":
            made[THINKING] = joined(thoughts)
            thoughts = []
        yield made


def _spoken(tree: _Tree, key: str, left_out: Counter[str]) -> dict[str, Json] | None:
    message = _message(tree.nodes[key])
    by_user = _role(message) == "user"
    files = _files(message)
    left_out[ATTACHMENTS] += len(files)
    shown = _text(message) or shown_files(files)
    if not shown and not by_user:  # the empty node before a tool is called
        return None
    made = said("" if by_user else PROGRAM, shown, user=by_user, time=message.get("create_time"))
    if files:
        made["files"] = list[Json](files)
    if model := text_of(inner(message, "metadata", "model_slug")):
        made["model"] = model
    others = [(each, _text(_message(tree.nodes[each]))) for each in tree.answers(key)]
    others = [(each, other) for each, other in others if other or each == key]
    if len(others) > 1:
        made["swipes"] = [shown if each == key else other for each, other in others]
        made["swipe_id"] = [each for each, _ in others].index(key)
        tree.unused -= len(others) - 1
    return made


def _behind(message: Node) -> dict[str, Json] | None:
    """What was not shown as a part of the talk: instructions, calls of tools and what these gave back."""
    shown = _text(message)
    if not shown:
        return None
    time = message.get("create_time")
    if _role(message) == "assistant":
        return said(PROGRAM, shown, time=time) | {"is_system": True}
    if _role(message) == "user" and _kind(message) != "user_editable_context":
        return said("", shown, user=True, time=time) | {"is_system": True}
    return unseen(text_of(inner(message, "author", "name")), shown, time=time)


def _text(message: Node) -> str:
    """The text of a message of any kind."""
    content = message.get("content")
    if not isinstance(content, Mapping):
        return text_of(content)
    parts = content.get("parts")
    if isinstance(parts, list):
        return joined(map(_part, parts))
    found = (content.get(key) for key in ("text", "result", "user_profile", "user_instructions"))
    return joined(text_of(each) for each in found)


def _part(part: Json) -> str:
    """A part that is text, also one that was spoken."""
    return text_of(part) or text_of(inner(part, "text"))


def _files(message: Node) -> list[str]:
    """Names of pictures and files: those that were handed over by name, else what stands in the text's place."""
    named = [text_of(each.get("name")) for each in objects(inner(message, "metadata", "attachments"))]
    if found := [name for name in named if name]:
        return found
    return ["image" for each in objects(inner(message, "content", "parts")) if "asset_pointer" in each]


def _thought(value: Mapping[str, Json]) -> str:
    return joined((text_of(value.get("summary")), text_of(value.get("content"))), "\n")
