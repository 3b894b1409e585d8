"""The differences from Apache Kafka that are meant, by the API whose request has them: a pattern of the difference, and the
reason. One that nothing needs any more is a failure of the case."""
UNSAID = "Kafka fails (UNKNOWN_SERVER_ERROR); ours says INVALID_REQUEST or INVALID_RECORD"
SILENT = "Kafka fails and never answers"
OFFSETS = "docs/COMPATIBILITY.md: ours refuses offsets that fall or have gaps"

ALLOWED = {
    "Produce": [
        (r"records = None: .*Kafka's \"none in time\"", SILENT),
        (r"an endless varint: .*Kafka's -1", UNSAID),
        (r"(deltas that fall|a negative delta): ", OFFSETS),
    ],
    "Fetch": [
        (r"max_bytes = -\d+: ", "Kafka fails at a negative limit; ours gives the first batch, as for 0"),
        (r"isolation_level = -?\d+: \S*error_code is 42, Kafka's -1", UNSAID),
        (r"session_id = (-2147483648|2147483647): ", "Kafka fails at session ids outside the range that it gives"),
        (r"a new session: topics\[0\].topic_id = id 0: ", "Kafka fails at a session with the zero id; ours says UNKNOWN_TOPIC_ID"),
    ],
    "JoinGroup": [
        (r"protocols = doubled: ", "Kafka's coordinator fails at a protocol that is named twice, and leaves the group rebalancing"),
    ],
    "AlterConfigs": [
        (r"resources = doubled: .*Kafka's \"none in time\"", SILENT),
    ],
    "DescribeTopicPartitions": [
        (r"partition_index = 2147483647: \.(topics|next_cursor)", "Kafka's sum of cursor and limit overflows"),
    ],
    "DescribeConfigs": [
        (r"include_documentation = True: .*\.documentation is null", "the words of Kafka's documentation are not ours to give"),
    ],
}

# On the controllers' listener.
OF_CONTROLLERS = {
    "AlterPartitionReassignments": [
        (r"partition_index = [12]: \.responses\[sweep-one\]\.partitions\[1\]", "a partition twice in one request: Kafka plans both on what was there before"),
    ],
    "IncrementalAlterConfigs": [
        (r"value = None: ", "Kafka's controllers take a null value as a removal, its brokers refuse it; ours refuse it"),
        (r"configs = doubled: ", "a key twice: Kafka's controllers take the last, its brokers refuse it; ours refuse it"),
        (r"resources = doubled: ", "Kafka's controllers answer once, its brokers for each; ours always for each"),
        (r"resource_type = ", "Kafka's controllers say UNSUPPORTED_VERSION, its brokers INVALID_REQUEST; ours always that"),
    ],
}
