// Data that knows one session and nothing of a disk, for tests of how answers travel.

import type { LiveMessage } from '../../src/server/api/api.ts'
import type { ServerData } from '../../src/server/api/data.ts'
import { notFound } from '../../src/server/http/problem.ts'

export const known = '5e5510a0-0000-4000-8000-000000000001'

export interface Stub extends ServerData {
  /** What was asked to be changed. */
  changes: string[]
  /** Tells all followers. */
  tell(message: LiveMessage): void
  followers: Set<(message: LiveMessage) => void>
  isClosed: boolean
}

export const picture = Buffer.from('89504e470d0a1a0a', 'hex')

export function stubData({ isReadOnly = false }: { isReadOnly?: boolean } = {}): Stub {
  const followers = new Set<(message: LiveMessage) => void>()
  const changes: string[] = []
  const change = (what: string) => (session: string) => {
    changes.push(`${what} ${session}`)
    return Promise.resolve({ files: 1 })
  }
  const none = () => Promise.reject(notFound('There is no such thing.'))
  const stub: Stub = {
    isReadOnly,
    changes,
    followers,
    isClosed: false,
    tell: message => {
      for (const follower of [...followers]) follower(message)
    },
    about: () => Promise.resolve({ version: '1', isSample: false, isReadOnly, timezone: 'UTC' }),
    list: query => {
      const sessions = Array.from({ length: 3 }, (_, i) => ({ id: `${known}${i}`, title: 'a title '.repeat(100) }))
      return Promise.resolve({ sessions, asked: query, total: 3 } as never)
    },
    head: session => (session === known ? Promise.resolve({ id: session } as never) : none()),
    first: none,
    outline: () => Promise.reject(new Error('a fault with /secret/path in it')),
    items: (_session, query) => Promise.resolve({ asked: query } as never),
    place: none,
    raw: none,
    files: none,
    context: none,
    find: none,
    media: (_session, { event = '' }) => Promise.resolve({ mediaType: event, bytes: picture }),
    search: none,
    usage: none,
    keeping: none,
    keepNow: () => {
      changes.push('keep')
      return Promise.resolve({ files: 2, bytes: 3 })
    },
    restore: change('restore'),
    forget: change('forget'),
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
