// A line of log text in which matches stand out. Where they stand is told by whoever searched.

import pc from 'picocolors'
import { type Line, safeLine } from './paint-text.ts'

/** `spans`: from where to where, in order, without overlap. */
export function matchedLine(text: string, spans: readonly (readonly [from: number, to: number])[]): Line {
  const runs: Line = []
  const add = (from: number, to: number, isMatch: boolean) => {
    const safe = safeLine(text.slice(from, to))
    if (safe !== '') runs.push(isMatch ? { text: safe, style: matchStyle } : { text: safe })
  }
  let at = 0
  for (const [from, to] of spans) {
    add(at, from, false)
    add(from, to, true)
    at = to
  }
  add(at, text.length, false)
  return runs
}

function matchStyle(text: string): string {
  return pc.bold(pc.red(text))
}
