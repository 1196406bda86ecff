import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type RunningServer, startServer } from '../../src/server/http/server.ts'
import { signIn } from './client.ts'
import { type Stub, stubData } from './stub.ts'

const running: RunningServer[] = []
afterEach(async () => {
  for (const server of running.splice(0)) await server.close()
})

async function start(heartbeatMs = 15_000): Promise<{ data: Stub; server: RunningServer; cookie: string }> {
  const data = stubData()
  const server = await startServer({ data, web: null, heartbeatMs })
  running.push(server)
  return { data, server, cookie: await signIn(server) }
}

/** Opens the stream; `text` grows as long as somebody reads. */
async function follow(port: number, cookie: string, data: Stub): Promise<{ socket: Socket; text(): string }> {
  let text = ''
  const before = data.followers.size
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('utf8')
  socket.on('data', chunk => (text += chunk))
  socket.on('error', () => {})
  socket.write(`GET /api/live?session=abc HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`)
  await until(() => data.followers.size > before && text.includes('ping'))
  return { socket, text: () => text }
}

async function until(isTrue: () => boolean, withinMs = 50_000): Promise<void> {
  const end = Date.now() + withinMs
  while (!isTrue()) {
    if (Date.now() > end) throw new Error('it did not happen in time')
    await new Promise(next => setTimeout(next, 5))
  }
}

describe('the event stream', () => {
  it('reports what happens at once, each as an event with one line of JSON', async () => {
    const { data, server, cookie } = await start()
    const { socket, text } = await follow(server.port, cookie, data)
    expect(text()).toMatch(/^HTTP\/1\.1 200 /)
    expect(text().toLowerCase()).toContain('content-type: text/event-stream')
    expect(text().toLowerCase()).toContain('cache-control: no-store')
    data.send({ type: 'grown', session: 'abc', threads: { 'a\nb': 4 } })
    await until(() => text().includes('event: grown\ndata: {"type":"grown","session":"abc","threads":{"a\\nb":4}}\n\n'))
    socket.destroy()
  })

  it('has a heartbeat while nothing happens', async () => {
    const { data, server, cookie } = await start(20)
    const { socket, text } = await follow(server.port, cookie, data)
    await until(() => (text().match(/event: ping/g) ?? []).length > 3)
    expect(text()).toMatch(/(event: ping[\s\S]*){4}/)
    socket.destroy()
  })

  it('follows nothing any more once its reader has gone', async () => {
    const { data, server, cookie } = await start()
    const { socket } = await follow(server.port, cookie, data)
    socket.destroy()
    await until(() => data.followers.size === 0)
    expect(data.followers.size).toBe(0)
  })

  it('of a reader that does not read ends before eight megabytes wait for it', async () => {
    const { data, server, cookie } = await start()
    const { socket } = await follow(server.port, cookie, data)
    socket.pause()
    const message = { type: 'list' as const, version: 'v'.repeat(60_000), live: [] }
    global.gc?.()
    const before = process.memoryUsage()
    let sent = 0
    while (data.followers.size > 0 && sent < 1000) {
      data.send(message)
      sent++
      if (sent % 20 === 0) await new Promise(next => setImmediate(next))
    }
    // What the system takes for a connection of this machine is a few megabytes more.
    expect(data.followers.size).toBe(0)
    expect(sent * 60_000).toBeLessThan(16 * 1024 * 1024)
    expect(process.memoryUsage().external - before.external).toBeLessThan(8 * 1024 * 1024)
    socket.destroy()
  })

  it('of one that does not read leaves those alone that do', async () => {
    const { data, server, cookie } = await start()
    const stalled = await follow(server.port, cookie, data)
    stalled.socket.pause()
    const reading = await follow(server.port, cookie, data)
    const message = { type: 'list' as const, version: 'v'.repeat(60_000), live: [] }
    for (let i = 0; i < 400 && data.followers.size > 1; i++) {
      data.send(message)
      await new Promise(next => setTimeout(next, 1))
    }
    expect(data.followers.size).toBe(1)
    data.send({ type: 'grown', session: 'last', threads: {} })
    await until(() => reading.text().includes('"session":"last"'))
    for (const { socket } of [stalled, reading]) socket.destroy()
  })

  it('has an end: of very many, the oldest go', async () => {
    const { data, server, cookie } = await start()
    const first = await follow(server.port, cookie, data)
    let isClosed = false
    first.socket.on('close', () => (isClosed = true))
    const others = await Promise.all(Array.from({ length: 70 }, () => openOne(server.port, cookie)))
    await until(() => isClosed)
    expect(data.followers.size).toBe(64)
    for (const socket of others) socket.destroy()
  })
})

function openOne(port: number, cookie: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET /api/live HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`)
  return new Promise(ready => socket.once('data', () => ready(socket)))
}

describe('the end of a server', () => {
  it('ends streams and connections that are kept, by itself', async () => {
    const { data, server, cookie } = await start()
    const { socket, text } = await follow(server.port, cookie, data)
    const closed = new Promise(ended => socket.on('close', ended))
    // The time after which the rest is cut off never comes.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    try {
      await server.close()
      running.length = 0
      await closed
    } finally {
      vi.useRealTimers()
    }
    expect(data.followers.size).toBe(0)
    expect(text()).not.toContain('undefined')
    await expect(fetch(`${server.origin}/`)).rejects.toThrow()
  })
})
