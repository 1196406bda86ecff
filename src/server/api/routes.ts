// The one table of routes: which addresses there are and what their queries may contain. What they answer is in data.ts.

import { badRequest, forbidden, notFound } from '../../answers/error.ts'
import type { HttpAnswer } from '../http/answer.ts'
import { jsonAnswer } from '../http/json.ts'
import { ProblemError } from '../http/problem.ts'
import type { JsonRoute, Routes } from './api.ts'
import type { ServerData } from './data.ts'

/** A request whose route is known. */
interface RouteRequest {
  name: keyof Routes
  /** The session's id; empty where the address has none. */
  id: string
  query: Readonly<Record<string, string>>
}

/** The value itself, or an error that says what it may be. */
type Reader = (value: string, name: string) => string

interface Declared<Name extends keyof Routes> {
  query: { [Key in keyof Routes[Name]['query']]-?: Reader }
  /** Keys that must be there. */
  needs?: readonly (keyof Routes[Name]['query'])[]
}

interface AnyDeclared {
  query: Readonly<Record<string, Reader>>
  needs?: readonly string[]
}

const whole: Reader = (value, name) => {
  if (/^\d{1,9}$/.test(value)) return value
  throw badRequest(`"${name}" is not a whole number.`)
}
const upTo =
  (most: number): Reader =>
  (value, name) => {
    if (value.length <= most) return value
    throw badRequest(`"${name}" has at most ${most} characters.`)
  }
const id = upTo(400)
const text = upTo(2000)
const path = upTo(4096)
const word: Reader = (value, name) => {
  if (/^[\w.:+-]{1,64}$/.test(value)) return value
  throw badRequest(`"${name}" cannot be "${value.slice(0, 64)}".`)
}
const oneOf =
  (...known: string[]): Reader =>
  (value, name) => {
    if (known.includes(value)) return value
    throw badRequest(`"${name}" is one of ${known.join(', ')}.`)
  }

const usageQuery = {
  by: word,
  since: text,
  until: text,
  project: path,
  model: text,
  estimate: oneOf('0', '1', 'true', 'false'),
}

const routes: { readonly [Name in keyof Routes]: Declared<Name> } = {
  'GET /api/about': { query: {} },
  'GET /api/sessions': {
    query: {
      offset: whole,
      limit: whole,
      project: path,
      text,
      since: text,
      until: text,
      is: text,
      sort: word,
      group: word,
    },
  },
  'GET /api/sessions/:id': { query: {} },
  'GET /api/sessions/:id/first': { query: {} },
  'GET /api/sessions/:id/outline': { query: { thread: id } },
  'GET /api/sessions/:id/items': { query: { thread: id, from: whole, to: whole }, needs: ['from', 'to'] },
  'GET /api/sessions/:id/place': { query: { event: id }, needs: ['event'] },
  'GET /api/sessions/:id/errors': { query: {} },
  'GET /api/sessions/:id/raw': { query: { event: id }, needs: ['event'] },
  'GET /api/sessions/:id/files': { query: {} },
  'GET /api/sessions/:id/diff': { query: { path }, needs: ['path'] },
  'GET /api/sessions/:id/context': { query: { event: id } },
  'GET /api/sessions/:id/find': { query: { text } },
  'GET /api/sessions/:id/document': { query: { format: oneOf('html', 'md') }, needs: ['format'] },
  'GET /api/sessions/:id/media': { query: { event: id, n: whole }, needs: ['event', 'n'] },
  'GET /api/sessions/:id/fork': { query: { at: id, title: text } },
  'GET /api/sessions/:id/repair': { query: {} },
  'GET /api/search': { query: { q: text, limit: whole } },
  'GET /api/usage': { query: usageQuery, needs: ['by'] },
  'GET /api/usage/csv': { query: usageQuery, needs: ['by'] },
  'GET /api/archive': { query: {} },
  'GET /api/history': { query: { offset: whole, limit: whole, text, project: path, since: text, until: text } },
  'GET /api/health': { query: {} },
  'GET /api/settings': { query: {} },
  'POST /api/settings': { query: { key: word, value: path }, needs: ['key'] },
  'POST /api/archive/run': { query: {} },
  'POST /api/sessions/:id/restore': { query: {} },
  'POST /api/sessions/:id/forget': { query: {} },
  'POST /api/sessions/:id/fork': { query: { at: id, title: text } },
  'POST /api/sessions/:id/repair': { query: {} },
  'GET /api/live': { query: { session: sessionId } },
}

const declared: ReadonlyMap<string, AnyDeclared> = new Map<string, AnyDeclared>(Object.entries(routes))

/** Some sessions are named after a file, with blanks and other letters in its name; it is only compared with known ids. */
function sessionId(value: string): string {
  if (/^[\p{L}\p{N} _.,@+()~-]{1,200}$/u.test(value)) return value
  throw notFound('There is no such session.')
}

/** The route of an address. Throws where there is none, or none for the method. */
export function routeOf(method: string, path: string, search: string): RouteRequest {
  const parts = path.split('/')
  const hasId = parts[2] === 'sessions' && parts.length > 3
  const given = hasId ? (parts[3] ?? '') : ''
  if (hasId) parts[3] = ':id'
  const shape = parts.join('/')
  const name = `${method === 'HEAD' ? 'GET' : method} ${shape}`
  const route = declared.get(name)
  if (route === undefined) throw noRoute(shape)
  return {
    name: name as keyof Routes,
    id: hasId ? sessionId(decodeURIComponentSafe(given)) : '',
    query: queryOf(route, search),
  }
}

function noRoute(shape: string): Error {
  const allowed = ['GET', 'POST'].filter(method => declared.has(`${method} ${shape}`))
  if (allowed.length === 0) return notFound('There is nothing at this address.')
  return new ProblemError(405, 'This address takes another method.', undefined, allowed)
}

function decodeURIComponentSafe(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw badRequest('The address is not written in UTF-8.')
  }
}

/** Keys that the route knows; another one is an error, since its answer would be to another question. */
function queryOf({ query, needs = [] }: AnyDeclared, search: string): Record<string, string> {
  const found: Record<string, string> = {}
  const given = new URLSearchParams(search)
  for (const [name, read] of Object.entries(query)) {
    const values = given.getAll(name)
    if (values.length > 1) throw badRequest(`"${name}" is given twice.`)
    const [value] = values
    if (value !== undefined && value !== '') found[name] = read(value, name)
  }
  const unknown = [...given.keys()].find(name => !Object.hasOwn(query, name))
  if (unknown !== undefined) throw badRequest(`There is no option "${unknown.slice(0, 64)}" here.`)
  const missing = needs.find(name => found[name] === undefined)
  if (missing !== undefined) throw badRequest(`"${missing}" is missing.`)
  return found
}

export async function answerJson(data: ServerData, { name, id, query }: RouteRequest): Promise<HttpAnswer> {
  return jsonAnswer(await data.answer(name as JsonRoute, query, id))
}

/** A change is confirmed by naming its session, or what else it changes. */
export function checkConfirmed({ name, id }: RouteRequest, confirmed: string | undefined, data: ServerData): void {
  if (data.isReadOnly) throw forbidden('Nothing can be changed here.', 'clew serve runs with --read-only-token.')
  const expected = id === '' ? name.slice('POST /api/'.length).split('/', 1)[0] : id
  if (confirmed !== expected) throw badRequest('This is not confirmed.', `The body must be {"confirm":"${expected}"}.`)
}

const imageTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Bytes of an image or document: images are shown, anything else is saved; never markup. */
export async function answerMedia(data: ServerData, { id, query }: RouteRequest): Promise<HttpAnswer> {
  const { mediaType, bytes } = await data.media(query, id)
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
