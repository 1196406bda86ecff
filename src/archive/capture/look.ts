// What a file's facts alone tell: whether it is as it was seen at the last run, and when its turn is. No file is opened.

import { inRuleOrder, isMainLog } from './rules.ts'
import { type FileState, leftOut, type Seen, type Sight, seenKey, stateText } from './seen.ts'
import type { LiveFile } from './survey.ts'

export function sightOf(file: LiveFile, seen: Seen | null): Sight | undefined {
  return seen?.files.get(seenKey(file.home, file.path))
}

export function isAsSeen(file: LiveFile, seen: Seen | null): boolean {
  return sightOf(file, seen)?.state === stateText(file.state)
}

/** How many of the files a rule left out at the last run. */
export function countLeftOut(files: readonly LiveFile[], seen: Seen): number {
  const keys = new Set<string>()
  for (const [key, { generation }] of seen.files) if (generation === leftOut) keys.add(key)
  return keys.size === 0 ? 0 : files.filter(file => keys.has(seenKey(file.home, file.path))).length
}

/** A change within this time of a look may have been followed by one that left no trace in the file's times. */
const racyMs = 2000

/**
 * The state to remember of a file that was read from `lookedAtMs` on; one that equals no state where it changed just before.
 * The time of the content can be set back, that of the last change of anything cannot.
 */
export function settledText(state: FileState, lookedAtMs: number): string {
  return isSettled(state, lookedAtMs) ? stateText(state) : 'racy'
}

/** Whether a later change would show. */
export function isSettled(state: FileState, lookedAtMs: number): boolean {
  return lookedAtMs - Math.max(state.mtimeMs, state.ctimeMs) > racyMs
}

/** So many of the oldest are looked through for short ones. */
const soonCount = 64

/**
 * Session files first, then agent files, since what lies beside a session file follows its rules; among each kind the oldest
 * first, since those are what the client deletes next. `isSoon`: somebody waits for whole sessions, so each is followed by what
 * lies in its folder, and of the oldest ones the shortest come first.
 */
export function inOrder(files: readonly LiveFile[], isSoon = false): LiveFile[] {
  const oldestFirst = [...files].sort((a, b) => a.state.mtimeMs - b.state.mtimeMs)
  const ordered = inRuleOrder(oldestFirst, file => file.path)
  if (!isSoon) return ordered
  const mains = ordered.findIndex(file => !isMainLog(file.path))
  const first = ordered.splice(0, mains === -1 ? soonCount : Math.min(mains, soonCount))
  return withTheirOwn([...first.sort((a, b) => a.state.size - b.state.size), ...ordered])
}

/** After each session file what lies in the folder of its name. */
function withTheirOwn(ordered: readonly LiveFile[]): LiveFile[] {
  const owners = new Map<string, LiveFile[]>()
  const groups: LiveFile[][] = []
  for (const file of ordered) {
    const own = isMainLog(file.path) ? undefined : owners.get(ownerOf(file))
    if (own !== undefined) own.push(file)
    else {
      const group = [file]
      groups.push(group)
      if (isMainLog(file.path)) owners.set(`${file.home}/${file.path.replace(/\.jsonl$/, '')}`, group)
    }
  }
  return groups.flat()
}

/** The folder of a session within its project: `projects/<slug>/<session>`. */
function ownerOf({ home, path }: LiveFile): string {
  return `${home}/${path.split('/', 3).join('/')}`
}
