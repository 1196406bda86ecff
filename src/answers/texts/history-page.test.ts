import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Checker } from '../../check/check.ts'
import { groupFindings } from '../../check/groups.ts'
import { jobsOfPath, runJobs } from '../../check/scan/scan.ts'
import { discover } from '../../disk/discover/discover.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import type { ServerData } from '../../server/api/data.ts'
import { openData } from '../../server/api/open-data.ts'
import { readHistory } from '../../session/scan/history-prompts.ts'
import type { QueryWords } from '../shapes.ts'

const samples = resolve(process.cwd(), 'samples/home')
const places = { tree: diskTree, source: diskTree.source }
let home: string
let data: ServerData
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'clew-history-'))
  data = await openData({ home, roots: [samples], timezone: 'UTC' })
  // Waits for the index.
  await data.answer('GET /api/search', { q: 'anything' })
}, 30_000)
afterAll(async () => {
  await data.close()
  rmSync(home, { recursive: true, force: true })
})

describe('the history of prompts', () => {
  const history = (query: QueryWords = {}) => data.answer('GET /api/history', { limit: '1000', ...query })

  it('has every prompt that was typed once: of the histories and of the sessions', async () => {
    const { prompts, total } = await history()
    expect(prompts).toHaveLength(total)
    const { histories } = await discover(samples, diskTree)
    const written = await readHistory(histories, places)
    const start = (text: string) => text.replace(/\s+/g, ' ').split('[Pasted')[0]?.trim().slice(0, 60)
    const starts = new Set(prompts.map(({ text }) => start(text)))
    for (const { text } of written) expect(starts).toContain(start(text))
    expect(prompts.some(({ event }) => event === undefined)).toBe(true)
    expect(total).toBeGreaterThan(written.length)
    const keys = prompts.map(({ session, text, at }) => `${session} ${start(text)} ${at?.slice(0, 16)}`)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('has as many prompts of a session as its row counts, those that only waited in a queue included', async () => {
    const { prompts } = await history()
    const { sessions } = await data.answer('GET /api/sessions', { limit: '1000' })
    // Forks count what they copied, which was typed once; two samples of other dialects count prompts whose text is gone.
    const alone = sessions.filter(({ id, family }) => family === undefined && !/^session[-_]/.test(id))
    const counted = alone.map(({ id }) => [id, prompts.filter(one => one.session === id && one.event).length])
    expect(counted).toEqual(alone.map(({ id, prompts }) => [id, prompts]))
  })

  it('comes the last first, each with its place in its session', async () => {
    const { prompts } = await history()
    const times = prompts.map(({ at }) => at ?? '')
    expect(times).toEqual([...times].sort().reverse())
    const placed = prompts.filter(({ event }) => event !== undefined).slice(0, 12)
    for (const { session = '', event = '' } of placed) {
      await expect(data.answer('GET /api/sessions/:id/place', { event }, session)).resolves.toBeDefined()
    }
  })

  it('is narrowed by words, project and time, and cut to pages', async () => {
    const all = await history()
    const [first] = all.prompts
    const word = first?.text.split(/\s+/).at(-1) ?? ''
    const found = await history({ text: word.toUpperCase() })
    expect(found.prompts.every(({ text }) => text.toLowerCase().includes(word.toLowerCase()))).toBe(true)
    expect(found.total).toBeLessThan(all.total)
    const [project = ''] = all.projects
    expect((await history({ project })).prompts.every(one => one.project === project)).toBe(true)
    expect((await history({ until: '2020-01-01' })).total).toBe(0)
    expect((await history({ offset: '1', limit: '1' })).prompts).toEqual(all.prompts.slice(1, 2))
  })
})

it('health is what check finds, by rule, with the sessions of the findings', async () => {
  const checker = new Checker('real')
  await runJobs(checker, await jobsOfPath(checker, samples, places), places)
  const { findings, files, records } = checker.report()
  const first = await data.answer('GET /api/health', {})
  expect(first).toMatchObject({ groups: [], at: null, percent: expect.any(Number) })
  const checked = () => data.answer('GET /api/health', {})
  await vi.waitFor(async () => expect((await checked()).at).not.toBeNull(), { timeout: 20_000, interval: 50 })
  const answer = await checked()
  expect(answer).toMatchObject({ files, records })
  const summed = (groups: readonly { code: string; severity: string; count: number; files: number }[]) =>
    groups.map(({ code, severity, count, files }) => ({ code, severity, count, files }))
  expect(summed(answer.groups)).toEqual(summed(groupFindings(findings)))
  const found = answer.groups.flatMap(group => group.places)
  const linked = found.filter(({ session }) => session !== undefined)
  expect(linked.length).toBeGreaterThan(found.length / 2)
  expect(linked.every(({ title }) => title !== undefined)).toBe(true)
  expect(found.every(({ file }) => file === undefined || !file.includes('/'))).toBe(true)
})
