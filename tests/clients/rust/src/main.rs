//! rust-rdkafka with its default settings: acks=all, no codec. ../README.md has the steps.
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{CommitMode, Consumer, StreamConsumer};
use rdkafka::error::KafkaError;
use rdkafka::message::Message;
use rdkafka::producer::future_producer::Delivery;
use rdkafka::producer::{FutureProducer, FutureRecord};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use std::io::Read;
use std::path::Path;

struct Client {
    bootstrap: String,
}

impl Client {
    fn config(&self, more: &[(&str, &str)]) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", &self.bootstrap);
        for (name, value) in more {
            config.set(*name, *value);
        }
        config
    }

    /// All at once; the outcome of each, in order.
    async fn send(&self, topic: &str, records: &[(String, Vec<u8>)], producer: &FutureProducer) -> Vec<Result<Delivery, KafkaError>> {
        let sent: Vec<_> = records
            .iter()
            .map(|(key, value)| producer.send_result(FutureRecord::to(topic).key(key).payload(value)).map_err(|(e, _)| e).unwrap())
            .collect();
        let mut outcomes = Vec::new();
        for outcome in sent {
            outcomes.push(outcome.await.unwrap().map_err(|(e, _)| e));
        }
        outcomes
    }

    async fn produce(&self, topic: &str, count: usize, codec: &str) {
        let more = [("compression.type", codec)];
        let producer = self.config(if codec == "default" { &[] } else { &more }).create().unwrap();
        let records: Vec<_> = (0..count).map(|n| (format!("key-{n}"), format!("value-{n}-{}", "x".repeat(100)).into_bytes())).collect();
        for outcome in self.send(topic, &records, &producer).await {
            outcome.unwrap();
        }
        println!("produced {count}");
    }

    async fn consume(&self, topic: &str, group: &str, count: usize) {
        let more = [("group.id", group), ("auto.offset.reset", "earliest"), ("enable.auto.commit", "false")];
        let consumer: StreamConsumer = self.config(&more).create().unwrap();
        consumer.subscribe(&[topic]).unwrap();
        let mut ends = TopicPartitionList::new();
        for _ in 0..count {
            let m = loop {
                // Of a broker that is gone the stream tells; it goes on when the broker is back.
                match consumer.recv().await {
                    Ok(m) => break m,
                    Err(e) => eprintln!("{e}"),
                }
            };
            let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
            println!("read {} {} {} {}", m.partition(), m.offset(), text(m.key()), text(m.payload()));
            match ends.find_partition(topic, m.partition()) {
                Some(_) => ends.set_partition_offset(topic, m.partition(), Offset::Offset(m.offset() + 1)),
                None => ends.add_partition_offset(topic, m.partition(), Offset::Offset(m.offset() + 1)),
            }
            .unwrap();
        }
        consumer.commit(&ends, CommitMode::Sync).unwrap();
        println!("consumed {count}");
    }

    async fn load(&self, topic: &str, stop: &Path) {
        let producer = self.config(&[]).create().unwrap();
        let mut first = 0;
        while !stop.exists() {
            let records: Vec<_> = (first..first + 20).map(|n| (n.to_string(), n.to_string().into_bytes())).collect();
            for (outcome, (number, _)) in self.send(topic, &records, &producer).await.iter().zip(&records) {
                match outcome {
                    Ok(done) => println!("acknowledged {} {} {number}", done.partition, done.offset),
                    Err(e) => println!("refused {number} {e}"),
                }
            }
            first += 20;
            std::thread::sleep(std::time::Duration::from_millis(10)); // 2,000 records a second at most
        }
    }

    async fn refused(&self, topic: &str, value: Vec<u8>, more: &[(&str, &str)]) {
        let producer = self.config(more).create().unwrap();
        match self.send(topic, &[(String::new(), value)], &producer).await.remove(0) {
            Ok(done) => println!("error none: {done:?}"),
            Err(e) => println!("error {e}"),
        }
    }
}

/// Bytes that no codec makes smaller.
fn random(bytes: usize) -> Vec<u8> {
    let mut value = vec![0; bytes];
    std::fs::File::open("/dev/urandom").unwrap().read_exact(&mut value).unwrap();
    value
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let client = Client { bootstrap: arguments.next().unwrap() };
    for step in arguments {
        match step.split(',').collect::<Vec<_>>()[..] {
            ["produce", topic, count, codec] => client.produce(topic, count.parse().unwrap(), codec).await,
            ["consume", topic, group, count] => client.consume(topic, group, count.parse().unwrap()).await,
            ["load", topic, stop] => client.load(topic, Path::new(stop)).await,
            ["unknown", topic] => client.refused(topic, vec![], &[("topic.metadata.propagation.max.ms", "0")]).await,
            ["large", topic, size] => {
                let size: usize = size.parse().unwrap();
                client.refused(topic, random(size), &[("message.max.bytes", &(2 * size).to_string())]).await
            }
            _ => panic!("no such step: {step}"),
        }
    }
}
