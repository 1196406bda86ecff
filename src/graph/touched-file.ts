// Which file a tool call names and what the tool does to it: the one answer for lists, diffs, views, statistics and the index.
// What commands in a shell did to files is not known.

import { toMillis } from '../base/instant.ts'
import { asObject, asString } from '../base/json.ts'
import type { ToolCallBlock } from '../model/event.ts'
import type { CallFile, SessionGraph, ToolCall } from '../model/session.ts'

const touches: ReadonlyMap<string, CallFile['touch']> = new Map([
  ['Read', 'read'],
  ['NotebookRead', 'read'],
  ['View', 'read'],
  ['Write', 'write'],
  ['Replace', 'write'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['NotebookEdit', 'edit'],
  ['NotebookEditCell', 'edit'],
])

const pathFields = ['file_path', 'notebook_path', 'path', 'filePath'] as const

/** No system opens a longer one. */
const longestPath = 4096

/** `cwd`: of the record with the request. Undefined where the request names no path. */
export function fileOfCall({ name, input }: Pick<ToolCallBlock, 'name' | 'input'>, cwd?: string): CallFile | undefined {
  const fields = asObject(input)
  if (fields === undefined) return undefined
  for (const field of pathFields) {
    const path = asString(fields[field])
    if (!path || path.length > longestPath) continue
    return { path: wholePath(path, cwd), touch: touches.get(name) ?? 'other' }
  }
  return undefined
}

/** The file that the call read or changed. Undefined where it failed, was stopped or has no result: it touched nothing. */
export function touchedFile({ file, outcome }: ToolCall): CallFile | undefined {
  return outcome === 'done' && file !== undefined && file.touch !== 'other' ? file : undefined
}

/** Calls that name a file, those of all threads in the order of their requests: what one agent wrote another may have changed. */
export function fileCalls({ toolCalls, nodes }: Pick<SessionGraph, 'toolCalls' | 'nodes'>): FileCall[] {
  const calls = toolCalls.flatMap(call => {
    const { file, requestEvent } = call
    const at = toMillis(nodes.get(requestEvent)?.event.at ?? null)
    return file === undefined ? [] : [{ call, file, at }]
  })
  // A thread keeps its order: a call without a time is where the one before it is.
  const last = new Map<string, number>()
  const placed = calls.map(({ call, file, at }) => {
    const time = Math.max(at ?? 0, last.get(call.thread) ?? 0)
    last.set(call.thread, time)
    return { call, file, time }
  })
  return placed.sort((one, other) => one.time - other.time).map(({ call, file }) => ({ call, file }))
}

export interface FileCall {
  call: ToolCall
  file: CallFile
}

const driveStart = /^[A-Za-z]:[\\/]/
const shareStart = /^\\\\[^\\]/
/** As Git Bash writes `C:\`. */
const bashDriveStart = /^\/([A-Za-z])(?=\/|$)/
/** What a path has that can be written in another way. */
const unsettled = /\\|\/(?:\/|\.{1,2}(?:\/|$)|$)/

/**
 * As Claude Code finds it: a relative path is below `cwd`, where that is known, and a place has one spelling: `/a/../b//c` is `/b/c`,
 * `c:/a` is `C:\a`. A path that begins with `~` stays: the log does not say whose home it is. Upper and lower case stay, too.
 */
function wholePath(path: string, cwd = ''): string {
  if (path.startsWith('/') && !unsettled.test(path) && !driveStart.test(cwd)) return path
  if (/^~(?:[\\/]|$)/.test(path)) return path
  const named = driveStart.test(cwd) ? path.replace(bashDriveStart, (_start, drive: string) => `${drive}:/`) : path
  const whole = isAbsolute(named) || !isAbsolute(cwd) ? named : `${cwd}/${named}`
  if (driveStart.test(whole)) return joined(`${whole.charAt(0).toUpperCase()}:\\`, whole.slice(3), '\\')
  if (shareStart.test(whole)) return joined('\\\\', whole.slice(2), '\\')
  return whole.startsWith('/') ? joined('/', whole.slice(1), '/') : path
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || driveStart.test(path) || shareStart.test(path)
}

function joined(root: string, below: string, separator: '/' | '\\'): string {
  const names: string[] = []
  for (const name of below.split(separator === '/' ? '/' : /[\\/]/)) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return root + names.join(separator)
}
