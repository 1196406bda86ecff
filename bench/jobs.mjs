// What is measured: for each group a function that gives rows of the table. A row compares a job with what people would use
// instead, or with the least that any program must do. Promises are here; printing is in bench.mjs.

import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { filesUnder } from '../scripts/source.mjs'
import {
  bareNode,
  clew,
  inTurns,
  mbRow,
  median,
  msRow,
  plainClew,
  quantile,
  ratioRow,
  run,
  scratch,
  shareRow,
  skippedRow,
  work,
} from './kit.mjs'
import {
  appendTurns,
  cache,
  logsIn,
  madeLogs,
  manyFiles,
  manySessions,
  oneSession,
  realFolder,
  realLogs,
} from './logs.mjs'
import { queries } from './queries.mjs'
import { watchRows } from './watch.mjs'
import { webRows } from './web.mjs'
import { writeRows } from './write.mjs'

const parseLoop = '`JSON.parse` of every line'
const sizeOf = root => logsIn(root).reduce((sum, path) => sum + statSync(path).size, 0)
const bytesUnder = root => filesUnder(root).reduce((sum, path) => sum + statSync(join(root, path)).size, 0)
const megabytes = root => `${Math.round(sizeOf(root) / 1e6)} MB`

const refresh = async (home, root, cores) => {
  const { stdout, ms, cpuMs, peak } = await clew(['index', 'refresh', '--json', '--quiet'], { home, root, cores })
  return { ms: JSON.parse(stdout).tookMs, wholeMs: ms, cpuMs, peak }
}

/** First index: the archive is filled first. `cores`: what the command believes in; it starts as many readers. */
async function firstIndex(root, rounds, cores) {
  let peak = 0
  const home = join(cache, 'scratch/first')
  const result = await inTurns(
    rounds,
    () => work('parse', root),
    async () => {
      writeFileSync(join(scratch('first'), 'config.json'), '{"archive":"auto"}')
      const made = await refresh(home, root, cores)
      peak = Math.max(peak, made.peak)
      return made
    },
  )
  return { ...result, peak, home }
}

async function searchTimes(home, root) {
  const { times } = await work('search', home, root, JSON.stringify(queries))
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95) }
}

async function index({ size, files, rounds }) {
  const root = madeLogs(size)
  const name = `first index of ${megabytes(root)}`
  const one = await firstIndex(root, rounds, 1)
  const two = await firstIndex(root, rounds, 2)
  const { p50, p95 } = await searchTimes(two.home, root)
  const dbBytes = bytesUnder(join(two.home, 'index'))
  return [
    ratioRow(`${name}, archive included, 1 reader worker`, parseLoop, one, 4),
    ratioRow('the same with 2 reader workers', parseLoop, two, 4),
    mbRow('its peak memory', Math.max(one.peak, two.peak), 400),
    shareRow('size of the index, of the logs', dbBytes / sizeOf(root), 0.35),
    ratioRow(`refresh, nothing new, ${files} files`, 'a bare stat walk', await nothingNew(manyFiles(files), rounds), 3),
    msRow('refresh after 1 MB was appended, with the start of the process', await appended(root, rounds), 500),
    msRow(`search over ${megabytes(root)}, median of ${queries.length} queries`, p50),
    msRow('the same, p95', p95, 50),
    ...(await realIndex(size, rounds)),
  ]
}

/** The same on logs with the shape of real ones. */
async function realIndex(size, rounds) {
  const root = realLogs(size)
  if (root === undefined) return [skippedRow('first index and search of real-shaped logs', 'no corpus of real logs')]
  const first = await firstIndex(root, rounds, 2)
  const { p95 } = await searchTimes(first.home, root)
  return [
    ratioRow(`first index of ${megabytes(root)} of real-shaped logs, 2 reader workers`, parseLoop, first, 4),
    mbRow('its peak memory', first.peak, 400),
    msRow('search over these, p95', p95, 50),
  ]
}

async function nothingNew(root, rounds) {
  const home = scratch('many')
  await refresh(home, root)
  // Files that were just written are read once more.
  await new Promise(done => setTimeout(done, 2500))
  await refresh(home, root)
  return inTurns(
    rounds,
    () => work('walk', root),
    () => refresh(home, root),
  )
}

/** In a session of usual length. The first is not counted: logs that were copied a moment ago are read once more in it. */
async function appended(root, rounds) {
  const [copy, home] = [scratch('copy'), scratch('appended')]
  cpSync(root, copy, { recursive: true })
  await refresh(home, copy)
  const sessions = logsIn(copy).filter(path => !path.includes('subagents'))
  const bySize = sessions.sort((one, other) => statSync(other).size - statSync(one).size)
  const times = []
  for (let round = 0; round <= Math.max(3, rounds); round++) {
    appendTurns(bySize[Math.floor(bySize.length / 2) + round], 1e6)
    times.push((await refresh(home, copy)).wholeMs)
  }
  rmSync(copy, { recursive: true, force: true })
  return median(times.slice(1))
}

const patterns = [
  ['a text that is nowhere', ['-F', 'zzqqnotthere'], 4],
  ['a rare text', ['-F', '{ value: 4242 }'], 4],
  ['a rare text in any case', ['-i', '-F', '{ VALUE: 4242 }'], 4],
  ['a text in 1 of 100 lines', ['-F', 'Error']],
]

async function grep({ size, rounds }) {
  const root = madeLogs(size)
  const hasRg = await run('rg', ['--version']).then(
    () => true,
    () => false,
  )
  const rows = []
  for (const [name, args, atMost] of patterns) {
    const job = `\`clew grep -c\` over ${megabytes(root)}, ${name}`
    if (!hasRg) rows.push(skippedRow(job, 'ripgrep is not installed'))
    else {
      const result = await inTurns(
        rounds,
        () => run('rg', ['-c', '-uu', '--no-messages', ...args, root]),
        () => plainClew(['grep', ...args, '-c', '--json', '--quiet'], { root }),
      )
      rows.push(ratioRow(job, '`rg -c`', result, atMost))
    }
  }
  const expression = await inTurns(
    Math.min(rounds, 3),
    () => work('parse', root),
    () => plainClew(['grep', '[xq]{4}[0-9]', '-c', '--json', '--quiet'], { root }),
  )
  return [...rows, ratioRow('an expression without a text that is rare', parseLoop, expression)]
}

/** The peer's native program, installed once into the cache; null where that fails. */
async function ccusage() {
  const folder = join(cache, 'peers')
  const name = `@ccusage/ccusage-${process.platform}-${process.arch}`
  const resolve = () => {
    const program = createRequire(join(folder, 'x.js')).resolve(`${name}/bin/ccusage`)
    chmodSync(program, 0o755)
    return program
  }
  try {
    return resolve()
  } catch {}
  try {
    mkdirSync(folder, { recursive: true })
    await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', name])
    return resolve()
  } catch {
    return null
  }
}

async function usage({ size, rounds }) {
  const peer = await ccusage()
  const rows = []
  for (const megabytes of [...new Set([Math.min(size, 200), size])]) {
    const root = madeLogs(megabytes)
    const job = `\`clew usage daily\` without an index, ${megabytes} MB`
    if (peer === null) rows.push(skippedRow(job, 'ccusage cannot be installed here'))
    else {
      const env = { CLAUDE_CONFIG_DIR: root }
      const result = await inTurns(
        rounds,
        () => run(peer, ['daily', '--offline', '--json'], { env }),
        () => plainClew(['usage', 'daily', '--no-index', '--json', '--quiet'], { root }),
      )
      rows.push(ratioRow(job, '`ccusage daily --offline`, native', result, 1))
    }
  }
  const [root, home] = [madeLogs(size), scratch('usage')]
  await refresh(home, root)
  const fromIndex = await inTurns(Math.max(rounds, 9), bareNode, () =>
    plainClew(['usage', 'daily', '--json', '--quiet'], { root, home }),
  )
  const { peak } = await clew(['usage', 'daily', '--no-index', '--json', '--quiet'], { root })
  return [
    ...rows,
    mbRow('its peak memory', peak, 200),
    ratioRow(`\`clew usage daily\` from the index of ${size} MB`, '`node -e 0`', fromIndex, 4),
    await statusline(size, Math.max(rounds, 9)),
  ]
}

const answer = (session, n, at) =>
  `${JSON.stringify({
    parentUuid: `${session}-${n - 1}`,
    isSidechain: false,
    sessionId: session,
    version: '2.1.200',
    type: 'assistant',
    message: {
      id: `msg_${session}_${n}`,
      role: 'assistant',
      model: 'claude-opus-4-5',
      content: [{ type: 'text', text: 'Done.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 9, output_tokens: 400, cache_creation_input_tokens: 900, cache_read_input_tokens: 60_000 },
    },
    requestId: `req_${session}_${n}`,
    uuid: `${session}-${n}`,
    timestamp: new Date(at).toISOString(),
  })}\n`

/** After a day of work in 20 sessions, with an answer written since the last call. */
async function statusline(size, rounds) {
  const [root, home] = [scratch('statusline'), scratch('statusline-home')]
  const today = join(root, 'projects/-home-dev-today')
  mkdirSync(today, { recursive: true })
  const logs = join(madeLogs(size), 'projects')
  for (const name of readdirSync(logs)) symlinkSync(join(logs, name), join(root, 'projects', name))
  const now = Date.now()
  for (let session = 0; session < 20; session++) {
    const lines = Array.from({ length: 150 }, (_, n) => answer(`now-${session}`, n, now - (150 - n) * 60_000))
    writeFileSync(join(today, `now-${session}.jsonl`), lines.join(''))
  }
  const transcript = join(today, 'now-0.jsonl')
  const input = JSON.stringify({
    session_id: 'now-0',
    transcript_path: transcript,
    cwd: '/home/dev/today',
    model: { id: 'claude-opus-4-5', display_name: 'Opus 4.5' },
    cost: { total_cost_usd: 1.5 },
    context_window: { context_window_size: 200_000, used_percentage: 42 },
  })
  const call = () => plainClew(['statusline'], { root, home, input })
  // `≥` means that not everything has been read yet.
  for (let calls = 0, line = '≥'; line.includes('≥') && calls < 99; calls++) line = (await call()).stdout
  const result = await inTurns(rounds, bareNode, round => {
    writeFileSync(transcript, answer('now-0', 150 + round, Date.now()), { flag: 'a' })
    return call()
  })
  return ratioRow(`\`clew statusline\` over ${size} MB, after an answer was written`, '`node -e 0`', result, 2)
}

async function read({ size, rounds }) {
  const root = madeLogs(size)
  let peak = 0
  const events = await inTurns(
    Math.min(rounds, 3),
    () => work('parse', root),
    async () => {
      const done = await work('events', root)
      peak = Math.max(peak, done.peak)
      return done
    },
  )
  const graph = await inTurns(
    Math.min(rounds, 3),
    () => work('graph', 50_000, 3),
    () => work('graph', 100_000, 3),
  )
  return [
    ratioRow(`all events of ${megabytes(root)}`, parseLoop, events, 1.5),
    mbRow('its peak memory', peak, 200),
    ratioRow('graph of 100,000 records', 'of 50,000 records', graph, 2.3),
    ratioRow('`clew --version`', '`node -e 0`', await inTurns(15, bareNode, () => plainClew(['--version'])), 1.5),
  ]
}

async function list({ size, rounds }) {
  const root = manySessions(2000, size)
  const table = await inTurns(
    rounds,
    () => run(process.execPath, ['bench/work.mjs', 'ends', root]),
    () => plainClew(['ls'], { root }),
  )
  const long = await inTurns(
    Math.min(rounds, 3),
    () => run(process.execPath, ['bench/work.mjs', 'parse', root]),
    () => plainClew(['ls', '--long'], { root }),
  )
  const [small, large] = [oneSession(1).path, oneSession(50).path]
  const screen = await inTurns(
    Math.max(rounds, 9),
    () => firstScreen(small),
    () => firstScreen(large),
  )
  return [
    ratioRow(`\`clew ls\` over 2,000 files, ${megabytes(root)}`, 'reading the first and last 64 KiB of each', table, 3),
    ratioRow('`clew ls --long` over the same', parseLoop, long, 1.5),
    ratioRow('first screen of `clew show`, 50 MB', '1 MB', screen, 1.3),
  ]
}

/** Until 24 lines were printed; then the reader leaves, as a pager does. */
function firstScreen(path) {
  return new Promise((done, fail) => {
    const started = performance.now()
    const child = spawn(process.execPath, ['dist/cli/main.js', 'show', path], { stdio: ['ignore', 'pipe', 'inherit'] })
    let lines = 0
    let ms
    child.stdout.on('data', chunk => {
      lines += chunk.toString().split('\n').length - 1
      if (lines < 24 || ms !== undefined) return
      ms = performance.now() - started
      child.stdout.destroy()
    })
    child.on('error', fail)
    child.on('close', () => (ms === undefined ? fail(new Error('show printed less than a screen')) : done({ ms })))
  })
}

async function archive({ size, files, rounds }) {
  const root = madeLogs(size)
  const folder = join(cache, 'scratch/archive')
  let peak = 0
  const first = await inTurns(
    Math.min(rounds, 3),
    () => run('sh', ['-c', 'tar cf - -C "$0" . | gzip -6 > /dev/null', root]),
    async () => {
      scratch('archive')
      const done = await clew(['archive', 'run', '--quiet'], { home: folder, root })
      peak = Math.max(peak, done.peak)
      return done
    },
  )
  const many = manyFiles(files)
  await work('archive', many, scratch('archive-many'))
  await new Promise(done => setTimeout(done, 2500))
  const manyFolder = join(cache, 'scratch/archive-many')
  await work('archive', many, manyFolder)
  const again = await inTurns(
    rounds,
    () => work('walk', many),
    () => work('archive', many, manyFolder),
  )
  const stored = async (name, from, atMost) => {
    const to = scratch('archive-stored')
    await work('archive', from, to)
    return shareRow(`stored for ${name}, of their size`, bytesUnder(to) / bytesUnder(from), atMost)
  }
  return [
    ratioRow(`first \`clew archive run\` over ${megabytes(root)}`, '`tar | gzip -6`'.replace('|', '\\|'), first, 2),
    mbRow('its peak memory', peak),
    ratioRow(`the next one over ${files} files, nothing new`, 'a bare stat walk', again, 3),
    await stored('made-up logs', root),
    existsSync(realFolder)
      ? await stored('real logs', realFolder, 0.22)
      : skippedRow('stored for real logs', 'no corpus'),
  ]
}

/** Group → its rows, in the order of the table: first what was promised to people, then the rest. */
export const groups = { index, grep, usage, archive, list, read, watch: watchRows, write: writeRows, web: webRows }
