// JSON in and out: answers, and the small bodies that confirm a change.

import type { IncomingMessage } from 'node:http'
import { badRequest } from '../../answers/error.ts'
import { asObject, asString, jsonText, parseJson } from '../../base/json.ts'
import type { HttpAnswer } from './answer.ts'
import { ProblemError } from './problem.ts'

export function jsonAnswer(value: unknown): HttpAnswer {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'private, no-cache' }
  return { status: 200, headers, body: jsonText(value), isCacheable: true }
}

/** Of a body, at most; it confirms the id of a session. */
const mostBodyBytes = 1024

/** The bytes of a small body that arrives within a time. */
export function readBody(incoming: IncomingMessage, withinMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const fail = (status: 400 | 408 | 413, message: string) => {
      clearTimeout(timer)
      incoming.pause()
      reject(new ProblemError(status, message))
    }
    const timer = setTimeout(() => fail(408, 'The body took too long.'), withinMs)
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > mostBodyBytes) fail(413, `A body has at most ${mostBodyBytes} bytes.`)
      else chunks.push(chunk)
    })
    incoming.on('end', () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks))
    })
    incoming.on('error', () => fail(400, 'The body is incomplete.'))
    incoming.on('close', () => fail(400, 'The body is incomplete.'))
  })
}

/** What a body confirms: `{"confirm": "…"}`; undefined where it is an object that confirms nothing. */
export function confirmedIn(body: Uint8Array): string | undefined {
  const value = asObject(parseJson(new TextDecoder().decode(body)))
  if (value === undefined) throw badRequest('The body is not a JSON object.', 'It looks like {"confirm":"…"}.')
  return asString(value['confirm'])
}
