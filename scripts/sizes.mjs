// Prints how large the code is: lines without tests, files per folder, the ten longest functions. Fails where a folder has
// more than 40 files. The other figures are for people to look at; none of them is a limit.

import { posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { filesUnder, isCode, isTest, parseFile, report, rootFromArguments, walk } from './source.mjs'

const mostFiles = 40
const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

const codeUnder = (root, tree) => filesUnder(root, tree).filter(path => isCode(path) && !isTest(path))

/**
 * Folders of src and web with too many files, as lines `folder  what. fix`.
 * @param {string} root
 * @returns {string[]}
 */
export function checkSizes(root) {
  const counts = new Map()
  for (const path of ['src', 'web'].flatMap(tree => filesUnder(root, tree))) {
    const folder = posix.dirname(path)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > mostFiles)
    .map(
      ([folder, count]) =>
        `${folder}  has ${count} files, at most ${mostFiles} are allowed. Group them in sub-folders.`,
    )
}

/** The figures as lines of text. */
export function sizeFigures(root) {
  const lines = tree => {
    const files = codeUnder(root, tree).map(path => parseFile(root, path))
    const sum = files.reduce((total, { text }) => total + text.split('\n').length - 1, 0)
    return { files, text: `${tree}: ${sum.toLocaleString('en-US')} lines in ${files.length} files without tests` }
  }
  const [src, web] = [lines('src'), lines('web')]
  const longest = [...src.files, ...web.files]
    .flatMap(functionsOf)
    .sort((one, other) => other.length - one.length)
    .slice(0, 10)
  return [src.text, web.text, 'longest functions:', ...longest.map(one => `  ${one.length} ${one.name} ${one.place}`)]
}

function functionsOf(file) {
  const functions = []
  walk(file.program, (node, parent) => {
    if (!functionTypes.has(node.type) || !node.body) return
    const line = file.lineOf(node.start)
    const name = node.id?.name ?? parent?.id?.name ?? parent?.key?.name ?? '(anonymous)'
    functions.push({ name, place: `${file.path}:${line}`, length: file.lineOf(node.end - 1) - line + 1 })
  })
  return functions
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = rootFromArguments(process.argv)
  await report('sizes', () => {
    for (const line of sizeFigures(root)) console.log(line)
    return checkSizes(root)
  })
}
