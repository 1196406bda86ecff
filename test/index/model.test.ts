// Random lives of two homes, their archive and its settings: after every refresh the index is what a new one would be, and
// everything that is on disk or archived is in it once. CLEW_SEED picks the lives.

import { describe, expect, it } from 'vitest'
import type { RefreshOptions } from '../../src/index/refresh/refresh.ts'
import { isDeep, seedOr } from '../needs.ts'
import fc from '../property.ts'
import { happen, type Step, steps } from './changes.ts'
import { atOneMoment, type IndexFixture, proveIndex, withIndexFixture } from './index-fixture.ts'

/** A refresh, and how it is asked for. */
interface Refresh {
  kind: 'refresh'
  mode: 'auto' | 'off'
  isExcluding: boolean
  /** A home that is refreshed by itself before, and whether it is archived then. */
  scope: 0 | 1 | null
  /** Only the first home is archived. */
  isHalfArchived: boolean
}

const refresh: fc.Arbitrary<Refresh> = fc.record({
  kind: fc.constant('refresh' as const),
  mode: fc.constantFrom('auto', 'auto', 'auto', 'off'),
  isExcluding: fc.nat(4).map(n => n === 0),
  scope: fc.constantFrom(null, null, null, 0, 1),
  isHalfArchived: fc.nat(4).map(n => n === 0),
})

type Life = readonly (Step | Refresh)[]

function optionsOf(fixture: IndexFixture, { mode, isExcluding, isHalfArchived }: Refresh): RefreshOptions {
  return fixture.options(mode, {
    ...(isExcluding && { exclude: ['/home/mira/choir'] }),
    ...(isHalfArchived && mode === 'auto' && { archiveRoots: [fixture.one.home] }),
  })
}

async function refreshAndProve(fixture: IndexFixture, step: Refresh): Promise<void> {
  const options = optionsOf(fixture, step)
  const root = step.scope === null ? undefined : fixture.roots[step.scope]
  if (root !== undefined) {
    const archiveRoots = options.archiveRoots.includes(root) ? [root] : []
    await fixture.refresh({ ...options, roots: [root], archiveRoots, isScoped: true })
  }
  const look = atOneMoment(options)
  const report = await fixture.refresh(look())
  expect(report.isRebuilt).toBe(false)
  expect(report.findings.filter(({ severity }) => severity !== 'info')).toEqual([])
  await proveIndex(look())
  const again = await fixture.refresh(look())
  expect({ files: again.files, dropped: again.dropped, sessions: again.sessions }).toMatchObject({
    dropped: 0,
    sessions: 0,
  })
}

async function live(life: Life): Promise<void> {
  await withIndexFixture(async fixture => {
    for (const step of life) {
      if (step.kind === 'refresh') await refreshAndProve(fixture, step)
      else await happen(fixture, step)
    }
    await refreshAndProve(fixture, {
      kind: 'refresh',
      mode: 'auto',
      isExcluding: false,
      scope: null,
      isHalfArchived: false,
    })
  })
}

describe('whatever happens to files, homes, archive and settings', () => {
  it('a refreshed index is what a new one would be, with everything in it once', { timeout: 3_600_000 }, async () => {
    const life = fc.array(fc.oneof({ weight: 3, arbitrary: steps }, { weight: 2, arbitrary: refresh }), {
      minLength: 6,
      maxLength: 40,
      size: 'max',
    })
    await fc.assert(fc.asyncProperty(life, live), { seed: seedOr(5), numRuns: isDeep ? 300 : 8 })
  })
})
