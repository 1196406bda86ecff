// What a rule's fixture is and how it is checked: lines as plain values, given to decoder, graph and checker as a file or a
// home would be. It has no fixture itself.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bytesToText, concatBytes, textToBytes } from '../../src/base/bytes.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { Checker } from '../../src/check/check.ts'
import { jobsOfPath, runJobs } from '../../src/check/scan/scan.ts'
import { EventDecoder, RecordDecoder } from '../../src/decode/decode.ts'
import { diskTree } from '../../src/disk/discover/tree.ts'
import { buildGraph } from '../../src/graph/graph.ts'
import type { SessionEvent } from '../../src/model/event.ts'
import type { Profile } from '../../src/model/finding.ts'
import { sessionId } from '../../src/model/ids.ts'
import type { GraphFile } from '../../src/model/session.ts'
import type { AgentMeta, FileRole, GenerationId, LogFile, SessionFiles, SideFile } from '../../src/model/source.ts'
import type { CheckReport } from '../../src/schema/contract-shapes.ts'

/** An object becomes one JSON line; a text or bytes are as they are, before their newline. */
export type Line = JsonObject | string | Uint8Array

export interface FixtureFile {
  /** Below the default project folder; an absolute path as it is. Name decides the role unless `role` says it. */
  name: string
  lines?: readonly Line[]
  /** The whole content, where line ends matter; instead of `lines`. */
  content?: string | Uint8Array
  role?: FileRole
  meta?: AgentMeta
  /** Which session it belongs to; the default session where absent. */
  session?: string
}

/** What is checked: the lines of one session file, several files, or a whole home made in a temporary folder and discovered. */
export type Case =
  | readonly Line[]
  | { content: string | Uint8Array }
  | { files: readonly FixtureFile[]; side?: readonly SideFile[] }
  /** Path below the home → lines or text. `given`: the path below it that is named to the command; the whole home where absent. */
  | { home: Readonly<Record<string, readonly Line[] | string>>; given?: string }

export interface Fixture {
  /** The rule's id in rules.json. */
  code: string
  /** No finding with this code, in any profile. */
  follows: Case
  /** A finding with this code in every profile that has the rule on, at the table's severity. */
  breaks: Case
  /** Where a profile speaks another dialect or draws the line elsewhere. */
  in?: Partial<Record<Profile, { follows?: Case; breaks?: Case }>>
  /** The profiles it is about; all where absent. A code may have several fixtures. */
  only?: readonly Profile[]
}

export const defaultSession = '443661e2-a738-418d-a0a9-e7f0c36359f4'
const defaultFolder = '/home/ada/.claude/projects/-home-dev-shop'
/** Where the one file of a fixture that gives only lines seems to lie. */
export const defaultPath = `${defaultFolder}/${defaultSession}.jsonl`

export async function runCase(shape: Case, profile: Profile): Promise<CheckReport> {
  const checker = new Checker(profile)
  if ('home' in shape) await checkHome(checker, shape.home, shape.given ?? '')
  else checkFiles(checker, shape)
  return checker.report()
}

export function checkFiles(checker: Checker, shape: Exclude<Case, { home: unknown }>): void {
  const files: readonly FixtureFile[] =
    'files' in shape
      ? shape.files
      : 'content' in shape
        ? [{ name: defaultPath, content: shape.content }]
        : [{ name: defaultPath, lines: shape }]
  const bytes = new Map<string, Uint8Array>()
  const sessions = new Map<string, SessionFiles>()
  for (const file of files) {
    const log = toLogFile(file)
    bytes.set(log.path, contentOf(file.content ?? file.lines ?? []))
    if (log.role === 'history') {
      readFile(checker, log, contentOf(file.content ?? file.lines ?? []), defaultSession)
      continue
    }
    const id = file.session ?? defaultSession
    const side = 'files' in shape ? [...(shape.side ?? [])] : []
    const session = sessions.get(id) ?? { id: sessionId(id), slug: '-home-dev-shop', logs: [], side }
    sessions.set(id, session)
    session.logs.push(log)
  }
  for (const session of sessions.values())
    checkSession(checker, session, log => bytes.get(log.path) ?? new Uint8Array(0))
}

async function checkHome(
  checker: Checker,
  home: Readonly<Record<string, readonly Line[] | string>>,
  given: string,
): Promise<void> {
  const root = mkdtempSync(path.join(tmpdir(), 'clew-rules-'))
  try {
    for (const [name, content] of Object.entries(home)) {
      const target = path.join(root, name)
      mkdirSync(path.dirname(target), { recursive: true })
      writeFileSync(target, contentOf(content))
    }
    await runJobs(checker, await jobsOfPath(checker, path.join(root, given), { tree: diskTree }), diskTree)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function checkSession(checker: Checker, files: SessionFiles, bytesOf: (log: LogFile) => Uint8Array): void {
  const graphFiles: GraphFile[] = files.logs.map(log => ({
    path: log.path,
    role: log.role,
    events: readFile(checker, log, bytesOf(log), files.id),
    ...(log.nameAgent === undefined ? {} : { agent: log.nameAgent }),
    ...(log.meta === undefined ? {} : { meta: log.meta }),
  }))
  checker.session(files, buildGraph(files.id, graphFiles, files.side))
}

function readFile(checker: Checker, log: LogFile, bytes: Uint8Array, session: string): SessionEvent[] {
  const records = new RecordDecoder(log.path)
  const decoder = new EventDecoder({
    session,
    role: log.role,
    ...(log.nameAgent === undefined ? {} : { agent: log.nameAgent }),
  })
  const events: SessionEvent[] = []
  for (const record of [...records.push(bytes), ...records.end()]) {
    const found = decoder.decode(record)
    const text = bytesToText(bytes.subarray(record.offset, record.offset + record.bytes))
    checker.record(log, record, found[0] ?? null, text)
    events.push(...found)
  }
  return events
}

function toLogFile(file: FixtureFile): LogFile {
  const full = file.name.startsWith('/') ? file.name : `${defaultFolder}/${file.name}`
  const agent = /(?:^|\/)agent-(.+)\.jsonl$/.exec(full)?.[1]
  const role = file.role ?? (agent !== undefined ? 'agent' : roleByName(full))
  return {
    path: full,
    role,
    generation: full as GenerationId,
    size: contentOf(file.content ?? file.lines ?? []).length,
    modifiedMs: 0,
    nameSession: sessionId(file.session ?? defaultSession),
    ...(agent === undefined ? {} : { nameAgent: agent }),
    ...(file.meta === undefined ? {} : { meta: file.meta }),
  }
}

function roleByName(full: string): FileRole {
  if (full.endsWith('/history.jsonl')) return 'history'
  return full.endsWith('/journal.jsonl') ? 'journal' : 'session'
}

function contentOf(content: string | Uint8Array | readonly Line[]): Uint8Array {
  if (typeof content === 'string') return textToBytes(content)
  if (content instanceof Uint8Array) return content
  return concatBytes([...content.map(lineBytes), new Uint8Array(0)])
}

function lineBytes(line: Line): Uint8Array {
  if (line instanceof Uint8Array) return concatBytes([line, textToBytes('\n')])
  return textToBytes(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
}
