// Lets the engine wait before it optimizes code. What a command of half a second runs is seldom run again: optimizing it takes
// more time of all processors than it saves. What runs long enough is optimized all the same.

import { setFlagsFromString } from 'node:v8'

/** Bytes of code that a function runs before it is thought about. */
const budgets = { late: 1_000_000, usual: 66 * 1024 }
/** Engines after this one may not know the flag, and would say so. */
const lastKnown = 24

/** For all threads, and all code that begins to run often from now on. */
export function optimizeLate(): void {
  setBudget(budgets.late)
}

/**
 * Before a thread is started, until it tells again to wait: Node's own code comes compiled for the usual flags, and would be
 * compiled again for others.
 */
export function optimizeAsUsual(): void {
  setBudget(budgets.usual)
}

function setBudget(bytes: number): void {
  if (Number.parseInt(process.versions.node, 10) <= lastKnown) setFlagsFromString(`--interrupt-budget=${bytes}`)
}
