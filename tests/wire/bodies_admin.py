"""The bodies of administrative requests. Fields that a version lacks are dropped by the codec."""
TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = 0, 1, 2, 3


def grow(name, count, assignments=None, validate_only=False, timeout_ms=30000):
    return {"timeout_ms": timeout_ms, "validate_only": validate_only, "topics": [
        {"name": name, "count": count, "assignments": None if assignments is None else [{"broker_ids": a} for a in assignments]}]}


def alter(kind, name, *ops, validate_only=False):
    """IncrementalAlterConfigs: each op is (operation, key, value)."""
    return {"validate_only": validate_only, "resources": [{"resource_type": kind, "resource_name": name, "configs": [
        {"name": key, "config_operation": op, "value": value} for op, key, value in ops]}]}


def replace(kind, name, *configs, validate_only=False):
    """AlterConfigs: all of a resource's settings."""
    return {"validate_only": validate_only, "resources": [{"resource_type": kind, "resource_name": name, "configs": [
        {"name": key, "value": value} for key, value in configs]}]}


def describe(kind, name, keys=None):
    return {"include_synonyms": True, "resources": [{"resource_type": kind, "resource_name": name, "configuration_keys": keys}]}


def delete_records(topic, *offsets, timeout_ms=30000):
    """Each offset is (partition, offset)."""
    return {"timeout_ms": timeout_ms, "topics": [{"name": topic, "partitions": [
        {"partition_index": p, "offset": o} for p, o in offsets]}]}


def elect(kind, *partitions, timeout_ms=30000):
    """Each of the partitions is (topic, [indexes]); none at all: every one of the cluster."""
    return {"election_type": kind, "timeout_ms": timeout_ms,
            "topic_partitions": [{"topic": t, "partitions": p} for t, p in partitions] if partitions else None}


def reassign(topic, *partitions, timeout_ms=30000, change_factor=True):
    """Each of the partitions is (index, replicas or None)."""
    return {"timeout_ms": timeout_ms, "allow_replication_factor_change": change_factor, "topics": [
        {"name": topic, "partitions": [{"partition_index": p, "replicas": r} for p, r in partitions]}]}
