// kafkajs with its default settings: acks=all, no codec, five retries. ../README.md has the steps.
const fs = require('node:fs')
const crypto = require('node:crypto')
const zlib = require('node:zlib')
const { Kafka, CompressionTypes, CompressionCodecs, logLevel } = require('kafkajs')
const snappy = require('kafkajs-snappy')

const [bootstrap, ...steps] = process.argv.slice(2)
const kafka = new Kafka({ brokers: [bootstrap], logLevel: logLevel.NOTHING })

// gzip is the library's own; the others come from the application. The known packages for lz4 and zstd need a compiler; Node has
// zstd itself.
CompressionCodecs[CompressionTypes.Snappy] = snappy
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: async encoder => zlib.zstdCompressSync(encoder.buffer),
  decompress: async buffer => zlib.zstdDecompressSync(buffer),
})
const codecs = { none: CompressionTypes.None, gzip: CompressionTypes.GZIP, snappy: CompressionTypes.Snappy, zstd: CompressionTypes.ZSTD }

async function withProducer(work, settings) {
  const producer = kafka.producer(settings)
  await producer.connect()
  try {
    return await work(producer)
  } finally {
    await producer.disconnect()
  }
}

function produce(topic, count, codec) {
  const messages = Array.from({ length: Number(count) }, (_, n) => ({ key: `key-${n}`, value: `value-${n}-${'x'.repeat(100)}` }))
  return withProducer(p => p.send({ topic, messages, compression: codecs[codec] }))
}

async function consume(topic, groupId, count) {
  const consumer = kafka.consumer({ groupId })
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  let left = Number(count)
  const next = new Map() // by partition: the offset behind what was shown
  await new Promise((resolve, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => payload.restart || reject(payload.error))
    consumer.run({
      autoCommit: false,
      eachMessage: async ({ partition, message }) => {
        if (left === 0) return
        console.log('read', partition, message.offset, String(message.key), String(message.value))
        next.set(partition, String(BigInt(message.offset) + 1n))
        if (--left === 0) {
          await consumer.commitOffsets([...next].map(([partition, offset]) => ({ topic, partition, offset })))
          resolve()
        }
      },
    }).catch(reject)
  })
  await consumer.disconnect()
}

// The answer tells only the first offset of a partition's records, so every send is for one partition.
function load(topic, stop) {
  return withProducer(async p => {
    for (let n = 0; !fs.existsSync(stop);) {
      await Promise.all([0, 1, 2].map(async partition => {
        const numbers = Array.from({ length: 7 }, () => n++)
        try {
          const [{ baseOffset }] = await p.send({ topic, messages: numbers.map(i => ({ value: String(i), partition })) })
          numbers.forEach((number, i) => console.log('acknowledged', partition, Number(baseOffset) + i, number))
        } catch (e) {
          numbers.forEach(number => console.log('refused', number, e.message))
        }
      }))
      await new Promise(resolve => setTimeout(resolve, 10)) // 2,000 records a second at most
    }
  })
}

function refused(topic, value) {
  return withProducer(p => p.send({ topic, messages: [{ value }] }), { retry: { retries: 0 } }).then(() => undefined, e => e.message)
}

async function main() {
  for (const step of steps) {
    const [verb, topic, ...words] = step.split(',')
    if (verb === 'produce') {
      await produce(topic, ...words)
      console.log('produced', words[0])
    } else if (verb === 'consume') {
      await consume(topic, ...words)
      console.log('consumed', words[1])
    } else if (verb === 'load') await load(topic, ...words)
    else if (verb === 'unknown') console.log('error', await refused(topic, ''))
    else if (verb === 'large') console.log('error', await refused(topic, crypto.randomBytes(Number(words[0]))))
    else throw new Error(`no such step: ${step}`)
  }
}

// A consumer that was cut off from its broker keeps something open behind its disconnect.
main().then(() => process.exit(0), e => {
  console.error(e)
  process.exit(1)
})
