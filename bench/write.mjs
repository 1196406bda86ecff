// How fast sessions are written: `append` of `clew/write` next to the bare call of Node's for the same bytes, and how much of a long
// session is read to continue it.

import { join } from 'node:path'
import { inTurns, mbRow, median, msRow, ratioRow, scratch, work } from './kit.mjs'
import { oneSession } from './logs.mjs'

const records = 100_000
const bare = '`fs.appendFileSync` of each'
const name = records.toLocaleString('en')

export async function writeRows({ size, rounds }) {
  const folder = scratch('append')
  const path = join(folder, 'same.jsonl')
  const times = []
  // The bytes to compare with are those of a first run.
  await work('append', records, scratch('append/first'), path)
  const result = await inTurns(
    rounds,
    () => work('append-file', path, scratch('append/bare')),
    async () => {
      const done = await work('append', records, scratch('append/ours'))
      times.push((done.ms * 20_000) / records)
      return done
    },
  )
  const turns = await inTurns(
    rounds,
    () => work('append-file', path, scratch('append/bare')),
    () => work('append-turns', records, scratch('append/ours')),
  )
  const { read } = await work('open-end', oneSession(size).path, scratch('append/lock'))
  return [
    ratioRow(`append ${name} records, each when the one before was acknowledged`, bare, result),
    ratioRow('the same in turns of four, with `appendAll`', bare, turns, 2),
    msRow('20,000 of them, one by one', median(times), 1000),
    mbRow(`read to continue a session of ${size} MB`, read, 0.5),
  ]
}
