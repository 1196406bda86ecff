// Keeps shown.ts true: every statement without a check is listed, and the tests it names exist.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ruleRows } from '../../src/check/table.ts'
import { shownBy } from './shown.ts'

test('every statement that no file can break is listed, and no other', () => {
  const rows = ruleRows.filter(row => row.check === undefined)
  expect(Object.keys(shownBy).sort()).toEqual(rows.map(({ id }) => id).sort())
})

test('every test that shows a statement exists under that name', () => {
  const sources = new Map<string, string>()
  const absent = Object.entries(shownBy).filter(([, shown]) => {
    if ('notYet' in shown) return shown.notYet === ''
    const file = path.resolve(process.cwd(), shown.file)
    const source = sources.get(file) ?? readFileSync(file, 'utf8')
    sources.set(file, source)
    return !source.includes(shown.test)
  })
  expect(absent).toEqual([])
})
