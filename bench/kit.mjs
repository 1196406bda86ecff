// Running and timing for the benches: programs from start to end, `clew` with its own time and peak memory, a baseline and ours
// in turns, and rows of the table. What is measured is in jobs.mjs.

import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../scripts/source.mjs'
import { cache } from './logs.mjs'

const main = join(projectRoot, 'dist/cli/main.js')

export const quantile = (numbers, part) =>
  [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * part))]
export const median = numbers => quantile(numbers, 0.5)

/** Loaded before a command: reports its peak memory, and pretends another number of cores where the bench asks for one. */
const preload = cores =>
  `data:text/javascript,${encodeURIComponent(`
    import { writeSync } from 'node:fs'
    import os from 'node:os'
    import { syncBuiltinESMExports } from 'node:module'
    if (${cores ?? 0}) { os.availableParallelism = () => ${cores ?? 0}; syncBuiltinESMExports() }
    process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS * 1024)))`)}`

/**
 * Runs a program to its end; exit code 1 is allowed, since it means that nothing was found.
 * @returns {Promise<{ ms: number, cpuMs: number, stdout: string, peak: number }>}
 */
export function run(command, args, { env = {}, input = '' } = {}) {
  return new Promise((done, fail) => {
    const cpuBefore = childrenCpu()
    const started = performance.now()
    const child = spawn(command, args, {
      cwd: projectRoot,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    })
    const [stdout, stderr, peak] = [1, 2, 3].map(stream => {
      const chunks = []
      child.stdio[stream].on('data', chunk => chunks.push(chunk))
      return () => Buffer.concat(chunks).toString()
    })
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.on('error', fail)
    child.on('close', code => {
      const ms = performance.now() - started
      if (code === null || code > 1) fail(new Error(`${command} ${args.join(' ')} ended with ${code}\n${stderr()}`))
      else done({ ms, cpuMs: childrenCpu() - cpuBefore, stdout: stdout(), peak: Number(peak()) })
    })
  })
}

/** Processor time of all children that have ended, in steps of 10 ms; NaN where the system does not say. */
function childrenCpu() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[13]) + Number(fields[14])) * 10
  } catch {
    return Number.NaN
  }
}

/** `clew …` over one Claude home, with a folder of its own. `cores`: as many as it is to believe in. */
export function clew(args, { home, root, cores, input } = {}) {
  const env = { CLEW_HOME: home ?? join(cache, 'no-clew-home'), CLAUDE_CONFIG_DIR: root ?? join(cache, 'no-home') }
  return run(process.execPath, ['--import', preload(cores), main, ...args], { env, input })
}

/** The same as plain as users start it: nothing is loaded before it, so its time is its own. */
export function plainClew(args, { home, root, input } = {}) {
  const env = { CLEW_HOME: home ?? join(cache, 'no-clew-home'), CLAUDE_CONFIG_DIR: root ?? join(cache, 'no-home') }
  return run(process.execPath, [main, ...args], { env, input })
}

export const bareNode = () => run(process.execPath, ['-e', '0'])

/** A piece of work of work.mjs in a process of its own; its times leave Node's start out. */
export async function work(...words) {
  const flags = words[0] === 'graph' ? ['--expose-gc', '--max-old-space-size=4096'] : []
  const { stdout } = await run(process.execPath, [...flags, join(projectRoot, 'bench/work.mjs'), ...words.map(String)])
  return JSON.parse(stdout)
}

/** Baseline and ours in turns, so that both meet the same neighbours: medians of the times and of their ratios. */
export async function inTurns(rounds, baseline, ours) {
  const pairs = []
  for (let round = 0; round < rounds; round++) pairs.push([await baseline(), await ours(round)])
  return compare(pairs)
}

export const compare = pairs => ({
  baseline: median(pairs.map(([one]) => one.ms)),
  ours: median(pairs.map(([, other]) => other.ms)),
  ratio: median(pairs.map(([one, other]) => other.ms / one.ms)),
  cpuRatio: median(pairs.map(([one, other]) => other.cpuMs / one.cpuMs)),
})

/** An empty folder for what a job writes. */
export function scratch(name) {
  const folder = join(cache, 'scratch', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

/** A ratio to a baseline of the same run. */
export const ratioRow = (job, comparedWith, { baseline, ours, ratio, cpuRatio }, atMost) => ({
  job,
  cpu: Number.isFinite(cpuRatio) ? `${cpuRatio.toFixed(2)} ×` : '',
  comparedWith: `${comparedWith}, ${time(baseline)}`,
  measured: ratio,
  shown: `${ratio.toFixed(2)} × (${time(ours)})`,
  atMost,
  promised: atMost === undefined ? '' : `${atMost} ×`,
})
export const msRow = (job, ms, atMost) => ({
  job,
  measured: ms,
  shown: time(ms),
  atMost,
  promised: atMost ? time(atMost) : '',
})
export const mbRow = (job, bytes, atMost) => ({
  job,
  measured: bytes / 1e6,
  shown: bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${Math.round(bytes / 1e6)} MB`,
  atMost,
  promised: atMost ? `${atMost} MB` : '',
})
export const shareRow = (job, share, atMost) => ({
  job,
  measured: share,
  shown: `${(100 * share).toFixed(1)} %`,
  atMost,
  promised: atMost ? `${100 * atMost} %` : '',
})
export const skippedRow = (job, reason) => ({ job, shown: `skipped: ${reason}`, promised: '' })
const time = ms => (ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`)
