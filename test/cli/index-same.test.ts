// What lists, numbers, typed prompts and links say from the index is what they say from the files, to the last byte.

import { appendFileSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommandRun } from '../../src/cli/command.ts'
import { run as history } from '../../src/cli/commands/history.ts'
import { run as ls } from '../../src/cli/commands/ls.ts'
import { run as overview } from '../../src/cli/commands/overview.ts'
import { run as show } from '../../src/cli/commands/show.ts'
import { run as stats } from '../../src/cli/commands/stats.ts'
import { run as tree } from '../../src/cli/commands/tree.ts'
import { samples } from '../home.ts'
import { clientHomes, corpusFolder, publicHome } from '../needs.ts'
import { type CommandHome, withHomes } from './command-home.ts'

type Invocation = Parameters<CommandHome['run']>[1]

const lists: [name: string, command: CommandRun, invocation: Invocation][] = [
  ['ls --long', ls, { options: { long: true } }],
  ['ls --json', ls, { json: true }],
  ['ls --csv', ls, { options: { csv: true } }],
  ['ls projects --json', ls, { args: ['projects'], json: true }],
  ['ls projects --long', ls, { args: ['projects'], options: { long: true } }],
  ['ls --has error --sort tokens', ls, { json: true, options: { has: ['error'], sort: 'tokens', reverse: true } }],
  ['ls --tool Bash --since', ls, { json: true, options: { tool: 'Bash', since: '2020-01-01', limit: '5' } }],
  ['ls --gone', ls, { json: true, options: { gone: true } }],
  ['stats --json', stats, { json: true }],
  ['stats', stats, {}],
  ['clew --json', overview, { json: true }],
]

/**
 * The most telling forms: others are made from the same rows. Without an index `clew` looks only into the files that changed
 * last, which says nothing of copies.
 */
const shortLists = lists.filter(([name, command]) => name.endsWith('--json') && command !== overview)

async function expectSameLists(home: CommandHome, wanted = lists): Promise<void> {
  for (const [name, command, invocation] of wanted) {
    const { stderr } = await home.expectSame(command, invocation)
    expect(stderr, name).not.toContain('not indexed')
  }
}

async function sessionIds(home: CommandHome): Promise<string[]> {
  const { stdout } = await home.run(ls, { json: true })
  return JSON.parse(stdout).sessions.map((row: { id: string }) => row.id)
}

function logsOf(home: string): string[] {
  const paths = readdirSync(home, { recursive: true, encoding: 'utf8' })
  return paths.filter(path => path.endsWith('.jsonl')).map(path => join(home, path))
}

describe('from the index', () => {
  it('the sample history is listed and counted as from its files', { timeout: 120_000 }, async () => {
    await withHomes([samples], async home => {
      await home.refresh()
      await expectSameLists(home)
      await home.expectSame(history, { json: true })
      await home.expectSame(history, {})
      for (const id of await sessionIds(home)) {
        await home.expectSame(stats, { args: [id], json: true })
        await home.expectSame(show, { args: [id], json: true, options: { json: true } })
        await home.expectSame(tree, { args: [id] })
      }
    })
  })

  it('deleted, appended and new sessions are listed as from files and archive', { timeout: 120_000 }, async () => {
    await withHomes([samples], async home => {
      await home.refresh()
      const logs = logsOf(join(home.home, 'projects')).filter(path => !path.includes('subagents'))
      const [first = '', second = '', third = ''] = logs
      rmSync(first)
      const lines = readFileSync(second, 'utf8').split('\n')
      appendFileSync(second, `${lines.find(line => line.includes('"user"')) ?? ''}\n`)
      appendFileSync(third, '{"type":"user","uuid":"torn')
      // The first command refreshes by itself, and what it keeps is then archived for both.
      await home.run(ls)
      await expectSameLists(home)
      const gone = await home.run(ls, { json: true, options: { gone: true } })
      expect(JSON.parse(gone.stdout).sessions).toHaveLength(1)
      await home.expectSame(history, { json: true })
    })
  })

  it('two homes are one list, and a named one is listed alone', { timeout: 120_000 }, async () => {
    await withHomes([samples, samples], async home => {
      const [one = '', other = ''] = home.roots
      const [first = ''] = logsOf(join(other, 'projects'))
      rmSync(first)
      await home.refresh()
      await expectSameLists(home)
      for (const root of [one, other]) {
        await home.expectSame(ls, { json: true, root: [root] })
        await home.expectSame(stats, { json: true, root: [root] })
      }
      await home.expectSame(ls, { json: true })
    })
  })

  it('the table has exact titles and no note about them', async () => {
    await withHomes([samples], async home => {
      expect((await home.run(ls)).stderr).toContain('incomplete without an index')
      await home.refresh()
      const { stdout, stderr } = await home.run(ls)
      expect(stderr).toBe('')
      const titles = JSON.parse((await home.run(ls, { json: true, usesIndex: false })).stdout).sessions
      for (const { title } of titles) expect(stdout).toContain(title.slice(0, 12))
    })
  })

  const real = { tags: ['corpus', 'deep'], timeout: 300_000 }

  it('what versions of Claude Code wrote is listed and counted as from files', real, async () => {
    await withHomes([...clientHomes], async home => {
      await home.refresh()
      await expectSameLists(home, shortLists)
    })
  })

  it('kin of damaged and copied variants of one session is linked as from files', real, async () => {
    await withHomes([join(corpusFolder, 'resume')], async home => {
      await home.refresh()
      for (const id of await sessionIds(home)) {
        await home.expectSame(show, { args: [id], options: { json: true }, json: true })
        await home.expectSame(tree, { args: [id], json: true })
      }
    })
  })

  it('published sessions are listed and counted as from files', real, async () => {
    await withHomes([publicHome], async home => {
      await home.refresh()
      await expectSameLists(home, shortLists)
    })
  })
})
