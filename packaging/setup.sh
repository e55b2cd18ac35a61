#!/bin/sh
# Gets everything that the program needs: Python, .venv with the locked packages, system libraries.
# Does nothing when all is there. usage: sh packaging/setup.sh run|test|check
set -eu
cd "$(dirname "$0")/.."
purpose=${1:-run}
python=.venv/bin/python

say() { echo "$*" >&2; }

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
can_make_venv() { "$1" -c 'import venv, ensurepip' >/dev/null 2>&1; }
apt_install() {
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends "$@"; } >&2
}
is_debian_root() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

# The first of the usual names that is new enough and can make an environment; else one that is only new enough.
find_python() {
    second_choice=
    for name in ${PYTHON:-python3.13 python3.12 python3.11 python3 python}; do
        is_new_enough "$name" || continue
        if can_make_venv "$name"; then echo "$name"; return; fi
        second_choice=${second_choice:-$name}
    done
    echo "$second_choice"
}

# Debian keeps ensurepip, and so venv, in a package of its own.
get_venv_module() {
    package=python3-venv
    [ "$("$1" -c 'import sys; print(*sys.version_info[:2])')" = \
      "$(python3 -c 'import sys; print(*sys.version_info[:2])' 2>/dev/null)" ] ||
        package=$("$1" -c 'import sys; print("python{}.{}-venv".format(*sys.version_info))')
    if is_debian_root; then
        say "$1 cannot make an environment yet: installing $package."
        apt_install "$package" || true
    fi
    can_make_venv "$1" || {
        say "$1 cannot make an environment (the modules venv and ensurepip are missing). On Debian and Ubuntu type:"
        say "    sudo apt install $package"
        exit 1
    }
}

make_venv() {
    found=$(find_python)
    [ -n "$found" ] || {
        say "Python 3.11 or newer was not found. Install it (Debian, Ubuntu: sudo apt install python3 python3-venv;"
        say "macOS: python.org or brew install python@3.13), or name it: make $purpose PYTHON=/path/to/python3"
        exit 1
    }
    can_make_venv "$found" || get_venv_module "$found"
    say "Making .venv with $("$found" --version)."
    rm -rf .venv
    "$found" -m venv .venv
}

# quicktok-v1 has no wheels for Python 3.14 yet, so there pip builds it.
get_compiler() {
    "$python" -c 'import sys; sys.exit(sys.version_info >= (3, 14))' && return
    for name in c++ g++ clang++; do ! command -v "$name" >/dev/null 2>&1 || return 0; done
    if is_debian_root; then
        apt_install g++ python3-dev
    else
        say "With Python 3.14 one package is built here, which needs a C++ compiler. On Debian and Ubuntu type:"
        say "    sudo apt install g++ python3-dev"
        say "or use Python 3.13: rm -r .venv; make $purpose PYTHON=python3.13"
        exit 1
    fi
}

install_packages() {
    want=$(cksum <requirements.lock)
    stamp=.venv/installed-lock
    [ "$(cat "$stamp" 2>/dev/null)" != "$want" ] || return 0
    get_compiler
    say "Installing the packages of requirements.lock (about 350 MB are loaded the first time)."
    quiet=
    [ -t 2 ] || quiet=--quiet
    rm -f "$stamp"
    # Word splitting is meant: no argument at all on a terminal.
    # shellcheck disable=SC2086
    "$python" -m pip install $quiet --disable-pip-version-check --no-input --require-hashes -r requirements.lock || {
        say "The packages could not be installed; see above. Nothing is lost: type make $purpose again to go on."
        exit 1
    }
    echo "$want" >"$stamp"
}

if ! is_new_enough "$python" || ! "$python" -m pip --version >/dev/null 2>&1; then
    make_venv
fi
install_packages
[ "$purpose" = check ] || sh packaging/system_libraries.sh "$purpose"
