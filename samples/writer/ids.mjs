// Ids and numbers that look random and are not: everything follows from a seed, so that a sketch always gives the same
// bytes. It knows nothing about records.

import { createHash } from 'node:crypto'

const letters62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** One stream of ids; two streams with the same seed give the same values in the same order. */
export function seeded(seed) {
  let count = 0
  const bytes = () => createHash('sha256').update(`${seed}/${count++}`).digest()
  const hex = length => bytes().toString('hex').slice(0, length)
  const letters = length => Array.from(bytes().subarray(0, length), byte => letters62[byte % 62]).join('')
  return {
    hex,
    letters,
    uuid: () => uuidFrom(bytes()),
    /** A whole number from `low` to `high`, both included. */
    between: (low, high) => low + (bytes().readUInt32BE(0) % (high - low + 1)),
  }
}

/** The session id of a sketch, known without writing it. */
export function sessionIdOf(name) {
  return uuidFrom(createHash('sha256').update(`session ${name}`).digest())
}

export function shortHash(text, length = 16) {
  return createHash('sha256').update(text).digest('hex').slice(0, length)
}

function uuidFrom(bytes) {
  const hex = bytes.toString('hex')
  const variant = '89ab'[bytes[8] % 4]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
