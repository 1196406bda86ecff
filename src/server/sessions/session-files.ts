// The files of one session as they are now: what the index knew of them, looked at again, with files that came since. It
// reads folders and sizes, no log.

import { discover } from '../../disk/discover/discover.ts'
import type { FileTree } from '../../disk/discover/tree.ts'
import type { LogFile, SessionFiles } from '../../model/source.ts'

/** A session that was written to within this time may get new files. */
const recentMs = 3_600_000

/** `known`: from the index, or from an earlier look. */
export async function filesNow(known: SessionFiles, tree: FileTree, now = Date.now()): Promise<SessionFiles> {
  const logs = known.logs.map(log => logNow(log, tree))
  const main = logs.find(log => log.role === 'session' && log.isKept !== true)
  if (main === undefined || now - main.modifiedMs > recentMs) return { ...known, logs }
  const found = (await discover(main.path, tree)).sessions.find(session => session.id === known.id)
  if (found === undefined) return { ...known, logs }
  return { ...known, logs: joined(logs, found.logs), side: joined(known.side, found.side) }
}

/** What is no longer there stays as it was known: reading it says what is wrong. */
function logNow(log: LogFile, tree: FileTree): LogFile {
  try {
    const stat = tree.stat(log.path)
    if (stat.kind !== 'file') return log
    const { kind: _kind, ...facts } = stat
    const { isKept: _isKept, earlier: _earlier, ...rest } = log
    return { ...rest, ...facts }
  } catch {
    return log
  }
}

/** Those known in their order, then new ones: main files come first, agent files after them. */
function joined<File extends { path: string; role?: string }>(known: readonly File[], found: readonly File[]): File[] {
  const byPath = new Map(found.map(file => [file.path, file]))
  const all = known.map(file => {
    const newer = byPath.get(file.path)
    byPath.delete(file.path)
    return newer === undefined ? file : { ...file, ...newer }
  })
  all.push(...byPath.values())
  return all.sort((one, other) => Number(one.role !== 'session') - Number(other.role !== 'session'))
}

/** Equal as long as nothing was written. */
export function stampOf({ logs, side }: SessionFiles): string {
  const parts = logs.map(({ path, generation, size }) => `${path} ${generation} ${size}`)
  return `${parts.join('\n')}\n${side.length}`
}
