// A line on stderr that says how far a long reading is. Only on a terminal, only after half a second, gone at the end.

const showAfterMs = 500
const everyMs = 100

export interface Progress {
  /** `share`: from 0 to 1. */
  update(share: number): void
  end(): void
}

/** `what` is text of our own, never of a log. */
export function progressOf(what: string, isQuiet: boolean): Progress {
  if (isQuiet || !process.stderr.isTTY) return { update: () => {}, end: () => {} }
  const started = performance.now()
  let shownAt = Number.NEGATIVE_INFINITY
  const clear = () => process.stderr.write('\r\u001b[K')
  const onInterrupt = () => {
    clear()
    process.exit(130)
  }
  process.once('SIGINT', onInterrupt)
  return {
    update(share) {
      const now = performance.now()
      if (now - started < showAfterMs || now - shownAt < everyMs) return
      shownAt = now
      process.stderr.write(`\r${what} ${Math.floor(Math.min(1, share) * 100)} %\u001b[K`)
    },
    end() {
      process.off('SIGINT', onInterrupt)
      if (shownAt > 0) clear()
    },
  }
}
