import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError, addressOf, ask, isAborted, mediaAddress } from './api.ts'

afterEach(() => vi.unstubAllGlobals())

/** Answers every request with the same; reports what was asked. */
function answering(status: number, body: string) {
  const asked: { address: string; method: string | undefined }[] = []
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    asked.push({ address, method: init.method })
    return new Response(body, { status })
  })
  return asked
}

async function failureOf(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiError)) throw new Error(`not an ApiError: ${error}`)
  return error
}

describe('addressOf', () => {
  it('encodes ids and values and leaves out what is not given', () => {
    expect(addressOf('GET /api/sessions/:id/place', { event: 'a/b&c' }, '../x')).toBe(
      '/api/sessions/..%2Fx/place?event=a%2Fb%26c',
    )
    expect(addressOf('GET /api/sessions', { project: undefined, text: '' })).toBe('/api/sessions')
  })

  it('names the bytes of an image', () => {
    expect(mediaAddress('s', 'e', 2)).toBe('/api/sessions/s/media?event=e&n=2')
  })
})

describe('ask', () => {
  it('asks with the method of the route and gives the answer', async () => {
    const asked = answering(200, '{"files":2,"bytes":10}')
    expect(await ask('POST /api/archive/run', {})).toEqual({ files: 2, bytes: 10 })
    expect(asked).toEqual([{ address: '/api/archive/run', method: 'POST' }])
  })

  it("fails with the server's words and hint", async () => {
    answering(404, '{"error":"There is no such session.","hint":"It may be in the archive."}')
    const error = await failureOf(ask('GET /api/sessions/:id', {}, { id: 'x' }))
    expect(error).toMatchObject({
      status: 404,
      message: 'There is no such session.',
      hint: 'It may be in the archive.',
    })
  })

  it('says what to do when the browser is not signed in', async () => {
    answering(401, 'no')
    const error = await failureOf(ask('GET /api/about', {}))
    expect(error.hint).toContain('clew serve')
  })

  it('says that the server cannot be reached when it is gone', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    const error = await failureOf(ask('GET /api/about', {}))
    expect(error).toMatchObject({ status: 0, message: 'The server cannot be reached.' })
  })

  it('passes on that it was called off', async () => {
    const calledOff = new AbortController()
    calledOff.abort()
    vi.stubGlobal('fetch', () => Promise.reject(calledOff.signal.reason))
    const error: unknown = await ask('GET /api/about', {}, { signal: calledOff.signal }).catch(
      (reason: unknown) => reason,
    )
    expect(isAborted(error)).toBe(true)
  })
})
