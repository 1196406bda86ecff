// The two ways to come to a writer: a session that is new, or one that is there, of which only the ends are read.

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, isAbsolute, join, resolve, win32 } from 'node:path'
import { EventDecoder, RecordDecoder } from '../decode/decode.ts'
import { ownClewHome } from '../disk/clew-home.ts'
import { discover } from '../disk/discover/discover.ts'
import { namesIn } from '../disk/discover/homes.ts'
import { roleOf, stemOf } from '../disk/discover/project.ts'
import { resolveSession } from '../disk/discover/resolve.ts'
import type { SessionEvent } from '../model/event.ts'
import { AppendFile } from './append-file.ts'
import { type SessionOps, sessionOps } from './ops.ts'
import { homeOf, projectFolder, sessionFileName, usualHome } from './place.ts'
import { ownEvents, type SyncPolicy, tailBytes } from './session-log.ts'
import { openLog, SessionWriter, type WriterSetting } from './session-writer.ts'
import { dialectOf } from './wire/detect.ts'
import { dialectForms, type WireDialect, wireDialects } from './wire/dialects.ts'
import { WriteError } from './wire/error.ts'
import { checkInput } from './wire/new-event.ts'

/** How a session is written. */
export interface WriteOptions {
  /** The form of the records; that of the current Claude Code for a new session, its own for one that is there. */
  dialect?: WireDialect
  /** What records say of the program that writes them; as the dialect, or the session, has it where absent. */
  version?: string
  gitBranch?: string
  entrypoint?: string
  /** `turn` where absent: what was typed, and answers that are complete, are on the disk before they are acknowledged. */
  fsync?: SyncPolicy
  /** How long to wait for another writer, in milliseconds; ten seconds where absent. */
  waitMs?: number
  /** Clew's own folder, for the lock; `CLEW_HOME` or the usual one where absent. */
  clewHome?: string
  /** The system calls that change something. */
  ops?: SessionOps
}

/** How a session is made, and where. */
export interface CreateOptions extends WriteOptions {
  /** The Claude home that it goes to; `$CLAUDE_CONFIG_DIR` or `~/.claude` where absent. */
  home?: string
  /** The folder for the file, where it is to be in no home. */
  folder?: string
  /** The directory that the session is about; absolute. */
  cwd: string
  /** Its id; a new UUID where absent. */
  session?: string
}

/** How a session is continued. */
export interface OpenOptions extends WriteOptions {
  /** What new records say of their directory; as the session has it where absent. */
  cwd?: string
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const usualWaitMs = 10_000

/** A new session. Its file is made by the first append: a session without records is none. */
export async function createSession(options: CreateOptions): Promise<SessionWriter> {
  const { dialect = 'real', cwd, folder, session = randomUUID() } = options
  checkDialect(dialect)
  checkTexts(options)
  if (typeof cwd !== 'string' || !(isAbsolute(cwd) || win32.isAbsolute(cwd)))
    throw new WriteError('bad-input', 'The directory of a session is an absolute path.', 'cwd')
  if (dialectForms[dialect].hasUuids && !uuidForm.test(session))
    throw new WriteError(
      'bad-input',
      `The id of a session is a UUID, in small letters: ${JSON.stringify(session)} is none.`,
      'session',
    )
  const home = folder === undefined ? resolve(options.home ?? usualHome()) : null
  const place = home === null ? resolve(folder ?? '.') : projectFolder(home, cwd, dialect)
  const path = join(place, sessionFileName(dialect, session, Date.now()))
  if (existsSync(path)) throw new WriteError('exists', `${path} is there already.`, path)
  const setting = settingOf(options, { dialect, session, home })
  return new SessionWriter(openLog(path, setting, { isNew: true }), setting)
}

/** The writer of a session that is there. Of its file only the ends are read, whatever its size. */
export async function openSession(
  place: string | { home?: string; session: string },
  options: OpenOptions = {},
): Promise<SessionWriter> {
  if (options.dialect !== undefined) checkDialect(options.dialect)
  checkTexts(options)
  const path =
    typeof place === 'string' ? resolve(place) : await findSession(resolve(place.home ?? usualHome()), place.session)
  const ends = readEnds(options.ops ?? sessionOps, path)
  if (ends.size > 0 && !ends.events.some(isOfSession))
    throw new WriteError('bad-input', `${path} is not a session.`, path)
  const dialect = options.dialect ?? dialectOf(ends.events)
  const role =
    roleOf(basename(path)) === 'agent' ? { agent: stemOf(basename(path)).replace(/^agent-/i, '') } : undefined
  const session = sessionIn(path, ends.events, dialect, role !== undefined)
  const setting = settingOf(options, { dialect, session, home: homeOf(path) })
  const log = openLog(path, setting, { isNew: false, ...(role !== undefined && { role }) })
  log.open()
  return new SessionWriter(log, setting, role)
}

const writable: ReadonlySet<string> = new Set(['client', 's0', 's3'])

/** A lone line without an end is one whose writer was killed at the first. */
function isOfSession({ dialect, record }: SessionEvent, _at: number, all: readonly SessionEvent[]): boolean {
  return writable.has(dialect) || (all.length === 1 && record.status === 'torn')
}

function settingOf(
  options: OpenOptions,
  { dialect, session, home }: { dialect: WireDialect; session: string; home: string | null },
): WriterSetting {
  const { version, cwd, gitBranch, entrypoint } = options
  return {
    ops: options.ops ?? sessionOps,
    sync: options.fsync ?? 'turn',
    clewHome: ownClewHome(options.clewHome),
    waitMs: options.waitMs ?? usualWaitMs,
    dialect,
    home,
    encoder: {
      session,
      ...(version !== undefined && { version }),
      ...(cwd !== undefined && { cwd }),
      ...(gitBranch !== undefined && { gitBranch }),
      ...(entrypoint !== undefined && { entrypoint }),
    },
  }
}

function checkDialect(dialect: string): void {
  if (!wireDialects.some(one => one === dialect))
    throw new WriteError(
      'bad-input',
      `There is no dialect ${JSON.stringify(dialect)}: ${wireDialects.join(', ')}.`,
      'dialect',
    )
}

/** Texts of options are in every record. */
function checkTexts({ cwd, version, gitBranch, entrypoint }: OpenOptions): void {
  checkInput({ kind: 'other', detail: { cwd, version, gitBranch, entrypoint } })
}

const headBytes = 64 * 1024

/** Some records of the head and of the tail of a file. */
function readEnds(ops: SessionOps, path: string): { size: number; events: SessionEvent[] } {
  const file = new AppendFile(ops, path)
  try {
    const size = file.open()
    let head = file.read(0, Math.min(size, headBytes))
    // At least one record, however long it is.
    while (head.length < size && !head.includes(0x0a)) head = file.read(0, Math.min(size, 4 * head.length))
    const tailFrom = Math.max(head.length, size - tailBytes)
    const tail = file.read(tailFrom, size)
    return { size, events: [...wholeLines(head, path, size > head.length), ...wholeLines(tail, path, false)] }
  } finally {
    file.close()
  }
}

/** The records of whole lines; one that is cut at either end says nothing. */
function wholeLines(bytes: Uint8Array, path: string, isCut: boolean): SessionEvent[] {
  const decoder = new RecordDecoder(path)
  const records = decoder.push(bytes)
  if (!isCut) records.push(...decoder.end())
  const events = new EventDecoder()
  return ownEvents(records, events)
}

/** As the file is called where that is an id; else as its last records say. */
function sessionIn(path: string, events: readonly SessionEvent[], dialect: WireDialect, isAgent: boolean): string {
  const stem = stemOf(basename(path))
  if (!isAgent && dialectForms[dialect].hasUuids && uuidForm.test(stem)) return stem
  const stated = events.findLast(({ record }) => typeof record.value?.['sessionId'] === 'string')
  return stated?.session ?? stem
}

/** By the file's name in any project, else by what the records say. */
async function findSession(home: string, session: string): Promise<string> {
  const isName = !/[/\\\0]/.test(session)
  for (const projects of ['projects', 'conversations']) {
    for (const folder of isName ? namesIn(join(home, projects)) : []) {
      const path = join(home, projects, folder, `${session}.jsonl`)
      if (existsSync(path)) return path
    }
  }
  const { sessions } = await discover(home)
  const found = resolveSession(sessions, session)
  if ('candidates' in found)
    throw new WriteError('not-found', `Several sessions in ${home} are called ${JSON.stringify(session)}.`, home)
  const log = 'found' in found ? found.found.logs.find(({ role }) => role === 'session') : undefined
  if (log === undefined)
    throw new WriteError('not-found', `There is no session ${JSON.stringify(session)} in ${home}.`, home)
  return log.path
}
