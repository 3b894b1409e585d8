"""The differences from Apache Kafka that are meant: a pattern of the difference's line, and the reason."""
ALLOWED = [
]
