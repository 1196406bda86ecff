// The one table of routes as handlers: which method of the data answers which address, and what its query may hold. Thin: no
// handler does more than hand on.

import type { HttpAnswer } from '../http/answer.ts'
import { jsonAnswer } from '../http/json.ts'
import { badQuestion, notFound, refused } from '../http/problem.ts'
import type { Routes } from './api.ts'
import type { ServerData } from './data.ts'

/** A route that was found, with what was asked. */
export interface Asked {
  name: keyof Routes
  /** The session's id; empty where the address has none. */
  id: string
  query: Readonly<Record<string, string>>
}

/** The value as it is handed on, or an error that says what it may be. */
type Reader = (value: string, name: string) => string

type Answering<Name extends keyof Routes> = {
  query: { [Key in keyof Routes[Name]['query']]-?: Reader }
  /** Keys without which there is nothing to answer. */
  needs?: readonly (keyof Routes[Name]['query'])[]
  answer(data: ServerData, id: string, query: Partial<Routes[Name]['query']>): Promise<Routes[Name]['answer']>
}

/** Those that answer neither JSON nor at once. */
type OtherRoute = 'GET /api/live' | 'GET /api/sessions/:id/media'

const whole: Reader = (value, name) => {
  if (/^\d{1,9}$/.test(value)) return value
  throw badQuestion(`"${name}" is a whole number from 0 on.`)
}
const upTo =
  (most: number): Reader =>
  (value, name) => {
    if (value.length <= most) return value
    throw badQuestion(`"${name}" has at most ${most} characters.`)
  }
const id = upTo(400)
const text = upTo(2000)
const path = upTo(4096)
const word: Reader = (value, name) => {
  if (/^[\w.:+-]{1,64}$/.test(value)) return value
  throw badQuestion(`"${name}" cannot be "${value.slice(0, 64)}".`)
}
const oneOf =
  (...known: string[]): Reader =>
  (value, name) => {
    if (known.includes(value)) return value
    throw badQuestion(`"${name}" is one of ${known.join(', ')}.`)
  }

export const jsonRoutes: { [Name in Exclude<keyof Routes, OtherRoute>]: Answering<Name> } = {
  'GET /api/about': { query: {}, answer: data => data.about() },
  'GET /api/sessions': {
    query: { from: whole, count: whole, project: path, text, since: text, until: text, is: text },
    answer: (data, _id, query) => data.list(query),
  },
  'GET /api/sessions/:id': { query: {}, answer: (data, id) => data.head(id) },
  'GET /api/sessions/:id/first': { query: {}, answer: (data, id) => data.first(id) },
  'GET /api/sessions/:id/outline': {
    query: { thread: id },
    answer: (data, id, query) => data.outline(id, query),
  },
  'GET /api/sessions/:id/items': {
    query: { thread: id, from: whole, to: whole },
    needs: ['from', 'to'],
    answer: (data, id, query) => data.items(id, query),
  },
  'GET /api/sessions/:id/place': {
    query: { event: id },
    needs: ['event'],
    answer: (data, id, query) => data.place(id, query),
  },
  'GET /api/sessions/:id/raw': {
    query: { event: id },
    needs: ['event'],
    answer: (data, id, query) => data.raw(id, query),
  },
  'GET /api/sessions/:id/files': { query: {}, answer: async (data, id) => data.files(id) },
  'GET /api/sessions/:id/context': { query: { event: id }, answer: (data, id, query) => data.context(id, query) },
  'GET /api/sessions/:id/find': { query: { text }, answer: (data, id, query) => data.find(id, query) },
  'GET /api/search': { query: { q: text, count: whole }, answer: (data, _id, query) => data.search(query) },
  'GET /api/usage': {
    query: {
      by: word,
      since: text,
      until: text,
      project: path,
      model: text,
      estimate: oneOf('0', '1', 'true', 'false'),
    },
    needs: ['by'],
    answer: (data, _id, query) => data.usage(query),
  },
  'GET /api/keeping': { query: {}, answer: data => data.keeping() },
  'POST /api/keeping/run': { query: {}, answer: data => data.keepNow() },
  'POST /api/sessions/:id/restore': { query: {}, answer: (data, id) => data.restore(id) },
  'POST /api/sessions/:id/forget': { query: {}, answer: (data, id) => data.forget(id) },
}

const otherQueries: { [Name in OtherRoute]: Omit<Answering<Name>, 'answer'> } = {
  'GET /api/live': { query: { session: sessionId } },
  'GET /api/sessions/:id/media': { query: { event: id, n: whole }, needs: ['event', 'n'] },
}

interface Declared {
  query: Readonly<Record<string, Reader>>
  needs?: readonly string[]
}

const declared: ReadonlyMap<string, Declared> = new Map<string, Declared>(
  Object.entries({ ...jsonRoutes, ...otherQueries }),
)

/** Some sessions are called after a file, which may have blanks and other letters in its name; it is compared with known ones. */
function sessionId(value: string): string {
  if (/^[\p{L}\p{N} _.,@+()~-]{1,200}$/u.test(value)) return value
  throw notFound('There is no such session.')
}

/** Which route an address means. Unknown ones are an error that says so; methods that do not fit, too. */
export function routeOf(method: string, path: string, search: string): Asked {
  const parts = path.split('/')
  const hasId = parts[2] === 'sessions' && parts.length > 3
  const given = hasId ? (parts[3] ?? '') : ''
  if (hasId) parts[3] = ':id'
  const shape = parts.join('/')
  const name = `${method === 'HEAD' ? 'GET' : method} ${shape}`
  const route = declared.get(name)
  if (route === undefined) throw allowedFor(shape).length > 0 ? new MethodError(allowedFor(shape)) : noRoute()
  return {
    name: name as keyof Routes,
    id: hasId ? sessionId(decodeURIComponentSafe(given)) : '',
    query: queryOf(route, search),
  }
}

/** The address is there, for other methods. */
export class MethodError extends Error {
  readonly allowed: readonly string[]

  constructor(allowed: readonly string[]) {
    super('This address is asked in another way.')
    this.allowed = allowed
  }
}

function allowedFor(shape: string): string[] {
  return ['GET', 'POST'].filter(method => declared.has(`${method} ${shape}`))
}

function noRoute(): Error {
  return notFound('There is nothing at this address.')
}

function decodeURIComponentSafe(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw badQuestion('The address is not written in UTF-8.')
  }
}

/** Keys that the route knows; others are passed over. */
function queryOf({ query, needs = [] }: Declared, search: string): Record<string, string> {
  const found: Record<string, string> = {}
  const given = new URLSearchParams(search)
  for (const [name, read] of Object.entries(query)) {
    const values = given.getAll(name)
    if (values.length > 1) throw badQuestion(`"${name}" is there twice.`)
    const [value] = values
    if (value !== undefined && value !== '') found[name] = read(value, name)
  }
  const missing = needs.find(name => found[name] === undefined)
  if (missing !== undefined) throw badQuestion(`"${missing}" is missing.`)
  return found
}

/** The JSON of a route that has been found. */
export async function answerJson(data: ServerData, { name, id, query }: Asked): Promise<HttpAnswer> {
  const route = jsonRoutes[name as keyof typeof jsonRoutes] as Answering<keyof typeof jsonRoutes>
  return jsonAnswer(await route.answer(data, id, query))
}

/** Changes are confirmed by naming what they are about: the session's id, or `keep`. */
export function checkConfirmed({ id }: Asked, confirmed: string | undefined, data: ServerData): void {
  if (data.isReadOnly) throw refused('Nothing can be changed here.', 'The server was started to be read from only.')
  const wanted = id === '' ? 'keep' : id
  if (confirmed !== wanted) throw badQuestion('This is not confirmed.', `The body must be {"confirm":"${wanted}"}.`)
}

const imageTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Bytes of an image or document: shown where it is a picture, else to be saved; never markup. */
export async function answerMedia(data: ServerData, { id, query }: Asked): Promise<HttpAnswer> {
  const { mediaType, bytes } = await data.media(id, query)
  const isImage = imageTypes.has(mediaType)
  const isPdf = mediaType === 'application/pdf'
  const headers = {
    'Content-Type': isImage || isPdf ? mediaType : 'application/octet-stream',
    'Content-Disposition': isImage ? 'inline' : `attachment; filename="${isPdf ? 'document.pdf' : 'document.bin'}"`,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cache-Control': 'private, no-cache',
  }
  return { status: 200, headers, body: bytes, isCacheable: true }
}
