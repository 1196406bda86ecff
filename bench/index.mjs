// What the index costs: the first one (archiving included) against JSON.parse of every line, a refresh with nothing new against
// a bare stat walk, a refresh after 1 MB was appended, and how long searches take as the history grows. It changes nothing but
// its own folders under .cache.
//   node bench/index.mjs [--size 1000] [--files 10000] [--rounds N] [--quick] [--check] [--no-build]

import { appendFileSync, cpSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { run } from '../scripts/run.mjs'
import { projectRoot } from '../scripts/source.mjs'
import { corpus } from './corpus.mjs'
import { manyFiles, walkMs } from './many-files.mjs'
import { median, quantile, ratioOf } from './numbers.mjs'
import { material, SessionWriter } from './session.mjs'

const targets = { first: 4, peakMegabytes: 400, share: 0.35, again: 3, appendedMs: 500, searchMs: 50, growth: 1 }
// A quick run shares its machine and is over in milliseconds.
const quickRoom = 2

const args = process.argv.slice(2)
const has = name => args.includes(name)
const option = (name, fallback) => (has(name) ? args[args.indexOf(name) + 1] : fallback)
const scratch = join(projectRoot, '.cache/bench/index')
const main = join(projectRoot, 'dist/cli/main.js')

/** What a command prints as JSON, with its peak memory and its time, the start of the process included. */
async function clew(home, ...words) {
  const peakFile = join(scratch, '..', 'index-peak')
  const env = { ...process.env, CLEW_BENCH_PEAK: peakFile, CLEW_HOME: join(scratch, home) }
  const command = ['--require', join(projectRoot, 'bench/peak.cjs'), main, ...words, '--json', '--quiet']
  const started = performance.now()
  const { code, stdout, output } = await run(process.execPath, command, { env })
  const wallMs = performance.now() - started
  if (code > 1) throw new Error(`clew ${words.join(' ')} failed\n${output}`)
  const peak = Number(readFileSync(peakFile, 'utf8'))
  rmSync(peakFile, { force: true })
  return { ...JSON.parse(stdout), peak, wallMs }
}

const refresh = (home, root) => clew(home, 'index', 'refresh', '--root', root)

async function parseMs(root) {
  const { stdout } = await run(process.execPath, [join(projectRoot, 'bench/measure.mjs'), 'parse', root])
  return JSON.parse(stdout).ms
}

async function firstIndex(root, rounds) {
  const pairs = []
  let peak = 0
  for (let round = 0; round < rounds; round++) {
    const bare = await parseMs(root)
    rmSync(join(scratch, 'first'), { recursive: true, force: true })
    const made = await refresh('first', root)
    pairs.push([bare, made.tookMs])
    peak = Math.max(peak, made.peak)
  }
  const { dbBytes, indexedBytes } = await clew('first', 'index', 'status', '--root', root)
  return { ...ratioOf(pairs), peak, share: dbBytes / indexedBytes }
}

async function nothingNew(root, rounds) {
  rmSync(join(scratch, 'many'), { recursive: true, force: true })
  await refresh('many', root)
  // Files that were just written are read once more.
  await new Promise(done => setTimeout(done, 2500))
  await refresh('many', root)
  const pairs = []
  for (let round = 0; round < rounds; round++) {
    const bare = await walkMs(root)
    pairs.push([bare, (await refresh('many', root)).tookMs])
  }
  return ratioOf(pairs)
}

/** 1 MB more in a session of usual length, and in the longest one, as a session that goes on would write it. */
async function appended(made, rounds) {
  const copy = join(scratch, 'copy')
  rmSync(copy, { recursive: true, force: true })
  cpSync(made.root, copy, { recursive: true })
  rmSync(join(scratch, 'grown'), { recursive: true, force: true })
  await refresh('grown', copy)
  const mains = made.files.filter(file => !file.includes('subagents')).map(file => join(copy, file))
  const bySize = mains.sort((a, b) => statSync(b).size - statSync(a).size)
  const writer = new SessionWriter(material(99))
  const grow = async file => {
    let text = ''
    while (text.length < 1e6) text += [...writer.turn()].map(record => `${JSON.stringify(record)}\n`).join('')
    appendFileSync(file, text)
    return (await refresh('grown', copy)).wallMs
  }
  const middle = Math.floor(bySize.length / 2)
  const times = []
  for (let round = 0; round < rounds; round++) times.push(await grow(bySize[middle + round]))
  const longest = []
  for (let round = 0; round < 3; round++) longest.push(await grow(bySize[0]))
  rmSync(copy, { recursive: true, force: true })
  return {
    ms: median(times),
    longestMs: median(longest),
    longestBytes: statSync(join(made.root, relative(copy, bySize[0]))).size,
  }
}

/** Words that stand in nearly every text, in few, in none; phrases, beginnings, operators and filters. */
const queries = [
  'cart',
  'total',
  'error',
  'Zürich',
  '数',
  'nowhereatall',
  'cart total',
  '"must cart before"',
  '"the total of the"',
  'sess*',
  'conf*',
  'cart OR stock',
  'cart -total',
  'cart NOT (total OR price)',
  'src/cart/total.ts',
  'path',
  '2026-03-11',
  'tool:Bash cart',
  'kind:prompt total',
  'kind:answer error',
  'is:error stock',
  'project:shop cart',
  'model:opus cart',
  'since:2026-05-01 cart',
  'until:2026-02-01 cart',
  'file:cart.ts total',
  'tool:Edit kind:tool-results price',
  'größe',
  'naive',
  'rounding',
  'request response config',
  '"request response"',
  'build module export index',
  'title:x cart',
  'kind:title rounding',
  'is:error',
  'tool:Bash',
  'cart total price items stock order',
  'e*',
  'tests please',
]

/** Each query several times in one process, which is warm by then; and once in a process of its own, with a cold one's tookMs. */
async function searches(home, root) {
  const work = join(projectRoot, 'bench/search-work.mjs')
  const { code, stdout, output } = await run(process.execPath, [
    work,
    join(scratch, home),
    root,
    JSON.stringify(queries),
  ])
  if (code !== 0) throw new Error(`searching failed\n${output}`)
  const times = JSON.parse(stdout)
  const cold = []
  for (const query of queries.slice(0, 12)) cold.push((await clew(home, 'search', query, '--root', root)).tookMs)
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95), worst: Math.max(...times), cold: median(cold) }
}

async function bench() {
  if (!has('--no-build')) {
    const { build } = await import('../scripts/build.mjs')
    await build()
  }
  const isQuick = has('--quick')
  const size = Number(option('--size', isQuick ? 20 : 1000))
  const rounds = Number(option('--rounds', isQuick ? 2 : 3))
  const made = corpus(size)
  const problems = []
  const check = (what, value, limit) => {
    if (value > limit) problems.push(`${what}: ${value.toFixed(2)}, the limit is ${limit.toFixed(2)}`)
  }
  const room = isQuick ? quickRoom : 1
  rmSync(scratch, { recursive: true, force: true })
  const first = await firstIndex(made.root, rounds)
  console.log('| index | bare | clew | ratio | at most |\n|---|--:|--:|--:|--:|')
  row(`first index of ${Math.round(made.bytes / 1e6)} MB, archived first, against JSON.parse`, first, targets.first)
  // What a start costs is most of a small first index.
  check('first index', first.ratio, targets.first * (isQuick ? 4 : 1))
  const count = Number(option('--files', isQuick ? 2000 : 10_000))
  const again = await nothingNew(manyFiles(count), isQuick ? 3 : 7)
  row(`nothing new in ${count} files, against a stat walk`, again, targets.again)
  check('nothing new', again.ratio, targets.again * room)
  const grown = await appended(made, isQuick ? 3 : 7)
  const megabytes = Math.round(made.bytes / 1e6)
  console.log(`
1 MB appended to ${megabytes} MB: refreshed in ${Math.round(grown.ms)} ms, the start of the process included.`)
  console.log(
    `The same in the longest session, ${Math.round(grown.longestBytes / 1e6)} MB: ${Math.round(grown.longestMs)} ms.`,
  )
  check('refresh after 1 MB, ms', grown.ms, targets.appendedMs * room)
  console.log(`Peak memory of the first index: ${Math.round(first.peak / 1e6)} MB.`)
  console.log(`The index takes ${(100 * first.share).toFixed(1)} % of the logs.`)
  check('peak megabytes', first.peak / 1e6, targets.peakMegabytes)
  check('share of the logs', first.share, targets.share * (isQuick ? 2 : 1))
  await growth(made, size, check, room)
  rmSync(scratch, { recursive: true, force: true })
  for (const problem of problems) console.log(`\nbeyond the target: ${problem}`)
  if (has('--check') && problems.length > 0) process.exitCode = 1
}

/** The same queries over a history and over a fifth of it. */
async function growth(made, size, check, room) {
  const small = corpus(size >= 1000 ? 200 : 20)
  await refresh('small', small.root)
  const less = await searches('small', small.root)
  const more = await searches('first', made.root)
  const line = (bytes, { p50, p95, worst, cold }) =>
    `${Math.round(bytes / 1e6)} MB: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, worst ${worst.toFixed(1)} ms; ${cold.toFixed(0)} ms in a process that just began`
  console.log(`${queries.length} searches over ${line(small.bytes, less)}.`)
  console.log(`The same over ${line(made.bytes, more)}.`)
  check('search p95, ms', more.p95, targets.searchMs * room)
  if (made.bytes > small.bytes)
    check('growth of p95 per growth of data', more.p95 / less.p95 / (made.bytes / small.bytes), targets.growth)
}

function row(name, { bare, ours, ratio }, limit) {
  console.log(
    `| ${name} | ${Math.round(bare)} ms | ${Math.round(ours)} ms | ${ratio.toFixed(2)} | ${limit.toFixed(1)} |`,
  )
}

await bench()
