import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { LiveMessage } from './api.ts'
import type { ServerData } from './data.ts'
import { openData } from './open-data.ts'

const id = '7d0f3a52-1111-4222-8333-944444444444'
let userHome: string
let data: ServerData | undefined
beforeEach(() => {
  userHome = mkdtempSync(join(tmpdir(), 'clew-nobody-'))
  vi.stubEnv('HOME', userHome)
  vi.stubEnv('USERPROFILE', userHome)
  vi.stubEnv('CLAUDE_CONFIG_DIR', '')
})
afterEach(async () => {
  await data?.close()
  data = undefined
  vi.unstubAllEnvs()
  rmSync(userHome, { recursive: true, force: true })
})

function writeSession(): void {
  const folder = join(userHome, '.claude', 'projects', '-home-ada-engine')
  mkdirSync(folder, { recursive: true })
  const event = {
    type: 'user',
    uuid: 'a1',
    parentUuid: null,
    sessionId: id,
    cwd: '/home/ada/engine',
    timestamp: '2026-03-01T10:00:00.000Z',
    message: { role: 'user', content: 'Count the cogs' },
  }
  writeFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify(event)}\n`)
}

it('switches from the samples to the first session of the user, and reports it to followers', async () => {
  data = await openData({ home: join(userHome, 'own') })
  const open = data
  expect((await open.answer('GET /api/sessions', {})).isSample).toBe(true)
  // The sample is in the index by now.
  await open.answer('GET /api/search', { q: 'anything' })
  const heard: LiveMessage[] = []
  const stop = open.follow(undefined, message => heard.push(message))
  writeSession()
  await vi.waitFor(async () => expect((await open.answer('GET /api/sessions', {})).isSample).toBe(false), {
    timeout: 15_000,
    interval: 200,
  })
  const { sessions } = await open.answer('GET /api/sessions', {})
  expect(sessions.map(session => session.id)).toEqual([id])
  expect((await open.answer('GET /api/about', {})).isSample).toBe(false)
  expect((await open.answer('GET /api/search', { q: 'cogs' })).sessionTotal).toBe(1)
  expect((await open.answer('GET /api/search', { q: 'bakery' })).sessionTotal).toBe(0)
  await vi.waitFor(() => expect(heard.map(({ type }) => type)).toContain('list'), { timeout: 5_000 })
  stop()
}, 30_000)

it('never lists the samples next to sessions that came while it was not running', async () => {
  data = await openData({ home: join(userHome, 'own') })
  await data.answer('GET /api/search', { q: 'anything' })
  await data.close()
  writeSession()
  data = await openData({ home: join(userHome, 'own') })
  const { sessions, isSample } = await data.answer('GET /api/sessions', {})
  expect(isSample).toBe(false)
  expect(sessions.map(session => session.id)).toEqual([id])
}, 30_000)

it('continues with the sample as long as there are only empty folders', async () => {
  mkdirSync(join(userHome, '.claude', 'projects', '-home-ada-engine'), { recursive: true })
  data = await openData({ home: join(userHome, 'own') })
  await new Promise(resolve => setTimeout(resolve, 1_300))
  expect((await data.answer('GET /api/sessions', {})).isSample).toBe(true)
}, 15_000)
