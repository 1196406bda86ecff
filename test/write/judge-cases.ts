// What scripts/judge.mjs lets Claude Code resume: groups of written sessions, each with what a resume must send. A new kind of
// writing gets a group of its own here.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { decodeText } from '../../src/decode/decode.ts'
import { buildGraph } from '../../src/graph/graph.ts'
import { sessionId } from '../../src/model/ids.ts'
import { convertSession } from '../../src/write/wire/convert.ts'
import { clientHomes, corpusFolder } from '../needs.ts'
import { damages } from './damages.ts'
import { damagedCase, type ResumeCase, repaired, variantCases } from './repaired.ts'
import { type ApiMessage, contextOf, missing, type Said, saidBy, sentByApi } from './said.ts'

/** A session file that Claude Code is to resume. */
export interface JudgeCase {
  name: string
  session: string
  lines: string[]
  /** Files of its subagents, by agent. */
  agents?: readonly { agent: string; lines: string[] }[]
  asked: Said[]
}

export type JudgeGroup = () => JudgeCase[]

export const groups: Readonly<Record<string, JudgeGroup>> = {
  convert: () => sampleFiles().flatMap(convertedSample),
  'repair resume': () => variantCases('resume').flatMap(repairedCase),
  'repair resume2': () => variantCases('resume2').flatMap(repairedCase),
  'repair damage': damagedSessions,
}

/** What of a case is missing in the request that was sent; empty where it is complete. */
export function lacking({ asked }: JudgeCase, messages: readonly ApiMessage[]): string[] {
  return missing(asked, sentByApi(messages))
}

const samples = 'samples/home'

function sessionFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.jsonl') && !/(^|[\\/])(agent-[^\\/]*|history|journal)\.jsonl$/.test(name))
    .map(name => join(folder, name))
    .sort()
}

const sampleFiles = (): string[] => sessionFiles(samples)

function convertedSample(file: string): JudgeCase[] {
  const name = basename(file, '.jsonl')
  const { events } = decodeText(readFileSync(file), { session: name })
  const graph = buildGraph(sessionId(name), [{ path: file, role: 'session', events }])
  const context = contextOf(readFileSync(file), name)
  if (!context.resumable) return []
  let made = 0
  const newId = (): string => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`
  const { session, lines, agents } = convertSession(graph, 'real', { newId, now: () => Date.UTC(2026, 5, 1) })
  return [{ name, session, lines, agents, asked: saidBy(events, context) }]
}

function repairedCase({ name, bytes, session, asked }: ResumeCase): JudgeCase[] {
  return asked === null ? [] : [{ name, session, lines: repaired(bytes, { own: session }).lines, asked }]
}

/** Every damage to two sessions, of other clients each time. */
function damagedSessions(): JudgeCase[] {
  const folders = [...clientHomes.filter(home => existsSync(home)), join(corpusFolder, 'public'), samples]
  const files = folders.flatMap(folder => sessionFiles(folder).filter(isTalk).slice(0, 3))
  return Object.keys(damages).flatMap((damage, at) =>
    [at * 2, at * 2 + 1].flatMap(number => {
      const file = files[number % files.length] as string
      return repairedCase(damagedCase(file, damage)).map(one => ({ ...one, name: `${damage}: ${basename(file)}` }))
    }),
  )
}

/** A conversation with calls that is not long. */
function isTalk(file: string): boolean {
  const text = readFileSync(file, 'utf8')
  const session = basename(file, '.jsonl')
  if (text.length > 400_000 || (text.match(/"tool_use_id"/g) ?? []).length < 3) return false
  return (
    /^[0-9a-f-]{36}$/.test(session) &&
    decodeText(text).events.every(({ dialect }) => dialect !== 's0' && dialect !== 's3')
  )
}
