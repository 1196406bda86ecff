// Which dialect a session is continued in, from some of its records. 000, 003 and 004 have marks of their own; 001 and 002 describe
// what Claude Code wrote once, without some of its fields. Everything else is continued as Claude Code writes.

import { asNumber, asObject, asString } from '../../base/json.ts'
import { isChainEvent, type SessionEvent } from '../../model/event.ts'
import type { WireDialect } from './dialects.ts'

/** Fields that Claude Code writes and no specification has in every file. */
const clientFields = [
  'entrypoint',
  'permissionMode',
  'todos',
  'thinkingMetadata',
  'slug',
  'promptId',
  'effort',
] as const
/** Types of records that 001 and 002 know between them. */
const specified: ReadonlySet<string> = new Set([
  'user',
  'assistant',
  'progress',
  'system',
  'summary',
  'file-history-snapshot',
  'queue-operation',
])

/** `events`: from the head and the tail of a log. */
export function dialectOf(events: readonly SessionEvent[]): WireDialect {
  const count = (dialect: string) => events.filter(event => event.dialect === dialect).length
  const [client, s0, s3] = [count('client'), count('s0'), count('s3')]
  if (s0 > 0 && s0 >= client && s0 >= s3) return 's0'
  if (s3 > 0 && s3 >= client) return 's3'
  const chain = events.filter(isChainEvent)
  if (chain.length === 0) return 'real'
  if (isOf004(chain)) return 's4'
  return isPlain(events, chain) ? eraOf(chain) : 'real'
}

/** Costs in every answer, no branch of git: what 1.0.3 wrote. */
function isOf004(chain: readonly SessionEvent[]): boolean {
  if (chain.some(({ record }) => 'gitBranch' in (record.value ?? {}))) return false
  const answers = chain.filter(({ kind }) => kind === 'answer')
  if (answers.length > 0) return answers.every(({ record }) => asNumber(record.value?.['costUSD']) !== undefined)
  return chain.every(({ version }) => /^1\.0\.\d$/.test(version ?? ''))
}

function isPlain(events: readonly SessionEvent[], chain: readonly SessionEvent[]): boolean {
  if (events.some(({ wireType }) => !specified.has(wireType))) return false
  return !chain.some(({ record: { value = {} } }) => clientFields.some(field => field in value))
}

/** 001 was written of 2.1.20, 002 of 2.1.44 and 2.1.45; a first version and a version without marks are older clients. */
function eraOf(chain: readonly SessionEvent[]): WireDialect {
  const version = chain.map(({ record }) => asString(record.value?.['version'])).findLast(one => one !== undefined)
  const minor = Number(/^2\.1\.(\d+)$/.exec(version ?? '')?.[1] ?? Number.NaN)
  if (Number.isNaN(minor) || minor >= 78) return 'real'
  const answers = chain.filter(({ kind }) => kind === 'answer')
  const states = answers.some(
    ({ record }) => asString(asObject(record.value?.['message'])?.['stop_reason']) !== undefined,
  )
  if (answers.length > 0) return states ? 's1' : 's2'
  return minor < 44 ? 's1' : 's2'
}
