// The HTTP server: starts, answers, ends. Every request passes the guard and then needs the cookie; the one exception is an
// address with a token. Routes other than the event stream and media are in api/routes.ts.

import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { webFolder } from '../../files/package-folder.ts'
import type { Problem } from '../api/api.ts'
import type { ServerData } from '../api/data.ts'
import { answerJson, answerMedia, checkConfirmed, routeOf } from '../api/routes.ts'
import { Assets, commonHeaders, type HttpAnswer, problemAnswer, readerOf, send, textAnswer } from './answer.ts'
import { Connections } from './connections.ts'
import { Access, guard, type Passed } from './guard.ts'
import { confirmedIn, readBody } from './json.ts'
import { problemOf } from './problem.ts'
import { Streams } from './stream.ts'

export interface ServeOptions {
  data: ServerData
  /** An address of this machine; 127.0.0.1 when absent. */
  host?: string
  /** Values of Host that mean this server, the printed one first; the host when absent. */
  names?: readonly string[]
  /** Where it is busy, the next free one is taken; any free one when absent. */
  port?: number
  /** A token that is valid until the end, instead of those that work once. */
  token?: string
  /** The folder of the built app. */
  web?: string | null
  /** For the head or the body of a request. */
  patienceMs?: number
  heartbeatMs?: number
  /** Called with what went wrong with an answer. */
  onProblem?: (message: string) => void
}

export interface RunningServer {
  host: string
  port: number
  /** Without a token. */
  origin: string
  /** An address to open: its token works once, unless the user gave one. */
  newAddress(): string
  close(): Promise<void>
}

const patience = 10_000
const mostHeadBytes = 16 * 1024
const portsToTry = 100
const newAddress =
  'Each address works once. Press Enter in the terminal where `clew serve` runs: it prints a new one.\nIf it does not run any more, start `clew serve` again.'
const noCookie: Problem = {
  error: 'This browser is not signed in.',
  hint: `Open the address that \`clew serve\` printed. ${newAddress}`,
}
const usedToken: Problem = { error: 'This address was used already, or is not complete.', hint: newAddress }
const noPage: Problem = { error: 'Page not found.', hint: 'The list of all sessions is at the address `/`.' }

export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', data, patienceMs = patience } = options
  const assets = await Assets.read(options.web === undefined ? webFolder() : options.web)
  const server = createServer({
    // The guard checks the header and answers as for any other request.
    requireHostHeader: false,
    maxHeaderSize: mostHeadBytes,
    headersTimeout: patienceMs,
    requestTimeout: patienceMs * 2,
    connectionsCheckingInterval: Math.min(1000, patienceMs),
    keepAliveTimeout: 30_000,
  })
  // Beyond a count, Node drops headers silently: the guard must see all of them.
  server.maxHeadersCount = 0
  const port = await listen(server, host, options.port)
  const names = (options.names ?? [host]).map(bracketed)
  const hosts = new Set(names.flatMap(name => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])))
  const access = new Access({ port, ...(options.token !== undefined && { token: options.token }) })
  const streams = new Streams(data, options)
  const connections = new Connections()
  const { onProblem } = options
  const handler = new Handler({ hosts, access, assets, streams, connections, data, patienceMs, onProblem })
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => void handler.handle(incoming, outgoing)
  server.on('connection', socket => connections.add(socket))
  server.on('request', onRequest)
  server.on('checkContinue', onRequest)
  server.on('checkExpectation', onRequest)
  server.on('connect', (_incoming, socket) => endWith(socket as Socket, 405))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    answerClientError(error, socket as Socket, handler),
  )
  const origin = `http://${names[0] ?? bracketed(host)}:${port}`
  return {
    host,
    port,
    origin,
    newAddress: () => `${origin}/?token=${access.newToken()}`,
    close: () => close(server, streams),
  }
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** The port that it got. */
async function listen(server: Server, host: string, first = 0): Promise<number> {
  for (let port = first; ; port++) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen({ host, port, exclusive: true }, () => {
          server.off('error', reject)
          resolve()
        })
      })
      return (server.address() as AddressInfo).port
    } catch (error) {
      const isBusy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!isBusy || port >= Math.min(65_535, first + portsToTry)) throw error
    }
  }
}

/** No new connections, streams end, answers under way get a moment. */
async function close(server: Server, streams: Streams): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  streams.endAll()
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), 1500)
  await closed
  clearTimeout(timer)
}

interface Parts {
  hosts: ReadonlySet<string>
  access: Access
  assets: Assets
  streams: Streams
  connections: Connections
  data: ServerData
  patienceMs: number
  onProblem: ((message: string) => void) | undefined
}

class Handler {
  private readonly parts: Parts
  /** Answers under way on each connection: nothing else may be written meanwhile. */
  private readonly busy = new WeakMap<Socket, number>()

  constructor(parts: Parts) {
    this.parts = parts
  }

  isBusy(socket: Socket): boolean {
    return (this.busy.get(socket) ?? 0) > 0
  }

  async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { socket } = incoming
    this.busy.set(socket, (this.busy.get(socket) ?? 0) + 1)
    outgoing.on('close', () => this.busy.set(socket, (this.busy.get(socket) ?? 1) - 1))
    outgoing.on('error', () => socket.destroy())
    const passed = guard(incoming, this.parts)
    if ('error' in passed) {
      const answer = problemAnswer(passed.status, passed, readerOf(incoming.url, incoming.headers.accept))
      if (passed.status === 405) answer.headers['Allow'] = 'GET, HEAD, POST'
      return send(incoming, outgoing, { ...answer, isLast: true })
    }
    const answer = await this.answer(passed, incoming, outgoing).catch(error => this.problem(error, passed))
    if (answer === null) return
    try {
      await send(incoming, outgoing, answer, passed.headers)
    } catch (error) {
      this.problem(error, passed)
      socket.destroy()
    }
  }

  /** Null where the answer is a stream. */
  private async answer(
    passed: Passed,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<HttpAnswer | null> {
    const { access, assets, connections } = this.parts
    const { path, headers, method } = passed
    const reader = readerOf(path, headers.get('accept'))
    const isAllowed = access.isAllowed(headers.get('cookie'))
    if (isAllowed) connections.sign(incoming.socket)
    if (path === '/' && method === 'GET') {
      const token = new URLSearchParams(passed.search).get('token')
      if (token !== null) return this.exchange(token, isAllowed, headers)
    }
    if (!isAllowed) return { ...problemAnswer(401, noCookie, reader), isLast: true }
    if (reader === 'app') return this.answerApp(passed, incoming, outgoing)
    if (method === 'POST')
      return { ...textAnswer(405, 'This address takes no POST.', { Allow: 'GET, HEAD' }), isLast: true }
    return (await assets.answer(path, headers.get('accept-encoding'))) ?? problemAnswer(404, noPage, reader)
  }

  /** A browser that prefetches pages must not use the token up. */
  private exchange(token: string, isAllowed: boolean, headers: ReadonlyMap<string, string>): HttpAnswer {
    if (isAllowed) return textAnswer(303, 'You are signed in.', { Location: '/' })
    if (headers.has('sec-purpose')) return textAnswer(403, 'This address cannot be prefetched.')
    const cookie = this.parts.access.exchange(token)
    if (cookie !== null) return textAnswer(303, 'You are signed in.', { Location: '/', 'Set-Cookie': cookie })
    return problemAnswer(403, usedToken, readerOf('/', headers.get('accept')))
  }

  private async answerApp(
    { method, path, search }: Passed,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<HttpAnswer | null> {
    const { data, streams, patienceMs } = this.parts
    const request = routeOf(method, path, search)
    if (method === 'POST') checkConfirmed(request, confirmedIn(await readBody(incoming, patienceMs)), data)
    if (request.name === 'GET /api/sessions/:id/media') return answerMedia(data, request)
    if (request.name !== 'GET /api/live') {
      const answer = await answerJson(data, request)
      return method === 'POST' ? { status: 200, headers: noStore, body: answer.body } : answer
    }
    if (method === 'HEAD') return { status: 200, headers: { 'Content-Type': 'text/event-stream' }, body: '' }
    streams.begin(outgoing, request.query['session'])
    return null
  }

  /** Errors of the server itself are printed where it runs; the reader learns only that there was one. */
  private problem(error: unknown, { path, method, headers }: Passed): HttpAnswer {
    const reader = readerOf(path, headers.get('accept'))
    const isLast = method === 'POST' ? ({ isLast: true } as const) : {}
    const problem = problemOf(error)
    if (problem !== null) {
      const { status, message, hint, allowed } = problem
      const answer = problemAnswer(status, { error: message, ...(hint !== undefined && { hint }) }, reader)
      if (allowed !== undefined) answer.headers['Allow'] = allowed.join(', ')
      return { ...answer, ...isLast }
    }
    this.parts.onProblem?.(error instanceof Error ? (error.stack ?? error.message) : String(error))
    const failure = { error: 'Something went wrong.', hint: 'See the terminal where `clew serve` runs.' }
    return { ...problemAnswer(500, failure, reader), ...isLast }
  }
}

const noStore = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' }

/** What Node's parser cannot read, or what came too late. */
function answerClientError({ code }: NodeJS.ErrnoException, socket: Socket, handler: Handler): void {
  if (!socket.writable || code === 'ECONNRESET' || handler.isBusy(socket)) return void socket.destroy()
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  endWith(socket, status)
}

function endWith(socket: Socket, status: number): void {
  const head = Object.entries({ ...commonHeaders, 'Content-Length': '0', Connection: 'close' })
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.on('error', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n`, () => socket.destroy())
}
