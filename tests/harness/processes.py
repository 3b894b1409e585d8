"""Child processes: every one is ended by its own id, at the latest when this program ends."""
import atexit
import ctypes
import os
import pathlib
import random
import resource
import signal
import socket
import subprocess
import time

from .waiting import NotInTime, wait_until

PR_SET_PDEATHSIG = 1
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
_libc = ctypes.CDLL(None, use_errno=True)
_running = set()


def _die_with_parent():
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Process:
    """One child with its output in a file."""

    def __init__(self, command, log, cwd=None, env=None):
        self.command = [str(c) for c in command]
        self.log = pathlib.Path(log)
        self._log_start = self.log.stat().st_size if self.log.exists() else 0
        with open(self.log, "ab") as out:
            self._child = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                           cwd=cwd, env=env, preexec_fn=_die_with_parent)
        self.pid = self._child.pid
        _running.add(self)

    @property
    def alive(self):
        return self._child.poll() is None

    @property
    def exit_code(self):
        return self._child.poll()

    def output(self):
        """What it printed since this start."""
        with open(self.log, "rb") as f:
            f.seek(self._log_start)
            return f.read().decode(errors="replace")

    def wait_for_line(self, text, within):
        def seen():
            if text in self.output():
                return True
            if not self.alive:
                raise NotInTime(f"{self.command[0]} ended with {self.exit_code} before '{text}':\n{self.output()[-2000:]}")
            return False
        wait_until(seen, within, lambda: f"'{text}' from {self.command[0]}:\n{self.output()[-2000:]}")

    def signal(self, number):
        if self.alive:
            self._child.send_signal(number)

    def wait(self, within):
        """Its exit code."""
        try:
            self._child.wait(within)
        except subprocess.TimeoutExpired as e:
            raise NotInTime(f"{self.command[0]} (process {self.pid}) did not end within {within} s") from e
        _running.discard(self)
        return self._child.returncode

    def terminate(self, within=60):
        """SIGTERM; returns the exit code and how long it took, in seconds."""
        started = time.monotonic()
        self.signal(signal.SIGTERM)
        return self.wait(within), time.monotonic() - started

    def kill9(self):
        self.signal(signal.SIGKILL)
        self.wait(30)

    def cpu_seconds(self):
        """User and system time so far, of all its threads."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def resident_bytes(self):
        return int(pathlib.Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * PAGE


@atexit.register
def end_all():
    for process in list(_running):
        try:
            process.kill9()
        except NotInTime:
            print(f"process {process.pid} does not end: {process.command}", flush=True)


def run(command, within=120, input=None, cwd=None, env=None, check=False):
    """Runs to the end; its output is text. With `check`, a non-zero exit is an AssertionError with the output."""
    command = [str(c) for c in command]
    try:
        done = subprocess.run(command, input=input, capture_output=True, timeout=within, cwd=cwd, env=env,
                              preexec_fn=_die_with_parent)
    except subprocess.TimeoutExpired as e:
        raise NotInTime(f"{' '.join(command)[:200]} did not end within {within} s: {(e.stdout or b'')[-500:]}") from e
    done.stdout, done.stderr = (s.decode(errors="replace") for s in (done.stdout, done.stderr))
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(command)[:200]} ended with {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")
    return done


_given_ports = set()


def free_port():
    """A loopback port that is free and outside the range that the system hands to outgoing connections: a client that
    dials a stopped broker there could otherwise be connected to itself."""
    for _ in range(1000):
        port = random.randrange(22000, 32000)
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in _given_ports:
            _given_ports.add(port)
            return port
    raise NotInTime("no free port between 22000 and 32000")


def raise_descriptor_limit(wanted):
    """As far as the hard limit allows; returns the limit. Children inherit it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        soft = min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return soft
