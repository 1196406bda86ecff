// How long `clew show` takes to its first screen: of a session of 50 MB beside one of 1 MB that begins alike. Processes take
// turns, and the median of their ratios counts.
//   node bench/show.mjs [--rounds N] [--check] [--no-build]

import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../scripts/build.mjs'
import { projectRoot } from '../scripts/source.mjs'
import { material, SessionWriter } from './session.mjs'

const target = 1.3
const screen = 24
const args = process.argv.slice(2)
const rounds = Number(args.includes('--rounds') ? args[args.indexOf('--rounds') + 1] : 9)
const median = numbers => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]

/** One session file of that size; both sizes are made from the same seed, so they begin alike. */
function session(megabytes) {
  const folder = join(projectRoot, '.cache/bench', `show-${megabytes}mb`, 'projects', '-home-dev-shop')
  const writer = new SessionWriter(material(11))
  const path = join(folder, `${writer.id}.jsonl`)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  const file = openSync(`${path}.part`, 'w')
  for (let size = 0; size < megabytes * 1e6; ) {
    for (const record of writer.turn()) size += writeSync(file, `${JSON.stringify(record)}\n`)
  }
  closeSync(file)
  renameSync(`${path}.part`, path)
  return path
}

/** Milliseconds until the first screen has come; then the reader goes away, as a pager that is quit does. */
function firstScreen(path) {
  return new Promise((done, fail) => {
    const started = performance.now()
    const child = spawn(process.execPath, [join(projectRoot, 'dist/cli/main.js'), 'show', path], {
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let lines = 0
    let ms
    child.stdout.on('data', chunk => {
      lines += chunk.toString().split('\n').length - 1
      if (lines < screen || ms !== undefined) return
      ms = performance.now() - started
      child.stdout.destroy()
    })
    child.on('error', fail)
    child.on('close', () => (ms === undefined ? fail(new Error('no full screen was printed')) : done(ms)))
  })
}

if (!args.includes('--no-build')) await build()
const [small, large] = [session(1), session(50)]
await firstScreen(small)
const pairs = []
for (let round = 0; round < rounds; round++) pairs.push([await firstScreen(small), await firstScreen(large)])
const ratio = median(pairs.map(([one, other]) => other / one))
const [ofSmall, ofLarge] = [0, 1].map(at => Math.round(median(pairs.map(pair => pair[at]))))
console.log(`first screen of show: 1 MB ${ofSmall} ms, 50 MB ${ofLarge} ms: × ${ratio.toFixed(2)} (at most ${target})`)
if (args.includes('--check') && ratio > target) process.exitCode = 1
