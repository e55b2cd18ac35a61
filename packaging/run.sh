#!/bin/sh
# Opens the window; with no screen runs the tour into build/tour instead. Called by make run, after setup.sh.
set -eu
cd "$(dirname "$0")/.."
python=.venv/bin/python

has_screen() {
    [ "$(uname -s)" = Linux ] || return 0
    [ -z "${QT_QPA_PLATFORM:-}" ] || return 0
    [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || { echo "There is no display (DISPLAY and WAYLAND_DISPLAY are not set)."; return 1; }
    # A DISPLAY that nobody answers ends a Qt program at once, so try it in a program of its own.
    $python -c 'from PySide6.QtGui import QGuiApplication; QGuiApplication([])' >/dev/null 2>&1 ||
        { echo "The display ${DISPLAY:-$WAYLAND_DISPLAY} cannot be opened."; return 1; }
}

if has_screen; then
    exec $python -m app "$@"
fi
echo "No window can open, so the tour runs without a screen; its pictures will be in build/tour."
QT_QPA_PLATFORM=offscreen exec $python -m app --tour build/tour
