"""Runs pytest with a report for wc: JSON lines on descriptor 3, described in report.mjs.

    python pytest_report.py [PYTEST ARGUMENT]...

It does what `python -m pytest` does, except that a run without a test ends well, and
needs nothing but that Python and its pytest.
"""

import json
import os
import sys

CHANNEL = 3
MAX_TEXT = 1_000
NO_TESTS_COLLECTED = 5


def write(**facts):
    rest = (json.dumps(facts) + "\n").encode()
    while rest:
        rest = rest[os.write(CHANNEL, rest):]


def bounded(text):
    """Text that is surely Unicode: names of files may be no UTF-8."""
    return None if text is None else str(text)[:MAX_TEXT].strip().encode("utf-8", "replace").decode()


class Report:
    """A pytest plugin. A test has ended when its teardown has, and failed when any of its parts did."""

    def __init__(self):
        self.sums = {"passed": 0, "failed": 0, "skipped": 0}
        self.ended = {}
        self.rootpath = None
        self.interrupted = False
        write(wc_report=1, runner="pytest")

    def pytest_configure(self, config):
        self.rootpath = str(getattr(config, "rootpath", None) or config.rootdir)

    def pytest_collectreport(self, report):
        if report.failed:
            path = report.nodeid.split("::")[0]
            place = last_place_in(report.longrepr, self.absolute(path))
            self.problem("load", last_words(report.longrepr), path, place)

    def pytest_runtest_logreport(self, report):
        parts = self.ended.setdefault(report.nodeid, [])
        parts.append(report)
        if report.when == "teardown":
            self.test(self.ended.pop(report.nodeid))

    def pytest_internalerror(self, excrepr):
        self.problem("run", last_words(excrepr), None, None)

    def pytest_keyboard_interrupt(self, excinfo):
        # pytest's own Interrupted stops a run whose files do not load; it is a whole one.
        self.interrupted = excinfo.typename != "Interrupted"

    def pytest_sessionfinish(self):
        # What was interrupted, or whose worker died, has no sums that prove anything.
        if not self.interrupted and not self.ended:
            write(end=self.sums)

    def test(self, parts):
        # Run once more by a plugin: another round tells how it ended.
        if any(part.outcome == "rerun" for part in parts):
            return
        failed = next((part for part in parts if part.failed), None)
        if failed is not None:
            self.sums["failed"] += 1
            file, line, _ = failed.location
            place = last_place_in(failed.longrepr, self.absolute(file))
            write(
                case="failed",
                name=bounded(failed.nodeid),
                message=bounded(message_of(failed)),
                file=bounded(self.absolute(file)),
                line=place or (None if line is None else line + 1),
            )
            return
        status = "skipped" if any(part.skipped for part in parts) else "passed"
        self.sums[status] += 1
        write(case=status)

    def problem(self, phase, message, file, line):
        write(problem=bounded(message), phase=phase, file=bounded(self.absolute(file)), line=line)

    def absolute(self, file):
        return None if not file else os.path.normpath(os.path.join(self.rootpath or os.getcwd(), file))


def message_of(report):
    message = getattr(getattr(report.longrepr, "reprcrash", None), "message", None) or last_words(report.longrepr)
    return message if report.when == "call" else "{}: {}".format(report.when, message)


def last_words(longrepr):
    """The last line that says an error, without pytest's margin."""
    lines = [line for line in str(longrepr).splitlines() if line.strip()]
    said = [line[1:].strip() for line in lines if line.startswith("E ")]
    return (said or lines or ["no reason given"])[-1]


def last_place_in(longrepr, path):
    """The line of the innermost frame in a file, or None."""
    entries = getattr(getattr(longrepr, "reprtraceback", None), "reprentries", [])
    places = [getattr(entry, "reprfileloc", None) for entry in entries]
    lines = [place.lineno for place in places if place is not None and os.path.abspath(place.path) == path]
    return lines[-1] if lines else None


def main():
    os.set_inheritable(CHANNEL, False)
    # As `python -m` has it: the folder of the run, and not that of this file.
    sys.path[0] = os.getcwd()
    try:
        import pytest
    except ImportError as error:
        write(wc_report=1, runner="pytest")
        write(unavailable=bounded("pytest can not be imported by {}: {}".format(sys.executable, error)))
        return 1
    # Other plugins may fail when the session finishes.
    pytest.hookimpl(tryfirst=True)(Report.pytest_sessionfinish)
    code = pytest.main(sys.argv[1:], plugins=[Report()])
    # Whether a run without a test is a success is its caller's decision; the report says that it was one.
    return 0 if code == NO_TESTS_COLLECTED else code


if __name__ == "__main__":
    sys.exit(main())
