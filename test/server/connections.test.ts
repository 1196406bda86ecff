// Many connections that ask for nothing must not keep those out who are signed in, or want to be.

import { spawn } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../src/server/http/server.ts'
import { fetchFrom, signIn } from './client.ts'
import { stubData } from './stub.ts'

/** As many as were served at once, and far more. */
const counts = [256, 1000]
const withinMs = 50_000

let server: RunningServer
const opened: Socket[] = []
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy()
  await server.close()
})

async function start(): Promise<string> {
  server = await startServer({ data: stubData(), web: null })
  return await signIn(server)
}

/** A connection that says nothing more than `text`. */
function open(text = ''): Promise<Socket> {
  return new Promise(ready => {
    const socket = connect(server.port, '127.0.0.1', () => {
      if (text !== '') socket.write(text)
      ready(socket)
    })
    socket.on('error', () => {})
    socket.resume()
    opened.push(socket)
  })
}

async function openMany(count: number, text = ''): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let at = 0; at < count; at++) sockets.push(await open(text))
  return sockets
}

/** What comes in time; an error otherwise. */
function inTime<Value>(value: Promise<Value>): Promise<Value> {
  const late = new Promise<never>((_, reject) => setTimeout(reject, withinMs, new Error('no answer in time')).unref())
  return Promise.race([value, late])
}

const ask = async (cookie: string) =>
  (await inTime(fetchFrom(server.port, '/api/about', { headers: { cookie } }))).status

describe('idle connections without a cookie', () => {
  it.each(counts)('do not keep out who is signed in: %i of them', async count => {
    const cookie = await start()
    await openMany(count)
    for (let at = 0; at < 5; at++) expect(await ask(cookie)).toBe(200)
  })

  it.each(counts)('do not keep out who opens the printed address: %i of them', async count => {
    await start()
    await openMany(count, 'GET / HTTP/1.1\r\nHost: ')
    expect(await ask(await inTime(signIn(server)))).toBe(200)
  })

  it('go before a connection that has sent the cookie', async () => {
    const cookie = await start()
    const head = `Host: 127.0.0.1:${server.port}\r\nCookie: ${cookie}\r\n\r\n`
    const stream = await open(`GET /api/live HTTP/1.1\r\n${head}`)
    const kept = await open(`GET /api/about HTTP/1.1\r\n${head}`)
    await inTime(new Promise(answered => kept.once('data', answered)))
    const idle = await openMany(1000)
    await until(() => idle.filter(socket => socket.closed).length >= 800)
    expect([stream.closed, kept.closed, idle.at(-1)?.closed]).toEqual([false, false, false])
    kept.write(`GET /api/about HTTP/1.1\r\n${head}`)
    const again = new Promise<string>(answered => kept.once('data', chunk => answered(String(chunk))))
    expect(await inTime(again)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('are let in and dropped one for one while another program opens them as fast as it can', async () => {
    const cookie = await start()
    const flood = `const { connect } = require('node:net')
      let count = 0
      const more = () => connect(${server.port}, '127.0.0.1').resume().on('error', () => {}).on('connect', () => {
        if (++count === 1000) console.log('ready')
        more()
      })
      for (let at = 0; at < 50; at++) more()`
    const child = spawn(process.execPath, ['-e', flood], { stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      await new Promise(ready => child.stdout.once('data', ready))
      for (let at = 0; at < 20; at++) expect(await ask(cookie)).toBe(200)
    } finally {
      child.kill('SIGKILL')
    }
  })
})

it('of connections that are signed in, the oldest go where there are far too many', async () => {
  const cookie = await start()
  const head = `Host: 127.0.0.1:${server.port}\r\nCookie: ${cookie}\r\n\r\n`
  const sockets = await openMany(160, `GET /api/about HTTP/1.1\r\n${head}`)
  await until(() => sockets.filter(socket => socket.closed).length >= 32)
  expect(sockets.slice(-100).some(socket => socket.closed)).toBe(false)
  expect(await ask(cookie)).toBe(200)
})

async function until(isTrue: () => boolean): Promise<void> {
  const end = Date.now() + withinMs
  while (!isTrue()) {
    if (Date.now() > end) throw new Error('it did not happen in time')
    await new Promise(next => setTimeout(next, 5))
  }
}
