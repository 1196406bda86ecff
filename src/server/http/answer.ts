// Answers: status, headers and body, the files of the web app, and how they go out: with the headers that all carry, a hash
// to revalidate by, compressed where that pays. Which answer a request gets is decided in server.ts.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Problem } from '../api/api.ts'
import { pageStyleHash, problemPage } from './page.ts'

export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array
  /** May be revalidated by its hash, and may be compressed. */
  isCacheable?: true
  /** The connection cannot be used any further. */
  isLast?: true
}

/** Only what this server sends may run or load; no page may frame this one. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // No text becomes a script or markup; the one policy is for the address of the worker.
  "require-trusted-types-for 'script'",
  'trusted-types clew',
].join('; ')

const features = ['camera', 'display-capture', 'geolocation', 'microphone', 'midi', 'payment', 'serial', 'usb']

export const commonHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': features.map(name => `${name}=()`).join(', '),
  'X-Robots-Tag': 'noindex, nofollow',
  'Cache-Control': 'no-store',
}

export function textAnswer(status: number, text: string, headers: Record<string, string> = {}): HttpAnswer {
  return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, body: `${text}\n` }
}

/** Who reads an answer: the app asks for JSON, a browser shows a page, anything else prints text. */
export type AnswerReader = 'app' | 'browser' | 'program'

export function readerOf(target: string | undefined, accept: string | undefined): AnswerReader {
  if (target?.startsWith('/api/')) return 'app'
  return /\btext\/html\b/i.test(accept ?? '') ? 'browser' : 'program'
}

/** What is wrong and what to do. Words between backticks are commands. */
export function problemAnswer(status: number, problem: Problem, reader: AnswerReader): HttpAnswer {
  if (reader === 'app') {
    return { status, headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: JSON.stringify(problem) }
  }
  if (reader === 'program') {
    const lines = [problem.error, ...(problem.hint ? ['', problem.hint] : [])]
    return textAnswer(status, lines.join('\n').replaceAll('`', ''))
  }
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.replace("style-src 'self'", `style-src 'self' ${pageStyleHash}`),
  }
  return { status, headers, body: problemPage(status, problem) }
}

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)
const leastCompressed = 1024
/** A reader that takes no byte of an answer for this long loses its connection. */
const stalledMs = 30_000

type Encoding = 'br' | 'gzip'

/** `isOnce`: for one answer only, so fast rather than small. */
function compress(bytes: Uint8Array, encoding: Encoding, isOnce: boolean): Promise<Buffer> {
  if (encoding === 'gzip') return compressGzip(bytes, { level: isOnce ? 1 : 7 })
  return compressBrotli(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: isOnce ? 1 : 8,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })
}

function encodingOf(accepted: string | undefined): Encoding | null {
  const names = (accepted ?? '').split(',').map(part => part.trim().toLowerCase())
  const takes = (name: string) =>
    names.some(one => one === name || (one.startsWith(`${name};`) && !/;\s*q=0(?:\.0*)?$/.test(one)))
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : null
}

function etagOf(bytes: Uint8Array): string {
  return `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
}

function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some(one => one.trim() === etag)
}

/** `requested`: the request's headers where they could be read. */
export async function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: HttpAnswer,
  requested: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  const whole = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body
  const headers: Record<string, string> = { ...commonHeaders, ...answer.headers }
  if (answer.isCacheable) {
    headers['ETag'] ??= etagOf(whole)
    headers['Vary'] = 'Accept-Encoding'
    if (isUnchanged(requested.get('if-none-match'), headers['ETag']))
      return write(incoming, outgoing, 304, headers, null)
  }
  const encoding =
    answer.isCacheable && whole.length > leastCompressed ? encodingOf(requested.get('accept-encoding')) : null
  const isCompressed = encoding !== null && headers['Content-Encoding'] === undefined && isText(headers['Content-Type'])
  const body = isCompressed ? await compress(whole, encoding, true) : whole
  if (isCompressed) headers['Content-Encoding'] = encoding
  if (answer.isLast) headers['Connection'] = 'close'
  write(incoming, outgoing, answer.status, headers, body)
}

function isText(type: string | undefined): boolean {
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
  // Node closes the connection after that, and sets its own time-out once the answer is out.
  socket.setTimeout(stalledMs)
  if (body === null || method === 'HEAD') outgoing.end()
  else outgoing.end(body)
  if (headers['Connection'] === 'close') outgoing.once('finish', () => socket.destroySoon())
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
}

/** Addresses of the app's screens. */
const appPaths = /^\/(?:search|usage|archive|history|health|settings|s\/[^/]{1,600}(?:\/(?:map|context|files))?)?$/

const notBuilt: Problem = {
  error: 'The app is not built.',
  hint: 'Run `npm run build`, then start `clew serve` again.',
}

interface Asset {
  bytes: Buffer
  headers: Record<string, string>
  compressed: Map<Encoding, Promise<Buffer>>
}

/** The files of the web app, read once at the start: addresses are looked up among them, and none becomes a path. */
export class Assets {
  private readonly byPath: ReadonlyMap<string, Asset>

  private constructor(byPath: ReadonlyMap<string, Asset>) {
    this.byPath = byPath
  }

  /** `folder`: null where the app is not built; then a page says so. */
  static async read(folder: string | null): Promise<Assets> {
    if (folder === null) return new Assets(new Map())
    const names = [...(await namesIn(folder, '')), ...(await namesIn(folder, 'assets/'))]
    const read = names.map(async name => [`/${name}`, await readAsset(folder, name)] as const)
    return new Assets(new Map(await Promise.all(read)))
  }

  /** The file of a path; null where the app has none. */
  async answer(path: string, accepted: string | undefined): Promise<HttpAnswer | null> {
    const isPage = appPaths.test(path)
    if (isPage && this.byPath.size === 0) return problemAnswer(404, notBuilt, 'browser')
    const asset = this.byPath.get(isPage ? '/index.html' : path)
    if (asset === undefined) return null
    const { bytes, headers, compressed } = asset
    const encoding = isText(headers['Content-Type']) ? encodingOf(accepted) : null
    if (encoding === null) return { status: 200, headers, body: bytes, isCacheable: true }
    const small = compressed.get(encoding) ?? compress(bytes, encoding, false)
    compressed.set(encoding, small)
    return { status: 200, headers: { ...headers, 'Content-Encoding': encoding }, body: await small, isCacheable: true }
  }
}

/** Only regular files: a link may lead out of the folder. */
async function namesIn(folder: string, below: string): Promise<string[]> {
  try {
    const entries = await readdir(join(folder, below), { withFileTypes: true })
    return entries.filter(entry => entry.isFile() && extname(entry.name) in types).map(entry => below + entry.name)
  } catch {
    return []
  }
}

async function readAsset(folder: string, name: string): Promise<Asset> {
  const bytes = await readFile(join(folder, name))
  // Names in assets contain a hash of the content.
  const isForever = name.startsWith('assets/')
  const headers = {
    'Content-Type': types[extname(name)] ?? 'application/octet-stream',
    'Cache-Control': isForever ? 'private, max-age=31536000, immutable' : 'private, no-cache',
    ETag: etagOf(bytes),
  }
  return { bytes, headers, compressed: new Map() }
}
