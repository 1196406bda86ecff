// Which tools were called, how that ended, and which files they touched. It counts calls as the graph paired them.

import { asObject, asString } from '../base/json.ts'
import type { SessionEvent } from '../model/event.ts'
import type { SessionGraph, ToolCall } from '../model/session.ts'
import { type Spread, spreadOf } from './stats-spread.ts'

export interface ToolStats {
  /** As the log names it, `mcp__server__tool` included. */
  name: string
  /** Of an MCP tool. */
  server?: string
  calls: number
  failed: number
  interrupted: number
  /** Calls whose result is not in the log. */
  missing: number
  /** From request to result, of the calls that have both times. */
  durationMs: Spread
  /** Bytes of the records that hold its results. */
  resultBytes: number
}

export interface ServerStats {
  server: string
  tools: number
  calls: number
  failed: number
  resultBytes: number
}

export interface FileStats {
  path: string
  reads: number
  /** Written whole. */
  writes: number
  edits: number
}

interface ToolTally {
  calls: number
  failed: number
  interrupted: number
  missing: number
  durations: number[]
  resultBytes: number
}

type Touch = 'reads' | 'writes' | 'edits'

const touches: ReadonlyMap<string, Touch> = new Map([
  ['Read', 'reads'],
  ['NotebookRead', 'reads'],
  ['View', 'reads'],
  ['Write', 'writes'],
  ['Replace', 'writes'],
  ['Edit', 'edits'],
  ['MultiEdit', 'edits'],
  ['NotebookEdit', 'edits'],
  ['NotebookEditCell', 'edits'],
])

/** The MCP server of a tool's name, where it has one: `mcp__server__tool`. */
function serverOf(name: string): string | undefined {
  if (!name.startsWith('mcp__')) return undefined
  const end = name.indexOf('__', 5)
  return end < 0 ? undefined : name.slice(5, end)
}

export class ToolTallies {
  private readonly tools = new Map<string, ToolTally>()
  private readonly files = new Map<string, FileStats>()

  /** `isCopied`: whether a call was counted with the session it was copied from. */
  add(graph: SessionGraph, isCopied: (call: ToolCall) => boolean): void {
    for (const call of graph.toolCalls) {
      if (isCopied(call)) continue
      const result = call.resultEvent === undefined ? undefined : graph.nodes.get(call.resultEvent)?.event
      this.count(call, result)
      this.touch(call)
    }
  }

  private count(call: ToolCall, result: SessionEvent | undefined): void {
    let tally = this.tools.get(call.name)
    if (tally === undefined) {
      tally = { calls: 0, failed: 0, interrupted: 0, missing: 0, durations: [], resultBytes: 0 }
      this.tools.set(call.name, tally)
    }
    tally.calls++
    if (call.status === 'failed' || call.status === 'interrupted' || call.status === 'missing') tally[call.status]++
    if (call.durationMs !== undefined && call.durationMs >= 0) tally.durations.push(call.durationMs)
    if (result !== undefined) tally.resultBytes += Math.round(result.source.bytes / resultsIn(result))
  }

  private touch(call: ToolCall): void {
    const touch = touches.get(call.name)
    const path = touch === undefined || call.status !== 'done' ? undefined : pathOf(call.input)
    if (touch === undefined || path === undefined) return
    const file = this.files.get(path) ?? { path, reads: 0, writes: 0, edits: 0 }
    file[touch]++
    this.files.set(path, file)
  }

  /** The most called first. */
  toolStats(): ToolStats[] {
    const rows = [...this.tools].map(([name, { durations, ...counts }]) => {
      const server = serverOf(name)
      const named = server === undefined ? { name } : { name, server }
      return { ...named, ...counts, durationMs: spreadOf(durations) }
    })
    return rows.sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1))
  }

  serverStats(): ServerStats[] {
    const servers = new Map<string, ServerStats>()
    for (const [name, tally] of this.tools) {
      const server = serverOf(name)
      if (server === undefined) continue
      const row = servers.get(server) ?? { server, tools: 0, calls: 0, failed: 0, resultBytes: 0 }
      row.tools++
      row.calls += tally.calls
      row.failed += tally.failed
      row.resultBytes += tally.resultBytes
      servers.set(server, row)
    }
    return [...servers.values()].sort((a, b) => b.calls - a.calls || (a.server < b.server ? -1 : 1))
  }

  /** Those touched most first. */
  fileStats(): FileStats[] {
    const times = (file: FileStats) => file.reads + file.writes + file.edits
    return [...this.files.values()].sort((a, b) => times(b) - times(a) || (a.path < b.path ? -1 : 1))
  }
}

/** Several results may share one record. */
function resultsIn(event: SessionEvent): number {
  let results = 0
  for (const block of event.blocks) if (block.type === 'tool-result') results++
  return Math.max(1, results)
}

function pathOf(input: unknown): string | undefined {
  const fields = asObject(input)
  return asString(fields?.['file_path']) ?? asString(fields?.['notebook_path']) ?? asString(fields?.['path'])
}
