// The reference pages say what is true: generated parts are current, and what is written by hand leaves nothing out.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isObject } from '../../src/base/json.ts'
import { builtinRules } from '../../src/check/builtin.ts'
import { ruleRows } from '../../src/check/table.ts'
import { commands } from '../../src/cli/commands.ts'
import { globalOptions } from '../../src/cli/options.ts'
import { jsonSchema, schemaNames } from '../../src/schema/schema.ts'
import { sweeps } from '../sweep.ts'

const page = (name: string) => readFileSync(join('docs', name), 'utf8')

function runScript(script: string, ...args: string[]) {
  const done = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })
  return { code: done.status, output: done.stdout + done.stderr }
}

describe('generated pages', () => {
  describe('that are out of date', () => {
    // The scripts find the project by their own place: a copy of what they need is a project of its own.
    const copy = mkdtempSync(join(tmpdir(), 'clew-docs-'))
    afterAll(() => rmSync(copy, { recursive: true, force: true }))

    it('are named together with the command that mends them, and nothing is written', () => {
      for (const part of ['scripts', 'docs', 'src', 'package.json']) cpSync(part, join(copy, part), { recursive: true })
      symlinkSync(resolve('node_modules'), join(copy, 'node_modules'), 'junction')
      const path = join(copy, 'docs/check.md')
      const stale = readFileSync(path, 'utf8').replace('glued-line', 'glued-lines')
      writeFileSync(path, stale)
      const script = join(copy, 'scripts/docs-rules.mjs')
      const { code, output } = runScript(script, '--check')
      expect(code).toBe(1)
      expect(output).toContain('docs/check.md is not what the source says now. Run: node scripts/docs-rules.mjs')
      expect(readFileSync(path, 'utf8')).toBe(stale)
      expect(runScript(script).code).toBe(0)
      expect(readFileSync(path, 'utf8')).toBe(page('check.md'))
    })
  })
})

describe('docs/reliability.md', () => {
  it('has a row for each sweep of the deep tests, in their order', () => {
    const [, table = ''] = page('reliability.md').split('<!-- sweeps -->')
    const rows = table.split('\n\n')[0]?.trim().split('\n').slice(2) ?? []
    expect(rows.map(row => row.split('|')[1]?.trim())).toEqual(sweeps)
    for (const row of rows) expect(row).toMatch(/^\|[^|]+\| ([\d,]+ \| 0|– \| –) \|$/)
  })
})

describe('docs/cli.md', () => {
  it('names every flag and value, and the variables that are read', () => {
    const text = page('cli.md')
    for (const option of [...globalOptions, ...commands.flatMap(command => command.options)]) {
      expect(text).toContain(`\`${option.flags}\``)
      for (const choice of option.choices ?? []) expect(text).toContain(`\`${choice}\``)
    }
    for (const name of ['CLAUDE_CONFIG_DIR', 'NO_COLOR', 'CLEW_DEBUG']) expect(text).toContain(`\`${name}\``)
  })

  it('has a section for every command, with its summary and all its examples', () => {
    const sections = page('cli.md').split(/^## /m)
    for (const command of commands) {
      const section = sections.find(text => text.startsWith(`clew ${command.name}\n`)) ?? ''
      expect(section.toLowerCase()).toContain(command.summary.toLowerCase())
      expect(section.match(/^\$ .*clew /gm)).toHaveLength(command.examples.length)
    }
  })
})

describe('docs/json.md', () => {
  const text = page('json.md')
  const sections = new Map(text.split(/^## /m).map(part => [part.slice(0, part.indexOf('\n')), part]))
  /** Schema → the sections that explain it; what several share is in the first two. */
  const printed: Record<string, string[]> = {
    'session-detail': ['clew show', 'clew check'],
    context: ['clew context', 'clew events'],
    event: ['clew events', 'clew show'],
    block: ['clew events'],
    'record-line': ['clew records'],
    'check-report': ['clew check'],
    finding: ['clew check'],
    usage: ['clew show'],
    overview: ['clew', 'clew ls', 'clew show'],
    'session-row': ['clew ls', 'clew show'],
    'project-row': ['clew ls'],
    tree: ['clew tree', 'clew show'],
    stats: ['clew stats', 'clew show'],
    'history-row': ['clew history'],
    resume: ['clew resume'],
    'doctor-report': ['clew doctor'],
    'usage-row': ['clew usage'],
    'usage-totals': ['clew usage'],
    'usage-bounds': ['clew usage'],
    'usage-block': ['clew usage'],
    'usage-budget': ['clew usage'],
    'usage-reconcile': ['clew usage'],
  }
  const explaining = (names: readonly string[]) =>
    ['Ids', 'Words', ...names].map(name => sections.get(name) ?? '').join('')

  it('has a section for every command', () => {
    for (const { name } of commands) expect(text).toMatch(new RegExp(`^## clew ${name}$`, 'm'))
  })

  it('names every key and every word of what commands print', () => {
    const missing = Object.entries(printed).flatMap(([name, where]) => {
      const words = [...wordsOf(jsonSchema(name))]
      return words.filter(word => !explaining(where).includes(`\`${word}\``)).map(word => `${name}: ${word}`)
    })
    expect(missing).toEqual([])
  })

  it('names only schemas that there are', () => {
    const named = [...text.matchAll(/`clew schema ([a-z-]+)`/g)].map(match => match[1])
    expect(named).toEqual(expect.arrayContaining(Object.keys(printed)))
    for (const name of named) expect(schemaNames()).toContain(name)
  })
})

/** Keys of objects and members of enumerations, anywhere in a JSON Schema. */
function wordsOf(schema: unknown): Set<string> {
  const words = new Set<string>()
  const waiting: unknown[] = [schema]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (Array.isArray(next)) waiting.push(...next)
    if (!isObject(next)) continue
    if (isObject(next['properties'])) for (const key of Object.keys(next['properties'])) words.add(key)
    const values = [...(Array.isArray(next['enum']) ? next['enum'] : []), next['const']]
    for (const value of values) if (typeof value === 'string') words.add(value)
    waiting.push(...Object.values(next))
  }
  return words
}

describe('docs/check.md', () => {
  const text = page('check.md')

  it('has a row for every rule and every finding that no specification states', () => {
    const codes = [...ruleRows.map(row => row.id), ...builtinRules.map(rule => rule.code)]
    for (const code of codes) expect(text).toContain(`\n| \`${code}\` |`)
  })

  it('has a row for every code that discovery gives', () => {
    const sources = readdirSync('src/disk', { recursive: true, encoding: 'utf8' }).filter(
      name => name.endsWith('.ts') && !name.endsWith('.test.ts'),
    )
    const code = sources.map(name => readFileSync(join('src/disk', name), 'utf8')).join('\n')
    const noted = [...code.matchAll(/\bnote\(\s*'([a-z-]+)'/g)].map(match => match[1])
    expect(noted.length).toBeGreaterThan(3)
    for (const one of [...noted, 'unreadable-file', 'unreadable-folder']) expect(text).toContain(`\n| \`${one}\` |`)
  })
})

describe('docs/library.md', () => {
  it('says of every exported name what it means', () => {
    const names = page('library.md').split('## All names')[1] ?? ''
    const rows = [...names.matchAll(/^\| `(\w+)\b.*?` \|(?:.*\|)? *(.*?) *\|$/gm)]
    expect(rows.length).toBeGreaterThan(80)
    expect(rows.filter(([, , meaning]) => meaning === '').map(([, name]) => name)).toEqual([])
  })
})
