"""The part of the protocol between the test cases and a client program that the Python clients share. ../README.md has the steps."""
import os
import sys
import time


def key(n):
    return f"key-{n}".encode()


def value(n):
    return f"value-{n}-{'x' * 100}".encode()


def say(*words):
    print(*words, flush=True)


def read(partition, offset, key, value):
    say("read", partition, offset, key.decode(), value.decode())


def load(stop, send_all):
    """Batches of 20 numbers, 2,000 a second at most, until the file `stop` exists. `send_all(values)` gives (partition, offset) or an exception for each."""
    first = 0
    while not os.path.exists(stop):
        numbers = range(first, first + 20)
        for number, outcome in zip(numbers, send_all([str(n).encode() for n in numbers])):
            if isinstance(outcome, BaseException):
                say("refused", number, repr(outcome))
            else:
                say("acknowledged", *outcome, number)
        first += 20
        time.sleep(0.01)  # polls a condition: the file


def error_of(call):
    """The refusal of `call` in words, or that there was none."""
    try:
        return f"none: {call()}"
    except Exception as e:
        return repr(e)


def run(client_type):
    client = client_type(sys.argv[1])
    for step in sys.argv[2:]:
        match step.split(","):
            case ["produce", topic, count, codec]:
                client.produce(topic, [(key(n), value(n)) for n in range(int(count))], None if codec in ("default", "none") else codec)
                say("produced", count)
            case ["consume", topic, group, count]:
                client.consume(topic, group, int(count))
                say("consumed", count)
            case ["load", topic, stop]:
                client.load(topic, stop)
            case ["unknown", topic]:
                say("error", error_of(lambda: client.unknown(topic)))
            case ["large", topic, size]:
                say("error", error_of(lambda: client.large(topic, os.urandom(int(size)))))
            case _:
                sys.exit(f"no such step: {step}")
