// What archiving costs: the first run compared with `tar | gzip -6` of the same tree, a run over unchanged files compared
// with a bare stat walk, and how many bytes are stored for real logs and for forks. It changes nothing but its own folders
// under .cache.
//   node bench/archive.mjs [--size 1000] [--files 10000] [--rounds N] [--quick] [--check] [--no-build]

import { spawn } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../scripts/run.mjs'
import { projectRoot } from '../scripts/source.mjs'
import { bareWalk, manyFiles } from './many-files.mjs'
import { ratioOf } from './numbers.mjs'

const targets = { first: 2, again: 3, stored: 0.22 }
// A `--quick` run shares its machine and is over in milliseconds.
const quickTolerance = 2

const args = process.argv.slice(2)
const has = name => args.includes(name)
const option = (name, fallback) => (has(name) ? args[args.indexOf(name) + 1] : fallback)
const script = fileURLToPath(import.meta.url)
const scratch = join(projectRoot, '.cache/bench/archive')

/** One piece of work in this process, timed without Node's start. */
async function work(name, root) {
  const { Archive, keep } = await import(join(projectRoot, 'dist/index.js'))
  const started = performance.now()
  const usedBefore = process.cpuUsage()
  if (name === 'walk') bareWalk(root)
  else {
    const report = await keep(new Archive(scratch), { roots: [root] })
    if (report.failure) throw report.failure
  }
  const ms = performance.now() - started
  const { user, system } = process.cpuUsage(usedBefore)
  console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000, peak: process.resourceUsage().maxRSS * 1024 }))
}

async function measured(name, root) {
  const { code, stdout, output } = await run(process.execPath, [script, '--work', name, root])
  if (code !== 0) throw new Error(`${name} failed\n${output}`)
  return JSON.parse(stdout)
}

/** `tar c root | gzip -6`, from start to end. */
function tarGzip(root) {
  const started = performance.now()
  const tar = spawn('tar', ['cf', '-', '-C', root, '.'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const gzip = spawn('gzip', ['-6', '-c'], { stdio: [tar.stdout, 'ignore', 'inherit'] })
  return new Promise((done, fail) => {
    gzip.on('error', fail)
    gzip.on('close', code => (code === 0 ? done(performance.now() - started) : fail(new Error('gzip failed'))))
  })
}

/** The first run, from process start to end, since tar's start counts too. */
async function firstRun(root, rounds) {
  const pairs = []
  let peak = 0
  for (let round = 0; round < rounds; round++) {
    const bare = await tarGzip(root)
    rmSync(scratch, { recursive: true, force: true })
    const started = performance.now()
    peak = Math.max(peak, (await measured('keep', root)).peak)
    pairs.push([bare, performance.now() - started])
  }
  return { ...ratioOf(pairs), peak }
}

async function unchangedRun(root, rounds) {
  rmSync(scratch, { recursive: true, force: true })
  await measured('keep', root)
  // Files that were just written are looked into once more.
  await new Promise(done => setTimeout(done, 2500))
  await measured('keep', root)
  const pairs = []
  for (let round = 0; round < rounds; round++) {
    pairs.push([(await measured('walk', root)).ms, (await measured('keep', root)).ms])
  }
  return ratioOf(pairs)
}

/** Raw bytes, and what the whole archive takes on disk for them. */
async function storedPart(root) {
  rmSync(scratch, { recursive: true, force: true })
  await measured('keep', root)
  return { raw: bareWalk(root).bytes, stored: bareWalk(scratch).bytes }
}

/** Sessions, and a fork of each that repeats its first part byte for byte and then goes on. */
function forks(source) {
  const root = join(projectRoot, '.cache/bench/archive-forks')
  if (existsSync(join(root, 'made'))) return root
  const folder = join(root, 'projects/-home-dev-forks')
  mkdirSync(folder, { recursive: true })
  const logs = readdirSync(source, { recursive: true }).filter(name => name.endsWith('.jsonl'))
  const large = logs.map(name => join(source, name)).filter(path => lstatSync(path).size > 600_000)
  for (const [index, path] of large.slice(0, 12).entries()) {
    const lines = readFileSync(path, 'utf8').split('\n')
    const head = lines.slice(0, Math.ceil(lines.length * 0.8)).join('\n')
    writeFileSync(join(folder, `original-${index}.jsonl`), lines.join('\n'))
    writeFileSync(join(folder, `fork-${index}.jsonl`), `${head}\n{"type":"user","fork":${index}}\n`)
  }
  writeFileSync(join(root, 'made'), '')
  return root
}

const percent = part => `${(100 * part).toFixed(1)} %`

async function main() {
  if (!has('--no-build')) {
    const { build } = await import('../scripts/build.mjs')
    await build()
  }
  const { corpus } = await import('./corpus.mjs')
  const isQuick = has('--quick')
  const rounds = Number(option('--rounds', isQuick ? 3 : 5))
  const made = corpus(Number(option('--size', isQuick ? 20 : 1000)))
  const tolerance = isQuick ? quickTolerance : 1
  const problems = []
  const check = (what, value, limit) => {
    if (value > limit) problems.push(`${what}: ${value.toFixed(2)}, the limit is ${limit.toFixed(2)}`)
  }
  console.log('| archive | bare | clew | ratio | at most |\n|---|--:|--:|--:|--:|')
  const first = await firstRun(made.root, isQuick ? 2 : Math.min(rounds, 3))
  const line = (name, { bare, ours, ratio }, limit) =>
    console.log(
      `| ${name} | ${Math.round(bare)} ms | ${Math.round(ours)} ms | ${ratio.toFixed(2)} | ${limit.toFixed(1)} |`,
    )
  line(`first run, ${Math.round(made.bytes / 1e6)} MB, compared with \`tar \\| gzip -6\``, first, targets.first)
  check('first run', first.ratio, targets.first * tolerance)
  const count = Number(option('--files', isQuick ? 2000 : 10_000))
  const again = await unchangedRun(manyFiles(count), rounds)
  line(`nothing new in ${count} files, compared with a stat walk`, again, targets.again)
  check('nothing new', again.ratio, targets.again * tolerance)
  console.log(`\nPeak memory of the first run: ${Math.round(first.peak / 1e6)} MB.`)
  const real = resolve(projectRoot, '../shared/corpus/public')
  for (const [name, root] of [
    ['real logs', existsSync(real) ? real : null],
    ['made logs', made.root],
    ['forks that repeat 80 %', forks(existsSync(real) ? real : made.root)],
  ]) {
    if (root === null) continue
    const { raw, stored } = await storedPart(root)
    console.log(
      `Stored for ${name}: ${(stored / 1e6).toFixed(1)} MB of ${(raw / 1e6).toFixed(1)} MB, ${percent(stored / raw)}.`,
    )
    if (name === 'real logs') check('stored part', stored / raw, targets.stored)
  }
  rmSync(scratch, { recursive: true, force: true })
  for (const problem of problems) console.log(`\nbeyond the target: ${problem}`)
  if (has('--check') && problems.length > 0) process.exitCode = 1
}

if (args[0] === '--work') await work(args[1], args[2])
else await main()
