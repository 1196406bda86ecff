// Requests that are not proper ones: heads, methods and bodies that are too much, too slow, or two things at once.

import type { Case, Fixture } from './corpus-case.ts'
import { request } from './raw.ts'

const ask = '/api/sessions'

export function heads({ port, cookie }: Fixture): Case[] {
  const head = [`Host: 127.0.0.1:${port}`, `Cookie: ${cookie}`]
  const line = `GET ${ask} HTTP/1.1\r\n`
  const lines = `${head.join('\r\n')}\r\n`
  const many = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: 1`)
  return [
    { name: 'a huge header', bytes: request(`GET ${ask}`, [...head, `X-A: ${'a'.repeat(40_000)}`]), wants: [431] },
    {
      name: 'a huge cookie',
      bytes: request(`GET ${ask}`, [head[0] ?? '', `Cookie: a=${'a'.repeat(40_000)}`]),
      wants: [431],
    },
    { name: 'many headers', bytes: request(`GET ${ask}`, [...head, ...many(200)]), wants: [431] },
    { name: 'very many headers', bytes: request(`GET ${ask}`, [...head, ...many(3000)]), wants: [431] },
    {
      name: 'a second Host after many headers',
      bytes: request(`GET ${ask}`, [...head, ...many(50), 'Host: a']),
      wants: [400],
    },
    {
      name: 'slow headers',
      bytes: [line, ...Array.from({ length: 40 }, (_, i) => `X-${i}: 1\r\n`)],
      pauseMs: 100,
      wants: [408],
    },
    { name: 'a head that never ends', bytes: [line, lines], wants: [408] },
    { name: 'nothing but a letter', bytes: ['G'], wants: [408] },
    {
      name: 'a folded header',
      bytes: `${line}${lines}X-A: a\r\n b\r\n\r\n`.replace('Host:', 'Host:\r\n '),
      wants: [400, 421, 200],
      isSigned: true,
    },
    {
      name: 'a blank before the colon',
      bytes: `${line}Host : 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`,
      wants: [400],
    },
    { name: 'a header without a name', bytes: `${line}${lines}: x\r\n\r\n`, wants: [400] },
    { name: 'a NUL in a header', bytes: `${line}${lines}X-A: a\0b\r\n\r\n`, wants: [400] },
    {
      name: 'lines that end in LF alone',
      bytes: `GET ${ask} HTTP/1.1\nHost: 127.0.0.1:${port}\nCookie: ${cookie}\n\n`,
      wants: [400],
    },
  ]
}

export function versions({ port, cookie }: Fixture): Case[] {
  const line = `GET ${ask} HTTP/1.1\r\n`
  const lines = `Host: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n`
  return [
    { name: 'HTTP/1.0', bytes: `GET ${ask} HTTP/1.0\r\n${lines}\r\n`, wants: [400] },
    { name: 'HTTP/1.0 without Host', bytes: `GET ${ask} HTTP/1.0\r\nCookie: ${cookie}\r\n\r\n`, wants: [400, 421] },
    { name: 'HTTP/0.9', bytes: `GET ${ask}\r\n`, wants: [400, 408] },
    { name: 'HTTP/0.9 by number', bytes: `GET ${ask} HTTP/0.9\r\n${lines}\r\n`, wants: [400] },
    { name: 'HTTP/1.2', bytes: `GET ${ask} HTTP/1.2\r\n${lines}\r\n`, wants: [400] },
    { name: 'HTTP/2 with knowledge', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', wants: [400] },
    { name: 'a greeting of TLS', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', wants: [400] },
    {
      name: 'an upgrade to WebSocket',
      bytes: `${line}${lines}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      wants: [400],
    },
    {
      name: 'an upgrade to HTTP/2',
      bytes: `${line}${lines}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n`,
      wants: [400],
    },
  ]
}

export function methods({ port, cookie, session }: Fixture): Case[] {
  const head = [`Host: 127.0.0.1:${port}`, `Cookie: ${cookie}`]
  const plain = ['TRACE', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'PURGE', 'QUERY']
  const overrides = ['X-HTTP-Method-Override: POST', 'X-HTTP-Method: POST', 'X-Method-Override: POST']
  return [
    ...plain.map((method): Case => ({ name: method, bytes: request(`${method} ${ask}`, head), wants: [400, 405] })),
    { name: 'CONNECT', bytes: request('CONNECT 127.0.0.1:80', head), wants: [405] },
    ...['get', 'Get', 'GETT', 'G\x00T', ''].map(
      (method): Case => ({
        name: `method ${JSON.stringify(method)}`,
        bytes: request(`${method} ${ask}`, head),
        wants: [400],
      }),
    ),
    ...overrides.map(
      (line): Case => ({
        name: `GET with ${line}`,
        bytes: request(`GET /api/sessions/${session}/forget?_method=POST`, [...head, line, 'X-Clew: 1']),
        wants: [405],
      }),
    ),
    { name: 'POST where one reads', bytes: request(`POST ${ask}`, [...head, ...jsonHead(2)], '{}'), wants: [405] },
    { name: 'POST to a file', bytes: request('POST /icon.svg', [...head, ...jsonHead(2)], '{}'), wants: [405] },
    {
      name: 'POST with a token',
      bytes: request('POST /?token=abc', [head[0] ?? '', ...jsonHead(2)], '{}'),
      wants: [401],
    },
  ]
}

function jsonHead(length: number | string): string[] {
  return ['Content-Type: application/json', 'X-Clew: 1', `Content-Length: ${length}`]
}

/** Bodies of somebody who is signed in; none of them confirms anything. */
export function bodies({ port, cookie, session }: Fixture): Case[] {
  const head = [`Host: 127.0.0.1:${port}`, `Cookie: ${cookie}`]
  const line = `POST /api/sessions/${session}/forget`
  const sent = (name: string, body: string, wants: number[], length: number | string = body.length): Case => ({
    name,
    bytes: request(line, [...head, ...jsonHead(length)], body),
    wants,
  })
  const slow = request(line, [...head, ...jsonHead(100)])
  return [
    sent('an empty body', '', [400]),
    sent('no JSON', 'confirm', [400]),
    sent('a list', '[]', [400]),
    sent('null', 'null', [400]),
    sent('nothing confirmed', '{}', [400]),
    sent('another session confirmed', '{"confirm":"another"}', [400]),
    sent('a list confirmed', `{"confirm":["${session}"]}`, [400]),
    sent('a prototype', `{"__proto__":{"confirm":"${session}"}}`, [400]),
    sent('deep JSON', '['.repeat(500) + ']'.repeat(500), [400]),
    sent('a body that is too long', `{"confirm":"${'a'.repeat(2000)}"}`, [413]),
    sent('a length below zero', '{}', [400], '-1'),
    sent('a length with a sign', '{}', [400, 411], '+2'),
    sent('a length in hexadecimal', '{}', [400, 411], '0x2'),
    sent('a length beyond all numbers', '{}', [400, 411, 413], '99999999999999999999'),
    { name: 'no length', bytes: request(line, [...head, ...jsonHead(0).slice(0, 2)], '{}'), wants: [411] },
    { name: 'a slow body', bytes: [slow, ...'{"confirm":"'.repeat(3)], pauseMs: 100, wants: [408] },
    { name: 'a body that never comes', bytes: [slow], wants: [408] },
    { name: 'a body without a cookie', bytes: request(line, [head[0] ?? '', ...jsonHead(2)], '{}'), wants: [401] },
    {
      name: 'a body that waits to be asked for',
      bytes: request(line, [...head, ...jsonHead(2), 'Expect: 100-continue']),
      wants: [417],
    },
    {
      name: 'an expectation that nobody knows',
      bytes: request(line, [...head, ...jsonHead(2), 'Expect: tea']),
      wants: [417],
    },
    {
      name: 'a packed body',
      bytes: request(line, [...head, ...jsonHead(2), 'Content-Encoding: gzip'], '{}'),
      wants: [400],
    },
  ]
}

/** Requests inside requests: the one inside must not be answered as one of its own. */
export function smuggling({ port, cookie }: Fixture): Case[] {
  const head = [`Host: 127.0.0.1:${port}`, `Cookie: ${cookie}`]
  const inner = `GET ${ask} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`
  const asked = (name: string, lines: string[], body: string, method = 'GET'): Case => ({
    name,
    bytes: request(`${method} ${ask}`, [...head, ...lines], body),
    wants: [400],
  })
  const chunked = 'Transfer-Encoding: chunked'
  return [
    asked('length and pieces', ['Content-Length: 5', chunked], `0\r\n\r\n${inner}`, 'POST'),
    asked('pieces and length', [chunked, 'Content-Length: 5'], `0\r\n\r\n${inner}`, 'POST'),
    asked('two lengths', ['Content-Length: 0', `Content-Length: ${inner.length}`], inner, 'POST'),
    asked('a list of lengths', ['Content-Length: 0, 5'], inner, 'POST'),
    asked('pieces under a strange name', ['Transfer-Encoding: xchunked'], `0\r\n\r\n${inner}`, 'POST'),
    asked('pieces with a tab', ['Transfer-Encoding:\tchunked'], `0\r\n\r\n${inner}`, 'POST'),
    asked('pieces twice', [chunked, chunked], `0\r\n\r\n${inner}`, 'POST'),
    asked('pieces before another coding', ['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${inner}`, 'POST'),
    asked('pieces in a GET', [chunked], `0\r\n\r\n${inner}`),
    asked('a piece of a huge size', [chunked], `${'f'.repeat(20)}\r\n${inner}`, 'POST'),
    asked('a piece without a size', [chunked], `\r\n${inner}`, 'POST'),
    asked('a piece with a long extension', [chunked], `1;${'a'.repeat(20_000)}\r\nx\r\n0\r\n\r\n${inner}`, 'POST'),
    asked('headers after the pieces', [chunked], `0\r\nHost: evil.example\r\n\r\n${inner}`, 'POST'),
    asked('a body in a GET', [`Content-Length: ${inner.length}`], inner),
    asked('a length that is too short', ['Content-Length: 1'], inner),
    {
      name: 'a refused one before a good one',
      bytes: `GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n${inner}`,
      wants: [421],
    },
    {
      name: 'ten without a cookie at once',
      bytes: `GET ${ask} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(10),
      wants: [401],
    },
  ]
}
