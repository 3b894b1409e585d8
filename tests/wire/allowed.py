"""The differences from Apache Kafka that are meant: a pattern of the difference's line, and the reason."""
ALLOWED = [
    (r"^Produce .*records = None: .*Kafka's \"none in time\"", "Kafka's handler fails and never answers; ours says INVALID_RECORD"),
    (r"^Produce .*an endless varint: .*Kafka's -1", "Kafka fails without a reason; ours says INVALID_RECORD"),
    (r"(Produce|Fetch) .*(deltas that fall|a negative delta|deltas that skip one): ", "docs/COMPATIBILITY.md: ours refuses offsets that fall or have gaps"),
    (r"^Fetch .*max_bytes = -\d+: ", "Kafka fails at a negative limit (UNKNOWN_SERVER_ERROR); ours gives the first batch, as for 0"),
    (r"^Fetch .*isolation_level = -?\d+: \S*error_code is 42, Kafka's -1", "Kafka fails without a reason; ours says INVALID_REQUEST"),
    (r"^Fetch .*session_id = (-2147483648|2147483647): ", "Kafka fails at session ids outside the range that it gives"),
    (r"^Fetch .*a new session: topics\[0\].topic_id = id 0: ", "Kafka fails at a session with the zero id; ours says UNKNOWN_TOPIC_ID"),
    (r"JoinGroup .*protocols = doubled: ", "Kafka's coordinator fails at a protocol that is named twice, some never get an answer"),
    (r"^DescribeTopicPartitions .*partition_index = 2147483647: \.(topics|next_cursor)", "Kafka's sum of cursor and limit overflows"),
    (r"^DescribeConfigs .*include_documentation = True: .*\.documentation is null", "the words of Kafka's documentation are not ours to give"),
]
