import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonText } from '../../../src/base/json.ts'
import { discover } from '../../../src/disk/discover/discover.ts'
import { diskSource } from '../../../src/disk/read/read.ts'
import { buildContext } from '../../../src/graph/context/context.ts'
import type { LogRecord } from '../../../src/model/record.ts'
import type { SessionGraph } from '../../../src/model/session.ts'
import type { Discovery } from '../../../src/model/source.ts'
import { loadSession, readRecords, toEventLine } from '../../../src/session/load.ts'
import { clientHomes, publicHome } from '../../needs.ts'

const roots = [...clientHomes, publicHome]

/** Loads everything under a root, and gathers what its records are. */
async function loadAll(root: string): Promise<{ discovery: Discovery; graphs: SessionGraph[]; records: LogRecord[] }> {
  const discovery = await discover(root)
  const graphs: SessionGraph[] = []
  const records: LogRecord[] = []
  for (const session of discovery.sessions) {
    graphs.push(await loadSession(diskSource(), session, {}, (_file, record) => records.push(record)))
  }
  return { discovery, graphs, records }
}

/** How a subagent can be linked in each version at best. */
const linksByVersion: Readonly<Record<string, readonly string[]>> = {
  '0.2.126': ['prompt'],
  '1.0.3': ['prompt'],
  '1.0.128': ['prompt'],
  '2.0.77': ['result'],
  '2.1.20': ['result', 'progress'],
  '2.1.45': ['result', 'progress'],
  '2.1.100': ['meta', 'result'],
}

describe('real logs', { tags: 'corpus' }, () => {
  it.each(roots.map(root => [basename(root), root]))(
    'of %s: every byte is accounted for and every record is known or named',
    async (_name, root) => {
      const { discovery, records } = await loadAll(root)
      const files = [
        ...discovery.sessions.flatMap(session => session.logs),
        ...discovery.histories,
        ...discovery.strays,
      ]
      for (const file of files) {
        let at = 0
        for await (const record of readRecords(diskSource(), file)) {
          expect(record.offset).toBe(at)
          at += record.bytes
        }
        expect(at).toBe(file.size)
      }
      const unnamed = records.filter(record => record.status === 'unknown' && record.type === null)
      expect(unnamed.map(record => [record.file, record.line])).toEqual([])
      expect(records.filter(record => record.status === 'malformed').length).toBe(0)
      expect(discovery.findings).toEqual([])
    },
  )

  it.each(roots.map(root => [basename(root), root]))(
    'of %s: graph and context lose no result whose call they keep',
    async (_name, root) => {
      const { graphs } = await loadAll(root)
      for (const graph of graphs) {
        const blocks = graph.events.filter(event => !event.flags.includes('copy')).flatMap(event => event.blocks)
        const results = new Set(blocks.flatMap(block => (block.type === 'tool-result' ? [block.callId] : [])))
        for (const call of graph.toolCalls) expect(call.resultEvent !== undefined).toBe(results.has(call.id))
        const sent = buildContext(graph).messages.flatMap(message => message.blocks)
        const sentResults = new Set(sent.flatMap(block => (block.type === 'tool-result' ? [block.callId] : [])))
        for (const block of sent) if (block.type === 'tool-call') expect(sentResults).toContain(block.callId)
        for (const event of graph.events) expect(jsonText(toEventLine(event))).not.toBe('')
      }
    },
  )

  it.each(roots.filter(root => linksByVersion[basename(root)]).map(root => [basename(root), root]))(
    'of %s: subagents are linked as that version allows',
    async (version, root) => {
      const { graphs } = await loadAll(root)
      const threads = graphs
        .flatMap(graph => graph.threads)
        .filter(thread => thread.kind === 'subagent' && !thread.isInternal)
      expect(threads.length).toBeGreaterThan(0)
      for (const thread of threads) expect(linksByVersion[version]).toContain(thread.linkedBy)
    },
  )
})
