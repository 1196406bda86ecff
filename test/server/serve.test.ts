// `clew serve` as people start it: the built tool in a process of its own.

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { run } from '../../src/cli/commands/serve.ts'
import type { SessionList } from '../../src/server/api/api.ts'
import { capture } from '../cli/capture.ts'
import { clew, mainFile } from '../cli/run.ts'
import { Terminal } from '../cli/terminal.ts'
import { withFolder } from '../home.ts'
import { confirming, fetchFrom } from './client.ts'
import { makeHome, manySessions, session } from './home.ts'

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
async function serve(args: readonly string[], where = places): Promise<Serving> {
  const child = spawn(process.execPath, [mainFile, 'serve', ...where, ...args], {
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

/** What is said on standard error comes after the address. */
async function said(serving: Serving, words: RegExp): Promise<string> {
  for (let i = 0; i < 5000 && !words.test(serving.stderr()); i++) await new Promise(next => setTimeout(next, 10))
  return serving.stderr()
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
    expect(await said(serving, /Ctrl-C/)).toContain('works once')
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

  it('lists sessions while it indexes them for the first time, says how far it is, and then fills in', async () => {
    const many = manySessions(3000)
    try {
      const serving = await serve([], ['--root', many.roots[0] ?? '', '--home', many.home])
      const headers = { cookie: await cookieOf(serving) }
      const ask = async (path: string) =>
        JSON.parse((await fetchFrom(Number(serving.url.port), path, { headers })).text) as SessionList
      const list = await ask('/api/sessions')
      expect(list.total).toBe(3000)
      expect(list.sessions[0]).toMatchObject({ title: 'Prompt number 0', projectKey: '/home/mira/shop', prompts: 0 })
      expect(list.indexing).toEqual({ what: 'indexing', percent: expect.any(Number) })
      await ask('/api/search?q=number')
      const filled = await ask('/api/sessions')
      expect(filled.sessions[0]).toMatchObject({ title: 'Prompt number 0', prompts: 1 })
      expect(filled.indexing).toBeUndefined()
      expect(await said(serving, /clew: indexed/)).toContain('clew: indexing for the first time')
    } finally {
      many.remove()
    }
  }, 60_000)

  it('takes the next free port and says so', async () => {
    const busy = createServer().listen(0, '127.0.0.1')
    await new Promise(ready => busy.once('listening', ready))
    const address = busy.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const serving = await serve(['--port', String(port)])
    expect(Number(serving.url.port)).toBeGreaterThan(port)
    expect(await said(serving, /Ctrl-C/)).toContain(`port ${port} is busy`)
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
    expect(await said(serving, /Ctrl-C/)).toMatch(/anyone in your network .*prompts, answers.*not encrypted/)
    const { port, host } = serving.url
    const asked = (host: string) => fetchFrom(Number(port), '/api/about', { headers: { host } })
    expect((await asked(`127.0.0.1:${port}`)).status).toBe(401)
    expect((await asked(host)).status).toBe(401)
    expect((await asked(`evil.example:${port}`)).status).toBe(421)
    expect((await asked(`0.0.0.0:${port}`)).status).toBe(421)
  })

  it('refuses what would be unsafe or makes no sense, in words', async () => {
    const refused: [Record<string, unknown>, string][] = [
      [{ host: '0.0.0.0' }, '--allow-network'],
      [{ host: '192.168.1.20' }, '--allow-network'],
      [{ host: '::' }, '--allow-network'],
      [{ host: '::ffff:127.0.0.1' }, '--allow-network'],
      [{ host: 'example.com' }, 'not a name'],
      [{ host: '192.0.2.77', allowNetwork: true }, 'no such address'],
      [{ token: 'secret' }, 'at least 22 characters'],
      [{ token: 'a'.repeat(40) }, '10 different'],
      [{ token: 'with a blank in it, and long enough' }, 'letters, digits'],
      [{ port: '0' }, '1 to 65535'],
      [{ port: '99999' }, '1 to 65535'],
      [{ port: 'http' }, '1 to 65535'],
    ]
    for (const [options, words] of refused) {
      const asked = capture(run, { options, home: home.home, root: [home.root], isRootNamed: true })
      await expect(asked, JSON.stringify(options)).rejects.toThrow(words)
    }
    await expect(capture(run, { usesIndex: false })).rejects.toThrow('index')
    await expect(capture(run, { args: ['last'] })).rejects.toThrow('no arguments')
  })

  it('reports a refusal in one line, with exit code 2', () => {
    const { code, stdout, stderr } = clew(['serve', ...places, '--host', '0.0.0.0'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})

describe('clew serve in a terminal', () => {
  it('opens the address, prints a fresh one for Enter, and ends with Ctrl-C', { tags: ['tmux', 'linux'] }, async () => {
    await withFolder(async folder => {
      // Replaces the system's opener and records its argument.
      writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\necho "$1" > '${folder}/opened'\n`, { mode: 0o755 })
      const words = ['serve', ...places].map(word => `'${word}'`).join(' ')
      const script = `PATH='${folder}':"$PATH" '${process.execPath}' '${mainFile}' ${words}; echo "code $?"`
      const terminal = new Terminal(script, { columns: 120, env: { DISPLAY: ':99' } })
      try {
        await terminal.until('Press Enter for a new one')
        terminal.keys('Enter')
        const text = await terminal.until(/token=[\s\S]*token=/)
        const [first = '', second = ''] = text.match(/http:\S+/g) ?? []
        expect(second).not.toBe(first)
        const port = Number(new URL(second).port)
        for (const address of [first, second]) {
          expect((await fetchFrom(port, `/${new URL(address).search}`)).status).toBe(303)
        }
        expect(readFileSync(join(folder, 'opened'), 'utf8').trim()).toBe(first)
        terminal.keys('C-c')
        await terminal.until('code 0')
      } finally {
        terminal.close()
      }
    })
  })
})
