// `npm run check`, `npm test` and CI: every check there is, side by side where they do not need each other. A failed step
// shows what it printed and the command that mends or repeats it. It checks nothing by itself.
//   node scripts/check.mjs [--only step,step]

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { runNode, tools } from './run.mjs'

const scratch = mkdtempSync(join(tmpdir(), 'clew-check-'))
const testReport = join(scratch, 'tests.json')

/**
 * `after`: steps that must have passed. `alone`: nothing else may run beside it, since it measures time.
 * @type {{ name: string, script: string, args?: string[], after?: string[], alone?: boolean, fix: string }[]}
 */
const steps = [
  { name: 'build', script: 'scripts/build.mjs', fix: 'npm run build' },
  { name: 'types', script: tools.tsc, args: ['-p', '.'], fix: 'npx tsc -p .' },
  { name: 'web', script: tools.tsc, args: ['-p', 'web'], fix: 'npx tsc -p web' },
  { name: 'format', script: tools.biome, args: ['check', '--linter-enabled=false', '.'], fix: 'npm run format' },
  { name: 'lint', script: tools.biome, args: ['lint', '--error-on-warnings', '.'], fix: 'npx biome lint --write .' },
  { name: 'layers', script: 'scripts/layers.mjs', fix: 'node scripts/layers.mjs' },
  { name: 'sizes', script: 'scripts/sizes.mjs', fix: 'node scripts/sizes.mjs' },
  {
    name: 'unit',
    script: tools.vitest,
    args: ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${testReport}`],
    after: ['build'],
    fix: 'npx vitest run FILE',
  },
  { name: 'pack', script: 'scripts/pack.mjs', after: ['build'], fix: 'node scripts/pack.mjs' },
  { name: 'docs', script: 'scripts/docs.mjs', after: ['build'], fix: 'npm run docs -- --write' },
  {
    name: 'bench',
    script: 'bench/bench.mjs',
    args: ['--quick', '--check', '--no-build'],
    after: ['build'],
    alone: true,
    fix: 'npm run bench -- --quick --check',
  },
  {
    name: 'keeping',
    script: 'bench/archive.mjs',
    args: ['--quick', '--check', '--no-build'],
    after: ['build'],
    alone: true,
    fix: 'node bench/archive.mjs --quick --check',
  },
  {
    name: 'indexing',
    script: 'bench/index.mjs',
    args: ['--quick', '--check', '--no-build'],
    after: ['build'],
    alone: true,
    fix: 'node bench/index.mjs --quick --check',
  },
]

/** Runs the steps, at most `width` at a time, in the order of the list as far as `after` and `alone` allow. */
async function runSteps(wanted, width) {
  const results = new Map()
  const running = new Map()
  const waiting = [...wanted]
  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.findIndex(step => isReady(step, results, running, wanted, width))
    if (next === -1) {
      await Promise.race(running.values())
      continue
    }
    const [step] = waiting.splice(next, 1)
    if (step.after?.some(name => results.get(name)?.code)) {
      results.set(step.name, { code: 1, output: '', skipped: true })
      console.log(`– ${step.name.padEnd(7)} not run`)
      continue
    }
    const job = runStep(step).then(result => {
      results.set(step.name, result)
      running.delete(step.name)
    })
    running.set(step.name, job)
  }
  return results
}

function isReady(step, results, running, wanted, width) {
  if (running.size >= width || (step.alone && running.size > 0)) return false
  if (wanted.some(other => other.alone && running.has(other.name))) return false
  if (step.alone && wanted.some(other => other !== step && !other.alone && !results.has(other.name))) return false
  return (step.after ?? []).every(name => results.has(name) || !wanted.some(other => other.name === name))
}

async function runStep(step) {
  const started = performance.now()
  const { code, output } = await runNode(step.script, step.args, { env: { NO_COLOR: '1' } })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${code === 0 ? '✓' : '✗'} ${step.name.padEnd(7)} ${seconds.padStart(6)} s`)
  if (code !== 0) console.log(`\n${output.trimEnd()}\n\n  To mend or repeat it: ${step.fix}\n`)
  return { code, output }
}

/** Counts from the test runner's own report; a run that wrote none counts as one failure. */
function countTests() {
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites, success } = JSON.parse(
      readFileSync(testReport, 'utf8'),
    )
    const failed = numFailedTests === 0 && !success ? Math.max(1, numFailedTestSuites) : numFailedTests
    return { passed: numPassedTests, failed }
  } catch {
    return { passed: 0, failed: 1 }
  }
}

function wantedSteps() {
  const at = process.argv.indexOf('--only')
  if (at === -1) return steps
  const names = (process.argv[at + 1] ?? '').split(',')
  const unknown = names.filter(name => !steps.some(step => step.name === name))
  if (unknown.length > 0)
    throw new Error(`no step ${unknown.join(', ')}; there are ${steps.map(step => step.name).join(', ')}`)
  return steps.filter(step => names.includes(step.name))
}

try {
  const wanted = wantedSteps()
  const results = await runSteps(wanted, Math.max(2, Math.min(4, availableParallelism())))
  const failed = wanted.filter(step => results.get(step.name).code !== 0).map(step => step.name)
  console.log(
    failed.length === 0 ? `all ${wanted.length} steps passed` : `steps that did not pass: ${failed.join(', ')}`,
  )
  if (failed.length > 0) process.exitCode = 1
  if (results.has('unit')) {
    const tests = countTests()
    console.log(`${tests.passed} passed, ${tests.failed} failed`)
    if (tests.failed > 0) process.exitCode = 1
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 2
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
