// Follows a log that grows, and reads single records by their places: what a viewer needs.
import { open, readFile } from 'node:fs/promises'
import { callId, discover, diskSource } from 'clew'
import { buildGraph } from 'clew/graph'
import { decodePiece, eventDecoder, GrowingLog, graphFile, originTime, recordBatches } from 'clew/load'

const { sessions } = await discover('a.jsonl')
const [session] = sessions
const [log] = session?.logs ?? []
if (!session || !log) throw new Error('no such session')

const growing = new GrowingLog(log, session.id)
const bytes = await readFile('a.jsonl')
for (const end of [2_000, bytes.length]) {
  growing.push(bytes.subarray(growing.bytes, end))
  const graph = buildGraph(session.id, [graphFile(log, growing.events())])
  console.log(`${growing.bytes} bytes: ${growing.events().length} events, ${graph.turns.length} turns`)
}

// The bytes of one event, read by its place.
const sixth = growing.events()[5]
if (!sixth) throw new Error('too short')
const { offset, bytes: length } = sixth.source
const file = await open('a.jsonl')
const { buffer } = await file.read(Buffer.alloc(length), 0, length, offset)
await file.close()
const again = decodePiece(log, session.id, sixth, buffer)
console.log(again?.kind, again?.blocks.map(block => block.type).join())

// Batches cost least where a file is large.
const decoder = eventDecoder(log)
let calls = 0
const wanted = callId('toolu_none')
for await (const batch of recordBatches(diskSource(), log))
  for (const record of batch)
    for (const event of decoder.decode(record))
      for (const block of event.blocks) if (block.type === 'tool-call' && block.callId !== wanted) calls++
console.log(calls, 'calls')

// When a record that a fork copied was written first.
const uuid = String(again?.record.value?.['uuid'])
console.log(await originTime(diskSource(), { session: session.id, uuid }, async () => session))
