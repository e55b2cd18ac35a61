"""No file of the project names the machine it was written on or a package registry."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Put together from pieces, so that this file does not name them either.
FORBIDDEN = [
    "/".join(parts).encode()
    for parts in (
        ("", "work", ""),
        ("", "root", ""),
        ("", "opt", "pypi"),
        ("", "opt", "wheels"),
        ("", "tmp", "bash_jobs"),
        ("..", "shared"),
        (".library", ""),
    )
] + [
    ".".join(parts).encode()
    for parts in (
        ("pypi", "org"),
        ("files", "pythonhosted", "org"),
        ("test", "pypi", "org"),
        ("registry", "npmjs", "org"),
        ("deb", "debian", "org"),
        ("security", "debian", "org"),
        ("archive", "ubuntu", "com"),
        ("conda", "anaconda", "org"),
    )
]


def tracked_files() -> list[Path]:
    """Files that git knows; [] outside a checkout."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        return []
    listing = subprocess.run(
        [git, "-c", "safe.directory=*", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    return [path for name in listing.decode().split("\0") if name and (path := ROOT / name).is_file()]


def test_no_tracked_file_names_a_machine_or_a_registry() -> None:
    files = tracked_files()
    if not files:
        pytest.skip("not a git checkout")
    named = [
        f"{path.relative_to(ROOT)}: {word.decode()}"
        for path in files
        for content in [path.read_bytes()]
        for word in FORBIDDEN
        if word in content
    ]
    assert named == []
