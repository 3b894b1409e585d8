// Plays commands on the parts of Apache Kafka's controller that decide, without a quorum, and prints the records that they
// make. Lies in Kafka's package because those parts are not public. See record_controller_histories.py.
package org.apache.kafka.controller;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.*;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.*;
import org.apache.kafka.common.metadata.*;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.metadata.*;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.timeline.SnapshotRegistry;

public class ControllerHistory {
    static final LogContext LOG = new LogContext();
    SnapshotRegistry registry = new SnapshotRegistry(LOG);
    FeatureControlManager features = new FeatureControlManager.Builder().setSnapshotRegistry(registry)
        .setQuorumFeatures(new QuorumFeatures(100, QuorumFeatures.defaultSupportedFeatureMap(true), List.of(100))).build();
    ConfigurationControlManager configs;
    ClusterControlManager cluster;
    ReplicationControlManager replication;
    long next = 0;
    List<ApiMessageAndVersion> records = new ArrayList<>();
    Map<Uuid, String> names = new HashMap<>();
    List<String> out = new ArrayList<>();
    long topics = 0;

    ControllerHistory() {
        configs = new ConfigurationControlManager.Builder().setSnapshotRegistry(registry).setFeatureControl(features)
            .setNodeId(100).setKafkaConfigSchema(kafka.server.KafkaRaftServer.configSchema()).build();
        cluster = new ClusterControlManager.Builder().setClusterId("c").setSnapshotRegistry(registry).setTime(Time.SYSTEM)
            .setSessionTimeoutNs(1).setFeatureControlManager(features)
            .setReplicaPlacer(new org.apache.kafka.metadata.placement.StripedReplicaPlacer(new Random(1)))
            .setBrokerShutdownHandler((id, clean, to) -> replication.handleBrokerShutdown(id, clean, to)).build();
        replication = new ReplicationControlManager.Builder().setSnapshotRegistry(registry).setConfigurationControl(configs)
            .setClusterControl(cluster).setFeatureControl(features).build();
        cluster.activate();
        feature("metadata.version", 33);
        next = 3; // as behind the bootstrap records, in a transaction
        out.clear();
    }

    void feature(String name, int level) {
        apply(List.of(new ApiMessageAndVersion(new FeatureLevelRecord().setName(name).setFeatureLevel((short) level), (short) 0)));
    }

    void apply(List<ApiMessageAndVersion> list) {
        for (ApiMessageAndVersion r : list) {
            Object m = r.message();
            if (m instanceof RegisterBrokerRecord x) cluster.replay(x, next);
            else if (m instanceof UnregisterBrokerRecord x) cluster.replay(x);
            else if (m instanceof BrokerRegistrationChangeRecord x) cluster.replay(x);
            else if (m instanceof TopicRecord x) { replication.replay(x); names.put(x.topicId(), x.name()); }
            else if (m instanceof PartitionRecord x) replication.replay(x);
            else if (m instanceof PartitionChangeRecord x) replication.replay(x);
            else if (m instanceof RemoveTopicRecord x) replication.replay(x);
            else if (m instanceof ConfigRecord x) configs.replay(x);
            else if (m instanceof ClearElrRecord x) replication.replay(x);
            else if (m instanceof FeatureLevelRecord x) features.replay(x);
            else throw new RuntimeException("unexpected " + m);
            next++;
            out.add(text(m));
        }
    }

    static String ids(List<Integer> list) {
        StringJoiner j = new StringJoiner(",");
        for (int i : list) j.add("" + i);
        return list.isEmpty() ? "none" : j.toString();
    }
    String epochs(Uuid topic, int p) {
        PartitionRegistration r = replication.getPartition(topic, p);
        return r == null ? "" : " epochs=" + r.leaderEpoch + "/" + r.partitionEpoch;
    }
    String text(Object m) {
        if (m instanceof TopicRecord x) return "Topic " + x.name();
        if (m instanceof RemoveTopicRecord x) return "RemoveTopic " + names.get(x.topicId());
        if (m instanceof ConfigRecord x) return "Config " + x.resourceName() + " " + x.name() + "=" + x.value();
        if (m instanceof FeatureLevelRecord x) return "FeatureLevel " + x.name() + "=" + x.featureLevel();
        if (m instanceof PartitionRecord x)
            return "Partition " + names.get(x.topicId()) + "-" + x.partitionId() + " replicas=" + ids(x.replicas()) + " isr=" +
                ids(x.isr()) + " leader=" + x.leader() + " epochs=" + x.leaderEpoch() + "/" + x.partitionEpoch();
        if (m instanceof PartitionChangeRecord x) {
            String s = "PartitionChange " + names.get(x.topicId()) + "-" + x.partitionId();
            if (x.replicas() != null) s += " replicas=" + ids(x.replicas());
            if (x.removingReplicas() != null) s += " removing=" + ids(x.removingReplicas());
            if (x.addingReplicas() != null) s += " adding=" + ids(x.addingReplicas());
            if (x.isr() != null) s += " isr=" + ids(x.isr());
            if (x.leader() != -2) s += " leader=" + x.leader();
            if (x.leaderRecoveryState() == 1) s += " recovering";
            if (x.leaderRecoveryState() == 0) s += " recovered";
            if (x.eligibleLeaderReplicas() != null) s += " elr=" + ids(x.eligibleLeaderReplicas());
            if (x.lastKnownElr() != null) s += " last_known=" + ids(x.lastKnownElr());
            if (x.directories() != null) {
                StringJoiner j = new StringJoiner(",");
                for (Uuid d : x.directories()) j.add("" + d.getLeastSignificantBits() % 10000);
                s += " directories=" + j;
            }
            return s + epochs(x.topicId(), x.partitionId());
        }
        if (m instanceof RegisterBrokerRecord x)
            return "RegisterBroker " + x.brokerId() + " epoch=" + x.brokerEpoch() + (x.fenced() ? " fenced" : "");
        if (m instanceof UnregisterBrokerRecord x) return "UnregisterBroker " + x.brokerId();
        if (m instanceof BrokerRegistrationChangeRecord x) {
            String s = "BrokerRegistrationChange " + x.brokerId();
            if (x.fenced() != 0) s += x.fenced() > 0 ? " fenced" : " unfenced";
            if (x.inControlledShutdown() != 0) s += " in controlled shutdown";
            if (!x.logDirs().isEmpty()) s += " directories left=" + x.logDirs().size();
            if (x.cordonedLogDirs() != null) s += " cordoned=" + x.cordonedLogDirs().size();
            return s;
        }
        if (m instanceof ClearElrRecord) return "ClearElr";
        return m.toString();
    }

    ControllerRequestContext context(org.apache.kafka.common.protocol.ApiKeys api) {
        return new ControllerRequestContext(new RequestHeader(api, api.latestVersion(), "", 0).data(), KafkaPrincipal.ANONYMOUS,
            OptionalLong.empty());
    }
    static List<Integer> numbers(String s) {
        List<Integer> all = new ArrayList<>();
        if (!s.equals("none")) for (String n : s.split(",")) all.add(Integer.parseInt(n));
        return all;
    }
    static List<Uuid> dirs(String s) {
        List<Uuid> all = new ArrayList<>();
        for (int n : numbers(s)) all.add(new Uuid(9, n));
        return all;
    }
    static String value(String[] w, String key) {
        for (String s : w) if (s.startsWith(key + "=")) return s.substring(key.length() + 1);
        return null;
    }
    static boolean has(String[] w, String key) { return Arrays.asList(w).contains(key); }
    static String topicOf(String s) { return s.substring(0, s.lastIndexOf('-')); }
    static int partitionOf(String s) { return Integer.parseInt(s.substring(s.lastIndexOf('-') + 1)); }
    void answer(int code) { out.add("=> " + Errors.forCode((short) code)); }
    void error(int code) { if (code != 0) answer(code); }
    BrokerRegistration broker(int id) { return cluster.brokerRegistrations().get(id); }
    PartitionRegistration partition(String s) {
        Uuid id = replication.getTopicId(topicOf(s));
        return id == null ? null : replication.getPartition(id, partitionOf(s));
    }

    void run(String[] w) {
        switch (w[0]) {
            case "register" -> register(w, Integer.parseInt(w[1]));
            case "heartbeat" -> heartbeat(w, Integer.parseInt(w[1]));
            case "silent" -> {
                int id = Integer.parseInt(w[1]);
                if (broker(id) == null || broker(id).fenced()) return;
                List<ApiMessageAndVersion> list = new ArrayList<>();
                replication.handleBrokerFenced(id, list);
                cluster.heartbeatManager().fence(id);
                apply(list);
            }
            case "create" -> {
                CreateTopicsRequestData request = new CreateTopicsRequestData();
                CreateTopicsRequestData.CreatableTopic t = new CreateTopicsRequestData.CreatableTopic().setName(w[1])
                    .setNumPartitions(-1).setReplicationFactor((short) -1);
                int p = 0;
                for (String a : value(w, "assign").split(";"))
                    t.assignments().add(new CreateTopicsRequestData.CreatableReplicaAssignment().setPartitionIndex(p++)
                        .setBrokerIds(numbers(a)));
                for (String s : w) if (s.contains(".") && s.contains("="))
                    t.configs().add(new CreateTopicsRequestData.CreatableTopicConfig().setName(s.substring(0, s.indexOf('=')))
                        .setValue(s.substring(s.indexOf('=') + 1)));
                request.topics().add(t);
                var result = replication.createTopics(context(org.apache.kafka.common.protocol.ApiKeys.CREATE_TOPICS), request,
                    Set.of(w[1]), false);
                apply(result.records());
                answer(result.response().topics().find(w[1]).errorCode());
            }
            case "delete" -> {
                Uuid id = replication.getTopicId(w[1]);
                if (id == null) { answer(3); return; }
                apply(replication.deleteTopics(context(org.apache.kafka.common.protocol.ApiKeys.DELETE_TOPICS), List.of(id)).records());
                answer(0);
            }
            case "unregister" -> apply(replication.unregisterBroker(Integer.parseInt(w[1])).records());
            case "elect" -> {
                var request = new ElectLeadersRequestData().setElectionType((byte) (w[1].equals("unclean") ? 1 : 0));
                request.setTopicPartitions(new ElectLeadersRequestData.TopicPartitionsCollection());
                request.topicPartitions().add(new ElectLeadersRequestData.TopicPartitions().setTopic(topicOf(w[2]))
                    .setPartitions(List.of(partitionOf(w[2]))));
                var result = replication.electLeaders(request);
                apply(result.records());
                answer(result.response().replicaElectionResults().get(0).partitionResult().get(0).errorCode());
            }
            case "unclean" -> apply(replication.maybeElectUncleanLeaders().records());
            case "reassign" -> {
                var p = new AlterPartitionReassignmentsRequestData.ReassignablePartition().setPartitionIndex(partitionOf(w[1]));
                p.setReplicas(w[2].equals("cancel") ? null : numbers(w[2]));
                var request = new AlterPartitionReassignmentsRequestData().setAllowReplicationFactorChange(!has(w, "same_factor"));
                request.topics().add(new AlterPartitionReassignmentsRequestData.ReassignableTopic().setName(topicOf(w[1]))
                    .setPartitions(List.of(p)));
                var result = replication.alterPartitionReassignments(request);
                apply(result.records());
                answer(result.response().responses().get(0).partitions().get(0).errorCode());
            }
            case "isr" -> isr(w);
            case "directory" -> directory(w, Integer.parseInt(w[1]));
            case "config" -> {
                String[] kv = w[2].split("=");
                apply(List.of(new ApiMessageAndVersion(new ConfigRecord().setResourceType((byte) 2).setResourceName(w[1])
                    .setName(kv[0]).setValue(kv[1]), (short) 0)));
            }
            case "feature" -> { String[] kv = w[1].split("="); feature(kv[0], Integer.parseInt(kv[1])); }
            default -> throw new RuntimeException(w[0]);
        }
    }

    void register(String[] w, int id) {
        var request = new BrokerRegistrationRequestData().setBrokerId(id).setClusterId("c")
            .setIncarnationId(new Uuid(77, Integer.parseInt(value(w, "incarnation"))))
            .setLogDirs(dirs(value(w, "dirs") == null ? "" + (1000 + id) : value(w, "dirs")));
        if ("clean".equals(value(w, "previous")) && broker(id) != null) request.setPreviousBrokerEpoch(broker(id).epoch());
        request.features().add(new BrokerRegistrationRequestData.Feature().setName("metadata.version")
            .setMinSupportedVersion((short) 7).setMaxSupportedVersion((short) 33));
        request.features().add(new BrokerRegistrationRequestData.Feature().setName("eligible.leader.replicas.version")
            .setMinSupportedVersion((short) 0).setMaxSupportedVersion((short) 1));
        var result = cluster.registerBroker(request, next, features.finalizedFeatures(Long.MAX_VALUE), true);
        apply(result.records());
    }

    void heartbeat(String[] w, int id) {
        var request = new BrokerHeartbeatRequestData().setBrokerId(id).setBrokerEpoch(broker(id) == null ? -1 : broker(id).epoch())
            .setCurrentMetadataOffset(next - 1).setWantFence(has(w, "fence")).setWantShutDown(has(w, "shutdown"));
        if (value(w, "offline") != null) request.setOfflineLogDirs(dirs(value(w, "offline")));
        if (broker(id) == null) cluster.checkBrokerEpoch(id, -1);
        var result = replication.processBrokerHeartbeat(request, cluster.registerBrokerRecordOffset(id).orElse(0));
        apply(result.records());
        var reply = result.response();
        if (reply.inControlledShutdown()) cluster.heartbeatManager().maybeUpdateControlledShutdownOffset(id, next - 1);
        out.add("=> " + (reply.shouldShutDown() ? "SHUTDOWN_NOW" : reply.inControlledShutdown() ? "CONTROLLED_SHUTDOWN"
            : reply.isFenced() ? "FENCED" : "UNFENCED"));
    }

    void isr(String[] w) {
        PartitionRegistration p = partition(w[1]);
        if (p == null) { out.add("=> no such partition"); return; }
        int sender = value(w, "from") == null ? p.leader : Integer.parseInt(value(w, "from"));
        var wish = new AlterPartitionRequestData.PartitionData().setPartitionIndex(partitionOf(w[1])).setLeaderEpoch(p.leaderEpoch)
            .setPartitionEpoch(p.partitionEpoch).setLeaderRecoveryState((byte) (has(w, "recovering") ? 1 : 0));
        List<Integer> members = new ArrayList<>();
        if (w[2].equals("active")) {
            for (int id : p.replicas) if (cluster.isActive(id)) members.add(id);
        } else if (w[2].equals("alone")) members.add(sender);
        else members = numbers(w[2]);
        for (int id : members) wish.newIsrWithEpochs().add(new AlterPartitionRequestData.BrokerState().setBrokerId(id));
        var request = new AlterPartitionRequestData().setBrokerId(sender)
            .setBrokerEpoch(broker(sender) == null ? -1 : broker(sender).epoch());
        request.topics().add(new AlterPartitionRequestData.TopicData().setTopicId(replication.getTopicId(topicOf(w[1])))
            .setPartitions(new ArrayList<>(List.of(wish))));
        var result = replication.alterPartition(context(org.apache.kafka.common.protocol.ApiKeys.ALTER_PARTITION), request);
        apply(result.records());
        error(result.response().topics().get(0).partitions().get(0).errorCode());
    }

    void directory(String[] w, int id) {
        if (partition(w[3]) == null) { out.add("=> no such partition"); return; }
        var request = new AssignReplicasToDirsRequestData().setBrokerId(id)
            .setBrokerEpoch(broker(id) == null ? -1 : broker(id).epoch());
        request.directories().add(new AssignReplicasToDirsRequestData.DirectoryData().setId(dirs(w[2]).get(0)).setTopics(List.of(
            new AssignReplicasToDirsRequestData.TopicData().setTopicId(replication.getTopicId(topicOf(w[3]))).setPartitions(List.of(
                new AssignReplicasToDirsRequestData.PartitionData().setPartitionIndex(partitionOf(w[3])))))));
        var result = replication.handleAssignReplicasToDirs(request);
        apply(result.records());
        error(result.response().directories().get(0).topics().get(0).partitions().get(0).errorCode());
    }

    // An empty line begins a new history.
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        ControllerHistory history = new ControllerHistory();
        for (String line; (line = in.readLine()) != null; ) {
            System.out.println(line);
            if (line.isEmpty()) { history = new ControllerHistory(); continue; }
            history.out.clear();
            try {
                history.run(line.split(" "));
            } catch (org.apache.kafka.common.errors.ApiException e) {
                history.out.add("=> " + Errors.forException(e));
            } catch (RuntimeException e) { // a defect: what comes behind it says nothing
                System.out.println("  fails: " + e.getMessage());
                history = null;
                while ((line = in.readLine()) != null && !line.isEmpty()) { }
                System.out.println();
                history = new ControllerHistory();
                continue;
            }
            for (String s : history.out) System.out.println("  " + s);
        }
    }
}
