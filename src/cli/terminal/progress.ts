// One line on standard error that says how far long work is: after half a second, on a terminal only, gone at the end.

import type { Progress, Watching } from '../../answers/clew.ts'
import { durationText, sizeText } from '../../view/words.ts'
import type { GlobalOptions } from '../command.ts'
import { isScreenTaken, say } from './output.ts'

interface ProgressOptions {
  /** What runs: `reading`. */
  what: string
  /** All bytes, where that is known. */
  total?: number
  /** No line at all: `--quiet`, or another program has the terminal. */
  isQuiet?: boolean
  /** Somebody else answers Ctrl-C, and clears the line by ending it. */
  leavesSignals?: boolean
  /** Standard error and the clock, unless a test says otherwise. */
  stream?: { isTTY?: boolean; columns?: number; write(text: string): unknown }
  now?: () => number
}

const waitMs = 500
const pauseMs = 100
const clearLine = '\r\u001b[K'

export function startProgress(options: ProgressOptions): Progress {
  const { what, total, isQuiet, leavesSignals = false, stream = process.stderr, now = Date.now } = options
  if (isQuiet || !stream.isTTY || process.env['TERM'] === 'dumb') return { add() {}, end() {} }
  const started = now()
  let done = 0
  let drawnAt = 0
  const clear = () => {
    if (drawnAt > 0) stream.write(clearLine)
    drawnAt = 0
  }
  const interrupted = () => {
    clear()
    process.off('SIGINT', interrupted)
    process.kill(process.pid, 'SIGINT')
  }
  return {
    add(bytes) {
      done += bytes
      const time = now()
      if (time - started < waitMs || time - drawnAt < pauseMs || isScreenTaken()) return
      if (drawnAt === 0 && !leavesSignals) process.on('SIGINT', interrupted)
      drawnAt = time
      const line = progressText(what, done, total, time - started)
      // A line as wide as the terminal would wrap and could not be cleared.
      stream.write(clearLine + line.slice(0, Math.max(20, (stream.columns ?? 80) - 1)))
    },
    end() {
      process.off('SIGINT', interrupted)
      clear()
    },
  }
}

/** `reading 34 MB of 50 MB, 28 MB/s, 1 s left`. */
export function progressText(what: string, done: number, total: number | undefined, elapsedMs: number): string {
  const rate = done / Math.max(1, elapsedMs)
  const of = total === undefined ? '' : ` of ${sizeText(total)}`
  const left = total === undefined || rate <= 0 || done >= total ? '' : `, ${durationText((total - done) / rate)} left`
  return `${what} ${sizeText(done)}${of}, ${sizeText(rate * 1000)}/s${left}`
}

/**
 * `stopping`: what is said at the first Ctrl-C. The second one ends the process, which costs what is not yet on the disk and
 * nothing else.
 */
export async function stoppable<Value>(
  { quiet }: Pick<GlobalOptions, 'quiet'>,
  stopping: string,
  work: (watching: Watching) => Promise<Value>,
): Promise<Value> {
  let progress: Progress | undefined
  let isStopped = false
  const stop = () => {
    isStopped = true
    progress?.end()
    progress = undefined
    say(stopping)
  }
  process.once('SIGINT', stop)
  try {
    return await work({
      begin(what, total) {
        progress?.end()
        if (!isStopped) progress = startProgress({ what, total, isQuiet: quiet, leavesSignals: true })
      },
      progress: bytes => progress?.add(bytes),
      isStopped: () => isStopped,
    })
  } finally {
    process.off('SIGINT', stop)
    progress?.end()
  }
}
