// Watches the tail: files, functions and folder depth within the limits of sizes.json. An exception there names what is
// allowed to be larger and why; one that is no longer needed is an error too. It does not judge averages.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { filesUnder, isCode, isTest, parseFile, report, rootFromArguments, walk } from './source.mjs'

const trees = ['src', 'web', 'test', 'scripts', 'bench', 'samples', 'docs/examples']
const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

/**
 * All offences, as lines `file:line  what. fix`.
 * @param {string} root
 * @returns {string[]}
 */
export function checkSizes(root) {
  const { limits, exceptions } = JSON.parse(readFileSync(join(root, 'sizes.json'), 'utf8'))
  const found = trees
    .flatMap(tree => filesUnder(root, tree))
    .filter(isCode)
    .flatMap(path => measure(root, path, limits))
  const used = new Set()
  const problems = found.filter(problem => {
    const exception = exceptions.find(
      ({ path, name, reason }) => reason && path === problem.path && name === problem.name,
    )
    if (exception) used.add(exception)
    return !exception
  })
  return [
    ...problems.map(({ path, line, message }) => `${path}:${line}  ${message}`),
    ...exceptions
      .filter(exception => !used.has(exception))
      .map(({ path, name }) => `sizes.json:1  the exception for ${name} in ${path} is not needed. Remove it.`),
  ]
}

/** What is too large in one file: `name` is the function's name, `file` or `folder`. */
function measure(root, path, limits) {
  const problems = []
  const file = parseFile(root, path)
  const lines = file.text.split('\n').length - (file.text.endsWith('\n') ? 1 : 0)
  if (lines > limits.fileLines) {
    const message = `the file has ${lines} lines, the limit is ${limits.fileLines}. Split it by responsibility.`
    problems.push({ path, line: 1, name: 'file', message })
  }
  const depth = path.split('/').length - 2
  if (path.startsWith('src/') && depth > limits.folderDepth) {
    const message = `lies ${depth} folders deep, the limit is ${limits.folderDepth}. Flatten it.`
    problems.push({ path, line: 1, name: 'folder', message })
  }
  for (const { name, line, length, isComponent } of functionsOf(file)) {
    const limit = isComponent ? limits.componentLines : limits.functionLines
    if (length <= limit) continue
    const message = `${name} has ${length} lines, the limit is ${limit}. Give its parts names of their own.`
    problems.push({ path, line, name, message })
  }
  return problems
}

/** Every function with its length from its first line to its closing brace; `describe` bodies are lists, not functions. */
function functionsOf(file) {
  const functions = []
  walk(file.program, (node, parent) => {
    if (!functionTypes.has(node.type) || !node.body) return
    if (isTest(file.path) && parent?.type === 'CallExpression' && calleeName(parent).startsWith('describe')) return
    const line = file.lineOf(node.start)
    const name = node.id?.name ?? parent?.id?.name ?? parent?.key?.name ?? 'a function'
    const isComponent = file.path.endsWith('.tsx') && /^[A-Z]/.test(name)
    functions.push({ name, line, length: file.lineOf(node.end - 1) - line + 1, isComponent })
  })
  return functions
}

function calleeName({ callee }) {
  return callee.name ?? callee.object?.name ?? ''
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await report('sizes', () => checkSizes(rootFromArguments(process.argv)))
}
