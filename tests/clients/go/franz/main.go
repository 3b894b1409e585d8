// franz-go with its default settings: idempotent, acks=all, snappy.
package main

import (
	"context"
	"errors"
	"os"
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"
	"moldau/tests/clients/steps"
)

type franz struct{ bootstrap string }

func (f franz) client(more ...kgo.Opt) *kgo.Client {
	client, err := kgo.NewClient(append(more, kgo.SeedBrokers(f.bootstrap), kgo.AllowAutoTopicCreation())...)
	steps.Check(err)
	return client
}

func record(topic, key string, value []byte) *kgo.Record {
	return &kgo.Record{Topic: topic, Key: []byte(key), Value: value}
}

func (f franz) Produce(topic string, count int, codec string) {
	var more []kgo.Opt
	if codec != "default" {
		codecs := map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(),
			"snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()}
		more = append(more, kgo.ProducerBatchCompression(codecs[codec]))
	}
	client := f.client(more...)
	defer client.Close()
	var records []*kgo.Record
	for n := 0; n < count; n++ {
		records = append(records, record(topic, steps.Key(n), []byte(steps.Value(n))))
	}
	steps.Check(client.ProduceSync(context.Background(), records...).FirstErr())
}

func (f franz) Consume(topic, group string, count int) {
	client := f.client(kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic), kgo.DisableAutoCommit(),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	defer client.Close()
	for count > 0 {
		fetches := client.PollRecords(context.Background(), count)
		for _, e := range fetches.Errors() {
			// That its group's broker is gone is told in passing: it joins again when the broker is back.
			if group := (*kgo.ErrGroupSession)(nil); !errors.As(e.Err, &group) {
				panic(e.Err)
			}
		}
		for _, r := range fetches.Records() {
			steps.Read(r.Partition, r.Offset, r.Key, r.Value)
		}
		count -= fetches.NumRecords()
		if count == 0 {
			steps.Check(client.CommitUncommittedOffsets(context.Background()))
		}
	}
}

func (f franz) Load(topic, stop string) {
	client := f.client()
	defer client.Close()
	for n := 0; !steps.Exists(stop); {
		var records []*kgo.Record
		for i := 0; i < 20; i++ {
			records = append(records, record(topic, "", []byte(strconv.Itoa(n))))
			n++
		}
		for _, done := range client.ProduceSync(context.Background(), records...) {
			if done.Err != nil {
				steps.Refused(string(done.Record.Value), done.Err)
			} else {
				steps.Acknowledged(done.Record.Partition, done.Record.Offset, string(done.Record.Value))
			}
		}
		steps.Pace()
	}
}

func (f franz) Unknown(topic string) error {
	client := f.client()
	defer client.Close()
	return client.ProduceSync(context.Background(), record(topic, "", nil)).FirstErr()
}

func (f franz) Large(topic string, bytes int) error {
	client := f.client(kgo.ProducerBatchMaxBytes(int32(2 * bytes)))
	defer client.Close()
	return client.ProduceSync(context.Background(), record(topic, "", steps.Random(bytes))).FirstErr()
}

func main() { steps.Run(franz{os.Args[1]}, os.Args[2:]) }
