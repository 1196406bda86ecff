// Random lives of a machine: files of two Claude homes change as people, Claude Code and syncs change them, commands run
// between, some are killed, some find a full disk. After each round every answer must be the same with the index, without it
// and with a rebuilt one. What happens is data that fast-check makes and shrinks.

import { execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { surveyRoots } from '../../src/archive/capture/survey.ts'
import { archiveFolder } from '../../src/archive/format/layout.ts'
import { archivedBytes } from '../../src/archive/read/source.ts'
import { Archive } from '../../src/archive/store/archive.ts'
import { ageUnwrittenLock, holdsText } from '../archive/faults.ts'
import { sessionA, sessionB, sessionC } from '../archive/fixture.ts'
import { paths } from '../archive/model-changes.ts'
import { clewHere, mainFile, type Result } from '../cli/run.ts'
import { cross, fileChange, folderMove, happen, type Step, talk } from '../index/changes.ts'
import { IndexFixture } from '../index/index-fixture.ts'
import { talkBytes } from '../index/talk.ts'
import fc from '../property.ts'

/** How the machine is set up. */
interface Setup {
  archive: 'auto' | 'manual' | 'off'
  hasTwoHomes: boolean
  /** Files count as changed long ago, so that an index believes what `stat` says of them. */
  isLater: boolean
}

const logs = paths.filter(path => path.endsWith('.jsonl'))
const spills = [`projects/-p/${sessionA}/tool-results/b1.txt`, `projects/-q/${sessionB}/tool-results/b1.txt`]

/** A link where nothing is: to a file or folder of the home, or to one that is in no home. */
interface LinkStep {
  kind: 'link'
  home: number
  path: string
  to: string
  isOutside: boolean
}

/** What is a link goes, or the file that is linked from outside grows. */
interface UnlinkStep {
  kind: 'unlink' | 'grow-outside'
  home: number
}

/** Another content of the same length, with the time of the former. */
interface BackStep {
  kind: 'time-back'
  home: number
  path: string
}

/** No one may look into a file or folder until it is opened again. */
interface ShutStep {
  kind: 'shut' | 'open'
  home: number
  path: string
}

/** What happens to the session that is to be forgotten, which alone says the secret. */
interface SecretStep {
  kind: 'secret'
  what: 'write' | 'tear' | 'cut' | 'move' | 'spill' | 'history'
  seed: number
}

type AnyStep = Step | LinkStep | UnlinkStep | BackStep | ShutStep | SecretStep

/** A command; it may be killed after some time, or find so many bytes free. */
interface Command {
  words: string[]
  killMs?: number
  freeBytes?: number
}

interface Round {
  changes: AnyStep[]
  command: Command
}

export interface Life {
  setup: Setup
  rounds: Round[]
}

const home = fc.constantFrom(0, 0, 1)
const log = fc.constantFrom(...logs)
const folder = fc.constantFrom('projects/-p', 'projects/-q', 'projects/-r', `projects/-q/${sessionA}`)

const links: fc.Arbitrary<LinkStep> = fc.record({
  kind: fc.constant('link' as const),
  home,
  path: fc.oneof(log, folder, fc.constant('history.jsonl')),
  to: fc.oneof(log, folder),
  isOutside: fc.boolean(),
})

const change: fc.Arbitrary<AnyStep> = fc.oneof(
  { weight: 8, arbitrary: talk },
  { weight: 6, arbitrary: fileChange },
  { weight: 2, arbitrary: cross },
  { weight: 1, arbitrary: folderMove },
  { weight: 3, arbitrary: links },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('unlink' as const, 'grow-outside' as const), home }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('time-back' as const), home, path: fc.constantFrom(...logs, ...spills) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('shut' as const, 'open' as const),
      home,
      path: fc.oneof(log, folder),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('secret' as const),
      what: fc.constantFrom('write', 'write', 'write', 'tear', 'cut', 'move', 'spill', 'history'),
      seed: fc.nat(11),
    }),
  },
)

const writing = [['index', 'refresh'], ['index', 'rebuild'], ['archive', 'run'], ['search', 'harbour'], ['ls']]
const words = fc.constantFrom(
  ...writing,
  ...writing,
  ['usage', 'daily'],
  ['usage', 'session', '--json'],
  ['show', 'last'],
  ['stats'],
  ['tree', 'last'],
  ['history', '-n', '3'],
  ['grep', 'harbour'],
  ['check', '-q'],
  ['doctor'],
  ['archive', 'status'],
  ['archive', 'verify', '--mend'],
  ['index', 'status'],
  ['title', 'last', 'Of bells'],
  ['fork', 'last'],
  ['forget', 'SECRET', '--yes'],
  ['forget', 'SECRET', '--yes'],
)

const command: fc.Arbitrary<Command> = fc
  .record({
    words,
    fate: fc.nat(9),
    ms: fc.integer({ min: 40, max: 700 }),
    free: fc.constantFrom(0, 4, 12, 40, 100, 300),
  })
  .map(({ words, fate, ms, free }) => {
    if (fate < 3) return { words, killMs: ms }
    return fate === 3 ? { words, freeBytes: free * 1024 } : { words }
  })

const lives: fc.Arbitrary<Life> = fc.record({
  setup: fc.record({
    archive: fc.constantFrom('auto' as const, 'auto' as const, 'manual' as const, 'off' as const),
    hasTwoHomes: fc.boolean(),
    isLater: fc.nat(3).map(n => n > 0),
  }),
  rounds: fc.array(fc.record({ changes: fc.array(change, { maxLength: 5, size: 'max' }), command }), {
    minLength: 2,
    maxLength: 7,
    size: 'max',
  }),
})

/** The life of a number. */
export function lifeOf(seed: number): Life {
  return fc.sample(lives, { seed, numRuns: 1 })[0] as Life
}

/** What was done in all lives of a run. */
export const tally = {
  lives: 0,
  changes: 0,
  commands: 0,
  kills: 0,
  fullDisks: 0,
  comparisons: 0,
  forgotten: 0,
  shut: 0,
}

const secret = 'xyzzyplover'
const secretSession = '44444444-4444-4444-8444-444444444444'
const nobody = 65_534
const laterMs = 5000
const longestMs = 120_000

/** A small disk for Clew's own folders, and rights that count, where this process may have them. */
export class Grounds {
  readonly folder = mkdtempSync(join(tmpdir(), 'clew-lives-'))
  readonly isSmallDisk: boolean
  private readonly isOther: boolean
  /** Makes a process believe that it starts later. */
  readonly later: string

  constructor() {
    const own = join(this.folder, 'small')
    mkdirSync(own)
    this.isSmallDisk = attempted(() =>
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m,mode=777', 'tmpfs', own], { stdio: 'pipe' }),
    )
    this.later = join(this.folder, 'later.mjs')
    writeFileSync(this.later, `const now = Date.now\nDate.now = () => now() + ${laterMs}\n`)
    chmodSync(this.folder, 0o777)
    this.isOther = process.getuid?.() === 0 && attempted(() => asNobody())
    if (this.isOther) process.seteuid?.(nobody)
  }

  get own(): string {
    return join(this.folder, 'small')
  }

  remove(): void {
    if (this.isOther) process.seteuid?.(0)
    if (this.isSmallDisk) execFileSync('umount', ['-l', this.own])
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Throws where another user than root cannot read the built tool. */
function asNobody(): void {
  execFileSync(process.execPath, [mainFile, '--version'], { uid: nobody, gid: nobody, stdio: 'pipe' })
}

function attempted(act: () => unknown): boolean {
  try {
    act()
    return true
  } catch {
    return false
  }
}

/** Lives one life; throws what is wrong, with what was done until then. */
export async function live(life: Life, grounds: Grounds): Promise<void> {
  const machine = new Machine(life.setup, grounds)
  tally.lives++
  try {
    for (const round of life.rounds) {
      for (const one of round.changes) await machine.change(one)
      await machine.command(round.command)
      await machine.prove()
    }
    await machine.end()
  } finally {
    machine.remove()
  }
}

class Machine {
  private readonly setup: Setup
  private readonly grounds: Grounds
  private readonly fixture: IndexFixture
  private readonly env: Record<string, string>
  /** What the archive said that it has. */
  private readonly acknowledged: Buffer[] = []
  private readonly shut = new Set<string>()
  private readonly outside: string
  private made = 0

  constructor(setup: Setup, grounds: Grounds) {
    this.setup = setup
    this.grounds = grounds
    const own = mkdtempSync(join(grounds.own, 'own-'))
    this.fixture = new IndexFixture(own)
    this.outside = join(this.fixture.one.folder, 'outside')
    mkdirSync(join(this.outside, 'folder'), { recursive: true })
    const roots = setup.hasTwoHomes ? { roots: this.fixture.roots } : {}
    writeFileSync(join(own, 'config.json'), JSON.stringify({ archive: setup.archive, ...roots }))
    const { folder: root } = this.fixture.one
    this.env = { HOME: root, CLEW_HOME: own, CLAUDE_CONFIG_DIR: '', TZ: 'UTC', TMPDIR: root, USERPROFILE: root }
    for (const [n, session] of [sessionA, sessionB, sessionC].entries()) {
      this.fixture.one.write(`projects/-p/${session}.jsonl`, talkBytes({ session, seed: n * 100, turns: 3 }))
    }
  }

  private get roots(): string[] {
    return this.setup.hasTwoHomes ? this.fixture.roots : [this.fixture.one.home]
  }

  private at(home: number, path: string): string {
    return (home === 0 ? this.fixture.one : this.fixture.two).at(path)
  }

  remove(): void {
    for (const path of this.shut) this.open(path)
    this.fixture.remove()
    rmSync(this.fixture.home, { recursive: true, force: true })
  }

  async change(step: AnyStep): Promise<void> {
    tally.changes++
    try {
      if (step.kind === 'link') this.link(step)
      else if (step.kind === 'unlink' || step.kind === 'grow-outside') this.changeLinked(step)
      else if (step.kind === 'time-back') this.setBack(step)
      else if (step.kind === 'secret') this.say(step)
      else if (step.kind === 'shut' || step.kind === 'open') this.changeRights(step)
      else await happen(this.fixture, ofSession(step as Step))
    } catch (error) {
      // What is shut, or links in a circle, cannot be changed; that is no matter.
      const code = (error as NodeJS.ErrnoException).code
      if (!/^(EACCES|EPERM|ELOOP|ENOENT|ENOTDIR|EISDIR|EEXIST|EINVAL|ENOTEMPTY)$/.test(code ?? '')) throw error
    }
  }

  private link({ home, path, to, isOutside }: LinkStep): void {
    const place = this.at(home, path)
    if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) return
    const isLog = path.endsWith('.jsonl')
    const target = isOutside ? join(this.outside, isLog ? 'log.jsonl' : 'folder') : this.at(home, to)
    mkdirSync(dirname(place), { recursive: true })
    if (isOutside && !existsSync(join(this.outside, 'log.jsonl'))) this.growOutside()
    symlinkSync(target, place)
  }

  private changeLinked({ kind, home }: UnlinkStep): void {
    if (kind === 'grow-outside') {
      this.growOutside()
      return
    }
    const entries = readdirSync(this.at(home, '.'), { recursive: true, withFileTypes: true })
    const link = entries.find(entry => entry.isSymbolicLink())
    if (link !== undefined) rmSync(join(link.parentPath, link.name))
  }

  private changeRights({ kind, home, path }: ShutStep): void {
    if (kind === 'shut') this.close(this.at(home, path))
    else for (const one of [...this.shut]) this.open(one)
  }

  private growOutside(): void {
    const seed = 200 + (this.made++ % 12)
    for (const path of ['log.jsonl', `folder/${sessionC}.jsonl`]) {
      appendFileSync(join(this.outside, path), talkBytes({ session: sessionC, seed, turns: 1 }))
    }
  }

  private setBack({ home, path }: BackStep): void {
    const place = this.at(home, path)
    const { mtime, atime } = statSync(place)
    const text = readFileSync(place, 'latin1')
    const other = text.includes('harbour')
      ? text.replaceAll('harbour', 'arbours')
      : text.replaceAll('arbours', 'harbour')
    writeFileSync(place, other, 'latin1')
    utimesSync(place, atime, mtime)
  }

  private close(path: string): void {
    chmodSync(path, 0)
    this.shut.add(path)
    tally.shut++
  }

  private open(path: string): void {
    this.shut.delete(path)
    attempted(() => chmodSync(path, 0o755))
    // It may have been moved, or be below what was moved.
    for (const home of this.fixture.roots)
      attempted(() => execFileSync('chmod', ['-R', 'u+rwX', home], { stdio: 'ignore' }))
  }

  private secretLog(): string {
    const found = ['-p', '-q'].map(name => this.at(0, `projects/${name}/${secretSession}.jsonl`))
    return found.find(path => existsSync(path)) ?? (found[0] as string)
  }

  private say({ what, seed }: SecretStep): void {
    const log = this.secretLog()
    const folder = log.slice(0, -'.jsonl'.length)
    const bytes = Buffer.from(
      talkBytes({ session: secretSession, seed: 20 + seed, turns: 2, ending: what === 'tear' ? 'torn' : 'whole' })
        .toString()
        .replaceAll(/harbour|boat|choir/g, secret),
    )
    const write = (path: string, text: string | Uint8Array) => {
      mkdirSync(dirname(path), { recursive: true })
      appendFileSync(path, text)
    }
    if (what === 'write' || what === 'tear') write(log, bytes)
    else if (what === 'cut') truncateSync(log, Math.floor(statSync(log).size / 2))
    else if (what === 'spill')
      write(join(folder, 'tool-results', 'b1.txt'), `output about ${secret}\n`.repeat(seed + 1))
    else if (what === 'history') {
      write(this.at(0, 'paste-cache/0123456789abcdef.txt'), `${secret} pasted\n`)
      write(this.at(0, 'history.jsonl'), historyLine(seed))
    } else this.moveSecret(log)
  }

  private moveSecret(log: string): void {
    const to = this.at(0, `projects/${log.includes('/-p/') ? '-q' : '-p'}/${secretSession}.jsonl`)
    mkdirSync(dirname(to), { recursive: true })
    renameSync(log, to)
    const folder = log.slice(0, -'.jsonl'.length)
    if (existsSync(folder)) renameSync(folder, to.slice(0, -'.jsonl'.length))
  }

  /** Claude Code's own clean-up: what is forgotten is gone from the disk. */
  private deleteSecret(): void {
    for (const path of [...this.shut]) this.open(path)
    for (const project of ['-p', '-q', '-r']) {
      for (const name of [`${secretSession}.jsonl`, secretSession]) {
        attempted(() => rmSync(this.at(0, `projects/${project}/${name}`), { recursive: true, force: true }))
      }
    }
    rmSync(this.at(0, 'paste-cache'), { recursive: true, force: true })
    const history = this.at(0, 'history.jsonl')
    if (!existsSync(history) || !statSync(history).isFile()) return
    const kept = readFileSync(history, 'latin1')
      .split('\n')
      .filter(line => !line.includes(secret))
    writeFileSync(history, kept.join('\n'), 'latin1')
  }

  async command({ words, killMs, freeBytes }: Command): Promise<void> {
    const isForget = words[0] === 'forget'
    if (isForget) this.deleteSecret()
    const own = words.map(word => (word === 'SECRET' ? secretSession : word))
    const giveBack = freeBytes === undefined ? null : this.fill(freeBytes)
    tally.commands++
    try {
      await this.run(own, killMs)
    } finally {
      giveBack?.()
    }
    for (const name of ['archive', 'index']) ageUnwrittenLock(join(this.fixture.home, name))
    const locks = join(this.fixture.home, 'locks')
    for (const name of existsSync(locks) ? readdirSync(locks) : []) ageUnwrittenLock(join(locks, name))
    if (isForget) await this.proveForgotten()
  }

  /** Runs a command in a process of its own. */
  private run(words: readonly string[], killMs: number | undefined): Promise<void> {
    const later = this.setup.isLater ? { NODE_OPTIONS: `--import=file://${this.grounds.later}` } : {}
    const env = { ...process.env, NO_COLOR: '1', LC_ALL: 'C.UTF-8', TERM: 'xterm', ...this.env, ...later }
    const child = spawn(process.execPath, [mainFile, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += chunk))
    const killer = killMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killMs)
    const limit = setTimeout(() => child.kill('SIGABRT'), longestMs)
    return new Promise((done, fail) => {
      child.on('error', fail)
      child.on('close', (code, signal) => {
        clearTimeout(killer)
        clearTimeout(limit)
        if (signal === 'SIGKILL') tally.kills++
        if (signal === 'SIGABRT') fail(new Error(`clew ${words.join(' ')} did not end: ${said}`))
        else if (signal !== null) done()
        else done(expectEnd(words, { code, stdout: said, stderr: '' }))
      })
    })
  }

  /** Fills the disk of Clew's own folder but for so many bytes; frees the space when called. */
  private fill(free: number): (() => void) | null {
    if (!this.grounds.isSmallDisk) return null
    tally.fullDisks++
    const path = join(this.grounds.own, 'ballast')
    const file = openSync(path, 'w')
    const { bavail, bsize } = statfsSync(this.grounds.own)
    const block = Buffer.alloc(4096)
    for (let left = bavail * bsize - free; left >= block.length; left -= block.length) writeSync(file, block)
    closeSync(file)
    return () => rmSync(path)
  }

  /** Runs a command inside this process. */
  private async ask(...words: string[]): Promise<Result> {
    const now = Date.now
    if (this.setup.isLater) Date.now = () => now() + laterMs
    let timer: NodeJS.Timeout | undefined
    try {
      const limit = new Promise<never>((_done, fail) => {
        timer = setTimeout(() => fail(new Error(`clew ${words.join(' ')} did not end`)), longestMs)
      })
      const result = await Promise.race([clewHere(words, { env: this.env }), limit])
      expectEnd(words, result)
      return result
    } finally {
      clearTimeout(timer)
      Date.now = now
    }
  }

  /** Every answer is the same from the index, without it and from a rebuilt one. */
  async prove(): Promise<void> {
    // It builds the index, which small homes get by a search alone.
    await this.ask('search', 'harbour')
    for (const words of [
      ['ls', '--json'],
      ['usage', 'daily', '--json'],
      ['usage', 'session', '--json'],
      ['stats', '--json'],
    ]) {
      const [indexed, plain] = [await this.ask(...words), await this.ask(...words, '--no-index')]
      // What cannot be read is known from earlier by the index alone.
      if (this.shut.size > 0) continue
      tally.comparisons++
      expectSame(words.join(' '), told(indexed), told(plain))
    }
    if (this.shut.size > 0) return
    const verified = await this.ask('index', 'verify')
    if (verified.code !== 0) throw new Error(`index verify: ${verified.stdout}${verified.stderr}`)
    await this.proveArchive()
    // After the archive was run: what a log was before it was rewritten and moved is known by then as its earlier content.
    const found = await this.ask('search', 'harbour', '--json', '-n', '1000')
    const lines = await this.ask('grep', '-w', '-i', 'harbour', '--json')
    expectSearched(sessionsIn(found), sessionsIn(lines))
  }

  private archive(): Archive {
    return new Archive(archiveFolder(this.fixture.home))
  }

  /** What it once said that it has is in it, whatever became of the file. */
  private async proveArchive(): Promise<void> {
    if (this.setup.archive !== 'off') {
      const run = await this.ask('archive', 'run')
      if (run.code === 0) this.acknowledge()
    }
    const archive = this.archive()
    if (!archive.exists) return
    const verified = await this.ask('archive', 'verify')
    if (verified.code !== 0) throw new Error(`archive verify: ${verified.stdout}${verified.stderr}`)
    const contents: Buffer[] = []
    for (const generation of archive.manifest.catalog.generations.values()) {
      const chunks: Uint8Array[] = []
      for await (const bytes of archivedBytes(archive, generation)) chunks.push(bytes)
      contents.push(Buffer.concat(chunks))
    }
    const lost = this.acknowledged.filter(bytes => !contents.some(one => one.subarray(0, bytes.length).equals(bytes)))
    if (lost.length > 0)
      throw new Error(
        `the archive lost ${lost.map(bytes => `${bytes.length} bytes: ${bytes.subarray(0, 200)}`).join('; ')}`,
      )
  }

  private acknowledge(): void {
    for (const { place } of surveyRoots(this.roots.filter(root => existsSync(root))).files) {
      const bytes = readFileSync(place)
      const isKnown = this.acknowledged.some(one => one.equals(bytes))
      if (!isKnown && !bytes.includes(secret) && !place.includes(secretSession)) this.acknowledged.push(bytes)
    }
  }

  /** Not a byte of it is anywhere below Clew's own folder. */
  private async proveForgotten(): Promise<void> {
    const again = await this.ask('forget', secretSession, '--yes')
    // It may look for a text that others say, too; whether the secret is left is looked for below.
    if (again.code !== 0 && !/something is left/.test(again.stdout)) {
      throw new Error(`forget: ${again.stdout}${again.stderr}`)
    }
    tally.forgotten++
    // A line that lost its session's id by damage cannot be known as its; that is said.
    if (/may be its/.test(again.stdout)) return
    const own = this.fixture.home
    for (const folder of readdirSync(own).map(name => join(own, name))) {
      const isFolder = statSync(folder).isDirectory()
      if (isFolder ? holdsText(folder, secret) : readFileSync(folder).includes(secret)) {
        const where = isFolder ? filesWith(folder) : [folder]
        throw new Error(
          `forget ended with ${again.code} and left the secret in ${where.join(', ')}: ${again.stdout}${again.stderr}`,
        )
      }
    }
  }

  /** Everything is opened again; what is archived last is restored. */
  async end(): Promise<void> {
    for (const path of [...this.shut]) this.open(path)
    await this.prove()
    if (!this.archive().exists || this.setup.archive === 'off') return
    const to = join(this.fixture.one.folder, 'restored')
    const { code, stdout, stderr } = await this.ask('archive', 'restore', '--all', '--to', to)
    if (code !== 0) throw new Error(`archive restore: ${stdout}${stderr}`)
    const restored = readdirSync(to, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
    for (const { place, home } of surveyRoots(this.roots.filter(root => existsSync(root))).files) {
      const bytes = readFileSync(place)
      if (place.includes(secretSession) || bytes.includes(secret)) continue
      const way = relative(home, place)
      const same = restored.map(entry => join(entry.parentPath, entry.name)).filter(path => path.endsWith(`/${way}`))
      if (!same.some(path => readFileSync(path).equals(bytes)))
        throw new Error(`${way} was not restored as it was archived`)
    }
  }
}

function filesWith(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter(
    name => statSync(join(folder, name)).isFile() && readFileSync(join(folder, name)).includes(secret),
  )
}

function historyLine(seed: number): string {
  const pasted = { 1: { id: 1, type: 'text', contentHash: '0123456789abcdef' } }
  const line = { display: `look at ${secret} ${seed}`, pastedContents: pasted }
  return `${JSON.stringify({ ...line, timestamp: 1_770_000_000_000, project: '/p', sessionId: secretSession })}\n`
}

/** Which records two sessions share is not the matter here: each has its own. */
function ofSession(step: Step): Step {
  return step.kind === 'talk' && step.path.includes(sessionB) ? { ...step, seed: step.seed + 100 } : step
}

/** It ended with a code that means something, and said why where that is not 0. */
function expectEnd(words: readonly string[], { code, stdout, stderr }: Result): void {
  const said = stdout + stderr
  const isKnown = code === 0 || code === 1 || code === 2 || code === 130
  const isSilent = code !== 0 && said.trim() === '' && !words.includes('-q')
  const isCrash = /\n\s+at .*\.js:\d+|node:internal/.test(said)
  if (!isKnown || isSilent || isCrash) throw new Error(`clew ${words.join(' ')} ended with ${code}: ${said}`)
}

function expectSame(what: string, indexed: string, plain: string): void {
  if (indexed === plain) return
  let at = 0
  while (indexed[at] === plain[at]) at++
  const from = Math.max(0, at - 200)
  throw new Error(
    `${what} differs:\n  with an index ${indexed.slice(from, at + 200)}\n  without one  ${plain.slice(from, at + 200)}`,
  )
}

/** Titles of sessions in usage are compared elsewhere. */
function told({ stdout }: Result): string {
  return stdout.includes('"totalTokens"') ? stdout.replaceAll(/"title":"[^"]*"/g, '') : stdout
}

/** A hit of search stands for all sessions that say the same. */
function expectSearched(searched: ReadonlySet<string>, all: ReadonlySet<string>): void {
  const odd = [...searched].filter(session => !all.has(session))
  if (odd.length > 0) throw new Error(`search found ${odd}, grep only ${[...all]}`)
  if (searched.size === 0 && all.size > 0) throw new Error(`search found nothing, grep ${[...all]}`)
}

function sessionsIn({ stdout }: Result): Set<string> {
  const { hits = [] } = stdout === '' ? {} : JSON.parse(stdout)
  // Grep reads no prompt histories.
  const own = (hits as { session: string; file?: string }[]).filter(
    ({ file }) => file?.endsWith('history.jsonl') !== true,
  )
  return new Set(own.map(({ session }) => session.replace(/@.*/, '')))
}
