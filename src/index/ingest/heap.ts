// How much garbage the engine lets stand before it looks for it. By itself it may let a heap grow to four times of what is in use;
// beside several threads, a cache and words in memory, that is more than a first index may take.

import { setFlagsFromString } from 'node:v8'

/** Percent that a heap may grow by until it is cleaned; 0 leaves that to the engine. */
const growth = { tight: 50, usual: 0 }
/** Engines after this one may not know the flag, and would say so. */
const lastKnown = 24

/** Of all threads, while a whole index is made: cleaning takes a few milliseconds each time. */
export async function withTightHeap<Value>(work: () => Promise<Value>): Promise<Value> {
  grow(growth.tight)
  try {
    return await work()
  } finally {
    grow(growth.usual)
  }
}

function grow(percent: number): void {
  if (Number.parseInt(process.versions.node, 10) <= lastKnown) setFlagsFromString(`--heap-growing-percent=${percent}`)
}
