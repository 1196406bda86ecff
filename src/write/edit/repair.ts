// A damaged session file → one that Claude Code resumes complete: every text, call and result that is in its bytes is sent again,
// in order. What is fine keeps its bytes; what cannot be placed stays, softly deleted. The steps build on each other: records,
// what identifies each, then how they hang together, then where a resume continues.

import type { JsonObject } from '../../base/json.ts'
import { WriteError } from '../wire/error.ts'
import { repairBranches } from './branches.ts'
import { repairCompaction } from './compaction.ts'
import { repairIdentity } from './identity.ts'
import { isMainValue, turnRound } from './nodes.ts'
import { repairParents } from './parents.ts'
import { readLines } from './read-lines.ts'
import type { RepairChange, RepairDraft } from './repair-draft.ts'
import { answerOpenCalls, deleteOrphanResults } from './results.ts'
import { mendEnd } from './resumed-line.ts'

export type { RepairChange }

export interface RepairOptions {
  /** A new UUID. */
  newId(): string
  /** Milliseconds since 1970, for records of a file in which nothing has a time. */
  now(): number
  /** Id of the new session; absent: it keeps its own. */
  session?: string
  /** The session that the file is named after, where that is known: lines of other sessions may be in it. */
  own?: string
}

/** The lines of a repaired log, and what was wrong. */
export interface RepairedLog {
  /** Of the repaired file, without line ends. */
  lines: string[]
  /** By line of the damaged file. Empty where nothing was wrong. */
  changes: RepairChange[]
  /** How many records are kept softly deleted. */
  setAside: number
}

/** Throws `not-resumable` where the bytes have no conversation. */
export function repairLog(bytes: Uint8Array, options: RepairOptions): RepairedLog {
  const draft = readLines(bytes)
  checkDialect(draft)
  turnRound(draft)
  repairIdentity(draft, options)
  if (!draft.entries.some(({ value }) => isMainValue(value) && isSpoken(value)))
    throw new WriteError('not-resumable', 'The file has no message of a main conversation.')
  repairCompaction(draft)
  deleteOrphanResults(draft)
  repairParents(draft)
  repairBranches(draft)
  answerOpenCalls(draft, options.newId)
  mendEnd(draft)
  const changes = draft.changes
    .map((change, at) => ({ change, at }))
    .sort((one, other) => one.change.line - other.change.line || one.at - other.at)
    .map(({ change }) => change)
  return { lines: draft.entries.map(({ text }) => text), changes, setAside: draft.setAside }
}

function isSpoken({ type, message }: JsonObject): boolean {
  return (type === 'user' || type === 'assistant') && message !== undefined
}

/** 000 and 003 have no resume to be complete for; they are converted. */
function checkDialect({ dialects }: RepairDraft): void {
  const of = (name: 'client' | 's0' | 's3'): number => dialects.get(name) ?? 0
  if (of('s0') + of('s3') > of('client'))
    throw new WriteError('not-resumable', 'The session is not written as Claude Code writes; convert it first.')
}
