// No one gets anything without the cookie, whatever they send; and no one with it gets what is not meant for reading.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ServerData } from '../../src/server/api/data.ts'
import { openData } from '../../src/server/api/open-data.ts'
import { type RunningServer, startServer } from '../../src/server/http/server.ts'
import { allCases } from './corpus.ts'
import type { Fixture } from './corpus-case.ts'
import { canaryText, event, makeHome, session } from './home.ts'
import { request, sendRaw } from './raw.ts'

const home = makeHome()
const problems: string[] = []
let data: ServerData
let server: RunningServer
let fixture: Fixture

beforeAll(async () => {
  data = await openData({
    home: home.home,
    roots: [home.root],
    isReadOnly: false,
  })
  server = await startServer({ data, web: home.web, patienceMs: 500, onProblem: message => problems.push(message) })
  const usedToken = new URL(server.newAddress()).searchParams.get('token') ?? ''
  const host = `Host: 127.0.0.1:${server.port}`
  const { text } = await sendRaw(server.port, request(`GET /?token=${usedToken}`, [host]))
  const cookie = /^set-cookie: ([^;]+)/im.exec(text)?.[1] ?? ''
  fixture = { port: server.port, cookie, usedToken, session, event, canary: home.canary }
})

afterAll(async () => {
  await server.close()
  await data.close()
  home.remove()
})

const signed = (target: string) =>
  sendRaw(server.port, request(`GET ${target}`, [`Host: 127.0.0.1:${server.port}`, `Cookie: ${fixture.cookie}`]))

describe('somebody who is signed in', () => {
  it('gets the app and the session', async () => {
    for (const target of ['/', `/s/${session}`, '/assets/main-ABCDEFGH.js', '/api/about']) {
      expect((await signed(target)).statuses, target).toEqual([200])
    }
    expect((await signed('/api/sessions')).text).toContain(session)
    expect((await signed(`/api/sessions/${session}/items?from=0&to=9`)).text).toContain('Where is the kettle?')
  })

  it('gets no byte of a file that the session, a link in the home or a link in the app names, and no id of its owner', async () => {
    const own = `/api/sessions/${session}`
    const targets = [
      own,
      `${own}/first`,
      `${own}/outline`,
      `${own}/items?from=0&to=9`,
      `${own}/raw?event=${event}`,
      `${own}/raw?event=u2`,
      `${own}/raw?event=owner`,
      `${own}/files`,
      `${own}/context`,
      `${own}/find?text=CANARY`,
      `${own}/media?event=u2&n=0`,
      '/api/search?q=CANARY',
      '/linked.json',
      '/assets/linked-ABCDEFGH.js',
    ]
    for (const target of targets) {
      const { text, statuses } = await signed(target)
      expect(text.replace(/"query":"[^"]*"/, ''), target).not.toContain(canaryText)
      expect(statuses[0], target).toBeLessThan(500)
    }
  })
})

describe('the corpus of requests', () => {
  it('has more than eighty, each with a name of its own', () => {
    const names = allCases(fixture).map(({ name }) => name)
    expect(names.length).toBeGreaterThan(80)
    expect(new Set(names).size).toBe(names.length)
  })

  it('gets no content, no fault of the server and no byte of the canary', async () => {
    const cases = allCases(fixture)
    const wrong: string[] = []
    for (let at = 0; at < cases.length; at += 40) {
      const part = cases.slice(at, at + 40).map(async one => {
        const { statuses, text } = await sendRaw(server.port, one.bytes, { pauseMs: one.pauseMs ?? 20 })
        const [status = 0] = statuses
        const isWanted = one.wants === undefined || one.wants.includes(status)
        const isGiven = one.isSigned !== true && one.wants?.includes(200) !== true && statuses.some(code => code < 400)
        const isFault = statuses.some(code => code >= 500) || statuses.length !== 1
        if (!isWanted || isGiven || isFault || text.includes(canaryText) || /access-control/i.test(text)) {
          wrong.push(`${one.name}: ${statuses.join(' ')}${one.wants ? `, not ${one.wants.join(' or ')}` : ''}`)
        }
      })
      await Promise.all(part)
    }
    expect(wrong).toEqual([])
    expect(problems).toEqual([])
  })

  it('leaves the server as it was', async () => {
    expect(existsSync(join(home.home, 'config.json'))).toBe(false)
    expect((await signed('/api/about')).statuses).toEqual([200])
    expect((await signed('/api/sessions')).text).toContain(session)
  })
})
