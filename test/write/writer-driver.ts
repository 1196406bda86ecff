// A process of its own that appends to one session, says what was acknowledged, and dies by SIGKILL at the given call.
//   node writer-driver.mjs TASK      JSON, see Task

import { writeSync } from 'node:fs'
import { type SessionOps, sessionOps } from '../../src/write/ops.ts'
import { createSession, type NewEvent, openSession, type SyncPolicy, wireDialects } from '../../src/write/write.ts'
import { quickOps, watchedOps } from './fault-ops.ts'

export interface Task {
  /** A session that is there; else a new one is made in `folder`. */
  path?: string
  folder?: string
  clewHome: string
  name: string
  count: number
  fsync: SyncPolicy
  /** Before the call of this number, from 1; `isTorn`: after half of what it writes. */
  die?: { at: number; isTorn: boolean }
}

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  // The signal may take a moment; nothing else may happen in it.
  for (;;);
}

function opsFor({ die: point }: Task): SessionOps {
  if (point === undefined) return quickOps
  return watchedOps((call, number, _make, given) => {
    if (number !== point.at) return undefined
    if (point.isTorn && call === 'writeOnce') {
      const [fd, bytes] = given as [number, Uint8Array]
      sessionOps.write(fd, bytes.subarray(0, Math.floor(bytes.length / 2)))
    }
    return die()
  }, quickOps)
}

const task = JSON.parse(process.argv[2] ?? '{}') as Task
const { path, folder = '', clewHome, name, count, fsync } = task
const options = { clewHome, fsync, ops: opsFor(task), waitMs: 60_000 }
const writer =
  path === undefined
    ? await createSession({ ...options, folder, cwd: '/home/mira', dialect: wireDialects[0] })
    : await openSession(path, options)
writeSync(1, `PATH ${writer.path}\n`)
for (let n = 0; n < count; n++) {
  // Now and then a long one.
  const said = `${name} ${n} ${'x'.repeat(n % 50 === 7 ? 200_000 : n % 7)}`
  const event: NewEvent = {
    kind: n === 0 && path === undefined ? 'prompt' : 'notice',
    blocks: [{ type: 'text', text: said }],
  }
  const { id } = await writer.append(event)
  writeSync(1, `ACK ${id}\n`)
}
await writer.close()
writeSync(1, 'DONE\n')
