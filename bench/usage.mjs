// What `clew usage daily` costs: without an index, next to the quickest peer where it is installed; and from the index, where it
// should hardly matter how long the history is. Processes take turns, and the median of their ratios counts. It changes nothing
// but its own folders under .cache.
//   node bench/usage.mjs [--sizes 20,200,1000] [--rounds N] [--quick] [--check] [--no-build]
// `CLEW_BENCH_PEERS` names a folder with a node_modules in which `ccusage` is installed.

import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { build } from '../scripts/build.mjs'
import { projectRoot } from '../scripts/source.mjs'
import { corpus } from './corpus.mjs'
import { median, ratioOf } from './numbers.mjs'

/** `cold`: of the peer's time. `warm`: of the same at 20 MB. */
const targets = { cold: 1, growth: 1.5, peakMegabytes: 200 }
// A quick run shares its machine.
const quickSlack = 2

const args = process.argv.slice(2)
const has = name => args.includes(name)
const option = (name, fallback) => (has(name) ? args[args.indexOf(name) + 1] : fallback)
const isQuick = has('--quick')
const sizes = option('--sizes', isQuick ? '20' : '20,200,1000')
  .split(',')
  .map(Number)
const rounds = Number(option('--rounds', isQuick ? 5 : 9))
const main = join(projectRoot, 'dist/cli/main.js')
const scratch = join(projectRoot, '.cache/bench/usage')
const peakFile = join(scratch, '..', 'usage-peak')

/** Milliseconds from start to end, and what it printed. */
function timed(program, argv, env = {}) {
  const started = performance.now()
  const done = spawnSync(program, argv, { env: { ...process.env, ...env }, encoding: 'utf8', maxBuffer: 1 << 28 })
  const ms = performance.now() - started
  if (done.status !== 0) throw new Error(`${program} ${argv.join(' ')} failed\n${done.stderr}`)
  return { ms, text: done.stdout }
}

const bareNode = () => timed(process.execPath, ['-e', '0']).ms

function clew(home, root, ...words) {
  const argv = ['--require', join(projectRoot, 'bench/peak.cjs'), main, ...words, '--json', '--quiet']
  const env = { CLAUDE_CONFIG_DIR: root, CLEW_HOME: join(scratch, home), CLEW_BENCH_PEAK: peakFile }
  const done = timed(process.execPath, argv, env)
  return { ...done, peak: Number(readFileSync(peakFile, 'utf8')) }
}

/** The peer's own program, without the script around it; null where it is not installed. */
function peer() {
  const folders = [process.env['CLEW_BENCH_PEERS'], projectRoot].filter(folder => folder !== undefined)
  const name = `@ccusage/ccusage-${process.platform}-${process.arch}`
  for (const folder of folders) {
    try {
      const found = createRequire(join(folder, 'x.js')).resolve(`${name}/bin/ccusage`)
      accessSync(found, constants.X_OK)
      return found
    } catch {}
  }
  const inPath = (process.env['PATH'] ?? '').split(delimiter).map(folder => join(folder, 'ccusage'))
  return inPath.find(path => existsSync(path)) ?? null
}

function cold(root, ccusage) {
  const pairs = []
  let peak = 0
  for (let round = 0; round < rounds; round++) {
    const ours = clew('none', root, 'usage', 'daily', '--no-index')
    peak = Math.max(peak, ours.peak)
    const theirs =
      ccusage === null ? Number.NaN : timed(ccusage, ['daily', '--offline', '--json'], { CLAUDE_CONFIG_DIR: root }).ms
    pairs.push([theirs, ours.ms])
  }
  return { ...ratioOf(pairs), peak }
}

/** Own work: without what Node takes to start. */
function warm(root, megabytes) {
  const home = `warm-${megabytes}`
  clew(home, root, 'index', 'refresh')
  const times = []
  let peak = 0
  for (let round = 0; round < rounds; round++) {
    const bare = bareNode()
    const ours = clew(home, root, 'usage', 'daily')
    peak = Math.max(peak, ours.peak)
    times.push({ all: ours.ms, own: ours.ms - bare })
  }
  return { all: median(times.map(({ all }) => all)), own: median(times.map(({ own }) => own)), peak }
}

if (!has('--no-build')) await build()
rmSync(scratch, { recursive: true, force: true })
const slack = isQuick ? quickSlack : 1
const ccusage = peer()
if (ccusage === null) console.log('ccusage is not installed: see CLEW_BENCH_PEERS; the ratio to it is left out')
const problems = []
let smallest
for (const size of sizes) {
  const { root } = corpus(size)
  const first = cold(root, ccusage)
  const again = warm(root, size)
  smallest ??= again
  const growth = again.own / smallest.own
  const compared = ccusage === null ? '' : ` next to ${first.bare.toFixed(0)} ms of ccusage: × ${first.ratio.toFixed(2)}`
  const peak = Math.max(first.peak, again.peak) / 1e6
  console.log(
    `usage over ${size} MB: without an index ${first.ours.toFixed(0)} ms${compared}; from the index ${again.all.toFixed(0)} ms, of it own work ${again.own.toFixed(0)} ms (× ${growth.toFixed(2)} of ${sizes[0]} MB); peak ${peak.toFixed(0)} MB`,
  )
  if (size >= 200 && first.ratio > targets.cold * slack) problems.push(`without an index × ${first.ratio.toFixed(2)}`)
  if (growth > targets.growth * slack) problems.push(`from the index × ${growth.toFixed(2)} of the smallest`)
  if (peak > targets.peakMegabytes * slack) problems.push(`peak ${peak.toFixed(0)} MB`)
}
rmSync(scratch, { recursive: true, force: true })
if (problems.length > 0) console.log(`over the limit: ${problems.join('; ')}`)
if (has('--check') && problems.length > 0) process.exitCode = 1
