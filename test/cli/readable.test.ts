// What people read at a glance: tables that say what they leave out, lists that end, settings, candidates.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { configKeys } from '../../src/answers/settings.ts'
import { run as config } from '../../src/cli/commands/config.ts'
import { run as context } from '../../src/cli/commands/context.ts'
import { run as guide } from '../../src/cli/commands/guide.ts'
import { run as ls } from '../../src/cli/commands/ls.ts'
import { run as resume } from '../../src/cli/commands/resume.ts'
import { run as show } from '../../src/cli/commands/show.ts'
import { run as usage } from '../../src/cli/commands/usage.ts'
import { chartLines } from '../../src/render/terminal/charts.ts'
import { samples, withFolder } from '../home.ts'
import { capture } from './capture.ts'

const root = [samples]
const croissants = '33c79d8c'

describe('a narrow terminal', () => {
  it('is told which columns it does not show', async () => {
    const narrow = await capture(ls, { root, columns: 40 })
    expect(narrow.stderr).toMatch(/^Not shown in 40 columns: .*size/m)
    expect((await capture(ls, { root, columns: 200 })).stderr).not.toContain('Not shown')
    const used = await capture(usage, { root, columns: 40 })
    expect(used.stdout.replace(/\s+/g, ' ')).toContain('Not shown in 40 columns: ')
    expect((await capture(usage, { root, columns: 200 })).stdout).not.toContain('Not shown')
  })

  it('is told which numbers of a chart it does not show', () => {
    const rows = [{ label: 'Bash', value: 1, cells: ['1', '100 %', '12 kB'] }]
    const lines = [...chartLines({ title: 'Tools', heads: ['calls', 'share', 'output'], rows }, 20)]
    expect(lines.at(-1)).toMatch(/Not shown in 20/)
  })
})

it('context sums up what is small', () =>
  withFolder(async home => {
    const session = '443661e2-a738-418d-a0a9-e7f0c36359f4'
    const base = {
      sessionId: session,
      cwd: '/x',
      isSidechain: false,
      version: '2.1.219',
      timestamp: '2026-01-01T00:00:00Z',
    }
    const records: object[] = [
      { ...base, type: 'user', uuid: 'u', parentUuid: null, message: { role: 'user', content: 'Go' } },
    ]
    let parent = 'u'
    for (let n = 0; n < 20; n++) {
      const call = { type: 'tool_use', id: `t${n}`, name: `Tool${n}`, input: { text: 'x'.repeat(n * 50) } }
      const result = { type: 'tool_result', tool_use_id: `t${n}`, content: 'y'.repeat(n * 100) }
      const answer = { role: 'assistant', id: `m${n}`, model: 'claude-opus-5', content: [call] }
      records.push({ ...base, type: 'assistant', uuid: `a${n}`, parentUuid: parent, message: answer })
      records.push({
        ...base,
        type: 'user',
        uuid: `r${n}`,
        parentUuid: `a${n}`,
        message: { role: 'user', content: [result] },
      })
      parent = `r${n}`
    }
    mkdirSync(join(home, 'projects', '-x'), { recursive: true })
    const text = records.map(record => JSON.stringify(record)).join('\n')
    writeFileSync(join(home, 'projects', '-x', `${session}.jsonl`), `${text}\n`)
    const { stdout } = await capture(context, { root: [home], args: [session] })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.at(-1)).toMatch(/^… \d+ smaller, [\d,]+ tokens together$/)
    expect(lines.length).toBeLessThan(22)
  }))

it('ls sorts by cost, and says what each session cost', async () => {
  const { stdout } = await capture(ls, { root, columns: 200, options: { sort: 'cost' } })
  expect(stdout).toMatch(/^session.* tokens +cost /)
  const costs = [...stdout.matchAll(/ \$(\d+\.\d\d) /g)].map(found => Number(found[1]))
  expect(costs.length).toBeGreaterThan(5)
  expect(costs).toEqual([...costs].sort((a, b) => b - a))
  const projects = await capture(ls, { root, args: ['projects'], columns: 200, options: { long: true } })
  expect(projects.stdout).toMatch(/^project.* cost /)
})

it('an ambiguous name lists when and where each session was', async () => {
  const asked = capture(resume, { root, args: ['the'] })
  await expect(asked).rejects.toThrow(
    /matches several sessions:\n {2}[0-9a-f-]{36} {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}\w+ /,
  )
})

it('config lists every key with its value and what it means', async () => {
  for (const columns of [40, 100]) {
    const { stdout } = await capture(config, { options: {}, columns })
    for (const { name } of configKeys) expect(stdout).toMatch(new RegExp(`^${name.replace('.', '\\.')} +\\S`, 'm'))
    expect(stdout.replace(/\s+/g, ' ')).toContain('time zone of printed times, such as Europe/Berlin')
  }
})

it('guide says how to search and what it costs', async () => {
  const { stdout } = await capture(guide, {})
  for (const line of ['clew search "', 'clew grep REGEX', 'clew usage project']) expect(stdout).toContain(`\`${line}`)
  for (const name of ['search', 'grep', 'usage']) expect(stdout).toContain(`- \`clew ${name} --json\`: `)
})

describe('show', () => {
  const shown = async (options: Record<string, unknown>) =>
    (await capture(show, { root, args: [croissants], options: { pager: false, ...options } })).stdout
  const turns = (text: string) => [...text.matchAll(/── turn (\d+)/g)].map(found => Number(found[1]))

  it('takes a range of turns, an open one and the last', async () => {
    expect(turns(await shown({ turn: '2-4' }))).toEqual([2, 3, 4])
    expect(turns(await shown({ turn: '5-' }))).toEqual([5, 6])
    expect(turns(await shown({ turn: '5-99' }))).toEqual([5, 6])
    expect(turns(await shown({ turn: 'last' }))).toEqual([6])
    await expect(shown({ turn: '4-2' })).rejects.toThrow('2 comes before 4')
  })

  it('shows prompts and answers alone', async () => {
    const text = await shown({ prompts: true })
    const whole = await shown({})
    expect(whole).toMatch(/Bash|Edit/)
    expect(text).not.toMatch(/^.{0,4}(Bash|Edit|Read) {2}/m)
    expect(text).toContain('prompts and answers')
    expect(turns(text).length).toBeGreaterThan(3)
  })
})
