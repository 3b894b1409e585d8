"""A raw connection: frames out, frames in, nothing retried and nothing hidden."""
import socket
import struct
import time

from .messages import Apis, read_response, request_frame
from .waiting import wait_until


class Closed(Exception):
    """The broker closed the connection."""


class Connection:
    def __init__(self, port, within=30, host="127.0.0.1"):
        self.socket = socket.create_connection((host, port), within)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.correlation = 0
        self.expected = []  # (api, version, correlation) in request order

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def within(self, seconds):
        self.socket.settimeout(seconds)
        return self

    def send_bytes(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError) as e:
            raise Closed(str(e)) from None

    def frame(self, name, version, value, client_id="raw"):
        """A whole frame with its size; its answer is expected after the earlier ones'."""
        api = Apis.get(name)
        self.correlation += 1
        self.expected.append((api, version, self.correlation))
        body = request_frame(api, version, self.correlation, value, client_id)
        return struct.pack(">i", len(body)) + body

    def send(self, name, version, value, client_id="raw"):
        self.send_bytes(self.frame(name, version, value, client_id))

    def receive_bytes(self, n):
        out = bytearray()
        while len(out) < n:
            try:
                part = self.socket.recv(min(n - len(out), 1 << 20))
            except ConnectionResetError as e:
                raise Closed(str(e)) from None
            if not part:
                raise Closed(f"after {len(out)} of {n} bytes")
            out += part
        return bytes(out)

    def receive_frame(self):
        return self.receive_bytes(struct.unpack(">i", self.receive_bytes(4))[0])

    def receive(self):
        """The next answer, which has to belong to the oldest request without one."""
        api, version, correlation = self.expected.pop(0)
        got, value = read_response(api, version, self.receive_frame())
        assert got == correlation, f"answer to request {got}, {correlation} is next"
        return value

    def call(self, name, version, value, client_id="raw"):
        self.send(name, version, value, client_id)
        return self.receive()

    def is_closed_by_broker(self, within=10):
        """True when the broker closes; False when it doesn't within the time. Data before the close is discarded."""
        self.socket.settimeout(0.05)
        end = time.monotonic() + within
        while time.monotonic() < end:
            try:
                if not self.socket.recv(1 << 16):
                    return True
            except TimeoutError:
                continue
            except ConnectionResetError:
                return True
        return False


def call(port, name, version, value):
    """One call on a connection of its own."""
    with Connection(port) as connection:
        return connection.call(name, version, value)


def new_producer_id(port):
    """Asks again while the node fetches its first block of ids (error 14)."""
    def given():
        answer = call(port, "InitProducerId", 4, {"transactional_id": None, "transaction_timeout_ms": 60000})
        assert answer["error_code"] in (0, 14), answer
        return None if answer["error_code"] else (answer["producer_id"],)
    return wait_until(given, 30, "a producer id")[0]
