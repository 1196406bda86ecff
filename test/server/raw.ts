// Requests as bytes on a socket, so that nothing puts them right on their way; and what came back.

import { connect } from 'node:net'

export interface RawAnswer {
  /** Of every answer on the connection, in order. */
  statuses: number[]
  text: string
  /** The other side closed the connection. */
  isClosed: boolean
}

export interface RawOptions {
  /** How long to listen for more after something came. */
  waitMs?: number
  /** Between the pieces that are sent. */
  pauseMs?: number
}

/** Nothing comes at all. A busy machine takes its time. */
const patienceMs = 50_000

/** Sends pieces and listens until the other side closes, or for a time after its last word. */
export function sendRaw(
  port: number,
  pieces: string | readonly string[],
  options: RawOptions = {},
): Promise<RawAnswer> {
  const { waitMs = 1500, pauseMs = 20 } = options
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    let timer = setTimeout(() => done(false), patienceMs)
    const done = (isClosed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      const text = Buffer.concat(chunks).toString('latin1')
      resolve({ statuses: statusesIn(text), text, isClosed })
    }
    socket.on('data', chunk => {
      chunks.push(chunk)
      clearTimeout(timer)
      timer = setTimeout(() => done(false), waitMs)
    })
    socket.on('close', () => done(true))
    socket.on('error', () => {})
    socket.on('connect', async () => {
      for (const piece of typeof pieces === 'string' ? [pieces] : pieces) {
        if (socket.destroyed) return
        socket.write(Buffer.from(piece, 'latin1'))
        if (typeof pieces !== 'string') await new Promise(next => setTimeout(next, pauseMs))
      }
    })
  })
}

/** Bodies are passed over by their length, so that nothing in them counts. */
function statusesIn(text: string): number[] {
  const found: number[] = []
  let at = 0
  for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n', at)) {
    const head = text.slice(at, end)
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]
    if (status === undefined) break
    found.push(Number(status))
    at = end + 4 + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
  }
  return found
}

/** A request's text; `headers` as lines. */
export function request(line: string, headers: readonly string[], body = ''): string {
  return `${[`${line} HTTP/1.1`, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`
}
