// Searches in one process: each query several times, the median of the later ones counts. Prints milliseconds as JSON.
//   node bench/search-work.mjs CLEW_HOME ROOT QUERIES

import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { projectRoot } from '../scripts/source.mjs'

const [home, root, queries] = process.argv.slice(2)
const [warmUp, rounds] = [3, 5]
const folder = mkdtempSync(join(projectRoot, '.cache/search-'))
try {
  const outfile = join(folder, 'search.mjs')
  const contents = ['store/open', 'store/source', 'search/query', 'search/search']
    .map(name => `export * from './${name}.ts'`)
    .join('\n')
  const stdin = { contents, resolveDir: join(projectRoot, 'src/index') }
  await build({
    stdin,
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  })
  const { openSource, openToRead, parseQuery, search } = await import(pathToFileURL(outfile).href)
  const db = openToRead(home)
  const source = openSource(home)
  const now = Date.now()
  const times = JSON.parse(queries).map(text => {
    const taken = []
    for (let round = 0; round < warmUp + rounds; round++) {
      const query = parseQuery(text, { now })
      taken.push(search(db, source, query, { limit: 10, isGrouped: true, now, roots: [root] }).tookMs)
    }
    return taken.slice(warmUp).sort((a, b) => a - b)[Math.floor(rounds / 2)]
  })
  console.log(JSON.stringify(times))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
