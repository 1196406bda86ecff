// A reader of a running server that is signed in like a browser.

import { type IncomingHttpHeaders, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { RunningServer } from '../../src/server/http/server.ts'

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  /** Unpacked. */
  text: string
  bytes: Buffer
}

export interface Sent {
  method?: string
  headers?: Record<string, string>
  body?: string
}

export function fetchFrom(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: Sent = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, answer => {
      const chunks: Buffer[] = []
      answer.on('data', chunk => chunks.push(chunk))
      answer.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const { statusCode = 0, headers } = answer
        resolve({ status: statusCode, headers, bytes, text: unpacked(bytes, headers['content-encoding']).toString() })
      })
      answer.on('error', reject)
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

function unpacked(bytes: Buffer, encoding: string | undefined): Buffer {
  if (bytes.length === 0 || encoding === undefined) return bytes
  return encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)
}

export async function signIn(server: RunningServer): Promise<string> {
  const { pathname, search } = new URL(server.newAddress())
  const { headers } = await fetchFrom(server.port, pathname + search)
  return (headers['set-cookie']?.[0] ?? '').split(';')[0] ?? ''
}

/** How the app confirms a change. */
export function confirming(cookie: string, confirm: string): Sent {
  const body = JSON.stringify({ confirm })
  const headers = { cookie, 'content-type': 'application/json', 'x-clew': '1', 'content-length': String(body.length) }
  return { method: 'POST', headers, body }
}
