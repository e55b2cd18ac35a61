"""What requirements.lock names may go into a program under a permissive licence, and is named completely."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

# Families of licences that a program under the MIT licence may depend on (LGPL: not linked into it, replaceable).
ALLOWED = re.compile(
    r"\b(MIT|0?BSD|Apache|ISC|MPL|Mozilla Public|PSF|Python Software Foundation|Zlib|CC0|Unlicense|LGPL|HPND|CNRI-Python)",
    re.IGNORECASE,
)
FORBIDDEN = re.compile(r"\bA?GPL|Affero|(?<!Lesser )General Public", re.IGNORECASE)

# Packages whose metadata say nothing: name -> (licence, where it was read).
READ_BY_HAND: dict[str, tuple[str, str]] = {}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements(lock: str) -> list[tuple[str, str]]:
    """(name, whole entry with its hashes) of each requirement of a lock file."""
    entries = re.split(r"\n(?=[A-Za-z0-9])", "\n" + re.sub(r"^\s*#.*\n", "", lock, flags=re.MULTILINE))[1:]
    return [(canonical(re.split(r"[=\[ ;]", entry, maxsplit=1)[0]), entry) for entry in entries]


def is_allowed(licence: str) -> bool:
    """Whether an SPDX expression or a licence's name permits us: of `A OR B` one has to, of `A AND B` all."""
    expression = licence.strip()
    while inner := re.search(r"\(([^()]*\b(?:OR|AND)\b[^()]*)\)", expression):
        verdict = "MIT" if is_allowed(inner[1]) else "GPL"
        expression = expression.replace(inner[0], verdict)
    if " OR " in expression:
        return any(is_allowed(part) for part in expression.split(" OR "))
    if " AND " in expression:
        return all(is_allowed(part) for part in expression.split(" AND "))
    return bool(ALLOWED.search(expression)) and not FORBIDDEN.search(expression)


def licence_of(package: metadata.Distribution) -> str:
    """The licence that a package declares; '' when it declares none."""
    about = package.metadata
    if expression := about.get("License-Expression"):
        return expression
    names = [
        line.rsplit(" :: ", 1)[1]
        for line in about.get_all("Classifier") or []
        if line.startswith("License :: OSI Approved :: ")
    ]
    stated = (about.get("License") or "").strip().split("\n")[0]
    # Several classifiers are alternatives as often as not; the stated text is preferred where it can be read.
    return stated if ALLOWED.search(stated) or FORBIDDEN.search(stated) else " AND ".join(names)


LOCKED = requirements(LOCK)
INSTALLED = {
    canonical(package.name): package for package in metadata.distributions() if package.name is not None
}


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT", True),
        ("BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0", True),
        ("MPL-2.0 AND (Apache-2.0 OR MIT)", True),
        ("LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only", True),
        ("GNU Lesser General Public License v3 (LGPLv3)", True),
        ("GPL-3.0-or-later", False),
        ("AGPL-3.0-only", False),
        ("MIT AND GPL-2.0-only", False),
        ("MIT AND (GPL-2.0-only OR AGPL-3.0-only)", False),
        ("GNU General Public License v2 or later (GPLv2+)", False),
        ("GNU Affero General Public License v3 or later (AGPLv3+)", False),
        ("Dual License", False),
        ("", False),
    ],
)
def test_licence_text_is_judged(licence: str, allowed: bool) -> None:
    assert is_allowed(licence) is allowed


@pytest.mark.parametrize("name", sorted({name for name, _ in LOCKED}))
def test_locked_package_has_a_permitted_licence(name: str) -> None:
    if name not in INSTALLED:
        pytest.skip("not installed on this platform")
    licence = READ_BY_HAND[name][0] if name in READ_BY_HAND else licence_of(INSTALLED[name])
    assert licence, f"{name} declares no licence: read it and add it to READ_BY_HAND"
    assert is_allowed(licence), f"{name}: {licence}"


def test_most_locked_packages_are_installed_here() -> None:
    """Otherwise the test above proves nothing."""
    names = {name for name, _ in LOCKED}
    assert len(names & INSTALLED.keys()) > 0.8 * len(names)


def test_lock_names_no_place() -> None:
    named = [line for line in LOCK.splitlines() if "://" in line or line.startswith("-")]
    assert named == []


def test_every_locked_requirement_is_exact_and_hashed() -> None:
    loose = [name for name, entry in LOCKED if "==" not in entry or "--hash=sha256:" not in entry]
    assert loose == []


def test_lock_holds_every_direct_dependency() -> None:
    direct = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
    names = {canonical(re.split(r"[<>=\[; ]", line, maxsplit=1)[0]) for line in direct}
    assert names <= {name for name, _ in LOCKED}


def test_every_declared_dependency_has_its_line_of_reason() -> None:
    documented = {
        canonical(name)
        for name in re.findall(
            r"^\| `([^`\[]+)", (ROOT / "docs/DEPENDENCIES.md").read_text("utf-8"), re.MULTILINE
        )
    }
    optional = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    declared = {
        canonical(re.split(r"[<>=\[; ]", line, maxsplit=1)[0])
        for line in [*PROJECT["dependencies"], *optional]
    }
    assert declared - documented == set(), "add a line to docs/DEPENDENCIES.md"
    assert documented - declared == set(), "docs/DEPENDENCIES.md names what pyproject.toml does not"
