// Settings that are changed in the app are those of `clew config`.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ServerData } from '../../src/server/api/data.ts'
import { openData } from '../../src/server/api/open-data.ts'
import { makeHome } from './home.ts'

const home = makeHome()
let data: ServerData
const config = () => JSON.parse(readFileSync(join(home.home, 'config.json'), 'utf8')) as unknown
const set = (key: string, value: string) => data.answer('POST /api/settings', { key, value })

beforeAll(async () => {
  data = await openData({
    home: home.home,
    roots: [home.root],
    timezone: 'America/Lima',
  })
})
afterAll(async () => {
  await data.close()
  home.remove()
})

it('are stored, answered, and counted from then on', async () => {
  expect(await data.answer('GET /api/settings', {})).toMatchObject({
    theme: 'system',
    archive: { mode: 'manual', isChosen: false },
    exclude: [],
  })
  await set('theme', 'dark')
  await set('archive', 'off')
  const answer = await set('exclude', '/home/mira/secret\n/home/mira/other')
  expect(answer).toMatchObject({ theme: 'dark', archive: { mode: 'off', isChosen: true } })
  expect(answer.exclude).toEqual(['/home/mira/secret', '/home/mira/other'])
  expect(config()).toEqual({ theme: 'dark', archive: 'off', exclude: ['/home/mira/secret', '/home/mira/other'] })
  expect((await data.answer('GET /api/about', {})).theme).toBe('dark')
  await set('archive', '')
  await set('exclude', '')
  expect(config()).toEqual({ theme: 'dark' })
})

it('change the time zone of everything at once', async () => {
  expect((await data.answer('GET /api/about', {})).timezone).toBe('America/Lima')
  await set('timezone', 'Asia/Tokyo')
  expect((await data.answer('GET /api/about', {})).timezone).toBe('Asia/Tokyo')
  await expect(set('timezone', 'Mars/Olympus')).rejects.toThrow('Invalid time zone "Mars/Olympus"')
  expect((await data.answer('GET /api/settings', {})).timezone).toBe('Asia/Tokyo')
})

it('cannot be changed where nothing can, nor what names files to read', async () => {
  await expect(set('roots', '/etc')).rejects.toThrow('cannot be changed here')
  const locked = await openData({
    home: home.home,
    roots: [home.root],
    isReadOnly: true,
  })
  try {
    expect((await locked.answer('GET /api/settings', {})).isReadOnly).toBe(true)
    await expect(locked.answer('POST /api/settings', { key: 'theme', value: 'light' })).rejects.toThrow(
      'Nothing can be',
    )
  } finally {
    await locked.close()
  }
})
