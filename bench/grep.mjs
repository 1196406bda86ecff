// How long `clew grep` takes beside the least that any search must do: where the pattern has a plain text of three characters
// or more, beside `rg -c` over the same bytes (`grep -rc` where there is no rg); else beside JSON.parse of every line. Both
// take turns and the median of their ratios counts. Of clew its own work is timed, as it tells it; of rg the whole process.
//   node bench/grep.mjs [--size 20|200|1000] [--rounds N] [--quick] [--check] [--dist FOLDER] [--no-build]

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from '../scripts/run.mjs'
import { projectRoot } from '../scripts/source.mjs'
import { corpus } from './corpus.mjs'

const targets = { text: 3, parse: 1 }
/** A quick run may share its machine. */
const quickRoom = 1.6
/** Below this, most of the time goes to finding the files and to code that runs for the first time: told, not judged. */
const leastJudged = 100

/**
 * `isMost`: so many lines match that decoding them is what takes the time, which rg does not do; those are held against
 * parsing. `isTold`: something between, told but not judged.
 */
const cases = [
  { name: 'absent text', args: ['-F', 'zzqqnotthere'] },
  { name: 'rare text', args: ['-F', '{ value: 4242 }'] },
  { name: 'absent text, any case', args: ['-i', '-F', 'zzqqNotThere'] },
  { name: 'rare text, any case', args: ['-i', '-F', '{ VALUE: 4242 }'] },
  { name: 'expression with a text', args: ['value: 424[0-9] \\}'] },
  { name: 'text in 1 of 100 lines', args: ['-F', 'Error'], isTold: true },
  { name: 'text in 4 of 10 lines', args: ['-F', 'function'], isMost: true },
  { name: 'expression without a text, rare', args: ['[xq]{4}[0-9]'], isParsed: true },
  { name: 'expression without a text, common', args: ['\\d{2}:\\d{2}'], isParsed: true },
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

/** Files that version control leaves out are searched, too. */
async function textSearch() {
  const hasRg = await run('rg', ['--version']).then(
    () => true,
    () => false,
  )
  if (hasRg)
    return { name: 'rg', search: (root, wanted) => timed('rg', ['-c', '-uu', '--no-messages', ...wanted, root]) }
  return { name: 'grep', search: (root, wanted) => timed('grep', ['-rcE', ...wanted, root]) }
}

async function parse(root) {
  const { stdout } = await run(process.execPath, [join(projectRoot, 'bench/measure.mjs'), 'parse', root])
  return JSON.parse(stdout).ms
}

async function clew(main, home, root, wanted) {
  const { code, stdout, output } = await run(
    process.execPath,
    [main, 'grep', ...wanted, '-c', '--json', '--quiet', '--root', root],
    { env: { CLEW_HOME: home } },
  )
  if (code > 1) throw new Error(`clew grep ${wanted.join(' ')} failed\n${output}`)
  const { tookMs, total } = JSON.parse(stdout)
  return { ms: tookMs, total }
}

/** One size, all cases; what is beyond its target. */
async function measure({ size, rounds, main, home, room }) {
  const { root, bytes, files } = corpus(size)
  const { name, search } = await textSearch()
  console.log(`\n### ${Math.round(bytes / 1e6)} MB, ${files.length} files\n`)
  console.log(`| clew grep -c | matching lines | beside | it | clew | ratio | at most |\n|---|--:|---|--:|--:|--:|--:|`)
  await search(root, ['-F', 'zzqqnotthere'])
  const beyond = []
  for (const one of cases) {
    const isParsed = one.isParsed === true || one.isMost === true
    const limit = (isParsed ? targets.parse : targets.text) * room
    const times = []
    let total = 0
    for (let round = 0; round < rounds; round++) {
      const bare = await (isParsed ? parse(root) : search(root, one.args))
      const ours = await clew(main, home, root, one.args)
      total = ours.total
      times.push([bare, ours.ms])
    }
    const ratio = median(times.map(([bare, ours]) => ours / bare))
    const [bare, ours] = [0, 1].map(side => `${Math.round(median(times.map(pair => pair[side])))} ms`)
    const isJudged = size >= leastJudged && one.isTold !== true
    const judged = isJudged ? limit.toFixed(1) : '–'
    console.log(
      `| ${one.name} | ${total} | ${isParsed ? 'JSON.parse' : name} | ${bare} | ${ours} | ${ratio.toFixed(2)} | ${judged} |`,
    )
    if (isJudged && ratio > limit) beyond.push(`${one.name} at ${size} MB: ${ratio.toFixed(2)}`)
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
  // Without an archive: only what lies on disk is searched by both.
  const home = mkdtempSync(join(tmpdir(), 'clew-bench-'))
  const beyond = []
  try {
    for (const size of sizes) {
      const asked = { size, rounds, main: join(dist, 'cli/main.js'), home, room: isQuick ? quickRoom : 1 }
      beyond.push(...(await measure(asked)))
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
  for (const problem of beyond) console.log(`\nbeyond the target: ${problem}`)
  if (has('--check') && beyond.length > 0) process.exitCode = 1
}

await main()
