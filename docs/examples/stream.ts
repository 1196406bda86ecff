// Reads records from a stream that can be read only once, such as standard input.
import { createReadStream } from 'node:fs'
import { readEvents, streamFile, streamSource } from 'clew'

const input = createReadStream('session.jsonl') // or process.stdin
for await (const event of readEvents(streamSource(input), streamFile())) {
  console.log(`${event.source.line}: ${event.kind}`)
}
