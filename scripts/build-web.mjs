// Makes the web app's files: scripts with hashed names and shared chunks, one style sheet, the worker for dropped files,
// and the page that names them. No script or style is in the page itself. It checks no types.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build as bundle } from 'esbuild'
import { filesUnder, projectRoot } from './source.mjs'

const web = join(projectRoot, 'web')
const assets = '/assets/'
const common = {
  absWorkingDir: projectRoot,
  bundle: true,
  minify: true,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  metafile: true,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'silent',
}

/**
 * Writes the web app into a folder. False where there is no app to build.
 * @param {string} outdir
 */
export async function buildWeb(outdir) {
  if (!existsSync(join(web, 'main.tsx'))) return false
  const into = join(outdir, 'assets')
  mkdirSync(into, { recursive: true })
  const [style, worker] = await Promise.all([bundleStyle(into), bundleWorker(into)])
  const { main, files } = await bundleScripts(into, worker)
  writePage(outdir, { '/style.css': assets + style, '/main.js': assets + main })
  copyFileSync(join(web, 'icon.svg'), join(outdir, 'icon.svg'))
  const manifest = { main: assets + main, style: assets + style, worker: worker && assets + worker, files }
  writeFileSync(join(outdir, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return true
}

/** One sheet from all: a screen that is loaded later finds its style already there, and nothing moves. */
async function bundleStyle(outdir) {
  const first = ['web/tokens.css', 'web/base.css']
  const sheets = filesUnder(projectRoot, 'web').filter(path => path.endsWith('.css') && !first.includes(path))
  const contents = [...first, ...sheets].map(path => `@import ${JSON.stringify(`./${path}`)};`).join('\n')
  const result = await bundle({
    ...common,
    stdin: { contents, loader: 'css', resolveDir: projectRoot, sourcefile: 'style.css' },
    entryNames: 'style-[hash]',
    outdir,
  })
  return writtenName(result, () => true)
}

async function bundleWorker(outdir) {
  if (!existsSync(join(web, 'local/worker.ts'))) return null
  const result = await bundle({ ...common, entryPoints: ['web/local/worker.ts'], format: 'esm', outdir })
  return writtenName(result, output => output.entryPoint === 'web/local/worker.ts')
}

async function bundleScripts(outdir, worker) {
  const result = await bundle({
    ...common,
    entryPoints: ['web/main.tsx'],
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    define: { ...common.define, WORKER_URL: JSON.stringify(worker ? assets + worker : '') },
    plugins: [withoutStyles],
    outdir,
  })
  const files = Object.entries(result.metafile.outputs).map(([path, { bytes, imports, entryPoint }]) => ({
    file: assets + basename(path),
    bytes,
    ...(entryPoint ? { from: entryPoint } : {}),
    imports: imports.filter(one => !one.external).map(one => assets + basename(one.path)),
  }))
  return { main: writtenName(result, output => output.entryPoint === 'web/main.tsx'), files }
}

/** Parts name their style sheets, which are all in the one sheet already. */
const withoutStyles = {
  name: 'without styles',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, () => ({ contents: '', loader: 'js' }))
  },
}

function writtenName({ metafile }, isWanted) {
  const found = Object.entries(metafile.outputs).find(([, output]) => isWanted(output))
  if (!found) throw new Error('the bundler wrote no file for an entry of the web app')
  return basename(found[0])
}

function writePage(outdir, names) {
  let page = readFileSync(join(web, 'index.html'), 'utf8')
  for (const [from, to] of Object.entries(names)) {
    if (!page.includes(`"${from}"`)) throw new Error(`web/index.html does not name ${from}`)
    page = page.replace(`"${from}"`, `"${to}"`)
  }
  writeFileSync(join(outdir, 'index.html'), page)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const outdir = process.argv[2] ?? join(projectRoot, 'dist/web')
  await buildWeb(outdir)
  console.log(relative(projectRoot, outdir))
}
