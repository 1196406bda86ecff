// JSON in and out: answers as bytes, and the small bodies in which somebody confirms a change.

import type { IncomingMessage } from 'node:http'
import { asObject, asString, jsonText, parseJson } from '../../base/json.ts'
import type { HttpAnswer } from './answer.ts'
import { badQuestion } from './problem.ts'

export function jsonAnswer(value: unknown): HttpAnswer {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'private, no-cache' }
  return { status: 200, headers, body: jsonText(value), isCacheable: true }
}

/** Of a body, at most; what is confirmed is the id of a session. */
export const mostBodyBytes = 1024

/** A body did not come in whole: the connection is of no further use. */
export class BodyError extends Error {
  readonly status: 400 | 408 | 413

  constructor(status: 400 | 408 | 413, message: string) {
    super(message)
    this.name = 'BodyError'
    this.status = status
  }
}

/** The bytes of a small body that comes in within a time. */
export function readBody(incoming: IncomingMessage, withinMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const timer = setTimeout(() => fail(new BodyError(408, 'The body did not come in time.')), withinMs)
    const fail = (error: Error) => {
      clearTimeout(timer)
      incoming.pause()
      reject(error)
    }
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > mostBodyBytes) fail(new BodyError(413, `A body has at most ${mostBodyBytes} bytes.`))
      else chunks.push(chunk)
    })
    incoming.on('end', () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks))
    })
    incoming.on('error', () => fail(new BodyError(400, 'The body did not come in whole.')))
    incoming.on('close', () => fail(new BodyError(400, 'The body did not come in whole.')))
  })
}

/** What a body confirms: `{"confirm": "…"}`; undefined where it is an object that confirms nothing. */
export function confirmedIn(body: Uint8Array): string | undefined {
  const value = asObject(parseJson(new TextDecoder().decode(body)))
  if (value === undefined) throw badQuestion('The body is no JSON object.', 'It looks like {"confirm":"…"}.')
  return asString(value['confirm'])
}
