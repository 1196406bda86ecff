// Decodes bytes as they come, chunk by chunk, and builds a graph of them: what a program with its own storage needs.
import { blocksText, eventFlags, eventId, eventKinds, hasFlag, hasMark, isErrorResult, sessionId, threadId } from 'clew'
import { EventDecoder, eventOptions, RecordDecoder } from 'clew/decode'
import { buildGraph } from 'clew/graph'
import { toEventLine, toRecordLine } from 'clew/load'

const bytes = new TextEncoder().encode(
  [
    '{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"List the files"}}',
    '{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}',
    '{"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"no such folder","is_error":true}]}}',
    '{"type":"user","uuid":"u4","parentUuid":"u3","sessionId":"s","isMeta":true,"message":{"role":"user","content":"Stay calm"}}\0',
  ].join('\n'),
)
const decoder = new RecordDecoder('mine.jsonl')
const events = new EventDecoder(eventOptions({ role: 'session', nameSession: 's' }))

const records = [...decoder.push(bytes.subarray(0, 100)), ...decoder.push(bytes.subarray(100)), ...decoder.end()]
const decoded = records.flatMap(record => events.decode(record) ?? [])
for (const record of records) console.log(Object.keys(toRecordLine(record)).length, 'keys', hasMark(record, 'nul'))
for (const event of decoded) {
  console.log(event.kind, hasFlag(event, 'meta'), blocksText(event.blocks), JSON.stringify(toEventLine(event)).length)
  for (const block of event.blocks) if (block.type === 'tool-result') console.log(isErrorResult(event, block))
}

const id = sessionId('s')
const graph = buildGraph(id, [{ path: 'mine.jsonl', role: 'session', events: decoded }])
console.log(graph.nodes.get(eventId('u3'))?.parent, graph.toolCalls[0]?.outcome, graph.toolCalls[0]?.id)
console.log(
  graph.threads.some(thread => thread.id === threadId(id)),
  eventKinds.length,
  eventFlags.includes('meta'),
)
