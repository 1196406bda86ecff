// A session's thread in small, from its counts alone: a line as long as its work, a knot for each prompt, loops for
// subagents, seams for compactions, red where calls failed. It shows how much there was, not when.

import type { ListedSession } from '../../src/server/api/api.ts'
import { countOf } from '../../src/view/words.ts'

const width = 148
const middle = 15
const shortest = 22
const mostKnots = 12
const mostLoops = 8
const mostSeams = 5
const mostFails = 8

type Counts = Pick<ListedSession, 'prompts' | 'calls' | 'subagents' | 'compactions' | 'errors'>

/** Thousands of calls still fit: each ten times as many adds the same length. */
export function threadLength(calls: number): number {
  return Math.min(width - 6, shortest + Math.log10(1 + Math.max(0, calls)) * 38)
}

/** `count` places, evenly along a line from `from` to `to`, away from its ends. */
export function placesAlong(count: number, from: number, to: number): number[] {
  return Array.from({ length: count }, (_, at) => from + ((at + 0.5) * (to - from)) / count)
}

export function MiniThread({ counts }: { counts: Counts }) {
  const end = 4 + threadLength(counts.calls)
  const seams = placesAlong(Math.min(counts.compactions, mostSeams), 4, end)
  const loops = placesAlong(Math.min(counts.subagents, mostLoops), 4, end)
  const fails = placesAlong(Math.min(counts.errors, mostFails), 4, end)
  const knots = placesAlong(Math.min(Math.max(1, counts.prompts), mostKnots) - 1, 4, end)
  return (
    <svg
      className="mini-thread"
      width={width}
      height="30"
      viewBox={`0 0 ${width} 30`}
      role="img"
      aria-label={words(counts)}
    >
      <path className="mini-line" d={`M4 ${middle}H${end}`} />
      {loops.map((x, at) => (
        <path key={x} className={`mini-loop agent-${(at % 8) + 1}`} d={loopAt(x, at)} />
      ))}
      {fails.map(x => (
        <path key={x} className="mini-fail" d={`M${x} ${middle + 2}v6`} />
      ))}
      {[4, ...knots].map(x => (
        <circle key={x} className="mini-knot" cx={x} cy={middle} r="2.6" />
      ))}
      {seams.map(x => (
        <path key={x} className="mini-seam" d={`M${x - 3} ${middle - 4}l6 8m-6 0 6-8`} />
      ))}
    </svg>
  )
}

/** Out and back, by turns above and below the line where nothing else is. */
function loopAt(x: number, at: number): string {
  const height = at % 2 === 0 ? -13 : -8
  return `M${x - 6} ${middle}C${x - 5} ${middle + height} ${x + 5} ${middle + height} ${x + 6} ${middle}`
}

function words({ prompts, calls, subagents, compactions, errors }: Counts): string {
  const all = [
    countOf(prompts, 'prompt'),
    countOf(calls, 'call'),
    subagents > 0 ? countOf(subagents, 'subagent') : '',
    compactions > 0 ? countOf(compactions, 'compaction') : '',
    errors > 0 ? `${errors} failed` : '',
  ]
  return all.filter(text => text !== '').join(', ')
}
