// Every name that src/index.ts publishes has a comment right above its declaration. It does not read the comment.

import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseFile } from './source.mjs'

const entry = 'src/index.ts'

/**
 * @param {string} root
 * @returns {string[]} lines `file:line  what`
 */
export function checkPublicNames(root) {
  if (!existsSync(join(root, entry))) return []
  const files = new Map()
  const fileOf = path => {
    if (!files.has(path)) files.set(path, parseFile(root, path))
    return files.get(path)
  }
  return publishedNames(fileOf(entry), fileOf).flatMap(({ path, name }) => {
    const place = declarationOf(fileOf, path, name, new Set())
    if (!place) return [`${path}:1  ${name} is published but not declared there.`]
    if (hasComment(place.file, place.node)) return []
    return [`${place.file.path}:${place.file.lineOf(place.node.start)}  ${name} is public: say above it what it means.`]
  })
}

/** Names with the file they come from; `export *` means all names of its file, `export type *` its types. */
function publishedNames(file, fileOf) {
  return file.program.body.flatMap(node => {
    if (node.type === 'ExportAllDeclaration') {
      const names = publishedNames(fileOf(targetOf(file.path, node)), fileOf)
      return node.exportKind === 'type' ? names.filter(name => name.isType) : names
    }
    if (node.type !== 'ExportNamedDeclaration') return []
    const isType = node.exportKind === 'type'
    if (node.declaration) return declaredNames(node.declaration).map(name => ({ path: file.path, name, isType }))
    return node.specifiers.map(({ local, exported }) =>
      node.source
        ? { path: targetOf(file.path, node), name: local.name, isType }
        : { path: file.path, name: exported.name, isType },
    )
  })
}

const targetOf = (path, node) => posix.normalize(posix.join(posix.dirname(path), node.source.value))

function declaredNames(declaration) {
  if (declaration.declarations) return declaration.declarations.map(({ id }) => id.name)
  return declaration.id ? [declaration.id.name] : []
}

/** Follows re-exports to the statement that declares a name; overloads count by their first. */
function declarationOf(fileOf, path, name, visited) {
  if (visited.has(`${path} ${name}`)) return undefined
  visited.add(`${path} ${name}`)
  const file = fileOf(path)
  for (const node of file.program.body) {
    if (declaredNames(node.declaration ?? node).includes(name)) return { file, node }
    if (node.type === 'ExportAllDeclaration') {
      const place = declarationOf(fileOf, targetOf(path, node), name, visited)
      if (place) return place
    }
    const specifier = node.source && node.specifiers?.find(one => (one.exported ?? one.local)?.name === name)
    if (!specifier) continue
    const original = (node.type === 'ImportDeclaration' ? specifier.imported : specifier.local)?.name ?? name
    return declarationOf(fileOf, targetOf(path, node), original, visited)
  }
  return undefined
}

function hasComment(file, node) {
  const before = file.comments.filter(comment => comment.end <= node.start)
  const last = before[before.length - 1]
  return last?.value.startsWith('*') && file.text.slice(last.end, node.start).trim() === ''
}
