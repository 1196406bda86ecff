// Loads a session from a Blob, such as a file that was dropped on a page. Bytes may come from anywhere: a source only has to
// answer "bytes a to b of this file".
import type { ChunkSource, GenerationId, LogFile, SessionId } from 'clew'
import { loadSession } from 'clew/load'

const line = (uuid: string, parentUuid: string | null, content: string) =>
  JSON.stringify({ type: 'user', uuid, parentUuid, sessionId: 's', message: { role: 'user', content } })
const blob = new Blob([`${line('u1', null, 'First')}\n${line('u2', 'u1', 'Second')}\n`])

const source: ChunkSource = {
  async *read(_generation, from, to) {
    yield new Uint8Array(await blob.slice(from, Math.min(to, blob.size)).arrayBuffer())
  },
}
const log: LogFile = {
  path: 'dropped.jsonl',
  role: 'session',
  generation: 'dropped.jsonl' as GenerationId,
  size: blob.size,
  modifiedMs: 0,
}

const graph = await loadSession(source, { id: 's' as SessionId, slug: '', logs: [log], side: [] })
for (const turn of graph.turns) console.log(turn.index, turn.prompt, `${turn.events.length} events`)
