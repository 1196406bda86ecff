// `npm run bench`: how much the library costs beside the least that any reader must do. Candidates and baselines take
// turns in fresh processes and the median of their ratios counts, since machines are noisy. It changes nothing.
//   npm run bench -- [--size 20|200|1000] [--dir LOGS] [--rounds N] [--quick] [--check] [--no-build] [--only]
//   `--only` leaves the benches of commands out

import { cpus } from 'node:os'
import { join } from 'node:path'
import { build } from '../scripts/build.mjs'
import { run, runNode } from '../scripts/run.mjs'
import { projectRoot } from '../scripts/source.mjs'
import { corpus } from './corpus.mjs'
import { filesIn } from './files.mjs'

/** What is promised. A quick run reads twice and times the second pass, and gets more room: it may share its machine. */
const targets = { eventsToParse: 1.5, graphDoubling: 2.3, peakMegabytes: 200, startRatio: 1.5 }
const quickRoom = 1.6

const args = process.argv.slice(2)
const has = name => args.includes(name)
const option = (name, fallback) => (has(name) ? args[args.indexOf(name) + 1] : fallback)
const median = numbers => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]

async function measure(...work) {
  const flags = work[0] === 'graph' ? ['--expose-gc', '--max-old-space-size=4096'] : []
  const script = join(projectRoot, 'bench/measure.mjs')
  const { code, stdout, output } = await run(process.execPath, [...flags, script, ...work.map(String)])
  if (code !== 0) throw new Error(`measuring ${work.join(' ')} failed\n${output}`)
  return JSON.parse(stdout)
}

async function countLines(root) {
  const started = performance.now()
  const paths = filesIn(root).map(path => join(root, path))
  const { code } = await run('wc', ['-l', ...paths]).catch(() => ({ code: 1 }))
  return {
    ms: code === 0 ? performance.now() - started : Number.NaN,
    cpuMs: Number.NaN,
    findMs: Number.NaN,
    peak: Number.NaN,
  }
}

/** All readers, one after the other, round by round. */
async function readers(root, rounds, passes) {
  const works = {
    parse: () => measure('parse', root, passes),
    wc: () => countLines(root),
    records: () => measure('records', root, passes),
    events: () => measure('events', root, passes),
  }
  const results = { parse: [], wc: [], records: [], events: [] }
  await works.wc()
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(works)) results[name].push(await work())
  }
  return Object.entries(results).map(([name, list]) => ({
    name,
    ms: median(list.map(one => one.ms)),
    ratio: median(list.map((one, round) => one.ms / results.parse[round].ms)),
    cpuRatio: median(list.map((one, round) => one.cpuMs / results.parse[round].cpuMs)),
    findMs: median(list.map(one => one.findMs)),
    peak: Math.max(...list.map(one => one.peak)),
  }))
}

/** Twice the records should take about twice the time. */
async function graphScaling(records, rounds, repeats) {
  const small = []
  const large = []
  for (let round = 0; round < rounds; round++) {
    small.push(await measure('graph', records, repeats))
    large.push(await measure('graph', 2 * records, repeats))
  }
  const ratio = median(large.map((one, round) => one.ms / small[round].ms))
  return { records, small: median(small.map(one => one.ms)), large: median(large.map(one => one.ms)), ratio }
}

/** From the command to its end, beside a Node that does nothing. */
async function startUp(times) {
  const main = join(projectRoot, 'dist/cli/main.js')
  const bare = []
  const ours = []
  const timed = async running => {
    const started = performance.now()
    await running()
    return performance.now() - started
  }
  for (let i = 0; i < times; i++) {
    bare.push(await timed(() => run(process.execPath, ['-e', '0'])))
    ours.push(await timed(() => runNode(main, ['--version'])))
  }
  return { bare: median(bare), ours: median(ours), ratio: median(ours.map((ms, i) => ms / bare[i])) }
}

const labels = { parse: '`JSON.parse` of every line', wc: '`wc -l`', records: 'all records', events: 'all events' }
const seconds = ms => (Number.isNaN(ms) ? '–' : `${(ms / 1000).toFixed(3)} s`)
const times = ratio => (Number.isNaN(ratio) ? '–' : ratio.toFixed(2))
const megabytes = bytes => (Number.isNaN(bytes) ? '–' : `${Math.round(bytes / 1e6)} MB`)

function printReaders(size, files, rows) {
  console.log(
    `\n### ${size}, ${files} files\n\n| reading | time | × \`JSON.parse\` | × in CPU time | finding the files | peak memory |\n|---|--:|--:|--:|--:|--:|`,
  )
  for (const { name, ms, ratio, cpuRatio, findMs, peak } of rows) {
    console.log(
      `| ${labels[name]} | ${seconds(ms)} | ${times(ratio)} | ${times(cpuRatio)} | ${seconds(findMs)} | ${megabytes(peak)} |`,
    )
  }
}

function printRest(graph, start) {
  console.log('\n### Graph and start-up\n\n| what | result |\n|---|---|')
  const { records, small, large, ratio } = graph
  console.log(
    `| graph of ${records} and ${2 * records} records | ${seconds(small)} and ${seconds(large)}: × ${ratio.toFixed(2)} |`,
  )
  console.log(
    `| \`clew --version\` beside bare \`node\` | ${start.ours.toFixed(0)} ms and ${start.bare.toFixed(0)} ms: × ${start.ratio.toFixed(2)} |`,
  )
}

function beyond(rows, graph, start, isQuick) {
  const room = isQuick ? quickRoom : 1
  const events = rows.find(row => row.name === 'events')
  const peak =
    Math.max(...rows.filter(row => row.name === 'events' || row.name === 'records').map(row => row.peak)) / 1e6
  const checks = [
    // A quick run shares its machine, where the clock tells of the neighbours: the smaller of both ratios counts.
    [
      'events over JSON.parse',
      isQuick ? Math.min(events.ratio, events.cpuRatio) : events.ratio,
      targets.eventsToParse * room,
    ],
    ['graph at twice the records', graph.ratio, targets.graphDoubling * room],
    ['`clew --version` over bare Node', start.ratio, targets.startRatio * room],
    ['megabytes of peak memory', peak, targets.peakMegabytes],
  ]
  return checks
    .filter(([, value, limit]) => value > limit)
    .map(([what, value, limit]) => `${what}: ${value.toFixed(2)}, the limit is ${limit.toFixed(2)}`)
}

async function main() {
  const isQuick = has('--quick')
  if (!has('--no-build')) await build()
  const made = has('--dir') ? undefined : corpus(Number(option('--size', isQuick ? 20 : 1000)))
  const root = made?.root ?? option('--dir')
  console.log(
    `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
  )
  const rows = await readers(root, Number(option('--rounds', isQuick ? 4 : 3)), isQuick ? 2 : 1)
  const size = made ? `${Math.round(made.bytes / 1e6)} MB` : root
  printReaders(isQuick ? `${size}, second pass` : size, filesIn(root).length, rows)
  const graph = isQuick ? await graphScaling(20_000, 1, 3) : await graphScaling(50_000, 3, 5)
  const start = await startUp(isQuick ? 7 : 15)
  printRest(graph, start)
  const problems = beyond(rows, graph, start, isQuick)
  for (const problem of problems) console.log(`\nbeyond the target: ${problem}`)
  if (has('--check') && problems.length > 0) process.exitCode = 1
  if (!isQuick && !has('--only')) await commandBenches()
}

/** What commands cost, each in a script of its own. */
async function commandBenches() {
  console.log('\n### Commands\n')
  for (const name of ['ls', 'show', 'archive', 'index', 'grep', 'watch', 'usage', 'statusline', 'web']) {
    const { code, output } = await runNode(join(projectRoot, `bench/${name}.mjs`), [
      '--no-build',
      ...(has('--check') ? ['--check'] : []),
    ])
    console.log(output.trim())
    if (code !== 0) process.exitCode = 1
  }
}

await main()
