"""The guard in tests/conftest.py catches what it is there for."""

import pytest

pytest_plugins = ["pytester"]

STARTS_A_THREAD = """
    import threading, time
    def test_thread():
        threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
"""
STARTS_A_PROCESS = """
    import subprocess, sys
    kept = []
    def test_process():
        kept.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)"]))
    def teardown_module():
        kept[0].kill(); kept[0].wait()
"""
STARTS_A_TIMER = """
    from PySide6.QtCore import QTimer
    kept = []
    def test_timer(qapp):
        timer = QTimer(); timer.start(1000); kept.append(timer)
    def teardown_module():
        kept[0].stop()
"""
WARNS = """
    import warnings
    def test_warning():
        warnings.warn("old")
"""
WARNS_IN_QT = """
    from PySide6.QtCore import qWarning
    def test_qt_warning(qapp):
        qWarning("bad rectangle")
"""


@pytest.mark.parametrize(
    ("code", "outcome", "words"),
    [
        (STARTS_A_THREAD, {"passed": 1, "errors": 1}, "left running: *threads*"),
        (STARTS_A_PROCESS, {"passed": 1, "errors": 1}, "left running: *child processes*"),
        (STARTS_A_TIMER, {"passed": 1, "errors": 1}, "left running: *timers*"),
        (WARNS, {"failed": 1}, "*UserWarning: old*"),
        (WARNS_IN_QT, {"failed": 1}, "*bad rectangle*"),
    ],
    ids=["thread", "process", "timer", "warning", "qt-warning"],
)
def test_what_a_test_leaves_behind_fails_it(
    pytester: pytest.Pytester, pytestconfig: pytest.Config, code: str, outcome: dict[str, int], words: str
) -> None:
    guard = (pytestconfig.rootpath / "tests" / "conftest.py").read_text("utf-8")
    pytester.makeconftest(guard.replace("GRACE_S = 3.0", "GRACE_S = 0.1"))
    pytester.makefile(".toml", pyproject=(pytestconfig.rootpath / "pyproject.toml").read_text("utf-8"))
    test = pytester.makepyfile(code)
    places = ("-o", f"pythonpath={pytestconfig.rootpath}")  # where conftest.py finds its neighbours
    result = pytester.runpytest_subprocess(test, "-o", "addopts=", *places, "-p", "no:cacheprovider")
    result.assert_outcomes(**outcome)
    result.stdout.fnmatch_lines_random([f"*{words}*"])
