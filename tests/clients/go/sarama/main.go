// sarama with its default settings: acks=1, no codec, three retries.
package main

import (
	"context"
	"errors"
	"os"
	"strconv"
	"sync"

	"github.com/IBM/sarama"
	"moldau/tests/clients/steps"
)

type client struct{ bootstrap []string }

func (c client) producer(change func(*sarama.Config)) sarama.SyncProducer {
	config := sarama.NewConfig()
	config.Producer.Return.Successes = true // a SyncProducer has to have it
	change(config)
	producer, err := sarama.NewSyncProducer(c.bootstrap, config)
	steps.Check(err)
	return producer
}

func message(topic, key string, value []byte) *sarama.ProducerMessage {
	return &sarama.ProducerMessage{Topic: topic, Key: sarama.StringEncoder(key), Value: sarama.ByteEncoder(value)}
}

func (c client) Produce(topic string, count int, codec string) {
	producer := c.producer(func(config *sarama.Config) {
		if codec != "default" {
			steps.Check(config.Producer.Compression.UnmarshalText([]byte(codec)))
		}
	})
	defer producer.Close()
	var messages []*sarama.ProducerMessage
	for n := 0; n < count; n++ {
		messages = append(messages, message(topic, steps.Key(n), []byte(steps.Value(n))))
	}
	steps.Check(producer.SendMessages(messages))
}

// reader counts down what is wanted, over all partitions; what comes later is neither shown nor marked.
type reader struct {
	lock sync.Mutex
	left int
	end  context.CancelFunc
}

func (*reader) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (*reader) Cleanup(sarama.ConsumerGroupSession) error { return nil }

func (r *reader) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for m := range claim.Messages() {
		r.lock.Lock()
		if r.left > 0 {
			steps.Read(m.Partition, m.Offset, m.Key, m.Value)
			session.MarkMessage(m, "")
			r.left--
			if r.left == 0 {
				session.Commit()
				r.end()
			}
		}
		r.lock.Unlock()
	}
	return nil
}

func (c client) Consume(topic, group string, count int) {
	config := sarama.NewConfig()
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	config.Consumer.Offsets.AutoCommit.Enable = false
	member, err := sarama.NewConsumerGroup(c.bootstrap, group, config)
	steps.Check(err)
	defer member.Close()
	ctx, cancel := context.WithCancel(context.Background())
	r := &reader{left: count, end: cancel}
	for ctx.Err() == nil {
		// Its error ends one session; with a broker that is gone the next one begins when it is back.
		_ = member.Consume(ctx, []string{topic}, r)
	}
}

func (c client) Load(topic, stop string) {
	producer := c.producer(func(*sarama.Config) {})
	defer producer.Close()
	for n := 0; !steps.Exists(stop); {
		var messages []*sarama.ProducerMessage
		for i := 0; i < 20; i++ {
			number := strconv.Itoa(n)
			m := message(topic, number, []byte(number))
			m.Metadata = number
			messages = append(messages, m)
			n++
		}
		refused := map[*sarama.ProducerMessage]error{}
		var errs sarama.ProducerErrors
		if errors.As(producer.SendMessages(messages), &errs) {
			for _, e := range errs {
				refused[e.Msg] = e.Err
			}
		}
		for _, m := range messages {
			if err := refused[m]; err != nil {
				steps.Refused(m.Metadata.(string), err)
			} else {
				steps.Acknowledged(m.Partition, m.Offset, m.Metadata.(string))
			}
		}
		steps.Pace()
	}
}

func (c client) Unknown(topic string) error {
	producer := c.producer(func(*sarama.Config) {})
	defer producer.Close()
	_, _, err := producer.SendMessage(message(topic, "", nil))
	return err
}

func (c client) Large(topic string, bytes int) error {
	producer := c.producer(func(config *sarama.Config) { config.Producer.MaxMessageBytes = 2 * bytes })
	defer producer.Close()
	_, _, err := producer.SendMessage(message(topic, "", steps.Random(bytes)))
	return err
}

func main() { steps.Run(client{[]string{os.Args[1]}}, os.Args[2:]) }
