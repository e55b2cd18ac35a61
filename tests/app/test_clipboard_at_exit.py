"""A window that copied something ends without a memory fault, and what it copied stays where it can."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TIMES = 10
SCRIPT = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from app import gui
from core.settings import Settings
from ui.widgets.plain_text import PlainTextEdit

def once(place):
    app = gui.application(["test"])
    settings = Settings()
    settings.set("embedder", "none")
    with gui.running(app, settings, place) as window:
        window.show()
        window.start(None)
        edit = PlainTextEdit()
        edit.set_text("copied by a person")
        edit.selectAll()
        edit.copy()
        QTimer.singleShot(0, window.close)
        app.exec()
    print(QGuiApplication.clipboard().text())
    return 0

for number in range({times}):
    child = os.fork()
    if not child:
        sys.exit(once(Path({place!r}) / str(number)))
    status = os.waitpid(child, 0)[1]
    print("code", os.waitstatus_to_exitcode(status), flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="what ends is a copy of one process")
def test_window_that_copied_ends_well_every_time(tmp_path: Path) -> None:
    script = SCRIPT.format(times=TIMES, place=str(tmp_path))
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_DATA_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment
    )
    codes = [line for line in done.stdout.splitlines() if line.startswith("code")]
    assert codes == ["code 0"] * TIMES, done.stderr
    assert done.stdout.count("copied by a person") == TIMES
