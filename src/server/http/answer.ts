// An answer to one request, before it goes out: status, headers, body. The headers that every answer carries stand here; how
// it is written to the socket does not.

import type { Problem } from '../api/api.ts'

export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array
  /** May be asked for again with its hash, and may be packed. */
  isCacheable?: true
  /** The connection cannot be used any further. */
  isLast?: true
}

/** Nothing but what this server gives may run, load or be asked; nobody may frame the page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // No text becomes a script or markup; the one policy gives the address of the worker.
  "require-trusted-types-for 'script'",
  'trusted-types clew',
].join('; ')

const features = ['camera', 'display-capture', 'geolocation', 'microphone', 'midi', 'payment', 'serial', 'usb']

export const commonHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': features.map(name => `${name}=()`).join(', '),
  'X-Robots-Tag': 'noindex, nofollow',
  'Cache-Control': 'no-store',
}

export function textAnswer(status: number, text: string, headers: Record<string, string> = {}): HttpAnswer {
  return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, body: `${text}\n` }
}

/** What is wrong and what to do: JSON for the app's questions, plain text for people. */
export function problemAnswer(status: number, problem: Problem, isForApp: boolean): HttpAnswer {
  if (!isForApp) return textAnswer(status, [problem.error, ...(problem.hint ? ['', problem.hint] : [])].join('\n'))
  return { status, headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: JSON.stringify(problem) }
}
