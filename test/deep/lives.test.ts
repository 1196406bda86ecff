// Many random lives: see lives.ts. `CLEW_SEED=N` lives life N alone, `CLEW_LIVES=N` so many of them from the seed on.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedOr } from '../needs.ts'
import { reportSweep } from '../sweep.ts'
import { Grounds, type Life, lifeOf, live, tally } from './lives.ts'

let grounds: Grounds

beforeAll(() => {
  grounds = new Grounds()
})

afterAll(() => grounds.remove())

const isOne = process.env['CLEW_SEED'] !== undefined
const count = Number(process.env['CLEW_LIVES'] ?? (isOne ? 1 : 300))
/** Looks for a smaller life with the same fault, which takes minutes. */
const isShrunk = process.env['CLEW_SHRINK'] === '1'

test('whatever happens to files between and during commands, all answers agree', { timeout: 7_200_000 }, async () => {
  const failures: string[] = []
  const first = seedOr(1)
  for (let seed = first; seed < first + count; seed++) {
    const life = lifeOf(seed)
    const fault = await faultOf(life)
    if (fault === null) continue
    failures.push(`CLEW_SEED=${seed}: ${fault}`)
    console.log(`${failures.at(-1)}\n${JSON.stringify(isShrunk ? await smaller(life, fault) : life)}`)
  }
  console.log(JSON.stringify(tally))
  reportSweep('random lives of two homes, with kills and full disks', tally.lives, failures.length)
  expect(failures).toEqual([])
})

async function faultOf(life: Life): Promise<string | null> {
  try {
    await live(life, grounds)
    return null
  } catch (error) {
    return String(error)
  }
}

/** Leaves out rounds, then single changes, as long as a fault of the same kind remains. */
async function smaller(life: Life, fault: string): Promise<Life> {
  const kind = fault.slice(0, 25)
  let best = life
  for (const part of ['rounds', 'changes'] as const) {
    for (let at = sizeOf(best, part) - 1; at >= 0; at--) {
      const candidate = without(best, part, at)
      if ((await faultOf(candidate))?.startsWith(kind) === true) best = candidate
    }
  }
  return best
}

function sizeOf({ rounds }: Life, part: 'rounds' | 'changes'): number {
  return part === 'rounds' ? rounds.length : rounds.reduce((sum, { changes }) => sum + changes.length, 0)
}

function without({ setup, rounds }: Life, part: 'rounds' | 'changes', at: number): Life {
  if (part === 'rounds') return { setup, rounds: rounds.filter((_, n) => n !== at) }
  let n = 0
  return { setup, rounds: rounds.map(round => ({ ...round, changes: round.changes.filter(() => n++ !== at) })) }
}
