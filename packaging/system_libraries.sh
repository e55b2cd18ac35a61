#!/bin/sh
# Installs the system libraries that Qt misses when this is Debian or Ubuntu and we are root; else prints the one
# line to type. Fails only when nothing can start without them. usage: sh packaging/system_libraries.sh run|test
set -eu
cd "$(dirname "$0")/.."
purpose=$1

say() { echo "$*" >&2; }
look() { .venv/bin/python packaging/system_libraries.py "$purpose"; }
names() { cut -d ' ' -f 2 | tr '\n' ' '; }

found=$(look)
[ -n "$found" ] || exit 0
packages=$(echo "$found" | names)

if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    say "Installing system packages: $packages"
    # Word splitting is meant: several packages. A failure shows in the second look.
    # shellcheck disable=SC2086
    { apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends $packages; } >&2 || true
    found=$(look)
    [ -n "$found" ] || exit 0
    packages=$(echo "$found" | names)
fi

if command -v apt-get >/dev/null 2>&1; then
    say "System packages are missing. Type:"
    say "    sudo apt-get update && sudo apt-get install -y --no-install-recommends $packages"
else
    say "System libraries are missing. Install what your system calls these Debian packages: $packages"
fi
if echo "$found" | grep -q '^needed'; then
    say "The program cannot start without: $(echo "$found" | grep '^needed' | names)"
    exit 1
fi
say "Going on without them."
