// `clew serve` as people start it: the built tool in a process of its own.

import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { clew, mainFile } from '../cli/run.ts'
import { confirming, fetchFrom } from './client.ts'
import { makeHome, session } from './home.ts'

const home = makeHome()
afterAll(() => home.remove())

const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

interface Serving {
  child: ChildProcess
  stdout(): string
  stderr(): string
  url: URL
  ended: Promise<number | null>
}

const places = ['--root', home.root, '--home', home.home]

/** Resolves when the address was printed. */
async function serve(args: readonly string[]): Promise<Serving> {
  const child = spawn(process.execPath, [mainFile, 'serve', ...places, ...args], {
    env: { ...process.env, NO_COLOR: '1' },
  })
  started.push(child)
  let stdout = ''
  let stderr = ''
  child.stderr.on('data', chunk => (stderr += chunk))
  const ended = new Promise<number | null>(done => child.on('close', done))
  await new Promise<void>((ready, fail) => {
    child.stdout.on('data', chunk => {
      stdout += chunk
      if (stdout.includes('\n')) ready()
    })
    void ended.then(() => fail(new Error(stderr)))
  })
  const url = new URL(/http:[^\s"]+/.exec(stdout)?.[0] ?? 'none:')
  return { child, stdout: () => stdout, stderr: () => stderr, url, ended }
}

async function cookieOf({ url }: Serving): Promise<string> {
  const { headers } = await fetchFrom(Number(url.port), url.pathname + url.search)
  return headers['set-cookie']?.[0]?.split(';')[0] ?? ''
}

describe('clew serve', () => {
  it('prints an address that opens the app, and nothing else on standard output', async () => {
    const serving = await serve([])
    expect(serving.stdout()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}\n$/)
    const port = Number(serving.url.port)
    const cookie = await cookieOf(serving)
    const { text } = await fetchFrom(port, '/api/sessions', { headers: { cookie } })
    expect(text).toContain(session)
    expect((await fetchFrom(port, '/', { headers: { cookie } })).text).toContain('<script type="module"')
    expect(serving.stderr()).toContain('works once')
  })

  it('ends in order, with exit code 0, while somebody follows it', async () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const serving = await serve([])
      const cookie = await cookieOf(serving)
      const stream = fetchFrom(Number(serving.url.port), '/api/live', { headers: { cookie } })
      await new Promise(next => setTimeout(next, 100))
      serving.child.kill(signal)
      expect(await serving.ended).toBe(0)
      expect((await stream).text).toContain('event: ping')
      expect(serving.stderr()).not.toMatch(/ at |rror/)
    }
  })

  it('takes the next free port and says so', async () => {
    const busy = createServer().listen(0, '127.0.0.1')
    await new Promise(ready => busy.once('listening', ready))
    const address = busy.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const serving = await serve(['--port', String(port)])
    expect(Number(serving.url.port)).toBeGreaterThan(port)
    expect(serving.stderr()).toContain(`port ${port} is busy`)
    busy.close()
  })

  it('changes nothing with --read-only-token', async () => {
    const serving = await serve(['--read-only-token', '--json'])
    expect(JSON.parse(serving.stdout())).toMatchObject({ host: '127.0.0.1', isReadOnly: true, isNetwork: false })
    const cookie = await cookieOf(serving)
    const port = Number(serving.url.port)
    const forget = await fetchFrom(port, `/api/sessions/${session}/forget`, confirming(cookie, session))
    expect(forget.status).toBe(403)
    expect(JSON.parse((await fetchFrom(port, '/api/about', { headers: { cookie } })).text).isReadOnly).toBe(true)
  })

  it('takes a token of one’s own, which works again', async () => {
    const token = 'correct.horse-battery_staple'
    const serving = await serve(['--token', token])
    expect(serving.url.searchParams.get('token')).toBe(token)
    expect(await cookieOf(serving)).not.toBe('')
    expect(await cookieOf(serving)).not.toBe('')
  })

  it('says what is given away with --allow-network', async () => {
    const serving = await serve(['--host', '0.0.0.0', '--allow-network'])
    expect(serving.stderr()).toMatch(/whoever in your network .*prompts, answers.*Nothing is encrypted/)
    const { port } = serving.url
    const asked = (host: string) => fetchFrom(Number(port), '/api/about', { headers: { host } })
    expect((await asked(`127.0.0.1:${port}`)).status).toBe(401)
    expect((await asked(`evil.example:${port}`)).status).toBe(421)
    expect((await asked(`0.0.0.0:${port}`)).status).toBe(421)
  })

  it('refuses what would be unsafe or makes no sense, in one line', () => {
    const refused: [string[], string][] = [
      [['--host', '0.0.0.0'], '--allow-network'],
      [['--host', '192.168.1.20'], '--allow-network'],
      [['--host', '::'], '--allow-network'],
      [['--host', 'example.com'], 'not a name'],
      [['--host', '192.0.2.77', '--allow-network'], 'no such address'],
      [['--token', 'secret'], 'at least 22 characters'],
      [['--token', 'a'.repeat(40)], '10 different'],
      [['--token', 'with a blank in it, and long enough'], 'letters, digits'],
      [['--port', '0'], '1 to 65535'],
      [['--port', '99999'], '1 to 65535'],
      [['--port', 'http'], '1 to 65535'],
      [['--no-index'], 'index'],
    ]
    for (const [args, words] of refused) {
      const { code, stdout, stderr } = clew(['serve', ...places, ...args])
      expect([code, stdout], args.join(' ')).toEqual([2, ''])
      expect(stderr).toContain(words)
      expect(stderr.trim().split('\n')).toHaveLength(1)
    }
  })
})
