// The library's examples as people run them: against the built package, by its own name, with the output that the page shows.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exportedNames } from '../../scripts/docs-api.mjs'
import { runLine, withDemo } from '../../scripts/docs-demo.mjs'

const folder = 'docs/examples'
const names = readdirSync(folder).filter(name => name.endsWith('.ts'))
const page = readFileSync('docs/library.md', 'utf8')

/** The code and the output that the page shows for an example. */
function shown(name: string): { code: string; output: string } | undefined {
  const start = `<!-- ${basename(name, '.ts')}:start`
  const part = page.slice(Math.max(0, page.indexOf(start)))
  const blocks = /```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/.exec(part)
  if (!page.includes(start) || !blocks?.[1] || blocks[2] === undefined) return undefined
  return { code: blocks[1], output: blocks[2] }
}

describe('examples of the library', () => {
  let built = ''

  // Inside the project, so that `clew` means the built package.
  beforeAll(async () => {
    mkdirSync('.cache', { recursive: true })
    built = mkdtempSync(resolve('.cache/examples-'))
    const entryPoints = names.map(name => join(folder, name))
    // Their own tsconfig leads `clew` to the source; here the package itself is meant.
    await build({ entryPoints, outdir: built, outExtension: { '.js': '.mjs' }, format: 'esm', tsconfigRaw: {} })
  })
  afterAll(() => rmSync(built, { recursive: true, force: true }))

  for (const name of names) {
    it(`${name} is in the page as it is and prints what the page says`, async () => {
      const inPage = shown(name)
      expect(inPage?.code).toBe(readFileSync(join(folder, name), 'utf8'))
      // A home of its own for each: some of them change it.
      const script = `"${process.execPath}" "${join(built, name.replace(/ts$/, 'mjs'))}"`
      const { code, stdout, stderr } = await withDemo(demo => runLine(demo, script))
      expect(stderr).toBe('')
      expect(code).toBe(0)
      expect(stdout).toBe(inPage?.output)
    })
  }

  it('use every value that the package exports, and the page has its signature', () => {
    const examples = names.map(name => readFileSync(join(folder, name), 'utf8')).join('\n')
    const lists = [...examples.matchAll(/import \{([^}]*)\} from 'clew(?:\/\w+)?'/g)].map(found => found[1] ?? '')
    const used = new Set(lists.flatMap(list => list.split(',').map(name => name.trim())))
    for (const module of [
      'index',
      'decode/decode',
      'graph/graph',
      'load',
      'schema/schema',
      'write/write',
      'write/store/store',
    ]) {
      for (const { name, kind, signature } of exportedNames(resolve('.'), `src/${module}.ts`)) {
        if (kind === 'type') continue
        expect(used.has(name), `${name} is in no file of ${folder}`).toBe(true)
        expect(signature, name).toContain(name)
        expect(page, name).toContain(`\`${signature.replaceAll('|', '\\|')}\``)
      }
    }
  })

  it('have no type errors', () => {
    const tsc = resolve('node_modules/typescript/bin/tsc')
    const done = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
    expect(done.stdout).toBe('')
    expect(done.status).toBe(0)
  })
})
