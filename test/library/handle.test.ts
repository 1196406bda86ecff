// The handle of the library: its nouns answer what the commands print, options that mean nothing are errors, and it ends.

import { appendFileSync, cpSync, existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Clew, listSessions, open, search, usage } from '../../src/index.ts'
import { clewHere } from '../cli/run.ts'
import { withFolder } from '../home.ts'

const session = '33c79d8c-6d99-4d32-b36b-48f475c1e43f'

type Printed = (...args: string[]) => Promise<unknown>

/** A handle of the sample history, with what commands print of it. */
async function withHandle(use: (clew: Clew, printed: Printed, folder: string) => Promise<void>) {
  await withFolder(async folder => {
    const [root, home] = [join(folder, 'claude'), join(folder, 'clew')]
    mkdirSync(home)
    cpSync(resolve('samples/home'), root, { recursive: true })
    const printed: Printed = async (...args) =>
      JSON.parse((await clewHere([...args, '--json', '--root', root, '--home', home])).stdout)
    const clew = await open({ roots: [root], home })
    try {
      await use(clew, printed, folder)
    } finally {
      await clew.close()
    }
  })
}

/** As JSON has it, without what the time of asking decides. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, each) => (key === 'tookMs' || key === 'score' ? 0 : each)))
}

describe('an opened handle', () => {
  it('answers as the commands do', async () => {
    await withHandle(async (clew, printed) => {
      const { sessions } = (await printed('ls', '--sort', 'cost')) as { sessions: unknown[] }
      expect(plain(await clew.sessions.list({ sort: 'cost' }))).toEqual(sessions)
      expect(plain(await clew.sessions.list({ sort: 'cost', offset: 2, limit: 3 }))).toEqual(sessions.slice(2, 5))
      const { projects } = (await printed('ls', 'projects')) as { projects: unknown[] }
      expect(plain(await clew.sessions.projects())).toEqual(projects)
      expect((await clew.sessions.find('33c79d8c'))?.id).toBe(session)
      expect(await clew.sessions.find('no such session')).toBeUndefined()
      expect(plain(await clew.session.detail(session))).toEqual(await printed('show', session))
      expect(plain(await clew.session.tree(session))).toEqual(await printed('tree', session, '--full'))
      expect(plain(await clew.session.stats(session))).toEqual(await printed('stats', session))
      expect(plain(await clew.usage.report({ by: 'model' }))).toEqual(await printed('usage', 'model'))
      expect(plain(await clew.texts.search('croissant'))).toEqual(plain(await printed('search', 'croissant')))
      const { prompts } = (await printed('history', '--project', 'bakery', '-n', '3')) as { prompts: unknown[] }
      expect(prompts).toHaveLength(3)
      expect(plain(await clew.texts.history({ project: 'bakery', limit: 3 }))).toEqual(prompts)
      const { context } = await clew.session.context(session)
      expect(plain(context)).toMatchObject({ session, resumable: true })
      expect((await clew.session.graph(session)).turns.length).toBeGreaterThan(1)
      expect((await clew.care.check([session])).records).toBeGreaterThan(10)
      expect((await clew.care.doctor()).problems).toBeInstanceOf(Array)
    })
  })

  it('prints lines that match as grep does', async () => {
    await withHandle(async (clew, printed) => {
      const { hits } = (await printed('grep', 'croissants?', '-i', '--kind', 'prompt')) as { hits: unknown[] }
      const found = await clew.texts.grep('croissants?', { ignoreCase: true, kind: 'prompt' })
      expect(plain(found.hits)).toEqual(hits)
      expect(hits.length).toBeGreaterThan(0)
      const few = await clew.texts.grep('croissant', { session, limit: 2 })
      expect(few.hits.map(hit => hit.session)).toEqual([session, session])
      await expect(clew.texts.grep('(')).rejects.toThrow(/group/i)
    })
  })

  it('archives, restores and forgets', async () => {
    await withHandle(async (clew, printed, folder) => {
      const { archive } = clew.care
      expect((await archive.run()).added).toBeGreaterThan(10)
      expect(plain(await archive.status())).toMatchObject({ exists: true, unarchivedBytes: 0 })
      const to = join(folder, 'restored')
      const restored = await archive.restore([session], { to })
      expect(restored.restored).toBeGreaterThan(0)
      expect(existsSync(restored.files[0]?.target ?? '')).toBe(true)
      expect(plain(await archive.forget(session, { dryRun: true }))).toEqual(
        await printed('forget', session, '--dry-run'),
      )
      expect(await archive.forget(session)).toMatchObject({ session, done: true, looked: { found: [] } })
      await expect(archive.restore([session])).rejects.toThrow('nothing is archived of')
    })
  })

  it('gives documents and typed messages', async () => {
    await withHandle(async clew => {
      expect(await clew.session.document(session)).toMatch(/^# /)
      expect(await clew.session.document(session, { format: 'html' })).toMatch(/^<!doctype html>/i)
      const [first] = await clew.session.messages(session, { limit: 1 })
      expect(first?.blocks[0]).toMatchObject({ type: 'text', text: expect.any(String) })
    })
  })

  it('sees what was written since it was opened', async () => {
    await withHandle(async clew => {
      const before = await clew.sessions.find(session)
      const { events } = await clew.session.graph(session)
      const line = { type: 'custom-title', sessionId: session, customTitle: 'Named meanwhile' }
      appendFileSync((await clew.session.detail(session)).files[0] ?? '', `${JSON.stringify(line)}\n`)
      expect((await clew.sessions.find(session))?.title).toBe('Named meanwhile')
      expect(before?.title).not.toBe('Named meanwhile')
      expect((await clew.session.graph(session)).events.length).toBe(events.length + 1)
    })
  })

  it('writes forks, trims, repairs and conversions, or says what would be written', async () => {
    await withHandle(async (clew, _printed, folder) => {
      const { turns } = await clew.session.detail(session)
      const at = turns[0]?.lastEvent ?? ''
      const fork = await clew.write.fork(session, { at, title: 'A copy', dryRun: true })
      expect(fork).toMatchObject({ origin: session, dryRun: true, title: 'A copy', leaf: at })
      expect(existsSync(fork.files[0] ?? '')).toBe(false)
      const written = await clew.write.fork(session, { at })
      expect((await clew.sessions.find(written.session))?.id).toBe(written.session)
      expect(await clew.write.repair(session, { dryRun: true })).toMatchObject({ session, dryRun: true })
      await expect(clew.write.trim(session, { budget: 1 })).rejects.toThrow('a resume still sends')
      const out = join(folder, 'converted.jsonl')
      expect(await clew.write.convert(session, { to: 's1', out })).toMatchObject({ to: 's1', failed: [] })
      expect(existsSync(out)).toBe(true)
    })
  })

  it('refuses options that mean nothing, as the command line does', async () => {
    await withHandle(async clew => {
      const wrong = (options: object) => options as Record<string, never>
      expect(() => clew.sessions.list(wrong({ projct: 'x' }))).toThrow(
        "unknown option 'projct' (did you mean project?)",
      )
      expect(() => clew.usage.report(wrong({ wholly: 'new' }))).toThrow("unknown option 'wholly'")
      await expect(listSessions(wrong({ srot: 'cost' }))).rejects.toThrow("unknown option 'srot' (did you mean sort?)")
      await expect(search('x', wrong({ knd: 'prompt' }))).rejects.toThrow("unknown option 'knd' (did you mean kind?)")
      await expect(usage(wrong({ mdel: 'x' }))).rejects.toThrow("unknown option 'mdel' (did you mean model?)")
      await expect(clew.sessions.list({ limit: 0 })).rejects.toThrow('Invalid --limit "0"')
      await expect(clew.sessions.list(wrong({ sort: 'price' }))).rejects.toThrow('Invalid --sort "price"')
    })
  })

  it('answers nothing once it is closed or stopped', async () => {
    await withFolder(async folder => {
      const signal = { aborted: false }
      const clew = await open({ roots: [resolve('samples/home')], home: join(folder, 'clew'), signal })
      const asked = clew.sessions.list()
      signal.aborted = true
      await expect(asked).rejects.toThrow('the question was stopped')
      await clew[Symbol.asyncDispose]()
      await expect(clew.sessions.list()).rejects.toThrow('The handle is closed.')
    })
  })
})
