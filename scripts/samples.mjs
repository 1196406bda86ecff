// Writes `samples/home` from `samples/sketches`, or with `--check` says whether it is what the sketches give; `--home`
// names another folder. How a sketch becomes records is in `samples/writer`.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildHome } from '../samples/writer/home.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { values } = parseArgs({ options: { check: { type: 'boolean' }, home: { type: 'string' } } })
const homeFolder = values.home ?? join(root, 'samples', 'home')
const wanted = buildHome(join(root, 'samples', 'sketches'))

if (values.check === true) check()
else write()

function check() {
  const present = presentFiles()
  const differences = [
    ...[...wanted.keys()].filter(path => !present.has(path)).map(path => `missing: ${path}`),
    ...[...present].filter(path => !wanted.has(path)).map(path => `not from a sketch: ${path}`),
    ...[...wanted]
      .filter(([path, text]) => present.has(path) && textOf(path) !== text)
      .map(([path]) => `differs: ${path}`),
  ]
  if (differences.length === 0) {
    console.log(`samples/home is what the sketches give (${wanted.size} files).`)
    return
  }
  console.error(`${differences.join('\n')}\nTo fix: npm run samples`)
  process.exitCode = 1
}

function write() {
  rmSync(homeFolder, { recursive: true, force: true })
  for (const [path, text] of wanted) {
    const target = join(homeFolder, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
  }
  console.log(`Wrote ${wanted.size} files to ${homeFolder}.`)
}

function textOf(path) {
  return readFileSync(join(homeFolder, path), 'utf8')
}

function presentFiles() {
  try {
    const entries = readdirSync(homeFolder, { recursive: true, withFileTypes: true })
    const paths = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
    return new Set(paths.map(path => relative(homeFolder, path).split(sep).join('/')))
  } catch (error) {
    if (error.code === 'ENOENT') return new Set()
    throw error
  }
}
