// One truth, of homes with random shapes: whatever two askers report is the same. `CLEW_SEED=7` tries home 7 alone,
// `CLEW_HOMES=300` so many.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isDeep } from '../needs.ts'
import { writeHome } from '../specs/home.ts'
import { homeReports } from './askers.ts'
import { RandomHome } from './random-home.ts'
import { disagreements, Home, reportsOf } from './sources.ts'
import { reportCompared } from './table.ts'

const first = Number(process.env['CLEW_SEED'] ?? (isDeep ? Date.now() % 1_000_000 : 1))
const count = Number(process.env['CLEW_HOMES'] ?? (process.env['CLEW_SEED'] !== undefined ? 1 : isDeep ? 20 : 2))

it.each(Array.from({ length: count }, (_, n) => first + n))(
  'every fact of random home %i is the same wherever it is reported',
  { timeout: 600_000 },
  async seed => {
    const folder = mkdtempSync(join(tmpdir(), 'clew-random-home-'))
    try {
      writeHome(join(folder, 'claude'), new RandomHome(seed).home())
      const home = new Home(join(folder, 'claude'), join(folder, 'own'))
      const reports = new Map([...(await reportsOf(home, { withStatusline: false })), ...(await homeReports(home))])
      reportCompared(reports)
      expect(disagreements(reports)).toEqual([])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
