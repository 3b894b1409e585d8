"""The bodies of the requests that scenarios use most. Fields that a version lacks are dropped by the codec."""
import uuid

NO_ID = uuid.UUID(int=0)


def produce(topic, records, *, topic_id=NO_ID, partition=0, acks=-1, transactional_id=None):
    return {"transactional_id": transactional_id, "acks": acks, "timeout_ms": 10000, "topic_data": [
        {"name": topic, "topic_id": topic_id, "partition_data": [{"index": partition, "records": records}]}]}


def fetch(topic, offset=0, *, topic_id=NO_ID, partitions=(0,), wait_ms=0, min_bytes=1, max_bytes=1 << 24,
          partition_max_bytes=1 << 20, isolation=0, session_id=0, session_epoch=-1, leader_epoch=-1, last_fetched_epoch=-1,
          forgotten=()):
    topics = [{"topic": topic, "topic_id": topic_id, "partitions": [
        {"partition": p, "fetch_offset": offset, "current_leader_epoch": leader_epoch, "last_fetched_epoch": last_fetched_epoch,
         "partition_max_bytes": partition_max_bytes} for p in partitions]}] if partitions else []
    return {"max_wait_ms": wait_ms, "min_bytes": min_bytes, "max_bytes": max_bytes, "isolation_level": isolation,
            "session_id": session_id, "session_epoch": session_epoch, "topics": topics,
            "forgotten_topics_data": [{"topic": topic, "topic_id": topic_id, "partitions": list(forgotten)}] if forgotten else []}


def list_offsets(topic, timestamp, *, partition=0, leader_epoch=-1, isolation=0, replica=-1):
    return {"replica_id": replica, "isolation_level": isolation, "timeout_ms": 10000, "topics": [
        {"name": topic, "partitions": [{"partition_index": partition, "current_leader_epoch": leader_epoch,
                                        "timestamp": timestamp}]}]}


def epoch_end(topic, leader_epoch, *, partition=0, current=-1, replica=-1):
    return {"replica_id": replica, "topics": [
        {"topic": topic, "partitions": [{"partition": partition, "current_leader_epoch": current, "leader_epoch": leader_epoch}]}]}


def create(name, partitions=1, replicas=1, configs=(), assignments=(), validate_only=False):
    return {"timeout_ms": 30000, "validate_only": validate_only, "topics": [
        {"name": name, "num_partitions": partitions, "replication_factor": replicas, "assignments": list(assignments),
         "configs": [{"name": k, "value": v} for k, v in configs]}]}
