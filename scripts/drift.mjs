// The drift watch: lets a version of Claude Code write sessions, reads them with the built Clew and prints what the catalog
// lacks. It needs root (namespaces), npm and iproute2, and is no part of `npm run check`.
//   node scripts/drift.mjs VERSION [--out DIR] [--only PATTERN] [--from DIR]
// --out leaves the Claude home in DIR and what was sent in DIR/requests; --from reads such a DIR again and runs nothing.
// Exit 0 where nothing is missing and `check` finds nothing, 1 otherwise.

import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { installClient, runScenarios } from './drift-client.mjs'
import { Comparison, kinds } from './drift-compare.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' }, only: { type: 'string' }, from: { type: 'string' } },
})
const [version] = positionals
if (version === undefined || !existsSync(join(root, 'dist', 'index.js'))) {
  console.error('usage: node scripts/drift.mjs VERSION [--out DIR] [--only PATTERN] [--from DIR], after npm run build')
  process.exit(2)
}

const scratch = values.from === undefined ? runScenarios(installClient(version), values.only) : undefined
const home = scratch === undefined ? values.from : join(scratch, 'home', '.claude')
const clew = await import(pathToFileURL(join(root, 'dist', 'index.js')).href)
const report = await compareHome(home)
console.log(toMarkdown(report))
if (scratch !== undefined && values.out !== undefined) leave(values.out)
if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true })
process.exitCode = report.missing.length + report.findings.length === 0 ? 0 : 1

async function compareHome(folder) {
  const comparison = new Comparison(await loadSchema())
  const found = await clew.discover(folder)
  const checker = new clew.Checker('real')
  const source = clew.diskSource()
  let records = 0
  const visit = (file, record, [event = null]) => {
    records += 1
    checker.record(file, record, event)
    comparison.record(record)
  }
  for (const session of found.sessions) checker.session(session, await clew.loadSession(source, session, {}, visit))
  for (const log of found.histories) for await (const record of clew.readRecords(source, log)) visit(log, record, [])
  checker.home(found)
  for (const path of filesBelow(folder)) {
    const name = relative(folder, path).split(sep).join('/')
    if (!name.startsWith('requests/')) comparison.file(name, jsonOf(path))
  }
  const findings = checker.report().findings.filter(finding => finding.severity !== 'info')
  return { sessions: found.sessions.length, records, missing: comparison.missing(), findings }
}

/** The catalog and its look-ups, from the sources. */
async function loadSchema() {
  const outfile = join(tmpdir(), `clew-drift-schema-${process.pid}.mjs`)
  const folder = join(root, 'src', 'schema')
  const contents = ['./catalog/catalog.ts', './record-kind.ts', './schema.ts']
    .map(path => `export * from '${path}'`)
    .join('\n')
  await build({
    stdin: { contents, resolveDir: folder, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    logLevel: 'error',
  })
  try {
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(outfile, { force: true })
  }
}

function filesBelow(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
}

function jsonOf(path) {
  if (!path.endsWith('.json')) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

function toMarkdown({ sessions, records, missing, findings }) {
  const lines = [
    `# Claude Code ${version}`,
    '',
    `${sessions} sessions, ${records} records; ${missing.length} things that the catalog lacks.`,
  ]
  for (const [kind, title] of Object.entries(kinds)) {
    const rows = missing.filter(row => row.kind === kind)
    if (rows.length === 0) continue
    lines.push('', `## ${title}`, '', '| name | seen | example |', '| --- | --: | --- |')
    for (const row of rows) lines.push(`| ${cell(row.name)} | ${row.count} | ${cell(row.example)} |`)
  }
  if (findings.length > 0) lines.push('', '## Findings of `check`', '')
  for (const finding of findings) {
    const place = finding.file === undefined ? '' : ` ${relative(home, finding.file)}:${finding.line ?? ''}`
    lines.push(`- ${finding.severity} ${finding.code}${place}: ${finding.message}`)
  }
  return lines.join('\n')
}

function cell(text) {
  const plain = text.replaceAll('|', '\\|').replaceAll('\n', ' ')
  return plain === '' ? '' : `\`${plain.replaceAll('`', "'")}\``
}

/** Keys of running clients stay out: they are of use to no one. */
function leave(folder) {
  rmSync(folder, { recursive: true, force: true })
  cpSync(home, folder, { recursive: true, filter: path => !path.endsWith('.key') })
  cpSync(join(scratch, 'requests'), join(folder, 'requests'), { recursive: true })
}
