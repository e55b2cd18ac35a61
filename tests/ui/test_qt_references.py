"""Qt calls must not use up the references to None, as those of PySide6 6.12.0 did under Python 3.11."""

import subprocess
import sys

SCRIPT = """

from PySide6.QtCore import QCoreApplication, QObject, Signal

class Sender(QObject):
    sent = Signal(object)

app = QCoreApplication([])
item, sender = QObject(), Sender()
for _ in range(60_000):
    item.setObjectName("x")
    sender.sent.emit(None)
print("alive")
"""


def test_many_calls_that_return_nothing_leave_the_program_alive() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "alive", done.stderr
