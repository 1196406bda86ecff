// What scripts/judge.mjs lets Claude Code resume: groups of written sessions, each with what a resume must send. A new kind of
// writing gets a group of its own here.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { decodeText } from '../../src/decode/decode.ts'
import { discover } from '../../src/disk/discover/discover.ts'
import { diskSource } from '../../src/disk/read/read.ts'
import { buildContext } from '../../src/graph/context/context.ts'
import { buildGraph } from '../../src/graph/graph.ts'
import { sessionId } from '../../src/model/ids.ts'
import { forkSession } from '../../src/write/edit/fork.ts'
import { type EditedSession, type EditOptions, type ReadSession, readSession } from '../../src/write/edit/session.ts'
import { trimSession } from '../../src/write/edit/trim.ts'
import { convertSession } from '../../src/write/wire/convert.ts'
import { WriteError } from '../../src/write/wire/error.ts'
import { openSession } from '../../src/write/write.ts'
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

export type JudgeGroup = () => JudgeCase[] | Promise<JudgeCase[]>

export const groups: Readonly<Record<string, JudgeGroup>> = {
  convert: () => sampleFiles().flatMap(convertedSample),
  'repair resume': () => variantCases('resume').flatMap(repairedCase),
  'repair resume2': () => variantCases('resume2').flatMap(repairedCase),
  'repair damage': damagedSessions,
  fork: () => edited(forkedWhole),
  'fork at': () => edited(forkedInTheMiddle),
  trim: () => edited(trimmed),
  compact: () => edited(compacted),
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

/** Samples, and sessions of each client, that resume: read, and turned into a case. */
async function edited(make: (origin: ReadSession) => JudgeCase[] | Promise<JudgeCase[]>): Promise<JudgeCase[]> {
  const cases: JudgeCase[] = []
  const homes = [samples, ...clientHomes.filter(home => existsSync(home))]
  for (const home of homes) {
    const { sessions } = await discover(home)
    const some =
      home === samples ? sessions : sessions.filter(({ logs }) => logs.some(({ path }) => isTalk(path))).slice(0, 3)
    for (const files of some) {
      const origin = await readSession(diskSource(), files)
      if (!buildContext(origin.graph).resumable) continue
      if (origin.graph.events.some(({ dialect }) => dialect === 's0' || dialect === 's3')) continue
      cases.push(...(await make(origin)))
    }
  }
  return cases
}

let made = 0
const editing: EditOptions = {
  newId: () => `00000000-0000-4000-9000-${String(++made).padStart(12, '0')}`,
  now: () => Date.UTC(2026, 5, 1),
}

function caseOf(origin: ReadSession, { session, lines, files }: EditedSession, asked: Said[]): JudgeCase {
  const agents = files.flatMap(({ path, content }) => {
    const agent = /agent-(.*)\.jsonl$/.exec(path)?.[1]
    return agent === undefined || !('lines' in content) ? [] : [{ agent, lines: content.lines }]
  })
  const renamed = asked.map(one => ({
    ...one,
    key: one.key.replaceAll(`/${origin.files.id}/tool-results/`, `/${session}/tool-results/`),
  }))
  return { name: origin.files.id, session, lines, agents, asked: renamed }
}

/** What the origin itself resumes with. */
function saidByOrigin({ graph }: ReadSession): Said[] {
  return saidBy(graph.events, buildContext(graph))
}

function forkedWhole(origin: ReadSession): JudgeCase[] {
  return [caseOf(origin, forkSession(origin, editing), saidByOrigin(origin))]
}

/** At the last answer of the first half of what is sent: all that is sent before it. */
function forkedInTheMiddle(origin: ReadSession): JudgeCase[] {
  const { messages } = buildContext(origin.graph)
  const answers = messages.filter(
    ({ role, blocks }) => role === 'assistant' && blocks.every(({ type }) => type !== 'tool-call'),
  )
  const middle = answers[Math.floor((answers.length - 1) / 2)]
  const at = middle?.events.at(-1)
  const place = middle === undefined ? -1 : messages.indexOf(middle)
  if (at === undefined || place < 1 || place === messages.length - 1) return []
  const sent = new Set(messages.slice(0, place + 1).flatMap(({ events }) => events))
  // What a compaction preserved is before its summary in the file: such a fork does not have the summary.
  const lines = origin.graph.events.flatMap(({ id, source }) => (sent.has(id) ? [source.line] : []))
  const last = origin.graph.events.find(({ id }) => id === at)?.source.line ?? 0
  if (lines.some(line => line > last)) return []
  const asked = saidBy(origin.graph.events, {
    ...buildContext(origin.graph),
    messages: messages.filter(({ events }) => events.every(id => sent.has(id))),
  })
  return [caseOf(origin, forkSession(origin, { ...editing, at }), asked)]
}

/** Half of what the outputs take. */
function trimmed(origin: ReadSession): JudgeCase[] {
  const whole = trimSession(origin, { ...editing, budget: Number.MAX_SAFE_INTEGER })
  for (const part of [0.5, 0.8, 0.95, 0.99]) {
    try {
      const trim = trimSession(origin, { ...editing, budget: Math.floor(whole.tokensBefore * part) })
      return trim.cuts.length === 0 ? [] : [caseOf(origin, trim, saidByOrigin(origin))]
    } catch (error) {
      if (!(error instanceof WriteError)) throw error
    }
  }
  return []
}

/** With its last turn; the summary has to be sent, and what the turn says. */
async function compacted(origin: ReadSession): Promise<JudgeCase[]> {
  const fork = forkSession(origin, editing)
  const folder = mkdtempSync(join(tmpdir(), 'clew-compacted-'))
  try {
    const path = join(folder, `${fork.session}.jsonl`)
    writeFileSync(path, fork.lines.map(line => `${line}\n`).join(''))
    const writer = await openSession(path, { clewHome: join(folder, 'clew'), dialect: 'real' })
    await writer.compact({ summary: 'The summary of all that was said.', keep: 1 })
    await writer.close()
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    const { turns, events, session: main } = origin.graph
    const turn = new Set<string>(turns.findLast(({ thread }) => (thread as string) === main)?.events)
    const last = events.filter(({ id }) => turn.has(id))
    const kept = saidBy(last, buildContext(origin.graph))
    const summary: Said = { kind: 'text', key: 'The summary of all that was said.', line: 0 }
    return [caseOf(origin, { ...fork, lines }, [summary, ...kept])]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
