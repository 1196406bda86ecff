// Large outputs lie in files of their own beside the log (`tool-results/*.txt`). This finds each file's call: by the path
// that a result names, else by the call's id in the file name, else by MCP server, tool and time. It reads no file.

import { toMillis } from '../../base/instant.ts'
import { callId } from '../../model/ids.ts'
import type { SideFile } from '../../model/source.ts'
import type { Calls, PairedCall } from './calls.ts'

export function hangSpillFiles(calls: Calls, side: readonly SideFile[]): void {
  const files = side.filter(file => file.kind === 'tool-result')
  if (files.length === 0) return
  const taken = takeNamedPaths(calls, files)
  const rest = files.filter(file => !taken.has(file.path))
  const unnamed = rest.filter(file => !takeByCallId(calls, file))
  takeByMcpName(calls, unnamed)
}

/** The path in the log may be another machine's, or from before a move: the file's name is enough. */
function takeNamedPaths(calls: Calls, files: readonly SideFile[]): Set<string> {
  const byName = new Map<string, SideFile>()
  for (const file of files) byName.set(nameOf(file.path), file)
  const taken = new Set<string>()
  for (const { call } of calls.list) {
    const file = call.spillFile === undefined ? undefined : byName.get(nameOf(call.spillFile))
    if (file === undefined) continue
    call.spillFile = file.path
    taken.add(file.path)
  }
  return taken
}

function takeByCallId(calls: Calls, file: SideFile): boolean {
  const stem = nameOf(file.path).replace(/\.[^.]*$/, '')
  const parts = [stem, ...(stem.match(/toolu_[A-Za-z0-9]+/g) ?? []), ...stem.split(/[-.]/)]
  for (const part of parts) {
    const paired = calls.byId.get(callId(part))
    if (paired === undefined) continue
    paired.call.spillFile ??= file.path
    return true
  }
  return false
}

/** How far apart a result and the writing of its file may be. */
const nearMs = 60_000

/** `mcp-<server>-<tool>-<ms>.txt` belongs to the call of that tool whose result is nearest in time. */
function takeByMcpName(calls: Calls, files: readonly SideFile[]): void {
  const named = files.flatMap(file => {
    const match = /^(mcp-.+)-(\d{10,})\.[^.]*$/.exec(nameOf(file.path))
    return match ? [{ file, tool: match[1] as string, ms: Number(match[2]) }] : []
  })
  if (named.length === 0) return
  const byTool = mcpCalls(calls)
  for (const { file, tool, ms } of named.sort((one, other) => one.ms - other.ms)) {
    const nearest = nearestCall(byTool.get(tool) ?? [], ms)
    if (nearest) nearest.call.spillFile = file.path
  }
}

interface TimedCall {
  ms: number
  paired: PairedCall
}

function mcpCalls(calls: Calls): Map<string, TimedCall[]> {
  const byTool = new Map<string, TimedCall[]>()
  for (const paired of calls.list) {
    const ms = toMillis(paired.result?.event.at)
    if (ms === null || !paired.call.name.startsWith('mcp__') || paired.call.spillFile !== undefined) continue
    const tool = paired.call.name.replace(/__/g, '-').replace(/[^A-Za-z0-9_-]/g, '-')
    const list = byTool.get(tool)
    if (list) list.push({ ms, paired })
    else byTool.set(tool, [{ ms, paired }])
  }
  for (const list of byTool.values()) list.sort((one, other) => one.ms - other.ms)
  return byTool
}

/** The free call nearest to a time; `list` is sorted by time. */
function nearestCall(list: readonly TimedCall[], ms: number): PairedCall | undefined {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list[middle] as TimedCall).ms < ms) low = middle + 1
    else high = middle
  }
  let best: TimedCall | undefined
  for (const candidate of [list[low - 1], list[low]]) {
    if (candidate === undefined || candidate.paired.call.spillFile !== undefined) continue
    if (best === undefined || Math.abs(candidate.ms - ms) < Math.abs(best.ms - ms)) best = candidate
  }
  return best && Math.abs(best.ms - ms) <= nearMs ? best.paired : undefined
}

function nameOf(path: string): string {
  return path.replace(/^.*[\\/]/, '')
}
