// The documents' check, on small trees with one flaw each.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { makeTree, removeTrees, runCheck } from './tree.ts'

const layers = { folders: { 'src/base': { holds: 'ground', may: [] } }, barrels: ['src/index.ts'] }
const table = ['| folder | holds | may import (besides itself) |', '|---|---|---|', '| `src/base` | ground | – |'].join(
  '\n',
)
const architecture = `# How it is made\n\n<!-- layers:start -->\n${table}\n<!-- layers:end -->\n`
const base = {
  'layers.json': layers,
  'ARCHITECTURE.md': architecture,
  'src/base/a.ts': '// a\n\n/** One. */\nexport const a = 1\n',
}

function check(files: Record<string, string>, ...args: string[]) {
  const root = makeTree({ ...base, ...files })
  return { root, ...runCheck('docs.mjs', root, ...args) }
}

afterAll(removeTrees)

describe('docs', () => {
  test('a tree without flaws passes', () => {
    const { code, output } = check({
      'README.md': '# A b\n\n[how](ARCHITECTURE.md#how-it-is-made) [here](#a-b) [web](https://example.org/x)\n',
      'docs/use.md': '[up](../README.md)\n\n```\n[no](link.md)\n```\n\n`[nor](this.md)`\n',
    })
    expect(output).toBe('docs: fine\n')
    expect(code).toBe(0)
  })

  test('a link to nowhere and to no heading are found with their line', () => {
    const { code, output } = check({ 'README.md': '# A\n\n[x](docs/gone.md)\n[y](#b)\n[z]: lost.md\n' })
    expect(code).toBe(1)
    expect(output).toContain('README.md:3  links to docs/gone.md, which does not exist')
    expect(output).toContain('README.md:4  links to #b, but there is no such heading')
    expect(output).toContain('README.md:5  links to lost.md')
  })

  test('a stale table of layers is found, and written when asked to', () => {
    const stale = { 'ARCHITECTURE.md': architecture.replace('ground', 'sky') }
    expect(check(stale).output).toContain('its table of layers is not that of layers.json')
    const { code, root } = check(stale, '--write')
    expect(code).toBe(0)
    expect(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')).toBe(architecture)
  })

  test('a public name without a comment is found where it is declared', () => {
    const { output } = check({
      'src/index.ts':
        "export { a } from './base/a.ts'\nexport type { B } from './base/b.ts'\nexport * from './base/c.ts'\nexport type * from './base/d.ts'\n",
      'src/base/d.ts': '// file\n\nexport const value = 1\nexport type E = 1\n',
      'src/base/b.ts': '// file\n\nexport interface B {\n  x: 1\n}\n',
      'src/base/c.ts': '// file\n\n/** Said. */\nexport function c(): void {}\nexport class D {}\n',
    })
    expect(output.trim().split('\n')).toEqual([
      'src/base/b.ts:3  B is public: say above it what it means.',
      'src/base/c.ts:5  D is public: say above it what it means.',
      'src/base/d.ts:4  E is public: say above it what it means.',
    ])
  })

  test('paths of the machine it was made on do not belong into it', () => {
    const path = ['', 'work', 'main'].join('/')
    const { output } = check({ 'docs/a.md': `see\n${path}/x\n`, 'docs/b.md': `/home/ada${path}/x\n` })
    expect(output).toContain('docs/a.md:2  mentions')
    expect(output).not.toContain('docs/b.md')
  })

  test('no mark of a merge conflict stays in a file', () => {
    const { output } = check({
      'docs/a.md': `# A\n\n${'<'.repeat(7)} HEAD\none\n=======\ntwo\n${'>'.repeat(7)} 1f2e\n`,
    })
    expect(output).toContain('docs/a.md:3  has a mark of a merge conflict')
    expect(output).toContain('docs/a.md:7  has a mark')
  })

  test('every command has a section with an example, and all its flags are named', () => {
    const help =
      'Usage: clew\n\nCommands:\n  ls [options]  list\n  show <id>     show\n  tree          tree\n  help          help\n'
    const options = 'Usage: clew ls\n\nOptions:\n  --all       all\n  -q, --quiet  less\n'
    const main = `process.stdout.write(process.argv[2] === 'ls' ? ${JSON.stringify(options)} : ${JSON.stringify(help)})\n`
    const { output } = check({
      'dist/cli/main.js': main,
      'docs/cli.md': '# Commands\n\n## clew ls\n\n    clew ls sessions --all\n\n## `clew show`\n\nShows.\n',
    })
    expect(output.trim().split('\n')).toEqual([
      'docs/cli.md:1  does not name --quiet of the command ls.',
      'docs/cli.md:7  the section on show shows no example of it.',
      'docs/cli.md:1  has no heading for the command tree. Add "## clew tree".',
    ])
  })
})
