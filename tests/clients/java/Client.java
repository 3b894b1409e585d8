// Java's kafka-clients with their default settings: idempotent, acks=all, no codec. The same program for each version of them;
// ../README.md has the steps.
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public class Client {
  static String bootstrap;

  public static void main(String[] args) throws Exception {
    bootstrap = args[0];
    for (String step : List.of(args).subList(1, args.length)) {
      String[] words = step.split(",");
      switch (words[0]) {
        case "produce" -> produce(words[1], Integer.parseInt(words[2]), words[3]);
        case "consume" -> consume(words[1], words[2], Integer.parseInt(words[3]));
        case "load" -> load(words[1], Path.of(words[2]));
        case "unknown" -> System.out.println("error " + unknown(words[1]));
        case "large" -> System.out.println("error " + large(words[1], Integer.parseInt(words[2])));
        default -> throw new IllegalArgumentException("no such step: " + step);
      }
    }
  }

  static Map<String, Object> settings(Object... more) {
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", bootstrap));
    for (int i = 0; i < more.length; i += 2) settings.put((String) more[i], more[i + 1]);
    return settings;
  }

  static KafkaProducer<byte[], byte[]> producer(Object... more) {
    return new KafkaProducer<>(settings(more), new ByteArraySerializer(), new ByteArraySerializer());
  }

  static void produce(String topic, int count, String codec) throws Exception {
    try (var producer = codec.equals("default") ? producer() : producer("compression.type", codec)) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int n = 0; n < count; n++)
        sent.add(producer.send(new ProducerRecord<>(topic, ("key-" + n).getBytes(), ("value-" + n + "-" + "x".repeat(100)).getBytes())));
      for (var future : sent) future.get();
    }
    System.out.println("produced " + count);
  }

  static void consume(String topic, String group, int count) {
    var settings = settings("group.id", group, "auto.offset.reset", "earliest", "enable.auto.commit", false, "max.poll.records", count);
    Map<TopicPartition, OffsetAndMetadata> ends = new HashMap<>();
    try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of(topic));
      for (int left = count; left > 0;) {
        ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(500));
        for (ConsumerRecord<String, String> r : records) {
          if (left == 0) break;
          left--;
          System.out.println("read " + r.partition() + " " + r.offset() + " " + r.key() + " " + r.value());
          ends.put(new TopicPartition(topic, r.partition()), new OffsetAndMetadata(r.offset() + 1));
        }
      }
      consumer.commitSync(ends);
    }
    System.out.println("consumed " + count);
  }

  static void load(String topic, Path stop) throws Exception {
    try (var producer = producer()) {
      for (int first = 0; !Files.exists(stop); first += 20) {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int n = first; n < first + 20; n++) sent.add(producer.send(new ProducerRecord<>(topic, Integer.toString(n).getBytes())));
        for (int i = 0; i < 20; i++) {
          try {
            RecordMetadata done = sent.get(i).get();
            System.out.println("acknowledged " + done.partition() + " " + done.offset() + " " + (first + i));
          } catch (ExecutionException e) {
            System.out.println("refused " + (first + i) + " " + e.getCause());
          }
        }
        Thread.sleep(10);  // 2,000 records a second at most
      }
    }
  }

  /** The producer would wait for the topic until its time is up, and tell no more than that. */
  static Throwable unknown(String topic) throws Exception {
    try (Admin admin = Admin.create(settings())) {
      admin.describeTopics(List.of(topic)).allTopicNames().get();
      return null;
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  static Throwable large(String topic, int bytes) throws Exception {
    byte[] value = new byte[bytes];
    new Random().nextBytes(value);
    try (var producer = producer("max.request.size", 2 * bytes)) {
      producer.send(new ProducerRecord<>(topic, value)).get();
      return null;
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }
}
