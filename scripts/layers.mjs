// Checks the rules of layers.json: which folder may import which, no import cycle, re-exporting files only where the package
// publishes them, no clock or platform in pure folders, and nobody but a few looks into a record. It says nothing about what the code does.
//   node scripts/layers.mjs              check
//   node scripts/layers.mjs --markdown   the table for ARCHITECTURE.md

import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { filesUnder, importsOf, isCode, isTest, parseFile, report, rootFromArguments, walk } from './source.mjs'

/** Globals that make a function depend on more than its arguments, or on Node. */
const impureNames = new Set(['process', 'Buffer', 'performance', 'fetch', 'setTimeout', 'setInterval', 'require'])
const impureCalls = new Set(['Date.now', 'Math.random'])

export function readLayers(root) {
  return JSON.parse(readFileSync(join(root, 'layers.json'), 'utf8'))
}

/** The rule a file falls under: its own entry, else that of the innermost folder it is in; undefined when there is none. */
function ruleOf(layers, path) {
  if (layers.entries?.[path]) return { name: path, ...layers.entries[path] }
  const folders = Object.keys(layers.folders).filter(folder => path.startsWith(`${folder}/`))
  const name = folders.sort((one, other) => other.length - one.length)[0]
  return name && { name, ...layers.folders[name] }
}

/**
 * All offences, as lines `file:line  what. fix`.
 * @param {string} root
 * @returns {string[]}
 */
export function checkLayers(root) {
  const layers = readLayers(root)
  const paths = [...filesUnder(root, 'src'), ...filesUnder(root, 'web')].filter(path => isCode(path) && !isTest(path))
  const problems = []
  const edges = new Map()
  for (const path of paths) {
    const file = parseFile(root, path)
    const rule = ruleOf(layers, path)
    const imports = importsOf(file)
    edges.set(path, localTargets(path, imports))
    if (!rule) problems.push(`${path}:1  lies in no folder of layers.json. Move it, or add its folder there.`)
    else problems.push(...imports.flatMap(one => checkImport(layers, rule, path, one)))
    if (rule?.pure) problems.push(...checkPurity(rule, file))
    if (layers.recordValues && !mayReadRecords(layers.recordValues, path)) problems.push(...checkRecords(file))
    if (isBarrel(file) && !layers.barrels.includes(path)) {
      problems.push(`${path}:1  only re-exports. Import from where things are made, or list it in layers.json barrels.`)
    }
  }
  return [...problems, ...findCycles(edges)]
}

function checkImport(layers, rule, path, { name, line, isType }) {
  const at = `${path}:${line}  `
  if (!name.startsWith('.')) return checkPackage(rule, at, name)
  const target = posix.normalize(posix.join(posix.dirname(path), name))
  if (isTest(target)) return [`${at}imports the test ${target}. Move what both need into a file of its own.`]
  if (rule.data?.includes(target)) return []
  const other = ruleOf(layers, target)
  if (!other) return [`${at}imports ${target}, which lies in no folder of layers.json.`]
  if (other.name === rule.name || rule.may.includes(other.name)) return []
  if (isType && rule.types?.includes(other.name)) return []
  const allowed = rule.may.join(', ') || 'nothing'
  return [
    `${at}${rule.name} may not import ${other.name} (${name}). Allowed: ${allowed}. Move the code, or hand it in.`,
  ]
}

function checkPackage(rule, at, name) {
  const packageName = name.split('/', name.startsWith('@') ? 2 : 1).join('/')
  if (name.startsWith('node:')) {
    return rule.node
      ? []
      : [`${at}${rule.name} may not use ${name}. Do it in src/disk or src/cli and hand the result in.`]
  }
  if (builtinModules.includes(packageName)) return [`${at}write 'node:${name}' instead of '${name}'.`]
  if (rule.packages?.includes(packageName)) return []
  return [`${at}${rule.name} may not use the package ${packageName}. Add it to layers.json only with a reason.`]
}

function checkPurity(rule, file) {
  const problems = []
  const add = (node, what) =>
    problems.push(
      `${file.path}:${file.lineOf(node.start)}  ${rule.name} is pure: no ${what}. Take the value as an argument.`,
    )
  walk(file.program, node => {
    const used = node.type === 'MemberExpression' ? node.object : node.callee
    if (used?.type === 'Identifier' && impureNames.has(used.name)) add(node, used.name)
    const method = node.type === 'MemberExpression' ? `${node.object.name}.${node.property.name}` : ''
    if (impureCalls.has(method)) add(node, method)
    if (node.type === 'NewExpression' && node.callee.name === 'Date' && node.arguments.length === 0) add(node, 'clock')
  })
  return problems
}

function mayReadRecords({ folders, files }, path) {
  return folders.some(folder => path.startsWith(`${folder}/`)) || path in files
}

/** Names of a record, or of several, at the end of an expression or in a type. */
const recordName = /\b(records?|LogRecord|readRecords\([^)]*\)|\['record'\])(\[\])?$/

/** Reads of a record's parsed line: `event.record.value`, `const { value } = record`, `({ value }: LogRecord) => …`. */
function checkRecords(file) {
  const problems = []
  const textOf = node => (node ? file.text.slice(node.start, node.end).replace(/[?!]$/, '') : '')
  const add = node =>
    problems.push(
      `${file.path}:${file.lineOf(node.start)}  reads the value of a record. Give the fact a field that decode fills ` +
        '(src/model/stated.ts, detail.ts), or name the file in layers.json recordValues with its reason.',
    )
  const isValue = pattern =>
    pattern?.type === 'ObjectPattern' && pattern.properties.some(({ key }) => key?.name === 'value')
  walk(file.program, (node, parent) => {
    if (node.type === 'MemberExpression' && !node.computed && node.property.name === 'value') {
      if (recordName.test(textOf(node.object))) add(node)
    } else if (isValue(node)) {
      const typed = textOf(node.typeAnnotation?.typeAnnotation)
      const from = parent.type === 'VariableDeclarator' ? textOf(parent.init) : ''
      if (recordName.test(typed) || recordName.test(from)) add(node)
    } else if (node.type === 'ForOfStatement' && isValue(node.left.declarations?.[0]?.id)) {
      if (recordName.test(textOf(node.right))) add(node.left)
    } else if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression') {
      const isOfRecords = recordName.test(textOf(node.callee.object))
      if (isOfRecords) for (const { params = [] } of node.arguments) if (isValue(params[0])) add(params[0])
    }
  })
  return problems
}

/** Whether a file has re-exports and nothing else. */
function isBarrel(file) {
  const { body } = file.program
  return body.length > 0 && body.every(node => node.type.startsWith('Export') && node.source)
}

function localTargets(path, imports) {
  const local = imports.filter(one => one.name.startsWith('.'))
  return local.map(one => ({ target: posix.normalize(posix.join(posix.dirname(path), one.name)), line: one.line }))
}

/** One message per loop found by walking depth first; every loop of a ring shows up at least once. */
function findCycles(edges) {
  const problems = []
  const state = new Map()
  for (const start of edges.keys()) {
    if (state.has(start)) continue
    const path = [{ file: start, next: 0 }]
    state.set(start, 'open')
    while (path.length > 0) {
      const top = path[path.length - 1]
      const edge = edges.get(top.file)[top.next++]
      if (!edge) {
        state.set(top.file, 'done')
        path.pop()
      } else if (state.get(edge.target) === 'open') {
        const ring = path.slice(path.findIndex(step => step.file === edge.target)).map(step => step.file)
        problems.push(
          `${top.file}:${edge.line}  import cycle ${[...ring, edge.target].join(' → ')}. Move the shared part down.`,
        )
      } else if (!state.has(edge.target) && edges.has(edge.target)) {
        state.set(edge.target, 'open')
        path.push({ file: edge.target, next: 0 })
      }
    }
  }
  return problems
}

function recordsMarkdown({ folders, files }) {
  const exceptions = Object.entries(files).map(([path, why]) => `- \`${path}\`: ${why}`)
  const allowed = folders.map(folder => `\`${folder}\``).join(', ')
  return [
    `The value of a record, which is its parsed line, is read in ${allowed} only, and in:`,
    '',
    ...exceptions,
  ].join('\n')
}

/** The table of the folders that have code, and who may look into a record, for ARCHITECTURE.md. */
export function layersMarkdown(root) {
  const { folders, recordValues } = readLayers(root)
  const present = Object.keys(folders).filter(folder => filesUnder(root, folder).some(isCode))
  const rows = present.map(folder => {
    const { holds, may, packages = [], node, pure, types = [] } = folders[folder]
    const allowed = [
      ...may.filter(name => present.includes(name)).map(name => name.replace(/^src\//, '')),
      ...(node ? ['`node:*`'] : []),
      ...packages.map(name => `\`${name}\``),
      ...types.filter(name => present.includes(name)).map(name => `types of ${name.replace(/^src\//, '')}`),
    ]
    return `| \`${folder}\` | ${holds}${pure ? '. Pure' : ''} | ${allowed.join(', ') || '–'} |`
  })
  const table = ['| folder | holds | may import (besides itself) |', '|---|---|---|', ...rows]
  return (recordValues ? [...table, '', recordsMarkdown(recordValues)] : table).join('\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = rootFromArguments(process.argv)
  if (process.argv.includes('--markdown')) console.log(layersMarkdown(root))
  else await report('layers', () => checkLayers(root))
}
