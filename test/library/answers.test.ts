// The library's calls give what the commands print as JSON, with and without an index.

import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type ClewOptions,
  getSession,
  getSessionInfo,
  getSessionMessages,
  listSessions,
  search,
  usage,
} from '../../src/index.ts'
import { clewHere } from '../cli/run.ts'
import { withFolder } from '../home.ts'

const session = '33c79d8c-6d99-4d32-b36b-48f475c1e43f'

/** The sample history as a home, and Clew's own folder next to it. */
async function withHome(
  use: (options: ClewOptions, printed: (...args: string[]) => Promise<unknown>) => Promise<void>,
) {
  await withFolder(async folder => {
    const root = join(folder, 'claude')
    const home = join(folder, 'clew')
    cpSync(resolve('samples/home'), root, { recursive: true })
    const printed = async (...args: string[]) =>
      JSON.parse((await clewHere([...args, '--json', '--root', root, '--home', home])).stdout)
    await use({ roots: [root], home }, printed)
  })
}

/** Without what differs from one moment to the next: scores fall with the age of a text, and files that just changed are indexed again. */
function steady(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, each) => (key === 'tookMs' || key === 'score' ? 0 : each)))
}

describe('the library', () => {
  it('answers as the commands do, from files and from an index', async () => {
    await withHome(async (options, printed) => {
      for (const isIndexed of [false, true]) {
        // Search makes the index that the second round answers from.
        if (isIndexed) {
          const { query: _query, ...found } = await search('croissant kind:answer', options)
          expect(steady(found)).toMatchObject({ sessionTotal: 1 })
          expect(steady(await search('croissant', options))).toEqual(steady(await printed('search', 'croissant')))
        }
        const { sessions } = (await printed('ls')) as { sessions: { id: string }[] }
        expect(steady(await listSessions(options))).toEqual(sessions)
        expect(steady(await getSession(session, options))).toEqual(await printed('show', session))
        // The second one has its title in another file.
        for (const named of [session, 'cdd3bb50-bfc9-4a1a-ae85-8de2a4583651'])
          expect(steady(await getSessionInfo(named, options))).toEqual(sessions.find(({ id }) => id === named))
        expect(steady(await usage({ ...options, by: 'model' }))).toEqual(await printed('usage', 'model'))
        expect(steady(await usage({ ...options, by: 'blocks' }))).toEqual(await printed('usage', 'blocks'))
      }
    })
  })

  it('calls a project the same, however many of its sessions are asked for', async () => {
    await withHome(async (options, printed) => {
      const [root = ''] = options.roots ?? []
      const folder = join(root, 'projects', 'a-folder-renamed')
      mkdirSync(folder)
      const log = (id: string, cwd: string) => {
        const message = { role: 'user', content: 'Bake.' }
        const record = {
          type: 'user',
          uuid: id,
          parentUuid: null,
          sessionId: id,
          cwd,
          timestamp: '2026-05-01T08:00:00Z',
        }
        writeFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify({ ...record, message })}\n`)
      }
      const id = '5f0a1c52-6a56-4b4e-9e57-8a1f1f4f0a03'
      log('5f0a1c52-6a56-4b4e-9e57-8a1f1f4f0a01', '/home/mira/oven')
      log('5f0a1c52-6a56-4b4e-9e57-8a1f1f4f0a02', '/home/mira/oven')
      log(id, '/home/mira/oven/timer')
      for (const isIndexed of [false, true]) {
        if (isIndexed) await search('oven', options)
        const info = await getSessionInfo(id, options)
        expect(info?.project).toMatchObject({ cwd: '/home/mira/oven/timer', name: 'oven' })
        const { sessions } = (await printed('ls', '--project', 'timer')) as { sessions: unknown[] }
        expect(sessions).toEqual([steady(info)])
      }
    })
  })

  it('filters and pages as the options say', async () => {
    await withHome(async (options, printed) => {
      const { sessions } = (await printed('ls', '--has', 'error', '--sort', 'size')) as { sessions: { id: string }[] }
      expect(sessions.length).toBeGreaterThan(2)
      const wanted = { ...options, has: ['error'], sort: 'size' } as const
      expect((await listSessions(wanted)).map(({ id }) => id)).toEqual(sessions.map(({ id }) => id))
      const page = await listSessions({ ...wanted, offset: 1, limit: 1 })
      expect(page.map(({ id }) => id)).toEqual([sessions[1]?.id])
      const own = await listSessions({ ...options, dir: '/home/mira/bakery/' })
      expect(new Set(own.map(({ project }) => project.cwd))).toEqual(new Set(['/home/mira/bakery']))
      expect(await listSessions({ ...options, dir: '/home/mira' })).toEqual([])
    })
  })

  it('gives nothing for a session that is not there, and throws where a name is not one session', async () => {
    await withHome(async options => {
      for (const get of [getSession, getSessionInfo]) expect(await get('feedfeed', options)).toBeUndefined()
      expect(await getSessionMessages('feedfeed', options)).toEqual([])
      expect(await getSession(session, { ...options, dir: '/elsewhere' })).toBeUndefined()
      await expect(getSession('e', options)).rejects.toThrow('matches several sessions')
      await expect(listSessions({ ...options, since: 'someday' })).rejects.toThrow('since')
    })
  })

  it('gives a conversation along its active branch, with the results of parallel calls, without subagents', async () => {
    await withHome(async options => {
      const forked = '9a1f4da4'
      const all = await getSessionMessages(forked, options)
      const text = JSON.stringify(all)
      expect(text).toContain('Cents, please.')
      expect(text).not.toContain('What would it look like with a decimal library instead?')
      expect(all[0]).toMatchObject({ type: 'user', parent_tool_use_id: null, message: { role: 'user' } })
      const calls = [...text.matchAll(/"type":"tool_use","id":"(\w+)"/g)].map(found => found[1])
      const results = new Set([...text.matchAll(/"tool_use_id":"(\w+)"/g)].map(found => found[1]))
      expect(calls.length).toBeGreaterThan(4)
      expect(calls.filter(id => !results.has(id))).toEqual([])
      expect(await getSessionMessages(forked, { ...options, offset: 1, limit: 2 })).toEqual(all.slice(1, 3))
    })
  })

  it('never takes the sample history for sessions, says nothing and leaves the process alone', async () => {
    await withFolder(async folder => {
      const before = process.stdout.listenerCount('error')
      const saved = { HOME: process.env['HOME'], CLAUDE_CONFIG_DIR: process.env['CLAUDE_CONFIG_DIR'] }
      process.env['HOME'] = folder
      delete process.env['CLAUDE_CONFIG_DIR']
      try {
        const home = join(folder, 'clew')
        expect(await listSessions({ home })).toEqual([])
        expect((await usage({ home })).daily).toEqual([])
        expect(await search('croissant', { home })).toMatchObject({ total: 0 })
      } finally {
        for (const [name, value] of Object.entries(saved))
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
      }
      expect(process.stdout.listenerCount('error')).toBe(before)
    })
  })
})
