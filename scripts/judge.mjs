// Lets Claude Code itself resume what Clew writes: converted samples, repaired damage, forks, compactions and trims, and says what it did not send. It needs
// root (namespaces), npm and iproute2, and is no part of `npm run check`.
//   npm run judge -- [--client VERSION] [--only PATTERN] [--sample N] [--keep DIR]
// CLEW_JUDGE: the program that resumes one session and prints what was sent; ../shared/judge/resume.mjs where it is there.
// --only: names of cases, with their group before them. --sample: every Nth case. --keep: leaves the session files in DIR.
// Exit 0 where every resume is complete, 1 otherwise. The cases are in test/write/judge-cases.ts.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { projectRoot } from './source.mjs'

const { values } = parseArgs({
  options: {
    client: { type: 'string' },
    only: { type: 'string' },
    sample: { type: 'string' },
    keep: { type: 'string' },
  },
})
const judge = resolve(projectRoot, process.env.CLEW_JUDGE ?? '../shared/judge/resume.mjs')
if (!existsSync(judge)) {
  console.error('npm run judge: CLEW_JUDGE must name the program that lets Claude Code resume a session.')
  process.exit(2)
}

process.chdir(projectRoot)
const scratch = mkdtempSync(join(tmpdir(), 'clew-judge-'))
const { groups, lacking } = await loadCases()
const all = []
for (const [group, cases] of Object.entries(groups)) for (const one of await cases()) all.push({ ...one, group })
const only = new RegExp(values.only ?? '')
const named = all.filter(({ group, name }) => only.test(`${group} ${name}`))
const chosen = named.filter((_, at) => at % Number(values.sample ?? 1) === 0)
const misses = []
for (const [at, one] of chosen.entries()) {
  const missing = await judgeCase(one, at)
  console.log(`${missing.length === 0 ? 'complete' : 'MISSING '}  ${one.group} · ${one.name}${list(missing)}`)
  if (missing.length > 0) misses.push(one)
}
console.log(
  `\n${chosen.length - misses.length} of ${chosen.length} complete, client ${values.client ?? 'of the judge'}`,
)
rmSync(scratch, { recursive: true, force: true })
process.exitCode = misses.length === 0 && chosen.length > 0 ? 0 : 1

function list(missing) {
  return missing.map(what => `\n            ${what}`).join('')
}

/** What the resume did not send. */
async function judgeCase(one, at) {
  const folder = join(values.keep ?? scratch, String(at))
  const file = writeSession(one, folder)
  const { code, stdout, stderr } = await run([judge, file, ...(values.client ? ['--client', values.client] : [])])
  if (code !== 0) return [`the judge failed: ${stderr.slice(0, 300)}`]
  const answer = JSON.parse(stdout)
  const [call] = answer.calls
  return call === undefined ? [`nothing was sent: ${answer.stderr.slice(0, 300)}`] : lacking(one, call.messages)
}

function writeSession({ session, lines, agents = [] }, folder) {
  mkdirSync(folder, { recursive: true })
  const text = lines => lines.map(line => `${line}\n`).join('')
  const file = join(folder, `${session}.jsonl`)
  writeFileSync(file, text(lines))
  for (const { agent, lines: own } of agents) {
    const below = join(folder, session, 'subagents')
    mkdirSync(below, { recursive: true })
    writeFileSync(join(below, `agent-${agent}.jsonl`), text(own))
  }
  return file
}

function run(args) {
  return new Promise(done => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', text => {
        output[name] += text
      })
    child.on('close', code => done({ code, ...output }))
  })
}

async function loadCases() {
  const outfile = join(scratch, 'cases.mjs')
  const entryPoints = [join(projectRoot, 'test/write/judge-cases.ts')]
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' })
  return import(pathToFileURL(outfile).href)
}
