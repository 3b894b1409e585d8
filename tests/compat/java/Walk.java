// The walk of Apache Kafka's Java clients with their default settings (idempotent producer, acks=all).
//   java Walk.java walk HOST:PORT PREFIX        every step, ends with "ok"
//   java Walk.java load HOST:PORT TOPIC FILE    produces numbers until FILE.stop exists; then FILE has "partition offset number" lines
import java.io.PrintWriter;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.*;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.*;

public class Walk {
  static String bootstrap, prefix;

  public static void main(String[] args) throws Exception {
    bootstrap = args[1];
    prefix = args[2];
    if (args[0].equals("load")) {
      load(args[2], args[3]);
      return;
    }
    try (Admin admin = Admin.create(properties())) {
      topics(admin);
      configs(admin);
      codecs(admin);
      offsetsAndTimes(admin);
      emptyNullAndLarge(admin);
      refusals(admin);
      autoCreation();
    }
    System.out.println("ok");
  }

  static Properties properties(String... more) {
    Properties p = new Properties();
    p.put("bootstrap.servers", bootstrap);
    for (int i = 0; i < more.length; i += 2) p.put(more[i], more[i + 1]);
    return p;
  }

  static KafkaProducer<byte[], byte[]> producer(String... more) {
    return new KafkaProducer<>(properties(more), new ByteArraySerializer(), new ByteArraySerializer());
  }

  static void check(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }

  static void create(Admin admin, String name, int partitions, String... config) throws Exception {
    Map<String, String> configs = new HashMap<>();
    for (int i = 0; i < config.length; i += 2) configs.put(config[i], config[i + 1]);
    admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1).configs(configs))).all().get();
    for (boolean known = false; !known;) {  // brokers hear of a topic a little after its creation is acknowledged
      try {
        known = admin.describeTopics(List.of(name)).allTopicNames().get().get(name).partitions().size() == partitions;
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) throw e;
      }
    }
  }

  /** `count` records from `offset` on, by assignment. */
  static List<ConsumerRecord<byte[], byte[]>> read(String topic, long offset, int count) {
    try (var consumer = new KafkaConsumer<>(properties(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      if (offset == 0) consumer.seekToBeginning(List.of(partition)); else consumer.seek(partition, offset);
      List<ConsumerRecord<byte[], byte[]>> out = new ArrayList<>();
      long end = System.nanoTime() + 60_000_000_000L;
      while (out.size() < count) {
        check(System.nanoTime() < end, topic + ": " + out.size() + " of " + count + " records came in 60 s");
        consumer.poll(Duration.ofMillis(200)).forEach(out::add);
      }
      for (int i = 0; i < out.size(); i++) check(out.get(i).offset() == offset + i, topic + ": a gap at " + (offset + i));
      return out;
    }
  }

  static void topics(Admin admin) throws Exception {
    String name = prefix + "topics";
    create(admin, name, 3);
    TopicDescription described = admin.describeTopics(List.of(name)).allTopicNames().get().get(name);
    check(described.partitions().size() == 3 && described.partitions().get(0).leader().id() == 1, described.toString());
    check(admin.listTopics().names().get().contains(name), "not listed");
    check(admin.describeCluster().nodes().get().size() == 1, "nodes");
    check(admin.describeCluster().controller().get().id() == 1, "controller");
    refusedWith(TopicExistsException.class, () -> create(admin, name, 3));
    admin.deleteTopics(TopicCollection.ofTopicIds(List.of(described.topicId()))).all().get();
    refusedWith(UnknownTopicOrPartitionException.class, () -> admin.deleteTopics(List.of(name)).all().get());
  }

  static void configs(Admin admin) throws Exception {
    String name = prefix + "configs";
    create(admin, name, 1, "retention.ms", "7654321");
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, name);
    ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
    var all = admin.describeConfigs(List.of(topic, broker), new DescribeConfigsOptions().includeSynonyms(true)).all().get();
    ConfigEntry retention = all.get(topic).get("retention.ms");
    check(retention.value().equals("7654321") && retention.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG, retention.toString());
    check(all.get(topic).get("segment.bytes").isDefault(), "segment.bytes");
    check(all.get(broker).get("node.id").source() == ConfigEntry.ConfigSource.STATIC_BROKER_CONFIG, "node.id");
    check(all.get(broker).entries().size() > 200, all.get(broker).entries().size() + " keys of a broker");
  }

  static void codecs(Admin admin) throws Exception {
    for (String codec : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
      String name = prefix + "codec-" + codec;
      create(admin, name, 1);
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      try (var producer = producer("compression.type", codec)) {
        for (int i = 0; i < 2000; i++) {
          var record = new ProducerRecord<>(name, 0, ("key-" + i).getBytes(), ("value-" + i + "-" + "x".repeat(100)).getBytes());
          record.headers().add(new RecordHeader("number", String.valueOf(i).getBytes())).add("null", null);
          sent.add(producer.send(record));
        }
      }
      for (int i = 0; i < 2000; i++) check(sent.get(i).get().offset() == i, codec + ": offset of " + i);
      var got = read(name, 0, 2000);
      for (int i = 0; i < 2000; i++) {
        var record = got.get(i);
        check(new String(record.key()).equals("key-" + i) && new String(record.value()).startsWith("value-" + i + "-x"), codec + ": record " + i);
        check(new String(record.headers().lastHeader("number").value()).equals(String.valueOf(i)), codec + ": header of " + i);
        check(record.headers().lastHeader("null").value() == null, codec + ": null header of " + i);
      }
    }
  }

  static void offsetsAndTimes(Admin admin) throws Exception {
    String name = prefix + "times";
    create(admin, name, 1);
    long base = System.currentTimeMillis() - 100_000;
    try (var producer = producer("linger.ms", "300")) {
      for (int i = 0; i < 100; i++) producer.send(new ProducerRecord<>(name, 0, base + i * 100, null, String.valueOf(i).getBytes()));
    }
    for (long offset : new long[] {1, 37, 99}) check(new String(read(name, offset, (int) (100 - offset)).get(0).value()).equals("" + offset), "from " + offset);
    try (var consumer = new KafkaConsumer<>(properties(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition(name, 0);
      check(consumer.beginningOffsets(List.of(partition)).get(partition) == 0, "beginning");
      check(consumer.endOffsets(List.of(partition)).get(partition) == 100, "end");
      check(consumer.partitionsFor(name).size() == 1, "partitions");
      long[][] asked = {{-5000, 0}, {0, 0}, {1, 1}, {4200, 42}, {4201, 43}, {9900, 99}};
      for (long[] pair : asked) {
        var found = consumer.offsetsForTimes(Map.of(partition, base + pair[0])).get(partition);
        check(found.offset() == pair[1], "time +" + pair[0] + " gave " + found);
      }
      check(consumer.offsetsForTimes(Map.of(partition, base + 9901)).get(partition) == null, "time after the last");
    }
    var greatest = admin.listOffsets(Map.of(new TopicPartition(name, 0), OffsetSpec.maxTimestamp())).all().get();
    check(greatest.get(new TopicPartition(name, 0)).offset() == 99, "greatest time: " + greatest);
  }

  static void emptyNullAndLarge(Admin admin) throws Exception {
    String name = prefix + "large";
    create(admin, name, 1, "max.message.bytes", "4000000");
    byte[] mib = new byte[1 << 20];
    new Random(1).nextBytes(mib);
    byte[][][] pairs = {{null, null}, {{}, {}}, {null, {1}}, {{1}, null}, {mib, {1}}, {{1}, mib}, {mib, mib}};
    try (var producer = producer("max.request.size", "4000000")) {
      for (byte[][] pair : pairs) producer.send(new ProducerRecord<>(name, 0, pair[0], pair[1])).get();
    }
    var got = read(name, 0, pairs.length);
    for (int i = 0; i < pairs.length; i++)
      check(Arrays.equals(got.get(i).key(), pairs[i][0]) && Arrays.equals(got.get(i).value(), pairs[i][1]), "pair " + i);
  }

  static void refusals(Admin admin) throws Exception {
    String name = prefix + "refusals";
    create(admin, name, 1);
    try (var producer = producer("max.request.size", "4000000")) {
      refusedWith(RecordTooLargeException.class, () -> producer.send(new ProducerRecord<>(name, 0, null, new byte[2_000_000])).get());
      producer.send(new ProducerRecord<>(name, 0, null, new byte[10])).get();
    }
    try (var producer = producer("max.block.ms", "3000")) {
      refusedWith(InvalidTopicException.class, () -> producer.send(new ProducerRecord<>("no topic", 0, null, new byte[10])).get());
    }
    for (String bad : List.of("..", ".", "x".repeat(250), "a b"))
      refusedWith(InvalidTopicException.class, () -> create(admin, bad, 1));
    refusedWith(InvalidReplicationFactorException.class, () ->
        admin.createTopics(List.of(new NewTopic(prefix + "three", 1, (short) 3))).all().get());
    refusedWith(InvalidConfigurationException.class, () -> create(admin, prefix + "config", 1, "retention.ms", "soon"));
    refusedWith(UnknownTopicOrPartitionException.class, () -> admin.describeTopics(List.of(prefix + "none")).allTopicNames().get());
  }

  static void autoCreation() throws Exception {
    try (var producer = producer()) {
      check(producer.send(new ProducerRecord<>(prefix + "auto", null, "v".getBytes())).get().offset() == 0, "first offset");
    }
    check(new String(read(prefix + "auto", 0, 1).get(0).value()).equals("v"), "value");
  }

  interface Call { void run() throws Exception; }

  static void refusedWith(Class<? extends Exception> kind, Call call) throws Exception {
    try {
      call.run();
    } catch (Exception e) {
      Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
      if (kind.isInstance(cause)) return;
      throw new AssertionError(kind.getSimpleName() + " expected, " + cause, e);
    }
    throw new AssertionError(kind.getSimpleName() + " expected, nothing was refused");
  }

  static void load(String topic, String file) throws Exception {
    var acknowledged = new ConcurrentLinkedQueue<String>();
    var refused = new ConcurrentLinkedQueue<String>();
    try (var producer = producer()) {
      var stop = new java.io.File(file + ".stop");
      for (int i = 0; i % 100 != 0 || !stop.exists(); i++) {
        int number = i;
        producer.send(new ProducerRecord<>(topic, i % 3, null, String.valueOf(i).getBytes()), (metadata, error) -> {
          if (error != null) refused.add(error.toString());
          else acknowledged.add(metadata.partition() + " " + metadata.offset() + " " + number);
          int total = acknowledged.size();
          if (total % 1000 == 0) System.out.println("acknowledged " + total);
        });
        if (i % 100 == 0) Thread.sleep(1);
      }
    }
    try (PrintWriter out = new PrintWriter(file)) {
      acknowledged.forEach(out::println);
    }
    System.out.println("refused " + refused.size() + " " + refused.peek());
  }
}
