// The names that a module of the library exports, each with what it is, its signature and the comment above its declaration. It
// only reads source text; whether a comment is there and good is judged elsewhere.

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
 * @returns {{ name: string, kind: string, path: string, line: number, comment: string, signature: string }[]} in the order of the source
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
  return ids.map((id, at) => ({ name: id.name, ...place, signature: signatureOf(file, declaration, at) }))
}

/** How a value is used: a function's or a class's head without its code, a constant's type; empty for a type. */
function signatureOf(file, declaration, at) {
  const text = (from, to) =>
    file.text
      .slice(from, to)
      .replace(/\s+/g, ' ')
      .replace(/\(\s/g, '(')
      .replace(/,?\s\)/g, ')')
      .trim()
  if (declaration.type === 'FunctionDeclaration')
    return text(declaration.start, declaration.body.start).replace(/^async /, '')
  if (declaration.type === 'ClassDeclaration') return classText(declaration, text)
  const variable = declaration.declarations?.[at]
  if (variable === undefined) return ''
  const { id, init } = variable
  if (init?.type !== 'ArrowFunctionExpression') return `const ${text(id.start, id.end)}`
  return `function ${id.name}${text(init.start, init.body.start).replace(/\s*=>$/, '')}`
}

function classText(declaration, text) {
  const heads = declaration.body.body.flatMap(member => {
    if (member.accessibility === 'private' || member.key?.type === 'PrivateIdentifier' || member.override) return []
    if (member.type === 'MethodDefinition') return [text(member.start, member.value.body.start)]
    return [
      text(member.start, member.value?.start ?? member.end)
        .replace(/[=;]\s*$/, '')
        .trim(),
    ]
  })
  return `${text(declaration.start, declaration.body.start)} { ${heads.join('; ')} }`
}

/** The text of the doc comment right above a statement, on one line; empty where there is none. */
function commentAbove(file, node) {
  const last = file.comments.filter(comment => comment.end <= node.start).at(-1)
  if (!last?.value.startsWith('*') || file.text.slice(last.end, node.start).trim() !== '') return ''
  const lines = last.value.split('\n').map(line => line.replace(/^\s*\*+ ?/, '').trim())
  return lines.join(' ').replace(/\s+/g, ' ').trim()
}
