// Makes dist/: the command line tool and the library as ES modules with shared chunks, their type declarations, and the web
// app.
// It builds next to dist and swaps at the end, so that a failed build leaves the last good one. It checks no types.

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build as bundle } from 'esbuild'
import { buildWeb } from './build-web.mjs'
import { runNode, tools } from './run.mjs'
import { filesUnder, projectRoot } from './source.mjs'

const dist = join(projectRoot, 'dist')
const makers = ['scripts/build.mjs', 'scripts/build-web.mjs']
const entries = {
  'cli/main': 'src/cli/main.ts',
  worker: 'src/worker.ts',
  index: 'src/index.ts',
  decode: 'src/decode/decode.ts',
  graph: 'src/graph/graph.ts',
  load: 'src/load.ts',
  schema: 'src/schema/schema.ts',
  write: 'src/write/write.ts',
  store: 'src/write/store/store.ts',
}

/** Builds everything; throws with the compiler's words when it cannot. */
export async function build() {
  mkdirSync(join(projectRoot, '.cache'), { recursive: true })
  const out = mkdtempSync(join(projectRoot, '.cache/build-'))
  try {
    // Both end before anything is removed: a compiler that still runs would write the folder again.
    const parts = await Promise.allSettled([bundleCode(out), declareTypes(join(out, 'types'))])
    const failed = parts.find(part => part.status === 'rejected')
    if (failed) throw failed.reason
    const webProblem = await buildWebOrKeep(join(out, 'web'))
    makeExecutable(join(out, 'cli/main.js'))
    chmodSync(out, 0o755)
    rmSync(dist, { recursive: true, force: true })
    renameSync(out, dist)
    if (webProblem) throw webProblem
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

/** An app that cannot be built is reported at the end: the rest is new all the same, and the last app that could be stays. */
async function buildWebOrKeep(outdir) {
  try {
    await buildWeb(outdir)
    return undefined
  } catch (error) {
    rmSync(outdir, { recursive: true, force: true })
    if (existsSync(join(dist, 'web'))) cpSync(join(dist, 'web'), outdir, { recursive: true })
    return error
  }
}

async function bundleCode(outdir) {
  const present = Object.entries(entries).filter(([, source]) => existsSync(join(projectRoot, source)))
  await bundle({
    absWorkingDir: projectRoot,
    entryPoints: Object.fromEntries(present),
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    chunkNames: 'chunks/[name]-[hash]',
    charset: 'utf8',
    logLevel: 'silent',
  })
  await bundleQuick(outdir)
}

/** What a client starts again and again is one small file, packages included. */
async function bundleQuick(outdir) {
  await bundle({
    absWorkingDir: projectRoot,
    entryPoints: { 'cli/statusline-quick': 'src/cli/statusline/quick.ts' },
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify: true,
    charset: 'utf8',
    logLevel: 'silent',
  })
}

async function declareTypes(outDir) {
  const { code, output } = await runNode(tools.tsc, ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', outDir])
  if (code !== 0) throw new Error(`tsc -p tsconfig.build.json failed\n${output}`)
  for (const path of filesUnder(outDir)) rewriteExtensions(join(outDir, path))
  removeUnreached(outDir)
}

/** Only declarations that an entry leads to are of use. */
function removeUnreached(outDir) {
  const { exports: published } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
  const starts = Object.values(published).flatMap(({ types }) => (types ? [types.replace('./dist/types/', '')] : []))
  const reached = new Set(starts.map(path => join(outDir, path)))
  for (const path of reached)
    for (const [, to] of readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)\.js['"]/g))
      reached.add(join(dirname(path), `${to}.d.ts`))
  for (const path of filesUnder(outDir)) if (!reached.has(join(outDir, path))) rmSync(join(outDir, path))
}

/** Declarations keep the `.ts` of our imports; those of a package must name `.js`. */
function rewriteExtensions(path) {
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replace(/((?:from|import)\s*\(?\s*['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2'))
}

function makeExecutable(main) {
  if (!existsSync(main)) return
  const text = readFileSync(main, 'utf8')
  if (!text.startsWith('#!')) writeFileSync(main, `#!/usr/bin/env node\n${text}`)
  chmodSync(main, 0o755)
}

/** Whether dist is missing or older than anything it is made from. */
export function isStale() {
  if (!existsSync(join(dist, 'cli/main.js'))) return true
  const built = statSync(join(dist, 'cli/main.js')).mtimeMs
  const sources = [...filesUnder(projectRoot, 'src'), ...filesUnder(projectRoot, 'web'), 'package.json', ...makers]
  return sources.some(path => statSync(join(projectRoot, path)).mtimeMs > built)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const started = performance.now()
  try {
    await build()
    const size = filesUnder(dist).reduce((sum, path) => sum + statSync(join(dist, path)).size, 0)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(
      `${relative(projectRoot, dist)}: ${readdirSync(dist).length} entries, ${Math.round(size / 1024)} KB, ${seconds} s`,
    )
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
