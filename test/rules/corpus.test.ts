// What the client itself wrote, held against the profile that says what the client writes.

import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { Checker } from '../../src/check/check.ts'
import { checkPath } from '../../src/cli/commands/check.ts'
import { diskTree } from '../../src/disk/discover/tree.ts'

const corpus = path.resolve(process.cwd(), '../shared/corpus/client')

test('what the client wrote has no error in the real profile, but that some files are empty', async () => {
  if (!existsSync(corpus)) {
    console.log('skipped: no corpus beside the project')
    return
  }
  const checker = new Checker('real')
  const places = { tree: diskTree, source: diskTree.source }
  for (const version of readdirSync(corpus)) await checkPath(checker, path.join(corpus, version), places)
  const report = checker.report()
  const errors = report.findings.filter(({ severity, code }) => severity === 'error' && code !== 'no-records')
  expect(errors).toEqual([])
  expect(report.counts).toMatchObject({ unknown: 0, malformed: 0, glued: 0, loops: 0, duplicates: 0 })
}, 60_000)
