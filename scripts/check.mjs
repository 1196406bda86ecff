// `npm run check` builds and runs the static checks; `npm test` runs the tests after them; `npm run test:deep` runs what takes
// long: full sweeps, browser, corpus, package, benches. A failed step shows what it printed and the command that repeats it.
//   node scripts/check.mjs [--tests | --deep | --browser] [--only step,step]

import { runNode, tools } from './run.mjs'

/** @typedef {{ name: string, script: string, args?: string[], env?: Record<string, string>, fix: string }} Step */

/** @type {Step} */
const build = { name: 'build', script: 'scripts/build.mjs', fix: 'npm run build' }

/** @type {Step[]} */
const checks = [
  // The longest one first: the others run next to it.
  { name: 'docs', script: 'scripts/docs.mjs', fix: 'npm run docs -- --write' },
  { name: 'types', script: tools.tsc, args: ['-p', '.'], fix: 'npx tsc -p .' },
  { name: 'web types', script: tools.tsc, args: ['-p', 'web'], fix: 'npx tsc -p web' },
  { name: 'biome', script: tools.biome, args: ['check', '--error-on-warnings', '.'], fix: 'npm run format' },
  { name: 'layers', script: 'scripts/layers.mjs', fix: 'node scripts/layers.mjs' },
  { name: 'sizes', script: 'scripts/sizes.mjs', fix: 'node scripts/sizes.mjs' },
]

/** @type {Step} */
const tests = { name: 'tests', script: tools.vitest, args: ['run'], fix: 'npx vitest run FILE' }

/** @type {(...filters: string[]) => Step} */
const deepTests = (...filters) => ({
  name: 'deep tests',
  script: tools.vitest,
  args: ['run', ...filters],
  env: { CLEW_DEEP: '1' },
  fix: 'CLEW_DEEP=1 npx vitest run FILE',
})

/** @type {Step[]} */
const deep = [
  { name: 'package', script: 'scripts/pack.mjs', fix: 'node scripts/pack.mjs' },
  deepTests(),
  { name: 'bench', script: 'bench/bench.mjs', args: ['--check', '--no-build'], fix: 'npm run bench -- --check' },
]

/** Lines that a passed step shows as well: the size figures, the tables of sweeps and bench, what the tests skipped. */
const shown = {
  sizes: /^(src|web): /,
  tests: /^(\| |\|-|skipped \d+: |\d+ passed, )/,
  'deep tests': /^(\| |\|-|skipped \d+: |\d+ passed, )/,
  bench: /^\||^beyond/,
}

/** Steps of a stage run next to each other, two at a time; a stage starts when the one before it has passed. */
function stagesOf(args) {
  if (args.includes('--deep')) return [[build], ...deep.map(step => [step])]
  if (args.includes('--browser')) return [[build], [deepTests('test/deep/browser')]]
  return [[build], checks, ...(args.includes('--tests') ? [[tests]] : [])]
}

async function runStage(steps) {
  const failed = []
  const waiting = [...steps]
  const work = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) if (!(await runStep(step))) failed.push(step.name)
  }
  await Promise.all([work(), work()])
  return failed
}

async function runStep({ name, script, args, env, fix }) {
  const started = performance.now()
  const { code, output } = await runNode(script, args, { env: { NO_COLOR: '1', ...env } })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${code === 0 ? '✓' : '✗'} ${name.padEnd(10)} ${seconds.padStart(6)} s`)
  if (code !== 0) console.log(`\n${output.trimEnd()}\n\n  To fix or repeat it: ${fix}\n`)
  else for (const line of output.split('\n')) if (shown[name]?.test(line)) console.log(line)
  return code === 0
}

/** `--only` keeps the stages and leaves out the steps that it does not name. */
function onlyNamed(stages, args) {
  const at = args.indexOf('--only')
  if (at === -1) return stages
  const names = (args[at + 1] ?? '').split(',')
  const known = stages.flat().map(step => step.name)
  const unknown = names.filter(name => !known.includes(name))
  if (unknown.length > 0) throw new Error(`no step ${unknown.join(', ')}; the steps are ${known.join(', ')}`)
  return stages.map(stage => stage.filter(step => names.includes(step.name)))
}

try {
  const args = process.argv.slice(2)
  for (const stage of onlyNamed(stagesOf(args), args)) {
    const failed = await runStage(stage)
    if (failed.length === 0) continue
    console.log(`failed: ${failed.join(', ')}`)
    process.exitCode = 1
    break
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 2
}
