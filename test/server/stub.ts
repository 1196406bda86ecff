// Data that knows one session and nothing of a disk, for tests of how answers travel.

import { notFound } from '../../src/answers/error.ts'
import type { LiveMessage } from '../../src/server/api/api.ts'
import type { ServerData } from '../../src/server/api/data.ts'

export const known = '5e5510a0-0000-4000-8000-000000000001'

export interface Stub extends ServerData {
  /** What was asked to be changed. */
  changes: string[]
  /** Tells all followers. */
  send(message: LiveMessage): void
  followers: Set<(message: LiveMessage) => void>
  isClosed: boolean
}

export const picture = Buffer.from('89504e470d0a1a0a', 'hex')

export function stubData({ isReadOnly = false }: { isReadOnly?: boolean } = {}): Stub {
  const followers = new Set<(message: LiveMessage) => void>()
  const changes: string[] = []
  const change = (what: string, answer: object) => (_query: object, id: string) => {
    changes.push(`${what} ${id}`.trim())
    return answer
  }
  const answers: Partial<Record<string, (query: object, id: string) => unknown>> = {
    'GET /api/about': () => ({ version: '1', isSample: false, isReadOnly, timezone: 'UTC' }),
    'GET /api/sessions': query => {
      const sessions = Array.from({ length: 3 }, (_, i) => ({ id: `${known}${i}`, title: 'a title '.repeat(100) }))
      return { sessions, query, total: 3 }
    },
    'GET /api/sessions/:id': (_query, id) => {
      if (id !== known) throw notFound('There is no such session.')
      return { id }
    },
    'GET /api/sessions/:id/outline': () => {
      throw new Error('a fault with /secret/path in it')
    },
    'GET /api/sessions/:id/items': query => ({ query }),
    'POST /api/archive/run': change('archive', { files: 2, bytes: 3 }),
    'POST /api/sessions/:id/restore': change('restore', { files: 1 }),
    'POST /api/sessions/:id/forget': change('forget', { files: 1 }),
  }
  const stub: Stub = {
    isReadOnly,
    changes,
    followers,
    isClosed: false,
    send: message => {
      for (const follower of [...followers]) follower(message)
    },
    media: ({ event = '' }) => Promise.resolve({ mediaType: event, bytes: picture }),
    answer: async (name, query, id = '') => {
      const answer = answers[name]
      if (answer === undefined) throw notFound('There is no such thing.')
      return answer(query, id) as never
    },
    follow(_session, onMessage) {
      followers.add(onMessage)
      return () => followers.delete(onMessage)
    },
    close() {
      stub.isClosed = true
      return Promise.resolve()
    },
  }
  return stub
}
