// Text for made-up logs: a pool of lines that look like code and tool output, cut at random. It has no meaning.

import { pick } from '../scripts/random.mjs'

const words =
  'cart total items price const return import function await value index result error status count order stock file path test null true Zürich größe naïve 数 → ✓ user session token request response config build module export'.split(
    ' ',
  )
const shapes = [
  (word, number) =>
    `${String(number % 900).padStart(6)}\t  const ${word()} = await ${word()}("${word()}", { ${word()}: ${number} })`,
  (word, number) =>
    `  src/${word()}/${word()}.ts:${number % 400}:${number % 80} - ${word()} ${word()} '${word()}' ${word()}`,
  word => `    if (!${word()} || ${word()}.${word()} === "${word()}") return ${word()}\\n`,
  (word, number) =>
    `2026-03-${String(1 + (number % 28)).padStart(2, '0')}T10:11:12Z INFO ${word()} ${word()}=${number} path=/home/dev/${word()}`,
  word =>
    `The ${word()} of the ${word()} is not the ${word()}; the ${word()} must ${word()} before the ${word()} does.`,
  () => '',
]

/**
 * A function that cuts texts of about the asked length from one pool.
 * @param {() => number} random
 * @returns {(length: number) => string}
 */
export function textPool(random) {
  const word = () => pick(random, words)
  const lines = []
  for (let size = 0; size < 1_000_000; ) {
    const line = pick(random, shapes)(word, Math.floor(random() * 10_000))
    lines.push(line)
    size += line.length + 1
  }
  const pool = lines.join('\n')
  return length => {
    const from = Math.floor(random() * (pool.length - 1))
    if (from + length <= pool.length) return pool.slice(from, from + length)
    const rest = length - (pool.length - from)
    return pool.slice(from) + pool.repeat(Math.floor(rest / pool.length)) + pool.slice(0, rest % pool.length)
  }
}

/** Base64-like text, as signatures and images have it. */
export function opaquePool(random) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const pool = Array.from({ length: 300_000 }, () => alphabet[Math.floor(random() * 64)]).join('')
  return length => {
    const from = Math.floor(random() * Math.max(1, pool.length - length))
    return pool.slice(from, from + length)
  }
}

const hex = Array.from({ length: 65536 }, (_, number) => number.toString(16).padStart(4, '0'))

/** Names of things: uuids, and ids with a prefix. */
export function idMaker(random) {
  const four = () => hex[Math.floor(random() * 65536)]
  return {
    uuid: () => `${four()}${four()}-${four()}-4${four().slice(1)}-a${four().slice(1)}-${four()}${four()}${four()}`,
    prefixed: prefix => `${prefix}_01${four()}${four()}${four()}${four()}${four()}`,
    agent: () => `a${four()}${four()}${four()}${four()}`,
  }
}

/** A length with the given median whose tail is long: `spread` 1 means that one in six is more than e times larger. */
export function skewed(random, median, spread) {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return Math.max(1, Math.round(median * Math.exp(spread * normal)))
}
