// Which requests are answered: first by what their head says (version, Host, method, target, origin, announced body), then by
// the cookie, for which a token in a printed address is exchanged. What the answer is, is decided in server.ts.
//
// A page of another site can make a browser send requests here (a form, an image, a name that points to 127.0.0.1); what it
// cannot do is choose Host, Origin and fetch metadata.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** As Node's parser gives it; headers as they came, names and values in turn. */
interface RawRequest {
  method?: string | undefined
  url?: string | undefined
  httpVersion: string
  rawHeaders: readonly string[]
}

interface Refusal {
  status: number
  error: string
  hint?: string
}

interface GuardRules {
  /** Values of Host that mean this server. */
  hosts: ReadonlySet<string>
}

/** A request that may be looked at. */
export interface Passed {
  method: 'GET' | 'HEAD' | 'POST'
  /** As it was sent: percent signs are not read yet. */
  path: string
  /** Without the question mark. */
  search: string
  headers: ReadonlyMap<string, string>
}

const mostHeaders = 64
const mostTarget = 8192

/** Headers that decide something here: one that comes twice is an attack. */
const single = [
  'host',
  'origin',
  'cookie',
  'content-length',
  'content-type',
  'transfer-encoding',
  'sec-fetch-site',
  'sec-purpose',
  'x-clew',
  'if-none-match',
  'accept-encoding',
]

type Verdict = Refusal | null

/** The parts of a request, or why it is refused. */
export function guard(request: RawRequest, rules: GuardRules): Passed | Refusal {
  const headers = headersOf(request.rawHeaders)
  if (!(headers instanceof Map)) return headers
  const method = methodOf(request.method)
  const target = request.url ?? ''
  const refusal =
    versionRefusal(request.httpVersion) ??
    hostRefusal(headers, rules) ??
    (method === null ? refused(405, 'This method is not supported.') : null) ??
    targetRefusal(target) ??
    originRefusal(headers) ??
    bodyRefusal(method, headers)
  if (refusal !== null || method === null) return refusal ?? refused(405, 'This method is not supported.')
  const cut = target.indexOf('?')
  const path = cut < 0 ? target : target.slice(0, cut)
  return { method, path, search: cut < 0 ? '' : target.slice(cut + 1), headers }
}

function refused(status: number, error: string, hint?: string): Refusal {
  return hint === undefined ? { status, error } : { status, error, hint }
}

function headersOf(raw: readonly string[]): Map<string, string> | Refusal {
  if (raw.length > mostHeaders * 2) return refused(431, `A request has at most ${mostHeaders} headers.`)
  const headers = new Map<string, string>()
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase()
    if (headers.has(name) && single.includes(name)) return refused(400, `The header ${name} is given twice.`)
    headers.set(name, raw[i + 1] ?? '')
  }
  return headers
}

function methodOf(method: string | undefined): Passed['method'] | null {
  return method === 'GET' || method === 'HEAD' || method === 'POST' ? method : null
}

function versionRefusal(version: string): Verdict {
  return version === '1.1' ? null : refused(400, 'Only HTTP/1.1 is supported.')
}

function hostRefusal(headers: ReadonlyMap<string, string>, { hosts }: GuardRules): Verdict {
  const host = headers.get('host')
  if (host !== undefined && hosts.has(host)) return null
  const [own] = hosts
  const hint = `Only its number is answered: open \`http://${own}/\`, or the address that \`clew serve\` printed.`
  return refused(421, 'This is not the address of the server.', hint)
}

/** A plain path and query: nothing that one program reads as a name and another as a path. */
function targetRefusal(target: string): Verdict {
  const wrong = (why: string) => refused(400, `The address ${why}.`)
  if (!target.startsWith('/')) return wrong('is not a path')
  if (target.length > mostTarget) return refused(414, 'The address is too long.')
  if (/[^\x21-\x7e]/.test(target)) return wrong('has characters that must be written as %xx')
  if (/[\\#]/.test(target)) return wrong('has a character that is not allowed')
  if (/%(?![0-9a-f]{2})/i.test(target)) return wrong('has a % without two hex digits')
  if (/%00/.test(target)) return wrong('has a NUL')
  const [path = ''] = target.split('?', 1)
  if (path.includes('//')) return wrong('has an empty part')
  if (/%(?:2f|5c|25|[01][0-9a-f]|7f)/i.test(path)) return wrong('has an encoded separator')
  const isDots = (part: string) => /^(?:\.|%2e){1,2}$/i.test(part)
  return path.split('/').some(isDots) ? wrong('has a part of dots only') : null
}

/** Requests of this app, and addresses that someone typed or opened; none of other pages. */
function originRefusal(headers: ReadonlyMap<string, string>): Verdict {
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site')
  const isOurs = origin === undefined || origin === `http://${headers.get('host')}`
  if (isOurs && (site === undefined || site === 'same-origin' || site === 'none')) return null
  return refused(
    403,
    'This request comes from another site.',
    'If you followed a link, copy its address into the address bar.',
  )
}

function bodyRefusal(method: Passed['method'] | null, headers: ReadonlyMap<string, string>): Verdict {
  if (headers.has('expect')) return refused(417, 'Expect is not supported.')
  if (headers.has('upgrade')) return refused(400, 'Only HTTP/1.1 is supported.')
  if (headers.has('transfer-encoding')) return refused(400, 'Chunked bodies are not supported.')
  const length = headers.get('content-length')
  if (method !== 'POST')
    return length === undefined || length === '0' ? null : refused(400, 'This request takes no body.')
  if (length === undefined || !/^\d{1,9}$/.test(length)) return refused(411, 'Content-Length is missing.')
  if (headers.get('x-clew') !== '1') return refused(403, 'Only the app may change something.')
  const type = headers.get('content-type') ?? ''
  if (/^application\/json(?:\s*;\s*charset=utf-8)?$/i.test(type)) return null
  return refused(415, 'The body must be JSON.')
}

const secretBytes = 32
/** Of addresses that were printed and not opened yet. */
const mostTokens = 16

interface AccessOptions {
  /** Part of the cookie's name: browsers send cookies to every port of a host. */
  port: number
  /** A token of the user's own: it is valid until the server ends. */
  token?: string
}

export class Access {
  private readonly cookieName: string
  private readonly cookie = secret()
  private readonly chosen: string | undefined
  private tokens: string[] = []

  constructor({ port, token }: AccessOptions) {
    this.cookieName = `clew-${port}`
    this.chosen = token
  }

  /** A token for an address: the chosen one, else a new one that works once. */
  newToken(): string {
    if (this.chosen !== undefined) return this.chosen
    const token = secret()
    this.tokens = [...this.tokens, token].slice(-mostTokens)
    return token
  }

  /** The Set-Cookie line for a token; null where it is not valid, or was used already. */
  exchange(token: string): string | null {
    const found = this.tokens.filter(one => isSame(one, token))
    const isChosen = this.chosen !== undefined && isSame(this.chosen, token)
    if (found.length === 0 && !isChosen) return null
    this.tokens = this.tokens.filter(one => !found.includes(one))
    return `${this.cookieName}=${this.cookie}; HttpOnly; SameSite=Strict; Path=/`
  }

  isAllowed(cookies: string | undefined): boolean {
    let isFound = false
    for (const part of (cookies ?? '').split(';')) {
      const cut = part.indexOf('=')
      if (part.slice(0, cut).trim() !== this.cookieName) continue
      isFound = isSame(this.cookie, part.slice(cut + 1).trim()) || isFound
    }
    return isFound
  }
}

function secret(): string {
  return randomBytes(secretBytes).toString('base64url')
}

/** Compares hashes, so that the time it takes says nothing about the difference. */
function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(other))
}

/** Why a token of the user's own is refused; undefined where it may be as good as 128 random bits. */
export function tokenFault(token: string): string | undefined {
  if (!/^[\w.~-]*$/.test(token)) return 'a token has letters, digits and . _ ~ - only'
  if (token.length < 22) return 'a token has at least 22 characters'
  if (token.length > 200) return 'a token has at most 200 characters'
  return new Set(token).size < 10 ? 'a token has at least 10 different characters' : undefined
}
