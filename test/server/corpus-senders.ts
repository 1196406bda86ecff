// Requests by those who have no business here: wrong names of the server, other sites, no cookie.

import type { Case, Fixture } from './corpus-case.ts'
import { request } from './raw.ts'

const ask = '/api/sessions'

/** Somebody who is signed in asks from a wrong place. */
export function hosts({ port, cookie }: Fixture): Case[] {
  const named = (name: string, lines: string[], wants = [421]): Case => ({
    name,
    bytes: request(`GET ${ask}`, [...lines, `Cookie: ${cookie}`]),
    wants,
  })
  const wrong = [
    'localhost',
    `localhost:${port}`,
    '127.0.0.1',
    `127.0.0.1:${port + 1}`,
    `127.1:${port}`,
    `2130706433:${port}`,
    `0x7f000001:${port}`,
    `0177.0.0.1:${port}`,
    `0.0.0.0:${port}`,
    `[::1]:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `evil.example:${port}`,
    `127.0.0.1.evil.example:${port}`,
    `127.0.0.1.nip.io:${port}`,
    `127.0.0.1:${port}.evil.example`,
    `127.0.0.1:${port}@evil.example`,
    `user@127.0.0.1:${port}`,
    `127.0.0.1.:${port}`,
    `127.0.0.1:0${port}`,
    `127.0.0.1:${port}, evil.example`,
    `127.0.0.1:${port}/`,
    '',
  ]
  return [
    named('no Host', []),
    named('two Hosts, ours first', [`Host: 127.0.0.1:${port}`, 'Host: evil.example'], [400]),
    named('two Hosts, ours last', ['Host: evil.example', `Host: 127.0.0.1:${port}`], [400]),
    named('the same Host twice', [`Host: 127.0.0.1:${port}`, `Host: 127.0.0.1:${port}`], [400]),
    named('a forwarded host', ['Host: evil.example', `X-Forwarded-Host: 127.0.0.1:${port}`]),
    ...wrong.map(host => named(`Host ${host === '' ? 'empty' : host}`, [`Host: ${host}`])),
  ]
}

export function origins({ port, cookie, session }: Fixture): Case[] {
  const ours = `http://127.0.0.1:${port}`
  const head = [`Host: 127.0.0.1:${port}`, `Cookie: ${cookie}`]
  const asked = (name: string, lines: string[], target = ask): Case => ({
    name,
    bytes: request(`GET ${target}`, [...head, ...lines]),
    wants: [403],
  })
  const others = [
    'null',
    'http://evil.example',
    `https://127.0.0.1:${port}`,
    `http://localhost:${port}`,
    `http://127.0.0.1:${port + 1}`,
    'http://127.0.0.1',
    `${ours}.evil.example`,
    `${ours}/`,
    '',
  ]
  const form = 'confirm=1'
  const post = (name: string, lines: string[], body: string, wants: number[]): Case => ({
    name,
    bytes: request(`POST /api/sessions/${session}/forget`, [...head, ...lines, `Content-Length: ${body.length}`], body),
    wants,
  })
  const json = JSON.stringify({ confirm: session })
  return [
    ...others.map(origin => asked(`Origin ${origin === '' ? 'empty' : origin}`, [`Origin: ${origin}`])),
    { ...asked('two Origins', [`Origin: ${ours}`, 'Origin: http://evil.example']), wants: [400] },
    asked('a fetch from another site', ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors']),
    asked('a fetch from another port of this host', ['Sec-Fetch-Site: same-site', 'Sec-Fetch-Mode: cors']),
    asked('a link on another site', ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'], '/'),
    asked('an image on another site', ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Dest: image'], '/icon.svg'),
    asked('fetch metadata that nobody writes', ['Sec-Fetch-Site: Same-Origin']),
    asked('the event stream for another site', ['Origin: http://evil.example'], '/api/live'),
    asked('the event stream by fetch metadata', ['Sec-Fetch-Site: cross-site'], '/api/live'),
    { ...asked('fetch metadata twice', ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site']), wants: [400] },
    post('a form of another site', ['Origin: http://evil.example', 'Content-Type: text/plain'], form, [403]),
    post('a form without an Origin', ['Content-Type: application/x-www-form-urlencoded'], form, [403]),
    post('a form with our header', ['Content-Type: multipart/form-data; boundary=a', 'X-Clew: 1'], form, [415]),
    post('JSON as plain text', ['Content-Type: text/plain', 'X-Clew: 1'], json, [415]),
    post('JSON without our header', ['Content-Type: application/json'], json, [403]),
    post('JSON with another value of our header', ['Content-Type: application/json', 'X-Clew: true'], json, [403]),
    {
      name: 'a preflight',
      bytes: request(`OPTIONS /api/archive/run`, [
        `Host: 127.0.0.1:${port}`,
        'Origin: http://evil.example',
        'Access-Control-Request-Method: POST',
        'Access-Control-Request-Headers: x-clew',
      ]),
      wants: [405],
    },
  ]
}

/** Somebody who is signed in tries to change a setting as another page would, or one that must not be changed. */
export function settings({ port, cookie }: Fixture): Case[] {
  const host = `Host: 127.0.0.1:${port}`
  const json = ['Content-Type: application/json', 'X-Clew: 1']
  const off = '/api/settings?key=archive&value=off'
  const post = (name: string, target: string, lines: string[], body: string, wants: number[]): Case => ({
    name: `settings: ${name}`,
    bytes: request(`POST ${target}`, [host, `Cookie: ${cookie}`, ...lines, `Content-Length: ${body.length}`], body),
    wants,
    isSigned: true,
  })
  const confirmed = JSON.stringify({ confirm: 'settings' })
  return [
    post('from another site', off, ['Origin: http://evil.example', ...json], confirmed, [403]),
    post('by fetch metadata', off, ['Sec-Fetch-Site: cross-site', ...json], confirmed, [403]),
    post('by a form', off, ['Content-Type: application/x-www-form-urlencoded'], 'confirm=settings', [403]),
    post('without our header', off, ['Content-Type: application/json'], confirmed, [403]),
    post('not confirmed', off, json, '{}', [400]),
    post('confirmed as something else', off, json, JSON.stringify({ confirm: 'archive' }), [400]),
    post('a key that names files to read', '/api/settings?key=roots&value=%2Fetc', json, confirmed, [400]),
    post('the prices', '/api/settings?key=prices&value=%2Fetc%2Fpasswd', json, confirmed, [400]),
    post('a key of all objects', '/api/settings?key=__proto__&value=x', json, confirmed, [400]),
    post('no key', '/api/settings?value=off', json, confirmed, [400]),
    post('a key twice', '/api/settings?key=theme&key=archive&value=off', json, confirmed, [400]),
    post('a value that is none', '/api/settings?key=archive&value=always', json, confirmed, [400]),
    post('a zone that is none', '/api/settings?key=timezone&value=..%2F..%2Fetc', json, confirmed, [400]),
    {
      name: 'settings: without the cookie',
      bytes: request(`POST ${off}`, [host, ...json, `Content-Length: ${confirmed.length}`], confirmed),
      wants: [401],
    },
    { name: 'settings: by HEAD', bytes: request(`HEAD ${off}`, [host]), wants: [401] },
  ]
}

export function credentials({ port, cookie, usedToken, session }: Fixture): Case[] {
  const host = `Host: 127.0.0.1:${port}`
  const asked = (name: string, target: string, lines: string[] = [], wants = [401]): Case => ({
    name,
    bytes: request(`GET ${target}`, [host, ...lines]),
    wants,
  })
  const [cookieName = '', secret = ''] = cookie.split('=')
  const flipped = secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A')
  const open = ['/', '/api/about', ask, '/icon.svg', '/manifest.json', '/index.html', `/s/${session}`, '/api/live']
  return [
    ...open.map(target => asked(`no cookie for ${target}`, target)),
    asked('a wrong cookie', ask, [`Cookie: ${cookieName}=${'A'.repeat(43)}`]),
    asked('a cookie but for its last letter', ask, [`Cookie: ${cookieName}=${flipped}`]),
    asked('the beginning of the cookie', ask, [`Cookie: ${cookieName}=${secret.slice(0, 20)}`]),
    asked('a cookie and more', ask, [`Cookie: ${cookie}x`]),
    asked('an empty cookie', ask, [`Cookie: ${cookieName}=`]),
    asked('the cookie under another name', ask, [`Cookie: clew=${secret}`]),
    asked('the cookie as a bearer token', ask, [`Authorization: Bearer ${secret}`]),
    asked('the cookie in the address', `${ask}?token=${secret}`),
    asked('the cookie as a token', `/?token=${secret}`, [], [403]),
    asked('two Cookie headers', ask, [`Cookie: a=b`, `Cookie: ${cookie}`], [400]),
    asked('a token that was used', `/?token=${usedToken}`, [], [403]),
    asked('a wrong token', '/?token=abc', [], [403]),
    asked('an empty token', '/?token=', [], [403]),
    asked('a token twice', `/?token=${usedToken}&token=${secret}`, [], [403]),
    asked('a token for another path', `/search?token=${usedToken}`),
    asked('an array of tokens', `/?token[]=${usedToken}`),
    { name: 'a token by HEAD', bytes: request(`HEAD /?token=${usedToken}`, [host]), wants: [401] },
    asked('a page that is loaded before it is opened', '/?token=abc', ['Sec-Purpose: prefetch;prerender'], [403]),
  ]
}
