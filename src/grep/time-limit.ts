// A time limit for work with regular expressions: V8 tries every way to match, and some expressions need years for one line.
// Node interrupts a script after a time, also inside an expression. What is skipped then is decided by the callers.

import { type Context, createContext, Script } from 'node:vm'
import { cpuMs } from './cpu-time.ts'

/** The time was up. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow'
}

/** How long one line may take, in time that the processor works on it. */
export const lineLimitMs = 1000
/** After this many lines on which the expression took too long, the search ends. */
export const mostSlowLines = 10

let context: Context | undefined
const call = new Script('work()')

/**
 * The result of `work`; `TooSlow` where it takes longer. What it was doing then is in no state to continue, generators
 * included. A limit costs about 0.1 ms: it is for work of many lines.
 */
export function withinTime<Value>(work: () => Value, limitMs = lineLimitMs): Value {
  context ??= createContext(Object.create(null))
  // One at a time in a thread: `work` returns before another one begins.
  context['work'] = work
  try {
    return call.runInContext(context, { timeout: limitMs })
  } catch (error) {
    // An error of another context: it is no instance of our own class.
    const { code } = Object(error) as { code?: unknown }
    throw code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? new TooSlow() : error
  }
}

/** So much of the limit counts as all of it: a clock is not exact. */
const nearly = 0.9

/**
 * The same for work that can be begun again: it has as much time of this thread as `limitMs` says, however busy the machine is.
 * `TooSlow` only where it used that.
 */
export function withinOwnTime<Value>(work: () => Value, limitMs = lineLimitMs): Value {
  for (let waitMs = limitMs; ; ) {
    const began = cpuMs()
    try {
      return withinTime(work, Math.ceil(waitMs))
    } catch (error) {
      const used = cpuMs() - began
      if (!(error instanceof TooSlow) || used >= limitMs * nearly) throw error
      // As long as it would take at the rate at which the thread was let to work.
      waitMs *= Math.min(16, Math.max(2, limitMs / Math.max(1, used)))
    }
  }
}

/** More of them can be tried in more ways than there is time for. */
const mostOptional = 8

/** Whether matching may take longer than reading: not without repetition. */
export function mayBeSlow({ source }: { source: string }): boolean {
  const plain = source.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x')
  return /[*+]|\{\d/.test(plain) || (plain.match(/[^(]\?/g) ?? []).length > mostOptional
}
