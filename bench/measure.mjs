// One measurement in a process of its own: does the work named by its first argument and prints time, peak memory and a
// count as JSON. `ms` is reading alone, `cpuMs` the processor time of it in all threads; finding the files is apart in
// `findMs`, and Node's own start in none of them.
//   node bench/measure.mjs parse|records|events ROOT [PASSES]: the last pass is timed, so 2 leaves compiling out
//   node bench/measure.mjs graph RECORDS ROUNDS

import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { filesIn } from './files.mjs'

const library = () => import(new URL('../dist/index.js', import.meta.url).href)

/** The least that any reader must do: chunks, lines, JSON.parse. */
function parseEveryLine(paths) {
  const chunk = Buffer.allocUnsafe(1 << 20)
  let count = 0
  for (const path of paths) {
    const file = openSync(path, 'r')
    const held = []
    for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) {
      const view = chunk.subarray(0, size)
      let from = 0
      for (let at = view.indexOf(10); at !== -1; at = view.indexOf(10, from)) {
        held.push(view.subarray(from, at))
        const line = held.length === 1 ? held[0] : Buffer.concat(held)
        held.length = 0
        JSON.parse(line.toString('utf8'))
        count++
        from = at + 1
      }
      if (from < size) held.push(Buffer.from(view.subarray(from)))
    }
    closeSync(file)
    if (held.length === 0) continue
    JSON.parse(Buffer.concat(held).toString('utf8'))
    count++
  }
  return count
}

async function parse(root, passes) {
  const [paths, findMs] = await timed(() => filesIn(root).map(path => join(root, path)))
  const [count, ms, cpuMs] = await timed(() => parseEveryLine(paths), passes)
  return { ms, cpuMs, findMs, count }
}

/** Everything under the root with the public library, one record or event at a time. */
async function stream(root, kind, passes) {
  const { discover, diskSource, readEvents, readRecords } = await library()
  const [{ sessions }, findMs] = await timed(() => discover(root))
  const logs = sessions.flatMap(session => session.logs)
  const source = diskSource()
  const read = kind === 'records' ? readRecords : readEvents
  const [count, ms, cpuMs] = await timed(async () => {
    let seen = 0
    for (const log of logs) for await (const _ of read(source, log)) seen++
    return seen
  }, passes)
  return { ms, cpuMs, findMs, count }
}

/** Median time of building the graph of one session, its events decoded beforehand. */
async function graph(records, rounds) {
  const { sessionText } = await import('./session.mjs')
  const { buildGraph, decodeText } = await library()
  const { events } = decodeText(sessionText(records))
  const files = [{ path: 'session.jsonl', role: 'session', events }]
  const times = []
  for (let round = 0; round <= rounds; round++) {
    globalThis.gc?.()
    const started = performance.now()
    buildGraph(events[0].session, files)
    if (round > 0) times.push(performance.now() - started)
  }
  return { ms: times.sort((a, b) => a - b)[Math.floor(times.length / 2)], count: events.length }
}

async function timed(work, passes = 1) {
  for (let pass = 1; pass < passes; pass++) await work()
  const started = performance.now()
  const used = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(used)
  return [result, performance.now() - started, (user + system) / 1000]
}

const [work, first, second] = process.argv.slice(2)
const works = { parse: () => parse(first, Number(second ?? 1)), graph: () => graph(Number(first), Number(second)) }
const done = await (works[work] ?? (() => stream(first, work, Number(second ?? 1))))()
console.log(JSON.stringify({ ...done, peak: process.resourceUsage().maxRSS * 1024 }))
