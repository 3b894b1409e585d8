"""What every black-box test of the project stands on: processes, brokers, waiting, raw connections, the case runner.

Python 3.11 and its standard library; librdkafka's Python client comes from pip into build/tests-venv (venv.py).
"""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
