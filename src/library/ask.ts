// Who asks: each question of the library has the homes as they are then, an index that is refreshed for it, and problems that
// go to the program. It answers nothing itself.

import type { Clew as Handle, Listener } from '../answers/clew.ts'
import type { OpenOptions } from './options.ts'

export type { Handle }

export type Ask = <Answer>(work: (clew: Handle) => Promise<Answer>) => Promise<Answer>

export async function asking(options: OpenOptions): Promise<{ ask: Ask; close(): Promise<void> }> {
  const { closeClew, openClew } = await import('../answers/open.ts')
  const { Interrupted } = await import('../answers/error.ts')
  const { roots, home, index, timezone, onProblem, signal } = options
  const listener = listenerOf(onProblem, signal)
  const clew = await openClew({
    ...(roots !== undefined && { roots }),
    ...(home !== undefined && { home }),
    ...(index !== undefined && { index }),
    ...(timezone !== undefined && { timezone }),
    listener,
  })
  const running = new Set<Promise<unknown>>()
  let isClosed = false
  const refuseStopped = () => {
    if (signal?.aborted === true) throw new Interrupted('the question was stopped')
  }
  const answer: Ask = async work => {
    refuseStopped()
    // A handle of its own: the index that it opens is refreshed for it.
    const own = { ...clew }
    try {
      const value = await work(own)
      refuseStopped()
      return value
    } finally {
      await closeClew(own)
    }
  }
  const ask: Ask = async work => {
    if (isClosed) throw new Error('The handle is closed.')
    const answering = answer(work)
    running.add(answering)
    return answering.finally(() => running.delete(answering))
  }
  const close = async () => {
    isClosed = true
    await Promise.allSettled(running)
    await closeClew(clew)
  }
  return { ask, close }
}

function listenerOf(onProblem: OpenOptions['onProblem'], signal: OpenOptions['signal']): Listener {
  return {
    note: message => onProblem?.(message),
    unread: finding => onProblem?.(finding.message, finding),
    progress: () => ({ add() {}, end() {} }),
    stoppable: (_stopping, work) => work({ begin() {}, progress() {}, isStopped: () => signal?.aborted === true }),
  }
}
