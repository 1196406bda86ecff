// How long `clew grep` takes compared to `rg -c` over the same bytes (`grep -rc` where there is no rg). Both take turns, and the
// median of their ratios counts. For clew its own time is measured, as it prints it; for rg the whole process.
//   node bench/grep.mjs [--size 20|200|1000] [--rounds N] [--quick] [--check] [--dist FOLDER] [--no-build]

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from '../scripts/run.mjs'
import { projectRoot } from '../scripts/source.mjs'
import { corpus } from './corpus.mjs'

const target = 4
/** A quick run may share its machine. */
const quickFactor = 1.6
/** Below this, most of the time goes to finding the files: reported, without a target. */
const leastMegabytes = 500

/** `hasTarget`: few lines match. Where many do, decoding them takes most of the time, which rg does not do. */
const cases = [
  { name: 'absent text', args: ['-F', 'zzqqnotthere'], hasTarget: true },
  { name: 'rare text', args: ['-F', '{ value: 4242 }'], hasTarget: true },
  { name: 'absent text, any case', args: ['-i', '-F', 'zzqqNotThere'], hasTarget: true },
  { name: 'rare text, any case', args: ['-i', '-F', '{ VALUE: 4242 }'], hasTarget: true },
  { name: 'expression with a text', args: ['value: 424[0-9] \\}'], hasTarget: true },
  { name: 'text in 1 of 100 lines', args: ['-F', 'Error'] },
  { name: 'text in 4 of 10 lines', args: ['-F', 'function'] },
  { name: 'expression without a text, rare', args: ['[xq]{4}[0-9]'] },
  { name: 'expression without a text, common', args: ['\\d{2}:\\d{2}'] },
]

const args = process.argv.slice(2)
const has = name => args.includes(name)
const option = (name, fallback) => (has(name) ? args[args.indexOf(name) + 1] : fallback)
const median = numbers => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]

async function timed(command, commandArgs) {
  const started = performance.now()
  // 1: nothing was found.
  const { code, output } = await run(command, commandArgs)
  if (code > 1) throw new Error(`${command} ${commandArgs.join(' ')} failed\n${output}`)
  return performance.now() - started
}

/** Hidden and ignored files are searched too. */
async function textSearch() {
  const hasRg = await run('rg', ['--version']).then(
    () => true,
    () => false,
  )
  if (hasRg) return { name: 'rg', search: (root, query) => timed('rg', ['-c', '-uu', '--no-messages', ...query, root]) }
  return { name: 'grep', search: (root, query) => timed('grep', ['-rcE', ...query, root]) }
}

async function clew(main, home, root, query) {
  const { code, stdout, output } = await run(
    process.execPath,
    [main, 'grep', ...query, '-c', '--json', '--quiet', '--root', root],
    { env: { CLEW_HOME: home } },
  )
  if (code > 1) throw new Error(`clew grep ${query.join(' ')} failed\n${output}`)
  const { tookMs, total } = JSON.parse(stdout)
  return { ms: tookMs, total }
}

/** All cases at one size; returns those beyond the target. */
async function measure({ size, rounds, main, home, limit }) {
  const { root, bytes, files } = corpus(size)
  const { name, search } = await textSearch()
  console.log(`\n### ${Math.round(bytes / 1e6)} MB, ${files.length} files\n`)
  console.log(`| clew grep -c | matching lines | ${name} | clew | ratio | at most |\n|---|--:|--:|--:|--:|--:|`)
  await search(root, ['-F', 'zzqqnotthere'])
  const beyond = []
  for (const one of cases) {
    const times = []
    let total = 0
    for (let round = 0; round < rounds; round++) {
      const bare = await search(root, one.args)
      const ours = await clew(main, home, root, one.args)
      total = ours.total
      times.push([bare, ours.ms])
    }
    const ratio = median(times.map(([bare, ours]) => ours / bare))
    const [bare, ours] = [0, 1].map(side => `${Math.round(median(times.map(pair => pair[side])))} ms`)
    const hasTarget = size >= leastMegabytes && one.hasTarget === true
    console.log(
      `| ${one.name} | ${total} | ${bare} | ${ours} | ${ratio.toFixed(2)} | ${hasTarget ? limit.toFixed(1) : '–'} |`,
    )
    if (hasTarget && ratio > limit) beyond.push(`${one.name} at ${size} MB: ${ratio.toFixed(2)}`)
  }
  return beyond
}

async function main() {
  const isQuick = has('--quick')
  const dist = resolve(option('--dist', join(projectRoot, 'dist')))
  if (!has('--no-build') && !has('--dist')) {
    const { build } = await import('../scripts/build.mjs')
    await build()
  }
  const sizes = has('--size') ? [Number(option('--size'))] : isQuick ? [200] : [20, 200, 1000]
  const rounds = Number(option('--rounds', isQuick ? 3 : 7))
  // Without an archive both search the same files.
  const home = mkdtempSync(join(tmpdir(), 'clew-bench-'))
  const beyond = []
  try {
    for (const size of sizes) {
      const limit = target * (isQuick ? quickFactor : 1)
      beyond.push(...(await measure({ size, rounds, main: join(dist, 'cli/main.js'), home, limit })))
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
  for (const problem of beyond) console.log(`\nbeyond the target: ${problem}`)
  if (has('--check') && beyond.length > 0) process.exitCode = 1
}

await main()
