import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ConsumerGroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** Java's consumer with its default settings: alone, two of them with each way to rebalance, static, and with the new protocol. */
public class Groups {
    static String bootstrap, prefix;

    public static void main(String[] a) throws Exception {
        bootstrap = a[1];
        prefix = a[2];
        resumes();
        two("eager", Map.of());
        two("cooperative", Map.of("partition.assignment.strategy", CooperativeStickyAssignor.class.getName()));
        staticMember();
        newProtocol();
        administration();
        System.out.println("ok");
    }

    static Properties settings(String group, Map<String, String> more) {
        Properties p = new Properties();
        p.put("bootstrap.servers", bootstrap);
        p.put("group.id", prefix + group);
        p.put("auto.offset.reset", "earliest");
        for (String side : List.of("key", "value")) {
            p.put(side + ".deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
            p.put(side + ".serializer", "org.apache.kafka.common.serialization.StringSerializer");
        }
        p.putAll(more);
        return p;
    }

    static void fill(String topic, int partitions, int records) throws Exception {
        try (Admin admin = Admin.create(settings("none", Map.of()))) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
        }
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings("none", Map.of()))) {
            for (int n = 0; n < records; ++n) producer.send(new ProducerRecord<>(topic, n % partitions, null, "v" + n));
        }
    }

    /** Polls until so many records have come; the commits are the caller's. */
    static Set<String> read(KafkaConsumer<String, String> consumer, int count) {
        Set<String> values = new TreeSet<>();
        long end = System.nanoTime() + 60_000_000_000L;
        while (values.size() < count && System.nanoTime() < end)
            for (ConsumerRecord<String, String> r : consumer.poll(Duration.ofMillis(200))) values.add(r.value());
        check(values.size() >= count, "only " + values.size() + " of " + count + " records came");
        return values;
    }

    static void check(boolean right, String what) {
        if (!right) throw new AssertionError(what);
    }

    static void resumes() throws Exception {
        String topic = prefix + "resumes";
        fill(topic, 2, 100);
        try (KafkaConsumer<String, String> c = new KafkaConsumer<>(settings("resumes", Map.of("max.poll.records", "10")))) {
            c.subscribe(List.of(topic));
            read(c, 30);
            c.commitSync();
        }
        try (KafkaConsumer<String, String> c = new KafkaConsumer<>(settings("resumes", Map.of()))) {
            c.subscribe(List.of(topic));
            Set<String> rest = read(c, 1);
            while (rest.size() < 70) rest.addAll(read(c, 1));
            check(rest.size() == 70, "after 30 were committed " + rest.size() + " came");
            TopicPartition tp = new TopicPartition(topic, 0);
            c.commitSync(Map.of(tp, new OffsetAndMetadata(7, java.util.Optional.of(0), "a note")));
            OffsetAndMetadata back = c.committed(Set.of(tp)).get(tp);
            check(back.offset() == 7 && back.metadata().equals("a note") && back.leaderEpoch().orElse(-1) == 0, "committed " + back);
        }
    }

    static void two(String name, Map<String, String> how) throws Exception {
        String topic = prefix + name;
        fill(topic, 4, 40);
        List<Thread> threads = new ArrayList<>();
        Map<Integer, Set<TopicPartition>> owned = new HashMap<>();
        boolean[] stop = {false};
        Throwable[] failed = {null};
        for (int i = 0; i < 2; ++i) {
            int me = i;
            Thread t = new Thread(() -> {
                try (KafkaConsumer<String, String> c = new KafkaConsumer<>(settings(name, how))) {
                    c.subscribe(List.of(topic));
                    while (!stop[0]) {
                        c.poll(Duration.ofMillis(100));
                        synchronized (owned) {
                            owned.put(me, Set.copyOf(c.assignment()));
                        }
                    }
                } catch (Throwable e) {
                    failed[0] = e;
                }
            });
            t.start();
            threads.add(t);
        }
        long end = System.nanoTime() + 60_000_000_000L;
        boolean shared = false;
        while (!shared && System.nanoTime() < end && failed[0] == null) {
            Thread.sleep(50);
            synchronized (owned) {
                Set<TopicPartition> all = new java.util.HashSet<>();
                int sum = 0;
                for (Set<TopicPartition> s : owned.values()) {
                    all.addAll(s);
                    sum += s.size();
                }
                shared = owned.size() == 2 && all.size() == 4 && sum == 4 && owned.values().stream().allMatch(s -> s.size() == 2);
            }
        }
        stop[0] = true;
        for (Thread t : threads) t.join(30_000);
        if (failed[0] != null) throw new RuntimeException(failed[0]);
        check(shared, name + ": two consumers don't share the partitions: " + owned);
    }

    static void staticMember() throws Exception {
        String topic = prefix + "static";
        fill(topic, 1, 10);
        Map<String, String> how = Map.of("group.instance.id", "one");
        KafkaConsumer<String, String> first = new KafkaConsumer<>(settings("static", how));
        first.subscribe(List.of(topic));
        read(first, 10);
        int generation = first.groupMetadata().generationId();
        first.close();  // a static member doesn't leave
        try (KafkaConsumer<String, String> again = new KafkaConsumer<>(settings("static", how))) {
            again.subscribe(List.of(topic));
            long end = System.nanoTime() + 30_000_000_000L;
            while (again.assignment().isEmpty() && System.nanoTime() < end) again.poll(Duration.ofMillis(100));
            check(again.groupMetadata().generationId() == generation, "it came back into generation " + again.groupMetadata().generationId());
        }
    }

    static void newProtocol() {
        try (KafkaConsumer<String, String> c = new KafkaConsumer<>(settings("new", Map.of("group.protocol", "consumer")))) {
            c.subscribe(List.of(prefix + "static"));
            for (int i = 0; i < 100; ++i) c.poll(Duration.ofMillis(100));
            check(false, "the new protocol was taken");
        } catch (UnsupportedVersionException expected) {
        }
    }

    static void administration() throws Exception {
        try (Admin admin = Admin.create(settings("none", Map.of()))) {
            var described = admin.describeConsumerGroups(List.of(prefix + "resumes")).all().get().get(prefix + "resumes");
            check(described.state() == ConsumerGroupState.EMPTY, "state " + described.state());
            check(admin.listConsumerGroups().all().get().stream().anyMatch(g -> g.groupId().equals(prefix + "resumes")), "not listed");
            var offsets = admin.listConsumerGroupOffsets(prefix + "resumes").partitionsToOffsetAndMetadata().get();
            check(offsets.size() == 2, "offsets " + offsets);
            admin.deleteConsumerGroups(List.of(prefix + "resumes")).all().get();
            admin.removeMembersFromConsumerGroup(prefix + "static", new org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions(
                    List.of(new org.apache.kafka.clients.admin.MemberToRemove("one")))).all().get();
        }
    }
}
