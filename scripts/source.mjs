// Source files as the checks see them: walking the tree, parsing, and finding a line. It judges nothing.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'rolldown/utils'

export const projectRoot = join(dirname(fileURLToPath(import.meta.url)), '..')

const skipped = new Set(['node_modules', 'dist', '.cache', '.git', 'coverage'])

/**
 * All files under a folder, as paths with `/` relative to `root`, sorted.
 * @param {string} root
 * @param {string} [under]
 * @returns {string[]}
 */
export function filesUnder(root, under = '.') {
  const found = []
  const open = [join(root, under)]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of readFolder(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !skipped.has(entry.name)) open.push(path)
      else if (entry.isFile()) found.push(relative(root, path).split(sep).join('/'))
    }
  }
  return found.sort()
}

function readFolder(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw error
  }
}

export const isCode = path => /\.(ts|tsx|mts|mjs|js)$/.test(path) && !path.endsWith('.d.ts')
/** Tests, and `testing.ts` files, which have what the tests of a folder share. */
export const isTest = path => /(\.test\.tsx?|(^|[/-])testing\.ts)$/.test(path)

/**
 * One parsed file. A syntax error is thrown with file and line, since nothing can be checked in such a file.
 * @param {string} root
 * @param {string} path relative to root
 */
export function parseFile(root, path) {
  const text = readFileSync(join(root, path), 'utf8')
  const { program, module, comments, errors } = parseSync(path, text)
  const lineOf = lineCounter(text)
  if (errors.length > 0) throw new Error(`${path}:${lineOf(errors[0].labels?.[0]?.start ?? 0)}  ${errors[0].message}`)
  return { path, text, program, module, comments, lineOf }
}

/**
 * Every import of a parsed file: static, re-exported and dynamic ones with a literal name.
 * @returns {{ name: string, line: number, isType: boolean }[]}
 */
export function importsOf(file) {
  const imports = []
  for (const node of file.program.body) {
    if (!node.source) continue
    const kind = node.importKind ?? node.exportKind
    imports.push({ name: node.source.value, line: file.lineOf(node.start), isType: kind === 'type' })
  }
  for (const { moduleRequest, start } of file.module.dynamicImports) {
    const name = /^(['"])([^'"]*)\1$/.exec(file.text.slice(moduleRequest.start, moduleRequest.end))?.[2]
    if (name !== undefined) imports.push({ name, line: file.lineOf(start), isType: false })
  }
  return imports
}

/** Calls `visit(node, parent)` on every node, parents first. */
export function walk(program, visit) {
  const open = [[program, null]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, parent] = next
    visit(node, parent)
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child?.type === 'string') open.push([child, node])
      }
    }
  }
}

function lineCounter(text) {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return offset => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (starts[middle] <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

/** `--root DIR` for tests of the checks, else the project. */
export function rootFromArguments(args) {
  const at = args.indexOf('--root')
  return at === -1 ? projectRoot : args[at + 1]
}

/**
 * Runs a check, prints its problems and sets the exit code.
 * @param {string} what
 * @param {() => string[] | Promise<string[]>} check
 */
export async function report(what, check) {
  const problems = await problemsOf(check)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  else console.log(`${what}: fine`)
}

async function problemsOf(check) {
  try {
    return await check()
  } catch (error) {
    return [error.message]
  }
}
