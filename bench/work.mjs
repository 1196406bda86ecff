// One piece of work in a process of its own, as JSON: `ms` and `cpuMs` are the work alone, without Node's start and without
// finding files.
//   node bench/work.mjs parse|walk|ends|records|events ROOT
//   node bench/work.mjs graph RECORDS ROUNDS
//   node bench/work.mjs archive ROOT FOLDER
//   node bench/work.mjs search CLEW_HOME ROOT QUERIES
//   node bench/work.mjs append RECORDS FOLDER [COPY]
//   node bench/work.mjs append-turns RECORDS FOLDER
//   node bench/work.mjs append-file LINES FOLDER
//   node bench/work.mjs open-end SESSION FOLDER

import {
  appendFileSync,
  closeSync,
  copyFileSync,
  fstatSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from '../scripts/source.mjs'
import { logsIn } from './logs.mjs'

const library = () => import(pathToFileURL(join(projectRoot, 'dist/index.js')).href)

/** The least that any reader must do: chunks, lines, JSON.parse. */
function parseEveryLine(paths) {
  const chunk = Buffer.allocUnsafe(1 << 20)
  for (const path of paths) {
    const file = openSync(path, 'r')
    const rest = []
    for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) {
      const view = chunk.subarray(0, size)
      let from = 0
      for (let at = view.indexOf(10); at !== -1; at = view.indexOf(10, from)) {
        rest.push(view.subarray(from, at))
        const line = rest.length === 1 ? rest[0] : Buffer.concat(rest)
        rest.length = 0
        if (line.length > 0) JSON.parse(line.toString('utf8'))
        from = at + 1
      }
      if (from < size) rest.push(Buffer.from(view.subarray(from)))
    }
    closeSync(file)
    if (rest.length > 0) JSON.parse(Buffer.concat(rest).toString('utf8'))
  }
}

/** The least that any look for changes must do. */
function walk(folder, look) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) walk(path, look)
    else look(path)
  }
}

/** The least that a list of sessions must read. */
function readEnds(path) {
  const buffer = Buffer.allocUnsafe(64 * 1024)
  const file = openSync(path, 'r')
  const { size } = fstatSync(file)
  readSync(file, buffer, 0, buffer.length, 0)
  if (size > buffer.length) readSync(file, buffer, 0, buffer.length, Math.max(buffer.length, size - buffer.length))
  closeSync(file)
}

async function read(root, kind) {
  const { discover, diskSource, readEvents, readRecords } = await library()
  const logs = (await discover(root)).sessions.flatMap(session => session.logs)
  const source = diskSource()
  const reader = kind === 'records' ? readRecords : readEvents
  return timed(async () => {
    for (const log of logs) for await (const _ of reader(source, log));
  })
}

/** Median time of building the graph of one session, its events decoded before. */
async function graph(records, rounds) {
  const { sessionText } = await import('./session.mjs')
  const { buildGraph, decodeText } = await library()
  const { events } = decodeText(sessionText(records))
  const files = [{ path: 'session.jsonl', role: 'session', events }]
  const times = []
  for (let round = 0; round <= rounds; round++) {
    globalThis.gc?.()
    const { ms } = await timed(() => buildGraph(events[0].session, files))
    if (round > 0) times.push(ms)
  }
  return { ms: times.sort((a, b) => a - b)[Math.floor(times.length / 2)] }
}

async function archive(root, folder) {
  const { Archive, capture } = await library()
  return timed(async () => {
    const { failure } = await capture(new Archive(folder), { roots: [root] })
    if (failure) throw failure
  })
}

/** Each query several times in one process; the median of the later ones counts. `times`: milliseconds of each query. */
async function search(home, root, queries) {
  const { build } = await import('esbuild')
  const folder = mkdtempSync(join(projectRoot, '.cache/search-'))
  try {
    const outfile = join(folder, 'search.mjs')
    const names = ['store/open', 'store/source', 'search/query', 'search/search']
    const contents = names.map(name => `export * from './${name}.ts'`).join('\n')
    const stdin = { contents, resolveDir: join(projectRoot, 'src/index') }
    const options = { bundle: true, format: 'esm', platform: 'node', packages: 'external', logLevel: 'error' }
    await build({ ...options, stdin, outfile })
    const { openSource, openToRead, parseQuery, search: find } = await import(pathToFileURL(outfile).href)
    const [db, source, now] = [openToRead(home), openSource(home), Date.now()]
    const times = queries.map(text => {
      const taken = []
      for (let round = 0; round < 8; round++) {
        const started = performance.now()
        find(db, source, parseQuery(text, { now }), { limit: 10, isGrouped: true, now, roots: [root] })
        taken.push(performance.now() - started)
      }
      return taken.slice(3).sort((a, b) => a - b)[2]
    })
    return { times }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const writing = () => import(pathToFileURL(join(projectRoot, 'dist/write.js')).href)

/** Turns of four records. `copy`: where the lines go to afterwards. `isWhole`: a turn in one append. */
async function append(records, folder, copy, isWhole = false) {
  const { answer, createSession, prompt, toolCall, toolResult } = await writing()
  const options = { folder, cwd: '/home/mira/bakery', clewHome: join(folder, 'clew'), fsync: 'none' }
  const writer = await createSession(options)
  const message = { model: 'claude-opus-5', usage: { inputTokens: 3, outputTokens: 5 } }
  const turn = n => [
    prompt(`Please look at file ${n} and say what is wrong with it, then mend it.`),
    answer([toolCall(`toolu_${n}`, 'Read', { file_path: `/src/file-${n}.ts` })], {
      ...message,
      stopReason: 'tool_use',
    }),
    toolResult(`toolu_${n}`, `const loaves = ${n}\n`.repeat(12)),
    answer(`The file ${n} is fine. `.repeat(6), { ...message, stopReason: 'end_turn' }),
  ]
  const used = await timed(async () => {
    for (let n = 0; n < records / 4; n++) {
      if (isWhole) await writer.appendAll(turn(n))
      else for (const event of turn(n)) await writer.append(event)
    }
  })
  await writer.close()
  if (copy !== undefined) copyFileSync(writer.path, copy)
  return used
}

/** The least that any writer of lines must do. */
function appendLines(path, folder) {
  const lines = readFileSync(path, 'utf8')
    .split(/(?<=\n)/)
    .map(line => Buffer.from(line))
  const to = join(folder, 'bare.jsonl')
  return timed(() => {
    for (const line of lines) appendFileSync(to, line)
  })
}

/** `read`: bytes that the system was asked for from the opening to the first append; NaN where it does not say. */
async function openEnd(path, folder) {
  const { openSession, prompt } = await writing()
  const asked = () => Number(/rchar: (\d+)/.exec(attemptRead('/proc/self/io'))?.[1] ?? Number.NaN)
  const { size } = statSync(path)
  const before = asked()
  const used = await timed(async () => {
    const writer = await openSession(path, { clewHome: folder, fsync: 'none' })
    await writer.append(prompt('And now?'))
    await writer.close()
  })
  const read = asked() - before
  // Other benches use it too.
  truncateSync(path, size)
  return { ...used, read }
}

function attemptRead(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

async function timed(task) {
  const started = performance.now()
  const used = process.cpuUsage()
  await task()
  const { user, system } = process.cpuUsage(used)
  return { ms: performance.now() - started, cpuMs: (user + system) / 1000 }
}

const [name, first, second, third] = process.argv.slice(2)
const works = {
  parse: () => {
    const paths = logsIn(first)
    return timed(() => parseEveryLine(paths))
  },
  walk: () => timed(() => walk(first, lstatSync)),
  ends: () => timed(() => walk(first, path => path.endsWith('.jsonl') && readEnds(path))),
  records: () => read(first, 'records'),
  events: () => read(first, 'events'),
  graph: () => graph(Number(first), Number(second)),
  archive: () => archive(first, second),
  search: () => search(first, second, JSON.parse(third)),
  append: () => append(Number(first), second, third),
  'append-turns': () => append(Number(first), second, undefined, true),
  'append-file': () => appendLines(first, second),
  'open-end': () => openEnd(first, second),
}
console.log(JSON.stringify({ ...(await works[name]()), peak: process.resourceUsage().maxRSS * 1024 }))
