// How long `clew ls` takes beside the least that any list must do: the table beside a walk that reads both ends of every
// file, and `--long` beside JSON.parse of every line. Whole processes take turns, and the median of their ratios counts.
//   node bench/ls.mjs [--files 2000] [--size 1000] [--rounds N] [--dist FOLDER] [--check] [--no-build]

import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../scripts/run.mjs'
import { projectRoot } from '../scripts/source.mjs'
import { material, SessionWriter } from './session.mjs'
import { skewed } from './text.mjs'

const targets = { table: 3, long: 1.5 }
const generation = 1
const windowBytes = 64 * 1024

const args = process.argv.slice(2)
const option = (name, fallback) => (args.includes(name) ? args[args.indexOf(name) + 1] : fallback)
const median = numbers => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]

/** A projects folder of that many sessions, a main file each, of that many megabytes together. */
function sessions(count, megabytes) {
  const root = join(projectRoot, '.cache/bench', `ls-${count}-${megabytes}mb`)
  const mark = join(root, `made-${generation}`)
  if (existsSync(mark)) return root
  const shared = material(7)
  const mean = (megabytes * 1e6) / count
  let left = megabytes * 1e6
  for (let made = 0; made < count; made++) {
    const writer = new SessionWriter(shared)
    const path = join(root, 'projects', writer.cwd.replace(/[^A-Za-z0-9]/g, '-'), `${writer.id}.jsonl`)
    const target =
      made === count - 1 ? left : Math.min(skewed(shared.random, mean * 0.8, 1), left - (count - made) * 2000)
    left -= writeSession(path, writer, Math.max(2000, target))
  }
  writeFileSync(mark, '')
  return root
}

function writeSession(path, writer, size) {
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, 'w')
  let written = 0
  while (written < size) {
    const lines = [...writer.turn()].map(record => `${JSON.stringify(record)}\n`)
    written += writeSync(file, lines.join(''))
  }
  closeSync(file)
  return written
}

/** The least that a table of sessions must read. */
function bareWalk(folder) {
  const buffer = Buffer.allocUnsafe(windowBytes)
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += bareWalk(path)
    else if (entry.name.endsWith('.jsonl')) bytes += readEnds(path, buffer)
  }
  return bytes
}

function readEnds(path, buffer) {
  const file = openSync(path, 'r')
  const { size } = fstatSync(file)
  let bytes = readSync(file, buffer, 0, windowBytes, 0)
  if (size > windowBytes) bytes += readSync(file, buffer, 0, windowBytes, Math.max(windowBytes, size - windowBytes))
  closeSync(file)
  return bytes
}

async function timed(command) {
  const started = performance.now()
  const { code, output } = await run(process.execPath, command)
  if (code !== 0) throw new Error(`${command.join(' ')} failed\n${output}`)
  return performance.now() - started
}

/** Bare and ours in turns, so that both meet the same neighbours. */
async function compare(name, bare, ours, rounds) {
  const times = []
  await timed(bare)
  for (let round = 0; round < rounds; round++) times.push([await timed(bare), await timed(ours)])
  const ratio = median(times.map(([one, other]) => other / one))
  const [one, other] = [0, 1].map(side => Math.round(median(times.map(pair => pair[side]))))
  console.log(`| ${name} | ${one} ms | ${other} ms | ${ratio.toFixed(2)} | ${targets[name].toFixed(1)} |`)
  return ratio
}

async function main() {
  const dist = resolve(option('--dist', join(projectRoot, 'dist')))
  if (!args.includes('--no-build') && !args.includes('--dist')) {
    // Not loaded for the bare walk, whose time it would be.
    const { build } = await import('../scripts/build.mjs')
    await build()
  }
  const count = Number(option('--files', 2000))
  const size = Number(option('--size', 1000))
  const root = sessions(count, size)
  const clew = ['ls', '--root', root]
  const script = fileURLToPath(import.meta.url)
  const main = join(dist, 'cli/main.js')
  console.log(`${count} sessions, ${size} MB\n\n| ls | bare | clew | ratio | at most |\n|---|--:|--:|--:|--:|`)
  const rounds = Number(option('--rounds', 7))
  const table = await compare('table', [script, '--walk', root], [main, ...clew], rounds)
  const parse = [join(projectRoot, 'bench/measure.mjs'), 'parse', root]
  const long = await compare('long', parse, [main, ...clew, '--long'], Math.min(rounds, 3))
  if (args.includes('--check') && (table > targets.table || long > targets.long)) process.exitCode = 1
}

if (args[0] === '--walk') console.log(bareWalk(args[1]))
else await main()
