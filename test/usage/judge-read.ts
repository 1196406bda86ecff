// Reads a Claude home the plain way for the judge: whole files, line by line, through JSON.parse, and writes down what each
// record states about an API message. Which of these count is not decided here.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { millisOf } from './judge-time.ts'

type Json = Record<string, unknown>

/** What one record states about one API message. */
export interface Statement {
  /** Null where the message has none. */
  id: string | null
  request: string | null
  /** What identifies the record: its uuid, else its place. */
  record: string
  /** 0 for an original; 1 a copy, 2 a sidechain, 4 nested in progress, added up. */
  echo: number
  at: number | null
  path: string
  /** When its log begins, ends and was last changed: a copy that says nothing of it ends later than its original. */
  span: readonly [number, number, number]
  offset: number
  session: string
  slug: string
  /** Of the main thread, not of a subagent. */
  isMain: boolean
  model: string
  input: number
  output: number
  written: number
  writtenLong: number
  read: number
  searches: number
  isFast: boolean
  isUs: boolean
  isFinal: boolean
  isSynthetic: boolean
  isError: boolean
  stated: number | null
  /** Ids and names of the calls that the record has. */
  calls: [string, string][]
}

interface LogPlace {
  path: string
  slug: string
  session: string
  /** The session that file or folder is called after; null for an agent file among session files. */
  called: string | null
  agent: string | null
}

/** All statements of all logs of a home. */
export function readHome(root: string): Statement[] {
  return logsOf(root).flatMap(log => readLog(log))
}

function logsOf(root: string): LogPlace[] {
  const logs: LogPlace[] = []
  for (const shelf of ['projects', 'conversations']) {
    if (!existsSync(join(root, shelf))) continue
    for (const slug of readdirSync(join(root, shelf))) logs.push(...projectLogs(join(root, shelf, slug), slug))
  }
  return logs
}

function projectLogs(folder: string, slug: string): LogPlace[] {
  const logs: LogPlace[] = []
  const sessionsByName = new Map<string, string>()
  const names = readdirSync(folder)
  for (const name of names.filter(isLog)) {
    const path = join(folder, name)
    const stem = name.replace(/\.jsonl$/, '')
    const stated = statedSessions(path)
    if (name.startsWith('agent-')) {
      logs.push({ path, slug, session: stated.at(-1) ?? stem, called: null, agent: stem.slice(6) })
      continue
    }
    const session = stated.includes(stem) ? stem : (stated.at(-1) ?? stem)
    sessionsByName.set(stem, session)
    logs.push({ path, slug, session, called: stem, agent: null })
  }
  for (const name of names.filter(entry => !isLog(entry))) {
    const session = sessionsByName.get(name) ?? name
    for (const path of filesBelow(join(folder, name))) {
      const file = basename(path)
      const isAgent = file.startsWith('agent-') || path.includes(`${name}/subagents/`)
      if (!isLog(file) || file === 'journal.jsonl' || !isAgent || path.includes(`${name}/tool-results/`)) continue
      const agent = file.replace(/^agent-|\.jsonl$/g, '')
      logs.push({ path, slug, session, called: name, agent })
    }
  }
  return logs
}

function isLog(name: string): boolean {
  return name.endsWith('.jsonl') && !name.startsWith('._')
}

function filesBelow(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}

function statedSessions(path: string): string[] {
  const found = recordsOf(path).map(({ value }) => value['sessionId'])
  return found.filter(session => typeof session === 'string' && session !== '') as string[]
}

interface PlainRecord {
  value: Json
  offset: number
}

/** Every object of a file, with the place where it begins; lines that are none are left out. */
function recordsOf(path: string): PlainRecord[] {
  const records: PlainRecord[] = []
  let offset = 0
  for (const line of readFileSync(path, 'latin1').split('\n')) {
    for (const piece of objectsIn(line)) records.push({ value: piece.value, offset: offset + piece.from })
    offset += line.length + 1
  }
  return records
}

/** A line has one object, or several glued together, the first of which may be a stump. */
function objectsIn(line: string, from = 0): { value: Json; from: number }[] {
  const whole = parsed(line)
  if (whole !== null) return [{ value: whole, from }]
  for (let cut = line.indexOf('{"', 1); cut > 0; cut = line.indexOf('{"', cut + 1)) {
    const first = parsed(line.slice(0, cut))
    const rest = parsed(line.slice(cut))
    if (first !== null) return [{ value: first, from }, ...objectsIn(line.slice(cut), from + cut)]
    if (rest !== null && 'sessionId' in rest) return [{ value: rest, from: from + cut }]
  }
  return []
}

function parsed(latin1: string): Json | null {
  try {
    return asJson(
      JSON.parse(
        Buffer.from(latin1, 'latin1')
          .toString('utf8')
          .replace(/^\ufeff/, ''),
      ),
    )
  } catch {
    return null
  }
}

function spanOf(path: string): Statement['span'] {
  const times = recordsOf(path).flatMap(({ value }) => millisOf(value['timestamp']) ?? [])
  return [Math.min(...times), Math.max(...times), Math.floor(statSync(path).mtimeMs)]
}

function readLog(log: LogPlace): Statement[] {
  const statements: Statement[] = []
  let version = ''
  const span = spanOf(log.path)
  for (const { value, offset } of recordsOf(log.path)) {
    if (typeof value['version'] === 'string') version = value['version']
    const nested = asJson(asJson(value['data'])?.['message'])
    const place = { log, span, offset, version, outer: value }
    if (value['type'] === 'assistant') statements.push(...stated(value, place, 0))
    else if (value['type'] === 'progress' && asJson(value['data'])?.['type'] === 'agent_progress') {
      if (nested?.['type'] === 'assistant') statements.push(...stated(nested, place, 4))
    }
  }
  return statements
}

interface Place {
  log: LogPlace
  span: Statement['span']
  offset: number
  version: string
  outer: Json
}

function stated(value: Json, place: Place, nesting: number): Statement[] {
  const { log, span, offset, version, outer } = place
  const message = asJson(value['message'])
  const isError = value['isApiErrorMessage'] === true
  const isSynthetic = message?.['model'] === '<synthetic>'
  const usage = asJson(message?.['usage'])
  if (message === null || (usage === null && !isError && !isSynthetic)) return []
  const own = asText(value['uuid']) ?? asText(outer['uuid'])
  const cost = value['costUSD']
  const isCopied = log.called !== null && (asText(outer['sessionId']) ?? log.called) !== log.called
  const isSide = log.agent !== null || outer['isSidechain'] === true
  const at = millisOf(value['timestamp']) ?? millisOf(outer['timestamp'])
  const isFinal = typeof message['stop_reason'] === 'string' || typeof cost === 'number' || isFinalVersion(version)
  return [
    {
      id: asText(message['id']),
      request: asText(value['requestId']),
      record: own ?? `${log.session} ${basename(log.path)}@${offset}`,
      echo: (isCopied || 'forkedFrom' in outer ? 1 : 0) + (isSide ? 2 : 0) + nesting,
      at,
      path: log.path,
      span,
      offset,
      session: log.session,
      slug: log.slug,
      isMain: !isSide && nesting === 0,
      model: asText(message['model']) ?? '',
      ...tokensOf(usage ?? {}),
      isFinal: isFinal || isSynthetic,
      isSynthetic: isSynthetic || isError,
      isError,
      stated: typeof cost === 'number' && cost > 0 ? cost : null,
      calls: callsOf(message['content']),
    },
  ]
}

function tokensOf(usage: Json) {
  const parts = asJson(usage['cache_creation'])
  const short = whole(parts?.['ephemeral_5m_input_tokens'])
  const long = whole(parts?.['ephemeral_1h_input_tokens'])
  return {
    input: whole(usage['input_tokens']),
    output: whole(usage['output_tokens']),
    written: Math.max(whole(usage['cache_creation_input_tokens']), short + long),
    writtenLong: long,
    read: whole(usage['cache_read_input_tokens']),
    searches: whole(asJson(usage['server_tool_use'])?.['web_search_requests']),
    isFast: usage['speed'] === 'fast',
    isUs: usage['inference_geo'] === 'us',
  }
}

function callsOf(content: unknown): [string, string][] {
  if (!Array.isArray(content)) return []
  const calls = content.map(asJson).filter(block => block?.['type'] === 'tool_use')
  return calls.map(block => [String(block?.['id']), String(block?.['name'])])
}

function isFinalVersion(version: string): boolean {
  const found = /^(\d+)\.(\d+)\.(\d+)/.exec(version)
  if (found === null) return false
  const [major = 0, minor = 0, patch = 0] = found.slice(1).map(Number)
  return (major * 1e6 + minor) * 1e6 + patch >= (2 * 1e6 + 1) * 1e6 + 97
}

function whole(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.floor(value) : 0
}

function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function asJson(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
}
