// A process of its own for the lock's tests: counts in a file under the lock, and dies by SIGKILL at the given point.
//   node lock-driver.mjs FOLDER TIMES [die-holding | die-breaking | abandon]
// `abandon`: every lock is left as if its holder had died, and removing one takes long, so that many want to at once.

import { closeSync, openSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { acquireLock, type LockHolder } from '../../src/files/lock.ts'
import { realOps, type WriteOps } from '../../src/files/ops.ts'

const [folder = '', times = '0', end = ''] = process.argv.slice(2)

function die(): void {
  process.kill(process.pid, 'SIGKILL')
  // The signal may take a moment; nothing else may happen in it.
  for (;;);
}

/** Stands still, as a process may between any two of its steps. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function abandon(holder: LockHolder): void {
  writeFileSync(join(folder, holder.key), JSON.stringify({ ...holder, pid: 999_999_999 }))
  renameSync(join(folder, holder.key), join(folder, 'lock'))
}

const ops: WriteOps = {
  ...realOps,
  unlink(path) {
    const isLock = path === join(folder, 'lock')
    if (end === 'die-breaking' && isLock) die()
    if (end === 'abandon' && isLock) pause(3)
    realOps.unlink(path)
  },
}

async function countOnce(): Promise<void> {
  const lock = await acquireLock(ops, folder, { what: 'count', waitMs: 60_000 })
  // Fails when another process is here too.
  closeSync(openSync(join(folder, 'inside'), 'wx'))
  const count = Number(readFileSync(join(folder, 'count'), 'utf8'))
  await sleep(1)
  writeFileSync(join(folder, 'count'), String(count + 1))
  unlinkSync(join(folder, 'inside'))
  if (end === 'abandon') abandon(lock.holder)
  else lock.release()
  await sleep(end === 'abandon' ? 40 : 0)
}

for (let n = 0; n < Number(times); n++) await countOnce()
if (end.startsWith('die')) {
  await acquireLock(ops, folder, { what: 'die', waitMs: 60_000 })
  die()
}
