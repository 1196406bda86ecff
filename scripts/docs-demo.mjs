// A person's folder to try commands and examples in: the sample history as Claude home, a few loose logs, a fixed order of
// changes, times in UTC. What is run there prints the same on every machine.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { runHere } from './run-here.mjs'
import { filesUnder, projectRoot } from './source.mjs'

/** Loose logs in the folder where commands run, and the sample sessions that they are copies of. */
const loose = {
  'session.jsonl': '8b863dff-418d-4587-b367-608598f5e71c.jsonl',
  'a.jsonl': '9a1f4da4-54fa-4745-a6a3-3c7a972d7e1b.jsonl',
  'b.jsonl': 'cde86577-3a20-4cb0-915e-f80d229f6584.jsonl',
}

/** What `last` means there: a session with subagents, a compaction and more than one branch. */
const lastSession = '33c79d8c-6d99-4d32-b36b-48f475c1e43f.jsonl'

/**
 * Makes the folder; whoever makes it removes it.
 * @returns {import('./docs-demo.mjs').Demo}
 */
export function makeDemo() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'clew-demo-')))
  const folder = join(home, 'logs')
  const claude = join(home, '.claude')
  mkdirSync(folder)
  cpSync(join(projectRoot, 'samples/home'), claude, { recursive: true })
  orderChanges(claude)
  const logs = filesUnder(claude)
  for (const [name, original] of Object.entries(loose)) {
    const path = logs.find(log => basename(log) === original)
    if (path === undefined) throw new Error(`samples/home has no ${original} any more; scripts/docs-demo.mjs names it`)
    cpSync(join(claude, path), join(folder, name))
    utimesSync(join(folder, name), longAgo, longAgo)
  }
  return { home, folder, remove: () => rmSync(home, { recursive: true, force: true }) }
}

/**
 * Makes the folder, and removes it after the work.
 * @template Value
 * @param {(demo: import('./docs-demo.mjs').Demo) => Promise<Value>} work
 * @returns {Promise<Value>}
 */
export async function withDemo(work) {
  const demo = makeDemo()
  try {
    return await work(demo)
  } finally {
    demo.remove()
  }
}

const longAgo = Date.UTC(2020, 0, 1) / 1000

/** `last` is what changed last, and a fresh change means "in use": files change in the order of their last records, years ago. */
function orderChanges(claude) {
  const logs = filesUnder(claude).map(path => ({ path: join(claude, path), last: lastTime(join(claude, path)) }))
  logs.sort((a, b) => Math.sign(a.last - b.last) || (a.path < b.path ? -1 : 1))
  for (const [index, { path }] of logs.entries()) utimesSync(path, longAgo + index * 60, longAgo + index * 60)
}

function lastTime(path) {
  if (basename(path) === lastSession) return Number.POSITIVE_INFINITY
  if (!path.endsWith('.jsonl')) return 0
  const times = [...readFileSync(path, 'utf8').matchAll(/"timestamp": ?(?:"([^"]+)"|(\d{13}))/g)]
  return Math.max(0, ...times.map(([, text, number]) => (text ? Date.parse(text) || 0 : Number(number))))
}

/**
 * Runs a shell line as that person, with `clew` as the given script; paths come back with `~`.
 * @param {import('./docs-demo.mjs').Demo} demo
 * @param {string} line
 * @param {string} [main]
 */
export function runLine(demo, line, main = '') {
  const env = Object.fromEntries(
    Object.entries({ ...process.env, ...envOf(demo) }).filter(([, value]) => value !== undefined),
  )
  const script = `clew() { "${process.execPath}" "${main}" "$@"; }; ${line}`
  const done = spawnSync('sh', ['-c', script], { cwd: demo.folder, env, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (done.error) throw done.error
  return { code: done.status, stdout: plain(demo, done.stdout), stderr: plain(demo, done.stderr) }
}

/**
 * The same for a line that is one plain command, inside this process; others are left to a shell.
 * @param {import('./docs-demo.mjs').Demo} demo
 * @param {string} line
 * @param {string} main
 */
export async function runLineHere(demo, line, main) {
  if (!/^clew( [\w./=:,@%+-]+| "[^"$`\\]*"| '[^']*')*$/.test(line)) return runLine(demo, line, main)
  const args = [...line.matchAll(/ (?:"([^"]*)"|'([^']*)'|(\S+))/g)].map(([, one, other, bare]) => one ?? other ?? bare)
  const { code, stdout, stderr } = await runHere(main, args, { cwd: demo.folder, env: envOf(demo) })
  return { code, stdout: plain(demo, stdout), stderr: plain(demo, stderr) }
}

const plain = (demo, text) => text.replaceAll(demo.home, '~')

/** Undefined is not there. */
function envOf({ home }) {
  const steady = { HOME: home, USERPROFILE: home, TZ: 'UTC', NO_COLOR: '1', LC_ALL: 'C.UTF-8', TERM: 'xterm' }
  const absent = { COLUMNS: undefined, FORCE_COLOR: undefined, CLEW_HOME: undefined, CLAUDE_CONFIG_DIR: undefined }
  return { ...steady, ...absent }
}
