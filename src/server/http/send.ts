// Writes answers: the headers that all carry, a hash to ask again with, packed where that is worth it. A reader that stops
// reading loses its connection.

import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { commonHeaders, type HttpAnswer } from './answer.ts'

const packBr = promisify(brotliCompress)
const packGzip = promisify(gzip)
const leastPacked = 1024
/** Nobody took a byte of an answer for so long. */
const stalledMs = 30_000

export type Packing = 'br' | 'gzip'

/** `isOnce`: made for this one answer, so quickly rather than small. */
export function pack(bytes: Uint8Array, packing: Packing, isOnce: boolean): Promise<Buffer> {
  if (packing === 'gzip') return packGzip(bytes, { level: isOnce ? 1 : 7 })
  return packBr(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: isOnce ? 1 : 8,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })
}

/** What a reader understands, by its Accept-Encoding. */
export function packingOf(accepted: string | undefined): Packing | null {
  const names = (accepted ?? '').split(',').map(part => part.trim().toLowerCase())
  const takes = (name: string) =>
    names.some(one => one === name || (one.startsWith(`${name};`) && !/;\s*q=0(?:\.0*)?$/.test(one)))
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : null
}

export function etagOf(bytes: Uint8Array): string {
  return `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
}

export function isUnchanged(asked: string | undefined, etag: string): boolean {
  return (asked ?? '').split(',').some(one => one.trim() === etag)
}

/** Sends an answer; `asked` are the request's headers where they were understood. */
export async function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: HttpAnswer,
  asked: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  const whole = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body
  const headers: Record<string, string> = { ...commonHeaders, ...answer.headers }
  if (answer.isCacheable) {
    headers['ETag'] ??= etagOf(whole)
    headers['Vary'] = 'Accept-Encoding'
    if (isUnchanged(asked.get('if-none-match'), headers['ETag'])) return write(incoming, outgoing, 304, headers, null)
  }
  const packing = answer.isCacheable && whole.length > leastPacked ? packingOf(asked.get('accept-encoding')) : null
  const isPacked = packing !== null && headers['Content-Encoding'] === undefined && isText(headers['Content-Type'])
  const body = isPacked ? await pack(whole, packing, true) : whole
  if (isPacked) headers['Content-Encoding'] = packing
  if (answer.isLast) headers['Connection'] = 'close'
  write(incoming, outgoing, answer.status, headers, body)
}

export function isText(type: string | undefined): boolean {
  return /^(?:text\/|application\/(?:json|javascript|manifest\+json)|image\/svg\+xml)/.test(type ?? '')
}

function write(
  { method, socket }: IncomingMessage,
  outgoing: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: Uint8Array | null,
): void {
  if (outgoing.destroyed || outgoing.headersSent) return
  if (body !== null) headers['Content-Length'] = String(body.length)
  else delete headers['Content-Type']
  outgoing.writeHead(status, headers)
  // Node closes it then, and sets another time once the answer is out.
  socket.setTimeout(stalledMs)
  if (body === null || method === 'HEAD') outgoing.end()
  else outgoing.end(body)
  if (headers['Connection'] === 'close') outgoing.once('finish', () => socket.destroySoon())
}
