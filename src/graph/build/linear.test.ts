import { describe, expect, test } from 'vitest'
import { sessionId } from '../../model/ids.ts'
import type { GraphFile } from '../../model/session.ts'
import { buildGraph } from '../graph.ts'
import { Sketch } from '../testing.ts'

/** Subagents inside each other, none of which ever ended. */
function nested(size: number): GraphFile[] {
  const main = new Sketch().user('u', null, 'Go').call('c0', 'u', 't0', 'Agent', { prompt: 'Go' })
  const files = [main.file()]
  for (let at = 0; at < size; at++) {
    const own = { isSidechain: true, agentId: `a${at}` }
    const agent = new Sketch().user(`x${at}`, null, 'Go', own)
    agent.call(`c${at + 1}`, `x${at}`, `t${at + 1}`, 'Agent', { prompt: 'Go' }, own)
    const options = {
      role: 'agent',
      agent: `a${at}`,
      path: `agent-a${at}.jsonl`,
      meta: { toolUseId: `t${at}` },
    } as const
    files.push(agent.file(options))
  }
  return files
}

/** Many files whose records have neither uuid nor parent, and so the same offsets. */
function nameless(size: number): GraphFile[] {
  const record = { type: 'user', sessionId: 's', message: { role: 'user', content: 'Hello' } }
  return Array.from({ length: size }, (_, at) => new Sketch().side(record).file({ path: `s-${at}.jsonl` }))
}

/** Results of one answer's calls after all of its requests. */
function parallel(size: number): GraphFile[] {
  const sketch = new Sketch().user('u', null, 'Go')
  for (let at = 0; at < size; at++)
    sketch.call(`c${at}`, at ? `c${at - 1}` : 'u', `t${at}`, 'Read', {}, { message: 'm' })
  for (let at = size - 1; at >= 0; at--) sketch.result(`r${at}`, `c${at}`, `t${at}`)
  return [sketch.file()]
}

/** A prompt that was edited again and again, and dead ends on the way. */
function rewound(size: number): GraphFile[] {
  const sketch = new Sketch().user('u', null, 'Go').answer('a0', 'u', 'Hi')
  for (let at = 0; at < size; at++) {
    sketch.user(`e${at}`, 'a0', 'Edited').user(`d${at}`, `a${at}`, 'Dead end')
    sketch.user(`v${at}`, `a${at}`, 'On').answer(`a${at + 1}`, `v${at}`, 'Done')
  }
  return [sketch.file()]
}

/** Prompts that only the queue has, all taken before the next answer. */
function queued(size: number): GraphFile[] {
  const sketch = new Sketch().user('u', null, 'Go')
  for (let at = 0; at < size; at++) {
    sketch.side({ type: 'queue-operation', operation: 'enqueue', content: `Also ${at}` })
    sketch.side({ type: 'queue-operation', operation: 'remove' })
  }
  for (let at = 0; at < size; at++) sketch.user(`v${at}`, 'u', 'Something else')
  return [sketch.file()]
}

/** Every boundary claims to have kept everything since the first prompt. */
function compacted(size: number): GraphFile[] {
  const sketch = new Sketch().user('u', null, 'Go')
  for (let at = 0; at < size; at++) {
    const preservedSegment = { headUuid: 'u', tailUuid: `a${at}`, anchorUuid: `s${at}` }
    sketch.answer(`a${at}`, at ? `s${at - 1}` : 'u', 'Done')
    sketch.system(`b${at}`, null, 'compact_boundary', {
      logicalParentUuid: `a${at}`,
      compactMetadata: { preservedSegment },
    })
    sketch.user(`s${at}`, `b${at}`, 'Summary', { isCompactSummary: true })
  }
  return [sketch.file()]
}

function timeOf(files: readonly GraphFile[]): number {
  const from = performance.now()
  buildGraph(sessionId('s'), files)
  return performance.now() - from
}

/** How many times as long the large one takes, by the best of several runs: only a few of them meet a quiet machine. */
function growth(small: readonly GraphFile[], large: readonly GraphFile[], enough: number): number {
  timeOf(small)
  let bestSmall = Number.POSITIVE_INFINITY
  let bestLarge = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3 || (run < 20 && bestLarge / bestSmall >= enough); run++) {
    bestSmall = Math.min(bestSmall, timeOf(small))
    bestLarge = Math.min(bestLarge, timeOf(large))
  }
  return bestLarge / bestSmall
}

describe('four times the records take far less than sixteen times as long', { tags: 'deep' }, () => {
  for (const [make, size] of [
    [nested, 2_500],
    [nameless, 2_500],
    [parallel, 2_500],
    [rewound, 1_500],
    [queued, 2_500],
    [compacted, 1_500],
  ] as const) {
    test(`in a session that is ${make.name}`, () => {
      expect(growth(make(size), make(4 * size), 9)).toBeLessThan(9)
    }, 120_000)
  }
})
