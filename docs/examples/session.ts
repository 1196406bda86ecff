// Loads a session with all its files and follows what belongs together.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { discover, diskSource, loadSession, sessionDetail } from 'clew'

const { sessions } = await discover(join(homedir(), '.claude'))
const files = sessions.find(session => session.id.startsWith('704f1849'))
if (!files) throw new Error('no such session')

const graph = await loadSession(diskSource(), files)
console.log(`${graph.turns.length} turns, ${graph.toolCalls.length} calls, ${graph.branches.length} branches`)

for (const thread of graph.threads) {
  const calls = graph.toolCalls.filter(call => call.thread === thread.id)
  const names = calls.map(call => `${call.name} ${call.outcome}`)
  console.log(`${thread.kind} ${thread.agentType ?? ''} (${thread.linkedBy ?? 'not linked'}): ${names.join(', ')}`)
}

const detail = sessionDetail(graph, { slug: files.slug, files: [], live: false, lineage: [] })
console.log(detail.title, detail.models.join())
