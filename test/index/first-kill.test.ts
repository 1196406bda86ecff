// Kills the built tool while it makes a first index: one thread keeps, one reads, one writes, and all die at once, anywhere.
// The next refresh must continue from there by itself, and lose nothing. A deep run kills more often.

import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Dice } from '../archive/fixture.ts'
import { clew, mainFile } from '../cli/run.ts'
import { withFolder } from '../home.ts'
import { isDeep, seedOr } from '../needs.ts'
import { reportSweep } from '../sweep.ts'
import { leftovers } from './index-fixture.ts'
import { talkBytes } from './talk.ts'

const kills = isDeep ? 60 : 3
/** So often one after the other, before one refresh is let through. */
const atOnce = 2
/** More than a thread for keeping is made for (32 MiB), since less is archived by the one that waits for it. */
const logCount = 30

/** Half of them with much to settle, half of them with one long output. Gives their bytes. */
function makeLogs(root: string): number {
  mkdirSync(join(root, 'projects/-p'), { recursive: true })
  let bytes = 0
  for (let n = 0; n < logCount; n++) {
    const session = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
    const length = n % 2 === 0 ? { turns: 120 } : { turns: 20, long: 2_300_000 }
    const content = talkBytes({ session, seed: n, ending: n % 5 === 0 ? 'torn' : 'whole', ...length })
    writeFileSync(join(root, 'projects/-p', `${session}.jsonl`), content)
    bytes += content.length
  }
  expect(bytes).toBeGreaterThan(34 * 1024 * 1024)
  return bytes
}

/** True where it was killed before its end. */
function killedAfter(args: readonly string[], home: string, ms: number): Promise<boolean> {
  const child = spawn(process.execPath, [mainFile, ...args], {
    stdio: 'ignore',
    env: { ...process.env, CLEW_HOME: home },
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), ms)
  return new Promise(done => {
    child.on('close', (_code, signal) => {
      clearTimeout(timer)
      done(signal === 'SIGKILL')
    })
  })
}

describe('a first index that is killed', { tags: 'deep' }, () => {
  it('is gone on with by the next refresh, and is what a new one would be', { timeout: 300_000 }, async () => {
    await withFolder(async folder => {
      const root = join(folder, '.claude')
      const home = join(folder, 'clew')
      const bytes = makeLogs(root)
      const dice = new Dice(seedOr(1))
      const refresh = ['index', 'refresh', '--root', root, '--json']
      const run = (...args: string[]) => clew([...args, '--root', root], { env: { CLEW_HOME: home } })
      run('config', 'set', 'archive', 'auto')
      const started = performance.now()
      expect(await killedAfter(refresh, home, 60_000)).toBe(false)
      const wholeMs = performance.now() - started
      let killed = 0
      for (let tries = 0; killed < kills && tries < kills * 2; tries++) {
        rmSync(home, { recursive: true, force: true })
        run('config', 'set', 'archive', 'auto')
        for (let n = 0; n < atOnce; n++) {
          const ms = wholeMs * (0.1 + dice.below(900) / 1000)
          if (await killedAfter(refresh, home, ms)) killed++
        }
        const done = run('index', 'refresh', '--json')
        expect(done, done.stderr).toMatchObject({ code: 0 })
        expect(JSON.parse(done.stdout)).toMatchObject({ isStopped: false, findings: [] })
        const status = JSON.parse(run('index', 'status', '--json').stdout)
        expect(status).toMatchObject({ files: logCount, sessions: logCount, indexedBytes: bytes, pendingBytes: 0 })
        const verified = run('index', 'verify')
        expect(verified.code, verified.stdout + verified.stderr).toBe(0)
        const archived = clew(['archive', 'verify'], { env: { CLEW_HOME: home } })
        expect(archived.code, archived.stdout + archived.stderr).toBe(0)
        expect(leftovers(home)).toEqual([])
      }
      reportSweep('kill of a first index with its threads', killed, 0)
      expect(killed).toBeGreaterThanOrEqual(kills)
    })
  })
})
