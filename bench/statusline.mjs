// How long `clew statusline` takes from start to end next to a Node that does nothing: over a small and a large history, with a
// day of work in several sessions, after an answer was written since the last call. Processes take turns, and the median of
// their ratios counts.
//   node bench/statusline.mjs [--sizes 20,1000] [--rounds N] [--check] [--no-build] [--main FILE]

import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from '../scripts/build.mjs'
import { projectRoot } from '../scripts/source.mjs'
import { corpus } from './corpus.mjs'
import { ratioOf } from './numbers.mjs'

const target = 2
const sessionsToday = 20
const answersEach = 150
const args = process.argv.slice(2)
const option = (name, fallback) => (args.includes(name) ? args[args.indexOf(name) + 1] : fallback)
const rounds = Number(option('--rounds', 21))
const main = resolve(option('--main', join(projectRoot, 'dist/cli/main.js')))

/** A line as Claude Code writes it; `n` makes it another answer. */
function answer(session, n, at) {
  const usage = {
    input_tokens: 9,
    output_tokens: 400,
    cache_creation_input_tokens: 900,
    cache_read_input_tokens: 60_000,
  }
  const message = {
    id: `msg_${session}_${n}`,
    role: 'assistant',
    model: 'claude-opus-4-5',
    content: [{ type: 'text', text: 'Done.' }],
    stop_reason: 'end_turn',
    usage,
  }
  const record = {
    parentUuid: `${session}-${n - 1}`,
    isSidechain: false,
    sessionId: session,
    version: '2.1.200',
    type: 'assistant',
  }
  const rest = {
    message,
    requestId: `req_${session}_${n}`,
    uuid: `${session}-${n}`,
    timestamp: new Date(at).toISOString(),
  }
  return `${JSON.stringify({ ...record, ...rest })}\n`
}

/** The corpus, linked, and a project that was worked on for the last hours. */
function home(megabytes) {
  const folder = join(projectRoot, '.cache/bench', `statusline-${megabytes}mb`)
  rmSync(folder, { recursive: true, force: true })
  const today = join(folder, 'claude/projects/-home-dev-today')
  mkdirSync(today, { recursive: true })
  const { root } = corpus(megabytes)
  for (const name of readdirSync(join(root, 'projects'))) {
    symlinkSync(join(root, 'projects', name), join(folder, 'claude/projects', name))
  }
  const now = Date.now()
  for (let s = 0; s < sessionsToday; s++) {
    const lines = Array.from({ length: answersEach }, (_, n) => answer(`now-${s}`, n, now - (answersEach - n) * 60_000))
    writeFileSync(join(today, `now-${s}.jsonl`), lines.join(''))
  }
  return { claude: join(folder, 'claude'), own: join(folder, 'own'), transcript: join(today, 'now-0.jsonl') }
}

function timed(argv, input, env) {
  const started = performance.now()
  const done = spawnSync(process.execPath, argv, { input, env: { ...process.env, ...env }, encoding: 'utf8' })
  const ms = performance.now() - started
  if (done.status !== 0) throw new Error(`${argv.join(' ')} failed\n${done.stderr}`)
  return { ms, line: done.stdout }
}

function measure(megabytes) {
  const { claude, own, transcript } = home(megabytes)
  const env = { CLAUDE_CONFIG_DIR: claude, CLEW_HOME: own, NO_COLOR: '1' }
  const input = JSON.stringify({
    session_id: 'now-0',
    transcript_path: transcript,
    cwd: '/home/dev/today',
    model: { id: 'claude-opus-4-5', display_name: 'Opus 4.5' },
    cost: { total_cost_usd: 1.5 },
    context_window: { context_window_size: 200_000, used_percentage: 42 },
  })
  let calls = 0
  const first = performance.now()
  // What is a bound has not been read to the end.
  for (let line = '≥'; line.includes('≥') && calls < 99; calls++) line = timed([main, 'statusline'], input, env).line
  const cold = performance.now() - first
  const pairs = []
  for (let round = 0; round < rounds; round++) {
    appendFileSync(transcript, answer('now-0', answersEach + round, Date.now()))
    pairs.push([timed(['-e', '0'], input, env).ms, timed([main, 'statusline'], input, env).ms])
  }
  return { ...ratioOf(pairs), cold, calls, line: timed([main, 'statusline'], input, env).line.trim() }
}

if (!args.includes('--no-build')) await build()
for (const size of option('--sizes', '20,1000').split(',').map(Number)) {
  const { bare, ours, ratio, cold, calls, line } = measure(size)
  console.log(
    `statusline over ${size} MB: ${ours.toFixed(0)} ms next to ${bare.toFixed(0)} ms of bare node: × ${ratio.toFixed(2)} (at most ${target}); first read in ${(cold / 1000).toFixed(1)} s, ${calls} calls\n  ${line}`,
  )
  if (args.includes('--check') && ratio > target) process.exitCode = 1
}
