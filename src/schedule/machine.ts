// The machine on which something is to run by itself: its platform, programs and files. All that installing and
// uninstalling touches goes through it, so that tests can hand in another. It decides nothing.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { UserError } from '../answers/error.ts'
import { attempt } from '../base/attempt.ts'
import { isUtf8 } from '../base/bytes.ts'
import { errorCode } from '../base/error-code.ts'
import { canAsk, confirm } from '../cli/terminal/ask.ts'
import { makeFolders } from '../files/make-folders.ts'

export interface MachineFacts {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
  /** Absent on Windows. */
  uid: number | undefined
  /** The program that runs JavaScript, and the command line's main file: absolute paths. */
  node: string
  main: string
  /** Where the platform puts what may vanish. */
  temporary: string
}

/** How a program ended. */
export interface Ran {
  /** null: there is no such program, or it never ended. */
  code: number | null
  stdout: string
  stderr: string
}

/** A file as it is now. */
export interface FileFacts {
  text: string
  /** Whether the text is all there is: the bytes are valid UTF-8. */
  isText: boolean
  mode: number
  isLink: boolean
  /** Where the bytes are, links followed; null for a link that leads nowhere. */
  real: string | null
}

export interface Machine extends MachineFacts {
  now(): Date
  run(command: readonly string[], input?: string): Ran
  /** null: there is nothing at this path. */
  read(path: string): FileFacts | null
  isFolder(path: string): boolean
  list(folder: string): string[]
  /** A path with all links followed; as it is where it leads nowhere. */
  real(path: string): string
  /** Whole or not at all; folders on the way are made. `mode`: for a file that is not there yet. */
  write(path: string, content: string, mode: number): void
  remove(path: string): void
  canAsk(): boolean
  confirm(question: string): Promise<boolean>
}

/** The one that this process runs on. */
export function thisMachine(): Machine {
  return machineOf({
    platform: process.platform,
    env: process.env,
    homeDir: homedir(),
    uid: process.getuid?.(),
    node: process.execPath,
    main: process.argv[1] ?? '',
    temporary: tmpdir(),
  })
}

/** Real programs and files, found by the facts given. */
export function machineOf(facts: MachineFacts): Machine {
  return {
    ...facts,
    now: () => new Date(),
    run: (command, input) => runProgram(facts, command, input),
    read: readFacts,
    isFolder: path => fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
    list: folder => attempt(() => fs.readdirSync(folder)) ?? [],
    real: path => attempt(() => fs.realpathSync(path)) ?? path,
    write: writeWhole,
    remove: path => {
      withReason(`cannot remove ${path}`, () => fs.rmSync(path))
    },
    canAsk,
    confirm,
  }
}

const longestRunMs = 60_000

/** Messages in English, since some of them are looked at. */
function runProgram(facts: MachineFacts, command: readonly string[], input = ''): Ran {
  const [program = '', ...args] = command
  const env = { ...facts.env, LC_ALL: 'C' }
  const { status, stdout, stderr } = spawnSync(program, args, { input, env, encoding: 'utf8', timeout: longestRunMs })
  return { code: status, stdout: stdout ?? '', stderr: stderr ?? '' }
}

function readFacts(path: string): FileFacts | null {
  const link = attempt(() => fs.lstatSync(path))
  if (link === undefined) return null
  const isLink = link.isSymbolicLink()
  const stat = attempt(() => fs.statSync(path))
  if (stat === undefined) return { text: '', isText: false, mode: 0, isLink, real: null }
  if (!stat.isFile()) throw new UserError(`${path} is not a file`)
  const bytes = withReason(`cannot read ${path}`, () => fs.readFileSync(path))
  const real = withReason(`cannot read ${path}`, () => fs.realpathSync(path))
  return { text: bytes.toString('utf8'), isText: isUtf8(bytes), mode: stat.mode & 0o7777, isLink, real }
}

function writeWhole(path: string, content: string, mode: number): void {
  withReason(`cannot write ${path}`, () => {
    makeFolders(dirname(path))
    const before = fs.statSync(path, { throwIfNoEntry: false })
    const aside = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`
    try {
      const file = fs.openSync(aside, 'wx', 0o600)
      try {
        fs.writeFileSync(file, content)
        // A file that belongs to someone else should continue doing so; only root can see to that.
        if (before) attempt(() => fs.fchownSync(file, before.uid, before.gid))
        fs.fchmodSync(file, before ? before.mode & 0o7777 : mode)
        fs.fsyncSync(file)
      } finally {
        fs.closeSync(file)
      }
      fs.renameSync(aside, path)
    } catch (error) {
      attempt(() => fs.rmSync(aside, { force: true }))
      throw error
    }
  })
}

function withReason<Value>(what: string, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(`${what} (${errorCode(error)})`)
  }
}
