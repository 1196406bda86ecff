// How long this thread has worked, in milliseconds: what a time limit has to go by, since a busy machine makes any work take
// long. It limits nothing.

import { readFileSync } from 'node:fs'

/** Linux writes the time of each thread, in nanoseconds; Node 20 knows that of the whole process only. */
const ownTime = '/proc/thread-self/schedstat'

/** Elsewhere that of the process, which is not less. */
export function cpuMs(): number {
  try {
    return Number.parseInt(readFileSync(ownTime, 'latin1'), 10) / 1e6
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
}
