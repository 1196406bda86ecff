// Real sessions. What must be true of them is said per version of Claude Code.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { expect, test } from 'vitest'
import { clientHomes, publicHome } from '../../../test/needs.ts'
import { sessionId } from '../../model/ids.ts'
import type { GraphFile, SessionGraph } from '../../model/session.ts'
import { sessionDetail } from '../../session/detail.ts'
import { buildGraph, digestSession, linkSessions } from '../graph.ts'
import { graphFile } from '../testing.ts'

/** Graphs of all sessions of a home, grouped by file name and, for agent files, by folder or content. */
function homeGraphs(home: string): SessionGraph[] {
  const projects = join(home, 'projects')
  const sessions = new Map<string, { main: GraphFile[]; agents: GraphFile[] }>()
  for (const entry of readdirSync(projects, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.jsonl')) continue
    const path = join(entry.parentPath, entry.name)
    const [slug = '', folder = '', ...rest] = relative(projects, path).split(sep)
    const isAgent = entry.name.startsWith('agent-')
    const text = readFileSync(path, 'utf8')
    const inFile = /"sessionId":"([^"]+)"/.exec(text)?.[1] ?? 'none'
    const session = !isAgent ? basename(path, '.jsonl') : rest.length > 0 ? folder : inFile
    const files = sessions.get(`${slug}/${session}`) ?? { main: [], agents: [] }
    sessions.set(`${slug}/${session}`, files)
    if (!isAgent) files.main.push(graphFile(text, { session, path }))
    else files.agents.push(graphFile(text, { session, path, role: 'agent', agent: entry.name.slice(6, -6) }))
  }
  return [...sessions].map(([key, { main, agents }]) =>
    buildGraph(sessionId(key.slice(key.indexOf('/') + 1)), [...main, ...agents]),
  )
}

function totals(graphs: readonly SessionGraph[]): Record<string, number> {
  const found: Record<string, number> = { sessions: graphs.length }
  const count = (key: string, by = 1) => {
    found[key] = (found[key] ?? 0) + by
  }
  for (const graph of graphs) {
    count('events', graph.events.length)
    count('turns', graph.turns.length)
    count('branches', graph.branches.length)
    count('compactions', graph.compactions.length)
    for (const call of graph.toolCalls) count(`call ${call.outcome}`)
    for (const thread of graph.threads.slice(1))
      count(`subagent ${thread.isInternal ? 'internal' : (thread.linkedBy ?? 'unlinked')}`)
    for (const finding of graph.findings) count(finding.code)
  }
  return found
}

const inline = ['0.2.126', '1.0.3', '1.0.128']
const options = { tags: 'corpus', timeout: 120_000 }

test('sessions of every version: subagents linked, results paired, the one rewind found', options, () => {
  for (const home of clientHomes) {
    const version = basename(home)
    const graphs = homeGraphs(home)
    const found = totals(graphs)
    expect(found['tool-result-without-call'] ?? 0, version).toBe(0)
    expect(found['subagent unlinked'] ?? 0, version).toBe(0)
    // Inline sidechains have nothing but their prompt; agent files are named by the result.
    const link = inline.includes(version) ? 'subagent prompt' : 'subagent result'
    expect(found[link], version).toBeGreaterThan(7)
    for (const graph of graphs) {
      sessionDetail(graph, { slug: '', files: [], live: false, lineage: [] })
      for (const call of graph.toolCalls) expect(call.resultEvent, `${version} ${call.id}`).toBeDefined()
    }
    const forked = graphs.flatMap(graph => graph.branches).filter(branch => branch.forkedAt !== undefined)
    if (!inline.slice(0, 2).includes(version)) expect(forked.length, version).toBe(1)
    const lineage = [...linkSessions(graphs.map(digestSession)).values()].flat()
    expect(lineage.length, version).toBeGreaterThan(0)
  }
})

test('sessions that people published give graphs without surprises', options, () => {
  const graphs = homeGraphs(publicHome)
  const found = totals(graphs)
  expect(found['parent-loop'] ?? 0).toBe(0)
  expect(found['duplicate-uuid'] ?? 0).toBe(0)
  for (const graph of graphs) {
    const onThreads = graph.threads.reduce((sum, thread) => sum + thread.events.length, 0)
    expect(onThreads, graph.session).toBe(graph.events.filter(event => !event.flags.includes('copy')).length)
    expect(graph.threads.filter(thread => thread.call !== undefined && !thread.parentThread)).toEqual([])
  }
})
