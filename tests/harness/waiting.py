"""Waiting for conditions: no test waits for time to pass."""
import time


class NotInTime(Exception):
    pass


def wait_until(condition, within, what):
    """Calls `condition` until it gives something true, and returns that. `within` is in seconds."""
    end = time.monotonic() + within
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise NotInTime(f"not within {within} s: {what() if callable(what) else what}")
        time.sleep(0.01)  # polls a condition
