// Makes the logs that the measurements read: seeded, the same on every machine, kept in .cache/bench and used again.
//   node bench/corpus.mjs 20|200|1000     makes that many megabytes and prints what they are like

import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from '../scripts/source.mjs'
import { material, SessionWriter } from './session.mjs'
import { skewed } from './text.mjs'

/** Raise it when the generator changes, so that old files are not taken for new ones. */
const generation = 1
const megabyte = 1_000_000

/**
 * A Claude home's projects folder of about that many megabytes.
 * @param {number} megabytes
 * @returns {{ root: string, files: string[], bytes: number, lines: number, lengths: Record<string, number>, types: Record<string, number> }}
 */
export function corpus(megabytes) {
  const root = join(projectRoot, '.cache/bench', `${megabytes}mb`)
  const manifest = join(root, 'manifest.json')
  if (existsSync(manifest)) {
    const known = JSON.parse(readFileSync(manifest, 'utf8'))
    if (known.generation === generation) return { root, ...known }
  }
  rmSync(root, { recursive: true, force: true })
  const made = { generation, ...generate(root, megabytes * megabyte) }
  writeFileSync(manifest, JSON.stringify(made))
  return { root, ...made }
}

/** One file holds a quarter of all (at most 100 MB), the others are as skewed as people's are. */
function generate(root, total) {
  const shared = material(20)
  const tally = { files: [], bytes: 0, lines: 0, types: {}, sizes: [] }
  let target = Math.min(total / 4, 100 * megabyte)
  while (tally.bytes < total) {
    const writer = new SessionWriter(shared)
    const folder = join('projects', writer.cwd.replace(/[^A-Za-z0-9]/g, '-'))
    writeSession(root, join(folder, `${writer.id}.jsonl`), writer, Math.min(target, total - tally.bytes), tally)
    for (const { agentId, toolUseId } of writer.agents.slice(0, 20)) {
      const agent = new SessionWriter(shared, { agent: agentId })
      Object.assign(agent, { id: writer.id, era: writer.era, cwd: writer.cwd })
      const path = join(folder, writer.id, 'subagents', `agent-${agentId}.jsonl`)
      writeSession(root, path, agent, 60_000, tally)
      writeFileSync(
        join(root, path.replace(/jsonl$/, 'meta.json')),
        JSON.stringify({ agentType: 'general-purpose', toolUseId }),
      )
    }
    target = skewed(shared.random, 0.45 * megabyte, 1.3)
  }
  return summary(tally)
}

function writeSession(root, path, writer, size, tally) {
  mkdirSync(join(root, dirname(path)), { recursive: true })
  const file = openSync(join(root, path), 'w')
  let written = 0
  while (written < size) {
    const lines = []
    for (const record of writer.turn()) {
      lines.push(`${JSON.stringify(record)}\n`)
      tally.types[record.type] = (tally.types[record.type] ?? 0) + 1
    }
    for (const line of lines) tally.sizes.push(Buffer.byteLength(line))
    tally.lines += lines.length
    written += writeSync(file, lines.join(''))
  }
  closeSync(file)
  tally.files.push(path)
  tally.bytes += written
}

function summary({ files, bytes, lines, types, sizes }) {
  sizes.sort((a, b) => a - b)
  const at = share => sizes[Math.floor(sizes.length * share)]
  const lengths = {
    mean: Math.round(bytes / lines),
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    max: sizes[sizes.length - 1],
  }
  return { files, bytes, lines, lengths, types }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { files, root, ...rest } = corpus(Number(process.argv[2] ?? 20))
  console.log(root, files.length, 'files')
  console.log(rest)
}
