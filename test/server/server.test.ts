import { createHash } from 'node:crypto'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../src/server/http/server.ts'
import { confirming, fetchFrom, signIn } from './client.ts'
import { makeHome } from './home.ts'
import { request, sendRaw } from './raw.ts'
import { known, picture, stubData } from './stub.ts'

const home = makeHome()
const problems: string[] = []
const data = stubData()
let server: RunningServer
let cookie = ''

beforeAll(async () => {
  server = await startServer({ data, web: home.web, onProblem: message => problems.push(message) })
  cookie = await signIn(server)
})
afterAll(async () => {
  await server.close()
  home.remove()
})

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetchFrom(server.port, path, { headers: { cookie, ...headers } })

describe('the token of an address', () => {
  it('is worth a cookie that scripts cannot read and other sites do not send, and the address goes', async () => {
    const { pathname, search } = new URL(server.newAddress())
    const { status, headers } = await fetchFrom(server.port, pathname + search)
    expect([status, headers.location]).toEqual([303, '/'])
    expect(headers['set-cookie']).toHaveLength(1)
    expect(headers['set-cookie']?.[0]).toMatch(
      new RegExp(`^clew-${server.port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`),
    )
  })

  it('works once, and then says how to get another', async () => {
    const { pathname, search } = new URL(server.newAddress())
    await fetchFrom(server.port, pathname + search)
    const again = await fetchFrom(server.port, pathname + search)
    expect(again.status).toBe(403)
    expect(again.headers['set-cookie']).toBeUndefined()
    expect(again.headers['content-type']).toContain('text/plain')
    expect(again.text).toContain('Press Enter in the terminal')
  })

  it('that was used is a page that says what to do, for a browser', async () => {
    const { pathname, search } = new URL(server.newAddress())
    await fetchFrom(server.port, pathname + search)
    const again = await fetchFrom(server.port, pathname + search, { headers: browser })
    expect([again.status, again.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8'])
    expect(again.text).toContain('<h1>This address was used already, or is not complete.</h1>')
    expect(again.text).toMatch(/Press Enter in the terminal where <code>clew serve<\/code> runs/)
    expect(again.text).not.toContain(search.slice(-20))
  })

  it('is another each time, and all that were printed last work', async () => {
    const [one, two] = [server.newAddress(), server.newAddress()]
    expect(one).not.toBe(two)
    for (const address of [two, one]) {
      const { pathname, search } = new URL(address)
      expect((await fetchFrom(server.port, pathname + search)).status).toBe(303)
    }
  })

  it('is not used up by a browser that only looks ahead', async () => {
    const { pathname, search } = new URL(server.newAddress())
    const ahead = await fetchFrom(server.port, pathname + search, { headers: { 'sec-purpose': 'prefetch' } })
    expect(ahead.status).toBe(403)
    expect((await fetchFrom(server.port, pathname + search)).status).toBe(303)
  })

  it('opens the app for somebody who is signed in, used or not', async () => {
    const { status, headers } = await ask('/?token=anything')
    expect([status, headers.location, headers['set-cookie']]).toEqual([303, '/', undefined])
  })

  it('that was chosen works again and again', async () => {
    const token = 'a-long-token_of.27-letters~'
    const chosen = await startServer({ data, web: null, token })
    expect(chosen.newAddress()).toBe(`${chosen.origin}/?token=${token}`)
    for (let i = 0; i < 2; i++) expect((await fetchFrom(chosen.port, `/?token=${token}`)).status).toBe(303)
    expect((await fetchFrom(chosen.port, `/?token=${token}x`)).status).toBe(403)
    await chosen.close()
  })
})

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

describe('a refusal', () => {
  const page = (path: string, headers: Record<string, string> = {}) =>
    fetchFrom(server.port, path, { headers: { ...browser, ...headers } })

  it('is a page for a browser, text for a program, JSON for the app', async () => {
    const kinds = [
      (await page('/usage')).headers['content-type'],
      (await fetchFrom(server.port, '/usage')).headers['content-type'],
      (await page('/api/about')).headers['content-type'],
    ]
    expect(kinds.map(kind => kind?.split(';')[0])).toEqual(['text/html', 'text/plain', 'application/json'])
    expect((await fetchFrom(server.port, '/usage')).text).not.toContain('`')
  })

  it('names the address to open where it was a wrong one', async () => {
    const { status, text } = await page('/', { host: `localhost:${server.port}` })
    expect(status).toBe(421)
    expect(text).toContain(`<code>http://127.0.0.1:${server.port}/</code>`)
  })

  it('of a page that is not there leads back to the list', async () => {
    const { status, text } = await page('/nothing/here', { cookie })
    expect(status).toBe(404)
    expect(text).toContain('Page not found.')
    expect(text).toContain('<a href="/">All sessions</a>')
  })

  it('allows its one style by its hash, and repeats nothing of the request', async () => {
    const { headers, text } = await page('/%3Cscript%3Ealert(1)%3C/script%3E?token=%3Cb%3E', { host: '<i>evil' })
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(headers['content-security-policy']).toContain(`style-src 'self' 'sha256-${hash}'`)
    expect(text).not.toMatch(/script|evil/)
  })
})

describe('every answer', () => {
  const everywhere = ['/', '/assets/main-ABCDEFGH.js', '/api/about', '/api/nothing', '/nothing', '/api/sessions/none']

  it('allows a page nothing but what this server gives', async () => {
    for (const path of everywhere) {
      const { headers } = await ask(path)
      const policy = headers['content-security-policy'] ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("require-trusted-types-for 'script'")
      expect(policy).not.toMatch(/unsafe|\*|http/)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(headers['permissions-policy']).toContain('camera=()')
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  it('carries the same where it is a refusal or no request at all', async () => {
    const host = `Host: 127.0.0.1:${server.port}`
    for (const bytes of [request('GET /', [host]), request('GET /', ['Host: evil.example']), 'nonsense\r\n\r\n']) {
      const { text } = await sendRaw(server.port, bytes)
      expect(text.toLowerCase()).toContain("content-security-policy: default-src 'none'")
      expect(text.toLowerCase()).toContain('nosniff')
    }
  })

  it('is kept by browsers as long as it may be', async () => {
    const kept = async (path: string) => (await ask(path)).headers['cache-control']
    expect(await kept('/assets/main-ABCDEFGH.js')).toContain('immutable')
    expect(await kept('/')).toBe('private, no-cache')
    expect(await kept('/api/about')).toBe('private, no-cache')
    expect(await kept('/api/nothing')).toBe('no-store')
  })

  it('is packed where that is worth it, and short where nothing changed', async () => {
    for (const path of ['/assets/main-ABCDEFGH.js', '/api/sessions']) {
      const plain = await ask(path)
      expect(plain.headers['content-encoding']).toBeUndefined()
      for (const encoding of ['br', 'gzip']) {
        const packed = await ask(path, { 'accept-encoding': encoding })
        expect(packed.headers['content-encoding']).toBe(encoding)
        expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2)
        expect(packed.text).toBe(plain.text)
      }
      const refused = await ask(path, { 'accept-encoding': 'br;q=0, gzip;q=0' })
      expect(refused.headers['content-encoding']).toBeUndefined()
      const again = await ask(path, { 'if-none-match': String(plain.headers.etag) })
      expect([again.status, again.bytes.length]).toEqual([304, 0])
    }
    expect((await ask('/api/about', { 'accept-encoding': 'br' })).headers['content-encoding']).toBeUndefined()
  })

  it('has no body for HEAD', async () => {
    const { status, bytes, headers } = await fetchFrom(server.port, '/api/about', {
      method: 'HEAD',
      headers: { cookie },
    })
    expect([status, bytes.length]).toEqual([200, 0])
    expect(Number(headers['content-length'])).toBeGreaterThan(0)
  })
})

describe('a question', () => {
  it('is handed on with its keys, and refused with one that is not known', async () => {
    const { text } = await ask(`/api/sessions?offset=2&project=%2Fhome%2Fmira&text=`)
    expect(JSON.parse(text).query).toEqual({ offset: '2', project: '/home/mira' })
    const { status, text: problem } = await ask('/api/sessions?from=2')
    expect([status, JSON.parse(problem).error]).toEqual([400, 'There is no option "from" here.'])
  })

  it('that makes no sense is answered in words', async () => {
    const asked = { '/api/sessions?offset=-1': '"offset"', [`/api/sessions/${known}/items?from=0`]: '"to" is missing' }
    for (const [path, word] of Object.entries(asked)) {
      const { status, text } = await ask(path)
      expect(status).toBe(400)
      expect(JSON.parse(text).error).toContain(word)
    }
  })

  it('about a session that is not known, or cannot be, finds nothing', async () => {
    for (const id of ['none', 'a%20b', '%C3%A9', 'a'.repeat(300), '%2e%2e%2e']) {
      expect((await ask(`/api/sessions/${id}`)).status, id).toBe(404)
    }
    expect((await ask(`/api/sessions/${known}`)).status).toBe(200)
  })

  it('that shows a fault of ours says so without a word of where it is', async () => {
    const { status, text } = await ask(`/api/sessions/${known}/outline`)
    expect(status).toBe(500)
    expect(text).not.toMatch(/secret|\.ts|at /)
    expect(problems.join()).toContain('/secret/path')
  })

  it('in the wrong way gets a hint at the right one', async () => {
    const { status, headers } = await ask('/api/archive/run')
    expect([status, headers.allow]).toEqual([405, 'POST'])
  })
})

describe('media', () => {
  it('are shown as pictures, saved as documents, and never anything that runs', async () => {
    const types = {
      'image/png': ['image/png', 'inline'],
      'application/pdf': ['application/pdf', 'attachment'],
      'text/html': ['application/octet-stream', 'attachment'],
      'image/svg+xml': ['application/octet-stream', 'attachment'],
    }
    for (const [named, [type, how]] of Object.entries(types)) {
      const { headers, bytes } = await ask(`/api/sessions/${known}/media?n=0&event=${encodeURIComponent(named)}`)
      expect(headers['content-type']).toBe(type)
      expect(headers['content-disposition']).toContain(how)
      expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox")
      expect(bytes.equals(picture)).toBe(true)
    }
  })
})

describe('a change', () => {
  it('is made when it is confirmed with the id of what it is about', async () => {
    const path = `/api/sessions/${known}/forget`
    expect((await fetchFrom(server.port, path, confirming(cookie, 'another'))).status).toBe(400)
    expect(data.changes).toEqual([])
    const done = await fetchFrom(server.port, path, confirming(cookie, known))
    expect([done.status, done.text, done.headers['cache-control']]).toEqual([200, '{"files":1}', 'no-store'])
    await fetchFrom(server.port, `/api/sessions/${known}/restore`, confirming(cookie, known))
    await fetchFrom(server.port, '/api/archive/run', confirming(cookie, 'archive'))
    expect(data.changes).toEqual([`forget ${known}`, `restore ${known}`, 'archive'])
  })

  it('is refused by a server that is only read from', async () => {
    const readOnly = stubData({ isReadOnly: true })
    const other = await startServer({ data: readOnly, web: null })
    const own = await signIn(other)
    for (const [path, confirm] of [
      [`/api/sessions/${known}/forget`, known],
      [`/api/sessions/${known}/restore`, known],
      ['/api/archive/run', 'archive'],
    ] as const) {
      const { status, text } = await fetchFrom(other.port, path, confirming(own, confirm))
      expect(status).toBe(403)
      expect(JSON.parse(text).error).toContain('Nothing can be changed')
    }
    expect(readOnly.changes).toEqual([])
    expect((await fetchFrom(other.port, '/api/about', { headers: { cookie: own } })).status).toBe(200)
    await other.close()
  })
})

describe('a server', () => {
  it('listens on 127.0.0.1 alone', () => {
    expect(server.origin).toBe(`http://127.0.0.1:${server.port}`)
  })

  it('takes the next free port where the one it wants is busy', async () => {
    const busy = createServer().listen(0, '127.0.0.1')
    await new Promise(ready => busy.once('listening', ready))
    const address = busy.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const next = await startServer({ data, web: null, port })
    expect(next.port).toBeGreaterThan(port)
    expect(next.port).toBeLessThan(port + 50)
    expect((await fetchFrom(next.port, '/')).status).toBe(401)
    await next.close()
    await new Promise(closed => busy.close(closed))
  })

  it('knows its own cookie only, though browsers send it to every port', async () => {
    const other = await startServer({ data, web: null })
    expect((await fetchFrom(other.port, '/api/about', { headers: { cookie } })).status).toBe(401)
    const both = `${cookie}; ${await signIn(other)}`
    expect((await fetchFrom(other.port, '/api/about', { headers: { cookie: both } })).status).toBe(200)
    await other.close()
  })

  it('says so where the app was never built', async () => {
    const bare = await startServer({ data, web: null })
    const { status, text } = await fetchFrom(bare.port, '/', { headers: { cookie: await signIn(bare) } })
    expect(status).toBe(404)
    expect(text).toContain('npm run build')
    await bare.close()
  })
})
