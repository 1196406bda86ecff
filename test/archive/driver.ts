// A process of its own that does one operation on one archive, and dies by SIGKILL at the given point.
//   node driver.mjs OPERATION [FAULT]      both JSON
// It prints `ACK commit`, `ACK file` or `ACK done` as soon as something is acknowledged, and at the end what could not be archived.
//   node driver.mjs --mutate HOME SEED MS  changes the files of a home at random, see mutate.ts

import { writeSync } from 'node:fs'
import { realOps, type WriteOps } from '../../src/files/ops.ts'
import { mutate } from './mutate.ts'
import { harmless, type Operation, operate, watchedOps } from './operate.ts'

/** Before the call of this number (from 1); `isTorn`: half of what it writes is written. */
export interface Fault {
  at: number
  isTorn?: boolean
}

function die(): void {
  process.kill(process.pid, 'SIGKILL')
  // The signal may take a moment; nothing else may happen in it.
  for (;;);
}

function dyingOps(fault: Fault): WriteOps {
  let count = 0
  // A kill loses nothing that the system has taken, so that no one needs to wait for the disk.
  const quick: WriteOps = { ...realOps, sync() {}, syncFolder() {} }
  return watchedOps(quick, {
    before(call, target, { bytes }) {
      if (harmless.has(call) || ++count !== fault.at) return
      if (fault.isTorn === true && bytes !== undefined) {
        realOps.write(Number(target), bytes.subarray(0, Math.floor(bytes.length / 2)))
      }
      die()
    },
  })
}

const [first = '{}', second, third, fourth] = process.argv.slice(2)
if (first === '--mutate') {
  mutate(second ?? '', Number(third), Number(fourth))
} else {
  const operation = JSON.parse(first) as Operation
  const ops = second === undefined ? realOps : dyingOps(JSON.parse(second) as Fault)
  const findings = await operate(operation, ops, what => {
    writeSync(1, `ACK ${what}\n`)
  })
  for (const finding of findings) writeSync(1, `${finding}\n`)
}
