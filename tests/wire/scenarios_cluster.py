"""What concerns the whole cluster: access lists without an authorizer, the quorum, features, quotas."""
from recording import scenario

ACL = {"resource_type": 2, "resource_name": "t", "resource_pattern_type": 3, "principal": "User:a", "host": "*", "operation": 3, "permission_type": 3}
FILTER = {"resource_type_filter": 1, "resource_name_filter": None, "pattern_type_filter": 1, "principal_filter": None, "host_filter": None,
          "operation": 1, "permission_type": 1}


@scenario()
def access_lists(s):
    for version in range(1, 4):
        s.call("all", "DescribeAcls", version, FILTER)
        s.call("of one", "DescribeAcls", version, {**FILTER, "resource_type_filter": 2, "resource_name_filter": "t", "pattern_type_filter": 3})
        s.call("rubbish", "DescribeAcls", version, {**FILTER, "resource_type_filter": 99, "pattern_type_filter": 99, "operation": 99, "permission_type": 99})
        s.call("unknown ones", "DescribeAcls", version, {**FILTER, "resource_type_filter": 0, "pattern_type_filter": 0, "operation": 0, "permission_type": 0})
        s.call("one", "CreateAcls", version, {"creations": [ACL]})
        s.call("three, two of them bad", "CreateAcls", version, {"creations": [
            ACL, {**ACL, "operation": 1, "resource_pattern_type": 2}, {**ACL, "resource_name": "", "principal": ""}]})
        s.call("rubbish", "CreateAcls", version, {"creations": [{**ACL, "resource_type": 99, "resource_pattern_type": 77, "operation": 99, "permission_type": 99}]})
        s.call("none", "CreateAcls", version, {"creations": []})
        for key in ("resource_type", "resource_pattern_type", "operation", "permission_type"):
            s.call(f"an unknown {key}", "CreateAcls", version, {"creations": [ACL, {**ACL, key: 0}]})
        s.call("an unknown element", "DeleteAcls", version, {"filters": [FILTER, {**FILTER, "operation": 0}]})
        s.call("one", "DeleteAcls", version, {"filters": [FILTER]})
        s.call("two", "DeleteAcls", version, {"filters": [FILTER, {**FILTER, "resource_type_filter": 99}]})
        s.call("none", "DeleteAcls", version, {"filters": []})


@scenario()
def describe_quorum(s):
    def asked(label, version, topics):
        answer = s.prepare("DescribeQuorum", version, {"topics": topics})
        for topic in answer["topics"]:
            for p in topic["partitions"]:
                for key in ("leader_epoch", "high_watermark"):
                    p[key] = p[key] > 0
                for r in p["current_voters"] + p["observers"]:
                    r["log_end_offset"] = r["log_end_offset"] > 0
                    for key in ("last_fetch_timestamp", "last_caught_up_timestamp"):
                        if r.get(key, 0) > 0:
                            r[key] = "NOW"
        s.note(f"{label} v{version}", answer)

    def topic(name, *partitions):
        return {"topic_name": name, "partitions": [{"partition_index": p} for p in partitions]}
    for version in range(3):
        asked("the metadata's", version, [topic("__cluster_metadata", 0)])
        asked("another partition", version, [topic("__cluster_metadata", 1)])
        asked("another topic", version, [topic("other", 0)])
        asked("two partitions", version, [topic("__cluster_metadata", 0, 1)])
        asked("two topics", version, [topic("__cluster_metadata", 0), topic("other", 0)])
        asked("no partitions", version, [topic("__cluster_metadata")])
        asked("no topics", version, [])


@scenario()
def client_quotas(s):
    def altered(label, entity, *ops, version=1, validate_only=False):
        answer = s.prepare("AlterClientQuotas", version, {"validate_only": validate_only, "entries": [{
            "entity": [{"entity_type": t, "entity_name": n} for t, n in entity],
            "ops": [{"key": k, "value": v, "remove": r} for k, v, r in ops]}]})
        for e in answer["entries"]:
            e["entity"].sort(key=lambda x: x["entity_type"])
        s.note(f"{label} (AlterClientQuotas v{version})", answer)

    def shown(label, *components, strict=False, version=1):
        answer = s.prepare("DescribeClientQuotas", version, {"strict": strict, "components": [
            {"entity_type": t, "match_type": m, "match": n} for t, m, n in components]})
        for e in answer["entries"] or []:
            e["entity"].sort(key=lambda x: x["entity_type"])
            e["values"].sort(key=lambda x: x["key"])
        if answer["entries"]:
            answer["entries"].sort(key=lambda e: str(e["entity"]))
        s.note(f"{label} v{version}", answer)
    user, client = ("user", "quota-u"), ("client-id", "quota-c")
    for version in (0, 1):
        altered("a user's", [user], ("producer_byte_rate", 1000.0, False), ("consumer_byte_rate", 2000.0, False), version=version)
        altered("a user's client's", [user, client], ("request_percentage", 50.0, False), version=version)
        altered("a client's", [client], ("controller_mutation_rate", 3.0, False), version=version)
        altered("any user's", [("user", None)], ("producer_byte_rate", 10.0, False), version=version)
        altered("only validated", [user], ("producer_byte_rate", 7.0, False), version=version, validate_only=True)
        altered("an address's", [("ip", "127.0.0.9")], ("connection_creation_rate", 100.0, False), version=version)
    s.until_quota("user", "quota-u", "producer_byte_rate", 1000.0)
    s.until_quota("ip", "127.0.0.9", "connection_creation_rate", 100.0)
    for label, entity, ops in (
            ("an unknown key", [user], [("no_such_key", 1.0, False)]), ("an unknown kind", [("planet", "mars")], [("producer_byte_rate", 1.0, False)]),
            ("no entity", [], [("producer_byte_rate", 1.0, False)]), ("an address and a user", [("ip", "127.0.0.1"), user], [("producer_byte_rate", 1.0, False)]),
            ("an empty user", [("user", "")], [("producer_byte_rate", 1.0, False)]), ("a user twice", [user, ("user", "b")], [("producer_byte_rate", 1.0, False)]),
            ("zero", [user], [("producer_byte_rate", 0.0, False)]), ("negative", [user], [("producer_byte_rate", -1.0, False)]),
            ("a fraction below one", [user], [("producer_byte_rate", 0.5, False)]), ("a fraction of the mutations", [user], [("controller_mutation_rate", 0.5, False)]),
            ("a key of others", [("ip", "127.0.0.1")], [("producer_byte_rate", 1.0, False)]), ("no address", [("ip", "not an address")], [("connection_creation_rate", 1.0, False)]),
            ("half a connection", [("ip", "127.0.0.1")], [("connection_creation_rate", 0.5, False)]), ("no operations", [user], []),
            ("what isn't there, away", [("user", "quota-none")], [("producer_byte_rate", 0.0, True)]), ("an unknown key, away", [user], [("no_such_key", 0.0, True)]),
            ("a key twice", [user], [("producer_byte_rate", 1.0, False), ("producer_byte_rate", 0.0, True)]),
            ("a whole number that isn't", [user], [("consumer_byte_rate", 1.5, False)]), ("too large", [user], [("consumer_byte_rate", 1e300, False)])):
        altered(label, entity, *ops, validate_only=True)
    entry = {"entity": [{"entity_type": "user", "entity_name": "quota-u"}], "ops": [{"key": "producer_byte_rate", "value": 7.0, "remove": False}]}
    s.call("an entity twice", "AlterClientQuotas", 1, {"validate_only": True, "entries": [entry, entry]})
    for version in (0, 1):
        shown("a user's", ("user", 0, "quota-u"), version=version)
        shown("a user's alone", ("user", 0, "quota-u"), strict=True, version=version)
        shown("any user's", ("user", 1, None), version=version)
        shown("all users'", ("user", 2, None), version=version)
        shown("a user's client's", ("user", 0, "quota-u"), ("client-id", 0, "quota-c"), version=version)
        shown("an address's", ("ip", 0, "127.0.0.9"), version=version)
        shown("all", version=version)
        shown("all, strictly", strict=True, version=version)
        shown("an unknown kind", ("planet", 2, None), version=version)
        shown("a kind twice", ("user", 2, None), ("user", 0, "quota-u"), version=version)
        shown("an address and a user", ("ip", 2, None), ("user", 2, None), version=version)
        shown("an unknown match", ("user", 9, None), version=version)
        shown("a name for the default", ("user", 1, "x"), version=version)
        shown("no name", ("user", 0, None), version=version)
    for entity, keys in (([user], ("producer_byte_rate", "consumer_byte_rate")), ([user, client], ("request_percentage",)),
                         ([client], ("controller_mutation_rate",)), ([("user", None)], ("producer_byte_rate",)), ([("ip", "127.0.0.9")], ("connection_creation_rate",))):
        altered("away", entity, *((key, 0.0, True) for key in keys))
    s.until_quota("user", "quota-u", "producer_byte_rate", None)


@scenario()
def scram_credentials(s):
    for label, users in (("all", None), ("none", []), ("some", [{"name": "b"}, {"name": "a"}, {"name": ""}]), ("one twice", [{"name": "a"}, {"name": "a"}])):
        answer = s.prepare("DescribeUserScramCredentials", 0, {"users": users})
        answer["results"].sort(key=lambda r: r["user"])
        s.note(label, answer)
