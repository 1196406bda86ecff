// Requests to the server, typed by the one table of routes. It caches nothing; reader.ts does.

import type { Problem, Routes } from '../src/server/api/api.ts'

export type RouteName = keyof Routes
export type Answer<Name extends RouteName> = Routes[Name]['answer']

export interface AskOptions {
  /** For routes with `:id`. */
  id?: string
  signal?: AbortSignal
}

/** What is wrong and, where the server knows it, what to do. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** 0 where the server could not be reached. */
  status: number
  hint: string | undefined
  constructor(status: number, message: string, hint?: string) {
    super(message)
    this.status = status
    this.hint = hint
  }
}

/** The address of a route with its query; parts without a value are left out. */
export function addressOf(name: RouteName, query: { [part: string]: string | undefined }, id = ''): string {
  const path = name.slice(name.indexOf(' ') + 1).replace(':id', encodeURIComponent(id))
  const parts = new URLSearchParams()
  for (const [part, value] of Object.entries(query)) if (value !== undefined && value !== '') parts.set(part, value)
  return parts.size === 0 ? path : `${path}?${parts}`
}

/** Rejects with an `ApiError`, or with the signal's reason when it was aborted. */
export async function ask<Name extends RouteName>(
  name: Name,
  query: Routes[Name]['query'],
  options: AskOptions = {},
): Promise<Answer<Name>> {
  const isPost = name.startsWith('POST ')
  const init: RequestInit = isPost
    ? confirmed(options.id ?? name.split('/')[2] ?? '')
    : { method: 'GET', headers: { accept: 'application/json' } }
  if (options.signal) init.signal = options.signal
  const response = await reach(addressOf(name, query, options.id), init)
  if (!response.ok) throw await problemOf(response)
  return (await response.json()) as Answer<Name>
}

/** A change names its subject again, in a form that no other site can send. */
function confirmed(what: string): RequestInit {
  const headers = { accept: 'application/json', 'content-type': 'application/json', 'x-clew': '1' }
  return { method: 'POST', headers, body: JSON.stringify({ confirm: what }) }
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiError(
      0,
      'The server cannot be reached.',
      'Start `clew serve` again and open the address that it prints. What is on screen stays readable.',
    )
  }
}

async function problemOf(response: Response): Promise<ApiError> {
  const problem = await readProblem(response)
  const { status } = response
  if (status === 401 || status === 403) {
    const hint = problem?.hint ?? 'Open the address that `clew serve` printed when it started.'
    return new ApiError(status, problem?.error ?? 'This browser is not signed in to the server.', hint)
  }
  return new ApiError(status, problem?.error ?? `The server answered ${status}.`, problem?.hint)
}

async function readProblem(response: Response): Promise<Problem | undefined> {
  try {
    const body: unknown = await response.json()
    if (typeof body !== 'object' || body === null || !('error' in body) || typeof body.error !== 'string') return
    const hint = 'hint' in body && typeof body.hint === 'string' ? { hint: body.hint } : {}
    return { error: body.error, ...hint }
  } catch {
    return
  }
}

/** Where the bytes of an event's image or document are; `n`: its position among the event's media. */
export function mediaAddress(session: string, event: string, n: number): string {
  return addressOf('GET /api/sessions/:id/media', { event, n: String(n) }, session)
}

/** Whether an error only says that the request was aborted. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}
