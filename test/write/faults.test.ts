// Every system call of the writer fails once, with a full disk and with a broken one, whole or after a part was written: the error
// says so, the file is as it was, what was acknowledged is there, and the next attempt succeeds.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SessionOps, sessionOps } from '../../src/write/ops.ts'
import {
  answer,
  createSession,
  openSession,
  prompt,
  type SessionWriter,
  toolCall,
  toolResult,
  WriteError,
} from '../../src/write/write.ts'
import { reportSweep } from '../sweep.ts'
import { type Call, systemFault, watchedOps } from './fault-ops.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'clew-write-faults-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

let count = 0

interface Trial {
  acknowledged: string[]
  error: unknown
  /** The file when the error came, and right before that append. */
  after: string
  before: string
  path: string
  calls: Call[]
  /** The call that failed; absent where there were not so many. */
  failed?: Call
}

const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')

/** The lines of one session; `fails`: the number of the call that does, after a part of a write where `isShort`. */
async function trial(code: string, fails: number, isShort: boolean): Promise<Trial> {
  const calls: Call[] = []
  const done: Trial = { acknowledged: [], error: undefined, after: '', before: '', path: '', calls }
  const ops = watchedOps((call, number, _make, given) => {
    calls.push(call)
    if (number !== fails) return undefined
    done.failed = call
    if (isShort && call === 'writeOnce') {
      const [fd, bytes, from] = given as [number, Uint8Array, number]
      sessionOps.write(fd, bytes.subarray(from, from + Math.floor((bytes.length - from) / 2)))
    }
    throw systemFault(code)
  })
  const folder = join(root, `try-${count++}`, 'a')
  let writer: SessionWriter | undefined
  try {
    writer = await createSession({ folder, cwd: '/home/mira', clewHome: join(root, 'clew'), fsync: 'record', ops })
    done.path = writer.path
    const { path } = writer
    const put = async (event: Parameters<SessionWriter['append']>[0], by = writer as SessionWriter) => {
      done.before = read(path)
      done.acknowledged.push(...(await by.append(event)).ids)
    }
    await put(prompt('one'))
    await put(answer([toolCall('toolu_1', 'Task', { prompt: 'look' })]))
    done.before = read(path)
    const agent = await writer.startSubagent('toolu_1', { type: 'Explore', description: 'look', prompt: 'look' })
    await agent.append(answer('found'))
    await agent.close()
    await put(toolResult('toolu_1', 'found'))
    await put(answer('x'.repeat(20_000)))
    done.before = read(path)
    await writer.close()
  } catch (error) {
    done.error = error
  }
  done.after = read(done.path)
  // What was acknowledged stays, and one may go on.
  if (done.error !== undefined) await goOn(done, writer)
  return done
}

async function goOn({ path, acknowledged }: Trial, writer: SessionWriter | undefined): Promise<void> {
  if (acknowledged.length === 0) {
    const id = await writer?.append(prompt('again'))
    expect(read(path)).toContain(id?.id)
    await writer?.close()
    return
  }
  await writer?.close()
  const again = await openSession(path, { clewHome: join(root, 'clew'), ops: quick })
  const { id } = await again.append({ kind: 'notice', blocks: [{ type: 'text', text: 'again' }] })
  await again.close()
  const lines = read(path)
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as { uuid?: string; parentUuid?: string })
  expect(acknowledged.filter(one => !lines.some(({ uuid }) => uuid === one))).toEqual([])
  expect(lines.at(-2)).toMatchObject({ uuid: id, parentUuid: acknowledged.at(-1) })
}

const quick: SessionOps = { ...sessionOps, sync() {}, syncFolder() {} }

/** Calls of the lock's: one that cannot be removed is no error of the append's. */
const mayPass: ReadonlySet<Call> = new Set(['unlink', 'removeFolder', 'truncate'])

describe('a writer whose system call fails', () => {
  test.each(['ENOSPC', 'EIO'])(
    'with %s at any one of them says so and leaves the file as it was',
    { timeout: 120_000 },
    async code => {
      const { calls, error } = await trial(code, 0, false)
      expect(error).toBeUndefined()
      expect(calls.length).toBeGreaterThan(30)
      expect(new Set(calls)).toContain('sync')
      let failed = 0
      for (const isShort of [false, true]) {
        // Bursts of the lock's depend on time: the same number may be another call.
        for (let fails = 1; ; fails++) {
          if (isShort && calls[fails - 1] !== 'writeOnce' && fails <= calls.length) continue
          const done = await trial(code, fails, isShort)
          if (done.failed === undefined) break
          const name = `${done.failed} number ${fails}`
          if (done.error === undefined) {
            expect(mayPass.has(done.failed), name).toBe(true)
            continue
          }
          expect(done.error, name).toBeInstanceOf(WriteError)
          expect(done.error, name).toMatchObject({ code })
          expect(done.after, name).toBe(done.before)
          failed++
        }
      }
      reportSweep('failing or full disk in the session writer, every call', failed, 0)
      expect(failed).toBeGreaterThan(25)
    },
  )

  test('keeps what it cannot take back from being glued to the next record', async () => {
    let isBroken = false
    const ops = watchedOps((call, _number, _make, given) => {
      if (!isBroken || (call !== 'writeOnce' && call !== 'truncate')) return undefined
      const [fd, bytes] = given as [number, Uint8Array]
      if (call === 'writeOnce') sessionOps.write(fd, bytes.subarray(0, 10))
      throw systemFault('EIO')
    })
    const folder = join(root, `try-${count++}`)
    const writer = await createSession({ folder, cwd: '/home/mira', clewHome: join(root, 'clew'), ops })
    const first = await writer.append(prompt('one'))
    isBroken = true
    await expect(writer.append(answer('two'))).rejects.toMatchObject({ code: 'EIO' })
    isBroken = false
    const second = await writer.append(answer('two'))
    await writer.close()
    const lines = readFileSync(writer.path, 'utf8').split('\n')
    expect(lines[1]).toBe('{"parentUu')
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ uuid: second.id, parentUuid: first.id })
  })
})
