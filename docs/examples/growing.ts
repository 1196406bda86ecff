// Follows a log that grows, and reads a large one in batches: what a viewer needs.
import { readFile } from 'node:fs/promises'
import { callId, discover, diskSource } from 'clew'
import { buildGraph } from 'clew/graph'
import { GrowingLog, graphFile, readEvents, recordBatches } from 'clew/load'

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

// Batches cost least where only records are needed.
let records = 0
for await (const batch of recordBatches(diskSource(), log)) records += batch.length
console.log(records, 'records')

let calls = 0
const unwanted = callId('toolu_none')
for await (const event of readEvents(diskSource(), log))
  for (const block of event.blocks) if (block.type === 'tool-call' && block.callId !== unwanted) calls++
console.log(calls, 'calls')
