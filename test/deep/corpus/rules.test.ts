// What Claude Code wrote, checked against the profile that says what Claude Code writes.

import { expect, test } from 'vitest'
import { Checker } from '../../../src/check/check.ts'
import { jobsOfPath, runJobs } from '../../../src/check/scan/scan.ts'
import { diskTree } from '../../../src/disk/discover/tree.ts'
import { clientHomes } from '../../needs.ts'

test('real logs have no error in the real profile, except that some files are empty', { tags: 'corpus' }, async () => {
  const checker = new Checker('real')
  const places = { tree: diskTree, source: diskTree.source }
  for (const home of clientHomes) await runJobs(checker, await jobsOfPath(checker, home, places), places)
  const report = checker.report()
  const errors = report.findings.filter(({ severity, code }) => severity === 'error' && code !== 'no-records')
  expect(errors).toEqual([])
  expect(report.counts).toMatchObject({ unknown: 0, malformed: 0, glued: 0, loops: 0, duplicates: 0 })
})
