// A home of very many small session files, and the least that any look for changes in it must do.
//   node bench/many-files.mjs ROOT     the time of a bare walk, without Node's start

import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { run } from '../scripts/run.mjs'
import { projectRoot } from '../scripts/source.mjs'

/** Files and bytes below a folder. */
export function bareWalk(folder) {
  let files = 0
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      const inner = bareWalk(path)
      files += inner.files
      bytes += inner.bytes
    } else {
      files++
      bytes += lstatSync(path).size
    }
  }
  return { files, bytes }
}

/** A home of that many small session files. */
export function manyFiles(count) {
  const root = join(projectRoot, '.cache/bench', `archive-${count}-files`)
  if (existsSync(join(root, 'made'))) return root
  for (let made = 0; made < count; made++) {
    const folder = join(root, 'projects', `-home-dev-project-${made % 100}`)
    mkdirSync(folder, { recursive: true })
    const id = `${String(made).padStart(8, '0')}-0000-4000-8000-000000000000`
    const line = {
      type: 'user',
      sessionId: id,
      uuid: id,
      parentUuid: null,
      message: { role: 'user', content: `prompt ${made}` },
    }
    writeFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify(line)}\n`)
  }
  writeFileSync(join(root, 'made'), '')
  return root
}

/** In a process of its own, as what is measured beside it. */
export async function walkMs(root) {
  const { stdout } = await run(process.execPath, [fileURLToPath(import.meta.url), root])
  return Number(stdout)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const started = performance.now()
  bareWalk(process.argv[2] ?? '')
  console.log(performance.now() - started)
}
