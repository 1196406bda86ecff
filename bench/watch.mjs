// `clew watch`: how long after a line was appended it is printed, with many sessions that write at once, and how much of a core
// it takes while nothing happens in a large home. Real processes, real files.

import { spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../scripts/source.mjs'
import { msRow, shareRow } from './kit.mjs'
import { manyFiles } from './logs.mjs'
import { material, SessionWriter } from './session.mjs'

const pause = ms => new Promise(done => setTimeout(done, ms))

/** Sessions of some hundred kilobytes each, that will be written to. */
function liveSessions(root, count) {
  const shared = material(12)
  return Array.from({ length: count }, (_, at) => {
    const writer = new SessionWriter(shared)
    const folder = join(root, 'projects', `-project-${at % 10}`)
    mkdirSync(folder, { recursive: true })
    const path = join(folder, `${writer.id}.jsonl`)
    let text = ''
    while (text.length < 300_000) for (const record of writer.turn()) text += `${JSON.stringify(record)}\n`
    writeFileSync(path, text)
    return { path, id: writer.id }
  })
}

/** A watch that has begun. */
async function startWatch(root, home, onLine) {
  const command = [join(projectRoot, 'dist/cli/main.js'), 'watch', '--json', '--root', root, '--home', home]
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] })
  let rest = ''
  child.stdout.on('data', chunk => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) onLine(line)
  })
  const ended = new Promise(done => child.on('exit', code => done(code)))
  await new Promise((done, fail) => {
    let said = ''
    child.stderr.on('data', chunk => {
      said += chunk
      if (said.includes('watching')) done()
    })
    child.on('exit', code => fail(new Error(`clew watch ended with ${code}\n${said}`)))
  })
  const end = () => {
    child.kill('SIGINT')
    return ended
  }
  return { pid: child.pid, end }
}

/** Milliseconds of processor time that a process has used; NaN where the system does not tell. */
function cpuMs(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Number.NaN
  }
}

async function latency(count, rate, seconds) {
  const root = mkdtempSync(join(tmpdir(), 'clew-bench-watch-'))
  try {
    const sessions = liveSessions(root, count)
    const times = []
    const watch = await startWatch(root, join(root, 'clew'), line => {
      const { at, wireType } = JSON.parse(line)
      if (wireType === 'user') times.push(Date.now() - Date.parse(at))
    })
    const used = cpuMs(watch.pid)
    const started = performance.now()
    const written = await write(sessions, rate, seconds)
    await pause(1500)
    const share = ((cpuMs(watch.pid) - used) / (performance.now() - started)) * 100
    if ((await watch.end()) !== 0) throw new Error('clew watch did not end well')
    times.sort((a, b) => a - b)
    const part = share => times[Math.min(times.length - 1, Math.floor(times.length * share))]
    return { written, shown: times.length, p50: part(0.5), p95: part(0.95), most: times.at(-1), share }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** Every session gets a line each 1/rate seconds, none at the same moment as another. */
async function write(sessions, rate, seconds) {
  const step = 1000 / rate
  const due = sessions.map((_, at) => (at / sessions.length) * step)
  const started = performance.now()
  let written = 0
  for (let now = 0; now < seconds * 1000; now = performance.now() - started) {
    for (const [at, { path, id }] of sessions.entries()) {
      if (due[at] > now) continue
      due[at] += step
      written++
      appendFileSync(path, `${JSON.stringify(lineOf(id, written))}\n`)
    }
    await pause(2)
  }
  return written
}

function lineOf(sessionId, number) {
  return {
    parentUuid: null,
    isSidechain: false,
    userType: 'external',
    cwd: '/home/dev/shop',
    sessionId,
    version: '2.1.100',
    type: 'user',
    message: { role: 'user', content: `line ${number}: ${'words of a prompt '.repeat(20)}` },
    uuid: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    timestamp: new Date().toISOString(),
  }
}

/** Percent of a core over some seconds in which nothing happens; a sweep over all files is within a long enough one. */
async function idle(files, waitMs, seconds) {
  const root = manyFiles(files)
  const home = mkdtempSync(join(tmpdir(), 'clew-bench-watch-'))
  try {
    const watch = await startWatch(root, home, () => {})
    await pause(waitMs)
    const used = cpuMs(watch.pid)
    await pause(seconds * 1000)
    const share = (cpuMs(watch.pid) - used) / (seconds * 10)
    await watch.end()
    return share
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

export async function watchRows({ files }) {
  const [sessions, rate, seconds] = [50, 20, 10]
  const shown = await latency(sessions, rate, seconds)
  if (shown.shown !== shown.written) throw new Error(`${shown.written} lines were written, ${shown.shown} shown`)
  // The first sweep over all files comes a minute after the start.
  const share = await idle(files, 40_000, 30)
  return [
    msRow(`\`clew watch\`, append to print, ${sessions} sessions × ${rate} lines/s, p95`, shown.p95, 200),
    shareRow(`\`clew watch\`, of a core, idle with ${files} files`, share / 100, 0.01),
  ]
}
