"""The differences from Apache Kafka that are meant: a pattern of the difference's line, and the reason."""
ALLOWED = [
    (r"^Produce .*records = None: .*Kafka's \"none in time\"", "Kafka's handler fails and never answers; ours says INVALID_RECORD"),
    (r"^JoinGroup .*protocols = doubled: .*Kafka's \"none in time\"", "Kafka's coordinator fails on a protocol named twice and never answers"),
    (r"^DescribeTopicPartitions .*partition_index = 2147483647: \.(topics|next_cursor)", "Kafka's sum of cursor and limit overflows"),
]
