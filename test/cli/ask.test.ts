import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { withFolder } from '../home.ts'
import { Terminal } from './terminal.ts'

/** A program that asks and says what it got. */
async function driver(folder: string): Promise<string> {
  const outfile = join(folder, 'driver.mjs')
  const contents = `import { confirm } from './src/cli/terminal/ask.ts'
import { printLine } from './src/cli/terminal/output.ts'
await printLine('this is asked about')
console.error('answer: ' + (await confirm('Write this? [y/N]')))`
  const stdin = { contents, resolveDir: resolve('.'), loader: 'ts' as const }
  await build({ stdin, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' })
  return outfile
}

describe('confirm', () => {
  it.each([
    [['y', 'Enter'], true],
    [[' YES', 'Enter'], true],
    [['Enter'], false],
    [['n', 'Enter'], false],
    [['yeah', 'Enter'], false],
    [['C-c'], false],
    [['C-d'], false],
  ])('takes the keys %j as %s', { tags: 'tmux' }, async (keys, isYes) => {
    await withFolder(async folder => {
      const terminal = new Terminal(`'${process.execPath}' '${await driver(folder)}'; echo "code $?"`, { columns: 80 })
      try {
        expect(await terminal.until('Write this? [y/N]')).toMatch(/^this is asked about\nWrite this\? \[y\/N\]/)
        terminal.keys(...keys)
        expect(await terminal.until('code 0')).toContain(`\nanswer: ${isYes}\n`)
      } finally {
        terminal.close()
      }
    })
  })

  it('is a no without a terminal, whatever is on standard input', async () => {
    await withFolder(async folder => {
      const { stderr, status } = spawnSync(process.execPath, [await driver(folder)], { input: 'y\n', encoding: 'utf8' })
      expect([stderr, status]).toEqual(['answer: false\n', 0])
    })
  })
})
