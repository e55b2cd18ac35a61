"""A reply without what the model thought aloud: nothing in there was meant as an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAMES = (
    r"(?:[\w.]+:)?(?:[A-Za-z]+[_-])*(?:(?:ant)?think(?:ing)?|thoughts?|reasoning|reason|analysis|reflection|reflect"
    r"|rationale|deliberation|brainstorm(?:ing)?|planning|draft|scratch_?pad|(?:inner)?monologue|cot)(?:[_-][A-Za-z]+)*"
    r"|(?:思考|思维|推理|分析|内心|反思|草稿|构思)[\u4e00-\u9fff]{0,6}"
)
"""Names of tags for thinking, with what models put before and after them (`deep_think`, `seed:cot_budget_reflect`)."""
_OPEN = re.compile(
    rf"<\s*({_NAMES})(?:\s[^<>]*)?>|<\|START_(THINKING)\|>|\[(THINK(?:ING)?)\]|◁(think)▷|<\|(?:begin_of_)?(think(?:ing)?|thought)\|>"
    r"|<\|channel\|>\s*(analysis|commentary)[^<]*<\|message\|>",
    re.IGNORECASE,
)
_CLOSE = re.compile(
    rf"<\s*/\s*(?:{_NAMES})\s*>|<\|END_THINKING\|>|\[/THINK(?:ING)?\]|◁/think▷|<\|(?:end_of_|/)(?:think(?:ing)?|thought)\|>"
    r"|<\|end\|>(?=\s*(?:<\|start\|>|<\|channel\|>|$))|(?=<\|channel\|>\s*final)",
    re.IGNORECASE,
)
_EITHER = re.compile(f"(?P<open>{_OPEN.pattern})|(?P<close>{_CLOSE.pattern})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Parted:
    """Both parts of a reply. `unclosed`: the thinking never ended, so all after it was thought."""

    answer: str
    thinking: str = ""
    unclosed: bool = False


def part(reply: str) -> Parted:
    """The answer and the thinking of a reply.

    A tag inside a string (an odd number of quotes before it on its line) is text. With only a closing tag
    all before it was thought; with one that never closes, all after it. Cost: O(n).
    """
    answer: list[str] = []
    thought: list[str] = []
    depth = start = 0
    for tag in _EITHER.finditer(reply):
        opens = tag["open"] is not None
        if depth == 0 and _quoted(reply, tag.start()):
            continue
        if opens:
            if depth == 0:
                answer.append(reply[start : tag.start()])
                start = tag.end()
            depth += 1
        elif depth > 0:
            depth -= 1
            if depth == 0:
                thought.append(reply[start : tag.start()])
                start = tag.end()
        elif tag.end() > tag.start():
            thought += [*answer, reply[start : tag.start()]]
            answer.clear()
            start = tag.end()
    (thought if depth else answer).append(reply[start:])
    return Parted(
        "\n".join(answer) if thought or depth else reply,
        "\n".join(each.strip() for each in thought if each.strip()),
        depth > 0,
    )


def _quoted(reply: str, at: int) -> bool:
    line = reply[reply.rfind("\n", 0, at) + 1 : at]
    return (line.count('"') - line.count('\\"')) % 2 == 1
