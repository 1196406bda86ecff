// Requests for what is not there to be had: ways out of the home and the app, addresses that hide what they mean, ranges.

import type { Case, Fixture } from './corpus-case.ts'
import { request } from './raw.ts'

const ask = '/api/sessions'

const climbs = [
  '../../../canary.txt',
  '..%2f..%2f..%2fcanary.txt',
  '%2e%2e/%2e%2e/canary.txt',
  '..%5c..%5ccanary.txt',
  '..\\..\\canary.txt',
  '%252e%252e%252fcanary.txt',
  '..%c0%af..%c0%afcanary.txt',
  '....//....//canary.txt',
  '..;/..;/canary.txt',
  'canary.txt%00.js',
  '/etc/passwd',
  'file:///etc/passwd',
]

/** Ways out of every place of a path, by somebody who is signed in. */
export function paths({ port, cookie, canary }: Fixture): Case[] {
  const bases = ['/', '/assets/', '/s/', '/api/', '/api/sessions/']
  const ways = [...climbs, canary.slice(1), encodeURIComponent(canary)]
  return bases.flatMap(base =>
    ways.map(way => ({
      name: `a way out at ${base}: ${way}`,
      bytes: request(`GET ${base}${way}`, [`Host: 127.0.0.1:${port}`, `Cookie: ${cookie}`]),
      wants: /^\/s\/(?:%252e|\.\.%c0)/.test(base + way) ? [400, 200, 404] : [400, 404],
    })),
  )
}

/** Ways out in the values of every route. */
export function parameters({ port, cookie, canary, session, event }: Fixture): Case[] {
  const own = `/api/sessions/${session}`
  const places = [
    '/api/sessions?project=',
    '/api/sessions?text=',
    '/api/sessions?since=',
    '/api/sessions?is=',
    `${own}/outline?thread=`,
    `${own}/items?from=0&to=9&thread=`,
    `${own}/items?to=9&from=`,
    `${own}/place?event=`,
    `${own}/raw?event=`,
    `${own}/context?event=`,
    `${own}/find?text=`,
    `${own}/media?n=0&event=`,
    `${own}/media?event=${event}&n=`,
    '/api/search?q=',
    '/api/usage?by=',
    '/api/usage?by=daily&since=',
    '/api/usage?by=daily&project=',
    '/api/usage?by=daily&model=',
  ]
  const values = [
    canary,
    `../../${'../'.repeat(9)}${canary.slice(1)}`,
    `${session}/../canary.txt`,
    '-1',
    '1e9',
    "' OR 1=1 --",
  ]
  return places.flatMap(place =>
    values.map(
      (value): Case => ({
        name: `${place}${value}`,
        bytes: request(`GET ${place}${encodeURIComponent(value)}`, [`Host: 127.0.0.1:${port}`, `Cookie: ${cookie}`]),
        isSigned: true,
      }),
    ),
  )
}

export function targets({ port, cookie }: Fixture): Case[] {
  const head = [`Host: 127.0.0.1:${port}`, `Cookie: ${cookie}`]
  const asked = (name: string, target: string, wants = [400]): Case => ({
    name,
    bytes: request(`GET ${target}`, head),
    wants,
  })
  return [
    asked('absolute form', `http://127.0.0.1:${port}${ask}`),
    asked('absolute form of another host', `http://evil.example${ask}`),
    asked('absolute form with https', `https://127.0.0.1:${port}${ask}`),
    asked('authority form', `127.0.0.1:${port}`),
    asked('asterisk form', '*'),
    asked('a path without its slash', 'api/sessions'),
    asked('two slashes', `//evil.example${ask}`),
    asked('two slashes within', '/api//sessions'),
    asked('a backslash', '/\\evil.example'),
    asked('a fragment', `${ask}#x`),
    asked('a NUL', `${ask}%00`),
    asked('a raw NUL', `${ask}\0`),
    asked('a byte above ASCII', `${ask}\xff`),
    asked('a blank', `${ask} x`),
    asked('a percent sign alone', `${ask}?text=%`),
    asked('a percent sign with letters', `${ask}?text=%zz`),
    asked('a part of one dot', '/api/./sessions'),
    asked('an encoded line break', '/api/about%0d%0aSet-Cookie:%20a=b'),
    asked('a very long address', `${ask}?text=${'a'.repeat(9000)}`, [414]),
    asked('a value that is too long', `${ask}?text=${'a'.repeat(3000)}`),
    asked('a key twice', '/api/search?q=a&q=b'),
    asked('bytes that are not UTF-8', '/api/sessions/%ff%fe', [400]),
    asked('a placeholder as an id', '/api/sessions/:id', [404]),
    asked('a key of every object as an id', '/api/sessions/__proto__', [404]),
    asked('a key of every object as a route', '/api/constructor', [404]),
  ]
}

/** Ranges are not given: the answer is whole or none. */
export function ranges({ port, cookie }: Fixture): Case[] {
  const head = [`Host: 127.0.0.1:${port}`, `Cookie: ${cookie}`]
  const many = Array.from({ length: 500 }, (_, i) => `${i}-${i + 1}`).join(',')
  const asked = ['bytes=0-', 'bytes=-1', 'bytes=99999999999-', 'bytes=5-1', 'bytes=a-b', `bytes=${many}`, 'lines=1-2']
  return asked.map(range => ({
    name: `Range ${range.slice(0, 30)}`,
    bytes: request('GET /index.html', [...head, `Range: ${range}`]),
    isSigned: true,
    wants: [200],
  }))
}
