// The names that a module of the library exports, each with what it is and the comment above its declaration. It only reads
// source text; whether a comment is there and good is judged elsewhere.

import { posix } from 'node:path'
import { parseFile } from './source.mjs'

const kinds = {
  ClassDeclaration: 'class',
  FunctionDeclaration: 'function',
  VariableDeclaration: 'value',
  TSInterfaceDeclaration: 'type',
  TSTypeAliasDeclaration: 'type',
}

/**
 * @param {string} root
 * @param {string} entry module, relative to root
 * @returns {{ name: string, kind: string, path: string, line: number, comment: string }[]} in the order of the source
 */
export function exportedNames(root, entry) {
  const files = new Map()
  const fileOf = path => {
    if (!files.has(path)) files.set(path, parseFile(root, path))
    return files.get(path)
  }
  return namesOf(fileOf, entry)
}

function namesOf(fileOf, path) {
  const file = fileOf(path)
  return file.program.body.flatMap(node => {
    if (node.type === 'ExportAllDeclaration') {
      const names = namesOf(fileOf, targetOf(path, node))
      return node.exportKind === 'type' ? names.filter(({ kind }) => kind === 'type' || kind === 'class') : names
    }
    if (node.type !== 'ExportNamedDeclaration') return []
    if (node.declaration) return declared(file, node)
    return node.specifiers.flatMap(({ local, exported }) => {
      const origin = node.source ? targetOf(path, node) : path
      const all = node.source ? namesOf(fileOf, origin) : []
      return all.filter(({ name }) => name === local.name).map(found => ({ ...found, name: exported.name }))
    })
  })
}

const targetOf = (path, node) => posix.normalize(posix.join(posix.dirname(path), node.source.value))

function declared(file, node) {
  const { declaration } = node
  const ids = declaration.declarations?.map(({ id }) => id) ?? [declaration.id]
  const comment = commentAbove(file, node)
  const place = { kind: kinds[declaration.type] ?? 'value', path: file.path, line: file.lineOf(node.start), comment }
  return ids.map(id => ({ name: id.name, ...place }))
}

/** The text of the doc comment right above a statement, on one line; empty where there is none. */
function commentAbove(file, node) {
  const last = file.comments.filter(comment => comment.end <= node.start).at(-1)
  if (!last?.value.startsWith('*') || file.text.slice(last.end, node.start).trim() !== '') return ''
  const lines = last.value.split('\n').map(line => line.replace(/^\s*\*+ ?/, '').trim())
  return lines.join(' ').replace(/\s+/g, ' ').trim()
}
