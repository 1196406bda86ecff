// Which requests are looked at at all, by what their head says: version, Host, method, target, where they come from, and what
// body they announce. Who is asking is decided elsewhere, after this.
//
// A page of another site can make a browser send requests here (a form, an image, a name that is pointed at 127.0.0.1); what
// it cannot do is choose Host, Origin and fetch metadata.

/** As Node's parser gives it; headers as they came, names and values in turn. */
export interface RawRequest {
  method?: string | undefined
  url?: string | undefined
  httpVersion: string
  rawHeaders: readonly string[]
}

export interface Refusal {
  status: number
  error: string
  hint?: string
}

export interface GuardRules {
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

/** Headers that decide something here: twice is a trick. */
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

type Judged = Refusal | null

/** The parts of a request, or why it is refused. */
export function guard(request: RawRequest, rules: GuardRules): Passed | Refusal {
  const headers = headersOf(request.rawHeaders)
  if (!(headers instanceof Map)) return headers
  const method = methodOf(request.method)
  const target = request.url ?? ''
  const refusal =
    versionRefusal(request.httpVersion) ??
    hostRefusal(headers, rules) ??
    (method === null ? refused(405, 'This method is not used here.') : null) ??
    targetRefusal(target) ??
    originRefusal(headers) ??
    bodyRefusal(method, headers)
  if (refusal !== null || method === null) return refusal ?? refused(405, 'This method is not used here.')
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
    if (headers.has(name) && single.includes(name)) return refused(400, `The header ${name} is there twice.`)
    headers.set(name, raw[i + 1] ?? '')
  }
  return headers
}

function methodOf(method: string | undefined): Passed['method'] | null {
  return method === 'GET' || method === 'HEAD' || method === 'POST' ? method : null
}

function versionRefusal(version: string): Judged {
  return version === '1.1' ? null : refused(400, 'Only HTTP/1.1 is spoken here.')
}

function hostRefusal(headers: ReadonlyMap<string, string>, { hosts }: GuardRules): Judged {
  const host = headers.get('host')
  if (host !== undefined && hosts.has(host)) return null
  return refused(421, 'This is not the name of this server.', 'Open the address that clew serve printed.')
}

/** A path and a query, written plainly: nothing that one reader of it takes for a name and another for a way. */
function targetRefusal(target: string): Judged {
  const wrong = (why: string) => refused(400, `The address ${why}.`)
  if (!target.startsWith('/')) return wrong('is no path')
  if (target.length > mostTarget) return refused(414, 'The address is too long.')
  if (/[^\x21-\x7e]/.test(target)) return wrong('holds characters that belong written as %xx')
  if (/[\\#]/.test(target)) return wrong('holds a character that does not belong there')
  if (/%(?![0-9a-f]{2})/i.test(target)) return wrong('holds a % that begins nothing')
  if (/%00/.test(target)) return wrong('holds a NUL')
  const [path = ''] = target.split('?', 1)
  if (path.includes('//')) return wrong('has an empty part')
  if (/%(?:2f|5c|25|[01][0-9a-f]|7f)/i.test(path)) return wrong('hides a part of its path')
  const isDots = (part: string) => /^(?:\.|%2e){1,2}$/i.test(part)
  return path.split('/').some(isDots) ? wrong('has a part of dots') : null
}

/** Requests of this app, and addresses that somebody typed or opened; other pages have no business here. */
function originRefusal(headers: ReadonlyMap<string, string>): Judged {
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site')
  const isOurs = origin === undefined || origin === `http://${headers.get('host')}`
  if (isOurs && (site === undefined || site === 'same-origin' || site === 'none')) return null
  return refused(
    403,
    'Another site sent you here, or asks for this in your name.',
    'If you clicked on a link: copy the address into the address bar.',
  )
}

function bodyRefusal(method: Passed['method'] | null, headers: ReadonlyMap<string, string>): Judged {
  if (headers.has('expect')) return refused(417, 'Nothing is promised here before a body comes.')
  if (headers.has('upgrade')) return refused(400, 'Only HTTP/1.1 is spoken here.')
  if (headers.has('transfer-encoding')) return refused(400, 'Bodies in pieces are not taken here.')
  const length = headers.get('content-length')
  if (method !== 'POST') return length === undefined || length === '0' ? null : refused(400, 'This takes no body.')
  if (length === undefined || !/^\d{1,9}$/.test(length)) return refused(411, 'How long the body is must be said.')
  if (headers.get('x-clew') !== '1') return refused(403, 'Only the app itself may change something.')
  const type = headers.get('content-type') ?? ''
  if (/^application\/json(?:\s*;\s*charset=utf-8)?$/i.test(type)) return null
  return refused(415, 'The body must be JSON.')
}
