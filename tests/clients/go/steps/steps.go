// Package steps is the part of the protocol between the test cases and a client program that both Go clients share:
// the arguments, the records to send and the lines to print. See ../../README.md.
package steps

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"time"
)

// Client is what a program does with the library that it shows.
type Client interface {
	Produce(topic string, count int, codec string)
	Consume(topic, group string, count int)
	Load(topic, stop string)
	Unknown(topic string) error
	Large(topic string, bytes int) error
}

// Run performs the steps that the command line names, in order.
func Run(client Client, steps []string) {
	for _, step := range steps {
		words := strings.Split(step, ",")
		switch words[0] {
		case "produce":
			client.Produce(words[1], Number(words[2]), words[3])
			fmt.Println("produced", words[2])
		case "consume":
			client.Consume(words[1], words[2], Number(words[3]))
			fmt.Println("consumed", words[3])
		case "load":
			client.Load(words[1], words[2])
		case "unknown":
			fmt.Println("error", client.Unknown(words[1]))
		case "large":
			fmt.Println("error", client.Large(words[1], Number(words[2])))
		default:
			panic("no such step: " + step)
		}
	}
}

// Key and Value are what record n of a produce step has.
func Key(n int) string   { return fmt.Sprintf("key-%d", n) }
func Value(n int) string { return fmt.Sprintf("value-%d-%s", n, strings.Repeat("x", 100)) }

// Random is a value that no codec makes smaller.
func Random(bytes int) []byte {
	value := make([]byte, bytes)
	rand.Read(value)
	return value
}

func Read(partition int32, offset int64, key, value []byte) {
	fmt.Println("read", partition, offset, string(key), string(value))
}

func Acknowledged(partition int32, offset int64, number string) {
	fmt.Println("acknowledged", partition, offset, number)
}

func Refused(number string, err error) { fmt.Println("refused", number, err) }

// Pace keeps a load at 2,000 records a second at most.
func Pace() { time.Sleep(10 * time.Millisecond) }

// Exists tells whether the file is there that ends a load.
func Exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func Number(text string) int {
	n, err := strconv.Atoi(text)
	Check(err)
	return n
}

func Check(err error) {
	if err != nil {
		panic(err)
	}
}
