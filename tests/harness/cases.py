"""Cases and their runner: registers functions, runs them in order, prints `ok NAME` or `not ok NAME: reason` for each.

A case is a function of one Context. `@case()` belongs to the quick set, `@case(full=True)` to --all. What a machine can't
run fails, with the reason: nothing is skipped.
"""
import argparse
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import traceback

from .broker import CONTROLLERS, KINDS

_cases = []


class Context:
    """What a case is given: the shared broker (started at first use), a folder of its own, names that are its own."""

    def __init__(self, options, folder):
        self.options = options
        self.root = folder
        self._shared = None
        self._number = 0
        self.name = ""

    def begin(self, name):
        self.name = name
        self._number += 1
        self.folder = self.root / name
        self._own = []

    @property
    def broker(self):
        """One node that the cases of a run share; default properties."""
        if self._shared is None or not self._shared.alive:
            self._shared = KINDS[self.options.broker](self.root / f"shared-broker-{self._number}").start()
        return self._shared

    def new_broker(self, properties=None, kind=None, folder="broker"):
        """A node of this case's own, not started yet; it is ended after the case."""
        self.folder.mkdir(parents=True, exist_ok=True)
        broker = KINDS[kind or self.options.broker](self.folder / folder, properties)
        self._own.append(broker)
        return broker

    def new_controller(self, properties=None, kind=None, folder="controller"):
        """Likewise, a node that is only a controller."""
        self.folder.mkdir(parents=True, exist_ok=True)
        controller = CONTROLLERS[kind or self.options.broker](self.folder / folder, properties)
        self._own.append(controller)
        return controller

    def topic(self, suffix="topic"):
        return f"{self.name}-{suffix}"

    def end(self):
        """What the case's brokers printed last, and what became of the shared one."""
        tails = []
        for broker in self._own:
            if broker.alive:
                broker.kill9()
            tails.append(f"--- log of {broker.kind} in {broker.folder}\n{broker.log_tail()}")
        died = self._shared is not None and not self._shared.alive
        if self._shared is not None:
            tails.append(f"--- log of the shared {self._shared.kind}{' (it died)' if died else ''}\n{self._shared.log_tail()}")
        return "\n".join(tails), died

    def close(self):
        if self._shared is not None and self._shared.alive:
            self._shared.stop()


class TooLong(Exception):
    pass


def case(full=False, within=120):
    """Registers a case; its name is the function's. `within`: seconds after which it has failed."""
    def register(function):
        _cases.append((function.__name__, function, full, within))
        return function
    return register


def _run(function, context, within):
    """None, or the reason of the failure."""
    def alarm(*_):
        raise TooLong(f"took longer than {within} s")
    signal.signal(signal.SIGALRM, alarm)
    signal.alarm(within)
    try:
        function(context)
        return None
    except (Exception, SystemExit) as e:
        for line in traceback.format_exc().splitlines()[-12:]:
            print(f"  {line}", flush=True)
        return f"{type(e).__name__}: {e}".splitlines()[0][:600] or type(e).__name__
    finally:
        signal.alarm(0)


def parser(description):
    p = argparse.ArgumentParser(description=description)
    p.add_argument("names", nargs="*", help="only cases whose name contains one of these")
    p.add_argument("--broker", choices=sorted(KINDS), default=os.environ.get("BROKER", "moldau"), help="the broker under test")
    p.add_argument("--all", action="store_true", help="also the cases that need Java and Apache Kafka")
    p.add_argument("--exactly", action="store_true", help="the names are whole names")
    p.add_argument("--list", action="store_true", help="print the names of the cases")
    p.add_argument("--keep", action="store_true", help="keep the folder with data and logs")
    return p


def main(description, options=None, context_type=Context):
    options = options or parser(description).parse_args()
    def named(name):
        return any(n == name or n in name and not options.exactly for n in options.names)
    chosen = [c for c in _cases if (named(c[0]) if options.names else options.all or not c[2])]
    if options.list:
        print("\n".join(name + (" (--all)" if full else "") for name, _, full, _ in chosen))
        return 0
    if not chosen:
        print("no case has such a name")
        return 2
    folder = pathlib.Path(tempfile.mkdtemp(prefix="moldau-tests-"))
    context, failed = context_type(options, folder), 0
    for name, function, _, within in chosen:
        context.begin(name)
        started = time.monotonic()
        reason = _run(function, context, within)
        tails, died = context.end()
        if died and reason is None:
            reason = "the shared broker died"
        if reason is not None:
            failed += 1
            print("\n".join(f"  {line[:400]}" for line in tails.splitlines()), flush=True)
            print(f"not ok {name}: {reason}", flush=True)
        else:
            shutil.rmtree(context.folder, ignore_errors=True)
            print(f"ok {name}", flush=True)
        print(f"  {time.monotonic() - started:.1f} s", flush=True)
    try:
        context.close()
    except Exception as e:
        failed += 1
        print(f"not ok clean_stop_of_the_shared_broker: {e}", flush=True)
    if failed or options.keep:
        print(f"data and logs are kept in {folder}", flush=True)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


def finish(description, **named):
    sys.exit(main(description, **named))
