// The import rules are only worth something if breaking them is noticed.

import { afterAll, describe, expect, test } from 'vitest'
import { makeTree, removeTrees, runCheck } from './tree.ts'

const layers: { recordValues?: object; [name: string]: unknown } = {
  folders: {
    'src/base': { holds: 'ground', pure: true, may: [] },
    'src/model': { holds: 'types', pure: true, may: ['src/base'] },
    'src/disk': { holds: 'files', may: ['src/model', 'src/base'], node: true },
    'src/cli': { holds: 'commands', may: ['src/disk', 'src/model', 'src/base'], node: true, packages: ['commander'] },
    'src/later': { holds: 'nothing yet', may: [] },
  },
  entries: { 'src/index.ts': { holds: 'all', may: ['src/model', 'src/base'] } },
  barrels: ['src/index.ts'],
}

function check(files: Record<string, unknown>) {
  return runCheck('layers.mjs', makeTree({ 'layers.json': layers, ...files }))
}

afterAll(removeTrees)

describe('layers', () => {
  test('a tree that keeps the rules passes', () => {
    const { code, output } = check({
      'src/base/text.ts': 'export const a = 1\n',
      'src/model/thing.ts': "import { a } from '../base/text.ts'\nexport const b = a\n",
      'src/disk/read.ts': "import { readFileSync } from 'node:fs'\nexport const read = readFileSync\n",
      'src/cli/main.ts':
        "import { Command } from 'commander'\nexport const load = () => import('../disk/read.ts')\nnew Command()\n",
      'src/cli/main.test.ts': "import '../later/nowhere.ts'\n",
      'src/index.ts': "export { b } from './model/thing.ts'\n",
    })
    expect(output).toBe('layers: fine\n')
    expect(code).toBe(0)
  })

  test('an import against the rules is named with file, line and what is allowed', () => {
    const { code, output } = check({
      'src/model/a.ts': "// one\n\nimport type { D } from '../disk/d.ts'\nexport type A = D\n",
      'src/disk/d.ts': 'export type D = 1\n',
    })
    expect(code).toBe(1)
    expect(output).toContain('src/model/a.ts:3  src/model may not import src/disk')
    expect(output).toContain('Allowed: src/base')
  })

  test('dynamic imports and re-exports are held to the same rules', () => {
    const { output } = check({
      'src/model/a.ts': "export const load = () => import('../disk/d.ts')\n",
      'src/model/b.ts': "export { d } from '../disk/d.ts'\nexport const b = 1\n",
      'src/disk/d.ts': 'export const d = 1\n',
    })
    expect(output).toContain('src/model/a.ts:1  src/model may not import src/disk')
    expect(output).toContain('src/model/b.ts:1  src/model may not import src/disk')
  })

  test('nobody looks into a record but those who may', () => {
    const readers = {
      'src/disk/a.ts': 'export const a = event => event.record.value?.uuid\n',
      'src/disk/b.ts': 'export function b({ record }) {\n  const { value } = record\n  return value\n}\n',
      'src/disk/c.ts': 'export const c = ({ value }: LogRecord) => value\n',
      'src/disk/d.ts': 'export const d = found => found.records.map(({ value }) => value)\n',
      'src/disk/e.ts':
        'export async function e(log) {\n  for await (const { value } of readRecords(log)) return value\n}\n',
    }
    const rules = { ...layers, recordValues: { folders: ['src/base'], files: {} } }
    const { output } = check({ 'layers.json': rules, ...readers })
    for (const path of Object.keys(readers)) expect(output).toContain(`${path}:`)
    const may = { folders: ['src/base'], files: Object.fromEntries(Object.keys(readers).map(path => [path, 'a test'])) }
    expect(check({ 'layers.json': { ...layers, recordValues: may }, ...readers }).code).toBe(0)
    const others = 'export const f = found => found.rows.map(({ value }) => value) && found.value\n'
    expect(
      check({ 'layers.json': rules, 'src/disk/f.ts': others, 'src/base/g.ts': readers['src/disk/a.ts'] }).code,
    ).toBe(0)
  })

  test('Node modules and packages need to be allowed', () => {
    const { output } = check({
      'src/base/a.ts': "import { join } from 'node:path'\nexport const a = join\n",
      'src/disk/b.ts':
        "import { join } from 'path'\nimport { Command } from 'commander'\nexport const b = [join, Command]\n",
    })
    expect(output).toContain('src/base/a.ts:1  src/base may not use node:path')
    expect(output).toContain("src/disk/b.ts:1  write 'node:path'")
    expect(output).toContain('src/disk/b.ts:2  src/disk may not use the package commander')
  })

  test('text that looks like an import is none', () => {
    const { code } = check({
      'src/base/a.ts': "// import x from '../disk/d.ts'\nexport const a = `import '../disk/d.ts'`\n",
    })
    expect(code).toBe(0)
  })

  test('what tests share may import anything, and only tests may import it', () => {
    const files = {
      'src/base/testing.ts': "import '../disk/d.ts'\n",
      'src/base/a.test.ts': "import './testing.ts'\n",
      'src/disk/d.ts': 'export const d = 1\n',
    }
    expect(check(files).output).toBe('layers: fine\n')
    const { output } = check({ ...files, 'src/base/a.ts': "import './testing.ts'\nexport const a = 1\n" })
    expect(output).toContain('src/base/a.ts:1  imports the test src/base/testing.ts')
  })

  test('a ring of imports is found, also one of types', () => {
    const { code, output } = check({
      'src/base/a.ts': "import type { B } from './b.ts'\nexport type A = B\n",
      'src/base/b.ts': "import type { C } from './c.ts'\nexport type B = C\n",
      'src/base/c.ts': "import type { A } from './a.ts'\nexport type C = A | 1\n",
    })
    expect(code).toBe(1)
    expect(output).toContain('import cycle src/base/a.ts → src/base/b.ts → src/base/c.ts → src/base/a.ts')
  })

  test('clock, chance and platform are kept out of pure folders', () => {
    const { output } = check({
      'src/base/a.ts':
        'export const a = () => [Date.now(), new Date(), Math.random(), process.argv, Buffer.from("")]\nexport const fine = new Date(0)\n',
      'src/cli/b.ts': 'export const b = () => [Date.now(), process.argv]\n',
    })
    for (const word of ['Date.now', 'clock', 'Math.random', 'process', 'Buffer']) {
      expect(output).toContain(`src/base is pure: no ${word}`)
    }
    expect(output).not.toContain('src/base/a.ts:2')
    expect(output).not.toContain('src/cli/b.ts')
  })

  test('a file that only re-exports is refused unless it is listed', () => {
    const { output } = check({
      'src/base/a.ts': 'export const a = 1\n',
      'src/base/all.ts': "export * from './a.ts'\n",
      'src/index.ts': "export * from './base/a.ts'\n",
    })
    expect(output).toContain('src/base/all.ts:1  only re-exports')
    expect(output).not.toContain('src/index.ts:1')
  })

  test('a folder without a rule and a file that cannot be parsed are problems', () => {
    expect(check({ 'src/new/a.ts': 'export const a = 1\n' }).output).toContain('src/new/a.ts:1  lies in no folder')
    expect(check({ 'src/base/a.ts': 'export const = 1\n' }).output).toContain('src/base/a.ts:1')
  })

  test('the table lists the folders that have code, with what they may import', () => {
    const root = makeTree({
      'layers.json': layers,
      'src/base/a.ts': 'export const a = 1\n',
      'src/disk/d.ts': 'export const d = 1\n',
    })
    const { output } = runCheck('layers.mjs', root, '--markdown')
    expect(output.split('\n').slice(2)).toEqual([
      '| `src/base` | ground. Pure | – |',
      '| `src/disk` | files | base, `node:*` |',
      '',
    ])
  })
})
