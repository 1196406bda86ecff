// The event stream: messages as they come, a heartbeat while there are none, and an end for readers that do not read. What
// the messages say is decided in api/live.ts.

import type { ServerResponse } from 'node:http'
import type { LiveMessage } from '../api/api.ts'
import type { ServerData } from '../api/data.ts'
import { commonHeaders } from './answer.ts'

const heartbeatMs = 15_000
/** Half of the 8 MB that a stalled reader may cost: the system buffers bytes for it too. */
const mostWaitingBytes = 4 * 1024 * 1024
const mostStreams = 64

interface StreamOptions {
  heartbeatMs?: number
}

export class Streams {
  private readonly data: ServerData
  private readonly heartbeatMs: number
  private readonly open = new Map<ServerResponse, () => void>()

  constructor(data: ServerData, options: StreamOptions = {}) {
    this.data = data
    this.heartbeatMs = options.heartbeatMs ?? heartbeatMs
  }

  get count(): number {
    return this.open.size
  }

  /** Sends what happens until the reader goes. Of too many streams, the oldest ends. */
  begin(outgoing: ServerResponse, session: string | undefined): void {
    for (const oldest of this.open.keys()) {
      if (this.open.size < mostStreams) break
      this.end(oldest)
    }
    outgoing.writeHead(200, { ...commonHeaders, 'Content-Type': 'text/event-stream; charset=utf-8' })
    // Only this class ends a stream; a connection that broke silently shows when heartbeats pile up.
    outgoing.socket?.setTimeout(0)
    const send = (message: LiveMessage) => this.write(outgoing, textOf(message))
    const stopFollowing = this.data.follow(session, send)
    const timer = setInterval(() => send({ type: 'ping' }), this.heartbeatMs)
    timer.unref()
    this.open.set(outgoing, () => {
      clearInterval(timer)
      stopFollowing()
    })
    outgoing.on('close', () => this.forget(outgoing))
    outgoing.on('error', () => this.forget(outgoing))
    this.write(outgoing, 'retry: 1000\n\n')
    send({ type: 'ping' })
  }

  /** Ends all of them. */
  endAll(): void {
    for (const outgoing of [...this.open.keys()]) this.end(outgoing)
  }

  private end(outgoing: ServerResponse): void {
    this.forget(outgoing)
    outgoing.end()
    outgoing.socket?.destroySoon()
  }

  private forget(outgoing: ServerResponse): void {
    this.open.get(outgoing)?.()
    this.open.delete(outgoing)
  }

  private write(outgoing: ServerResponse, text: string): void {
    if (outgoing.destroyed || outgoing.writableEnded) return
    if (outgoing.writableLength + text.length > mostWaitingBytes) {
      this.forget(outgoing)
      outgoing.destroy()
      return
    }
    outgoing.write(Buffer.from(text))
  }
}

/** A name and one line of JSON. */
function textOf(message: LiveMessage): string {
  return `event: ${message.type}\ndata: ${JSON.stringify(message)}\n\n`
}
