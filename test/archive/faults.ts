// What the tests of faults share: the driver in a process of its own, what an archive has in comparable form, and whether
// a home was left alone. Which faults there are is each test's business.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { verifyArchive } from '../../src/archive/maintain/verify.ts'
import { archivedBytes } from '../../src/archive/read/source.ts'
import { Archive } from '../../src/archive/store/archive.ts'
import { realOps, type WriteOps } from '../../src/files/ops.ts'
import type { Fault } from './driver.ts'
import type { Operation } from './operate.ts'
import { unpackAll } from './unpack-all.ts'

/** Without waiting for the disk: for whatever is not about power cuts. */
export const quickOps: WriteOps = { ...realOps, sync() {}, syncFolder() {} }

/** Puts the driver into a folder and answers its place. */
export async function buildDriver(folder: string): Promise<string> {
  const driver = join(folder, 'driver.mjs')
  const entry = join(import.meta.dirname, 'driver.ts')
  const shape = { bundle: true, platform: 'node', format: 'esm', logLevel: 'error' } as const
  await build({ entryPoints: [entry], outfile: driver, ...shape })
  return driver
}

export interface Ended {
  /** Whether it was killed. */
  isKilled: boolean
  code: number | null
  commits: number
  files: number
  isDone: boolean
  /** What could not be kept: `code file`. */
  findings: string[]
  complaint: string
}

/** Runs the driver to its end, below strace where options for that are given. */
export function runDriver(driver: string, operation: Operation, fault?: Fault, strace?: string[]): Promise<Ended> {
  const own = [driver, JSON.stringify(operation), ...(fault === undefined ? [] : [JSON.stringify(fault)])]
  const [program, args] =
    strace === undefined ? [process.execPath, own] : ['strace', ['-f', '-qq', ...strace, process.execPath, ...own]]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let complaint = ''
  child.stdout.on('data', chunk => {
    out += chunk
  })
  child.stderr.on('data', chunk => {
    complaint += chunk
  })
  return new Promise(done => {
    child.on('close', (code, signal) => {
      const acks = out.split('\n').filter(line => line !== '')
      done({
        isKilled: signal === 'SIGKILL' || code === 137,
        code,
        commits: acks.filter(ack => ack === 'ACK commit').length,
        files: acks.filter(ack => ack === 'ACK file').length,
        isDone: acks.includes('ACK done'),
        findings: acks.filter(line => !line.startsWith('ACK ')),
        complaint,
      })
    })
  })
}

/** The first moment of this year that no file of these tests has: later times are those of the test itself. */
const recentMs = Date.UTC(2025, 0, 1)

/** All that is archived, each generation read back from its frames: a sorted list that says nothing of ids and packs. */
export async function viewOf(folder: string): Promise<string[]> {
  const archive = new Archive(folder)
  if (!archive.exists) return []
  const { catalog } = archive.manifest
  const view = [...catalog.forgotten].map(session => `forgotten ${session}`)
  for (const generation of catalog.generations.values()) {
    const { path, number, mode, modifiedMs } = generation
    const hash = createHash('sha256')
    for await (const bytes of archivedBytes(archive, generation)) hash.update(bytes)
    const time = modifiedMs < recentMs ? modifiedMs : 'recent'
    view.push(`${path} ${number} ${mode.toString(8)} ${time} ${generation.size} ${hash.digest('hex')}`)
  }
  return view.sort()
}

/** What verify says beyond harmless things: nothing, if all is well. */
export async function damageOf(folder: string): Promise<string[]> {
  const { isIntact, findings, damaged } = await verifyArchive(new Archive(folder))
  const bad = findings.filter(({ severity }) => severity !== 'info').map(({ code, message }) => `${code}: ${message}`)
  if (damaged.length > 0) bad.push(`${damaged.length} damaged parts`)
  return isIntact || bad.length > 0 ? bad : ['not intact, though nothing is said about it']
}

/** Everything about a folder that no one may change: names, contents, modes, times, identities. */
export function fingerprint(folder: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const place = join(folder, name)
    const { ino, mode, mtimeNs, ctimeNs } = lstatSync(place, { bigint: true })
    const isFile = statSync(place).isFile()
    hash.update(`${name} ${ino} ${mode} ${isFile ? `${mtimeNs} ${ctimeNs}` : ''}\n`)
    if (isFile) hash.update(readFileSync(place))
  }
  return hash.digest('hex')
}

/** Whether a text is anywhere in an archive, compressed or not. */
export function holdsText(folder: string, text: string): boolean {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const place = join(folder, name)
    if (!statSync(place).isFile()) continue
    const bytes = readFileSync(place)
    if (bytes.includes(text) || unpackAll(name, bytes).includes(text)) return true
  }
  return false
}

/**
 * A lock that was made but not written to may be about to be: for half a minute no one removes it. True where it was one;
 * then that time has passed.
 */
export function ageUnwrittenLock(folder: string): boolean {
  let isAny = false
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!/^lock(\.break-.*)?$/.test(name)) continue
    const place = join(folder, name)
    if (readFileSync(place, 'utf8').endsWith('}\n')) continue
    const before = Date.now() / 1000 - 60
    utimesSync(place, before, before)
    isAny = true
  }
  return isAny
}

/** A lock that this process left since its removal failed is one of a process that is gone, once the process is. */
export function orphanLocks(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!/^lock(\.break-.*)?$/.test(name)) continue
    const place = join(folder, name)
    writeFileSync(place, readFileSync(place, 'utf8').replace(/"pid":\d+/, '"pid":999999999'))
  }
  ageUnwrittenLock(folder)
}

/** Whether this process may do what only an administrator of a Linux machine may. */
export const isRoot = process.platform === 'linux' && process.getuid?.() === 0
