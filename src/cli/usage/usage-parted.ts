// Messages parted by what the place of their record tells, such as a branch. Nothing is summed here: a message's thread is
// renamed so that sums are parted as well.

import type { SessionFiles } from '../../model/source.ts'
import type { UsageFile, UsageMessage } from '../../model/spent.ts'
import type { EventReader } from './usage-lookup.ts'
import type { SessionNames } from './usage-sessions.ts'

/** What the record at a place counts for; the path is empty for a place in an earlier content of a file. */
export type OwnerOf = (path: string, offset: number) => string

/** Looks into one session. */
export type Parting = (session: SessionFiles) => Promise<OwnerOf>

export interface Parted {
  messages: UsageMessage[]
  /** What a renamed thread was called, and what owns it. */
  threadOf(renamed: string): string
  ownerOf(renamed: string): string
}

/** Goes through the sessions one by one. `rest`: the owner of messages whose session cannot be looked into. */
export async function partedMessages(
  { messages, files }: { messages: readonly UsageMessage[]; files: readonly UsageFile[] },
  sessions: SessionNames,
  parting: Parting,
  rest: string,
): Promise<Parted> {
  const renaming = new Renaming(rest)
  const isCurrent = currentFiles(files)
  const parted: UsageMessage[] = []
  for (const [id, own] of bySession(messages)) {
    const session = sessions.row(id)?.session
    const ownerOf: OwnerOf = session === undefined ? () => rest : await parting(session)
    for (const message of own) {
      const path = isCurrent[message.file] ? (files[message.file]?.path ?? '') : ''
      parted.push({ ...message, thread: renaming.name(ownerOf(path, message.offset), message.thread) })
    }
  }
  return { messages: parted, threadOf: name => renaming.thread(name), ownerOf: name => renaming.owner(name) }
}

/** Names for pairs of an owner and a thread. */
class Renaming {
  private readonly rest: string
  private readonly pairs: { owner: string; thread: string }[] = []
  private readonly names = new Map<string, Map<string, string>>()

  constructor(rest: string) {
    this.rest = rest
  }

  name(owner: string, thread: string): string {
    const threads = this.names.get(owner) ?? new Map<string, string>()
    this.names.set(owner, threads)
    const known = threads.get(thread)
    if (known !== undefined) return known
    const name = String(this.pairs.length)
    this.pairs.push({ owner, thread })
    threads.set(thread, name)
    return name
  }

  owner(name: string): string {
    return this.pairs[Number(name)]?.owner ?? this.rest
  }

  thread(name: string): string {
    return this.pairs[Number(name)]?.thread ?? ''
  }
}

/** Sessions are made of the latest content of each path. */
function currentFiles(files: readonly UsageFile[]): boolean[] {
  const latest = new Map<string, number>()
  for (const { path, number } of files) latest.set(path, Math.max(number, latest.get(path) ?? number))
  return files.map(({ path, number }) => latest.get(path) === number)
}

function bySession(messages: readonly UsageMessage[]): Map<string, UsageMessage[]> {
  const groups = new Map<string, UsageMessage[]>()
  for (const message of messages) {
    const group = groups.get(message.session)
    if (group) group.push(message)
    else groups.set(message.session, [message])
  }
  return groups
}

/** A branch as a row of a report. */
export interface BranchRow {
  /** What the row is called in the report. */
  key: string
  session: string
  /** Id of its last event. */
  leaf: string
  isActive: boolean
  /** How its first prompt begins. */
  label: string
}

/** The row of all sessions that never went back. */
export const noBranches = '(no branches)'

export const noGitBranch = '(no git branch)'

/** As the record says; where its place is not known, as the session's last record does. */
export function gitBranchParting(read: EventReader, sessions: SessionNames): Parting {
  return async session => {
    const branches = new Map<string, string | undefined>()
    await read(session, ({ wireType, source, gitBranch }) => {
      if (wireType === 'assistant' || wireType === 'progress')
        branches.set(`${source.offset} ${source.file}`, gitBranch)
    })
    const last = sessions.row(session.id)?.gitBranch
    return (path, offset) => {
      const place = `${offset} ${path}`
      return (branches.has(place) ? branches.get(place) : last) || noGitBranch
    }
  }
}
