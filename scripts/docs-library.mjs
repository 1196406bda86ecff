// Writes the generated parts of docs/library.md: each example of docs/examples with what it prints on the sample history, and
// tables of all exported names. The explanations around them are written by hand.
//   node scripts/docs-library.mjs           write
//   node scripts/docs-library.mjs --check   exit 1 when the page is not current

import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { exportedNames } from './docs-api.mjs'
import { runLine, withDemo } from './docs-demo.mjs'
import { finishPage, readPage, table, withBundle, withPart } from './docs-page.mjs'
import { filesUnder, projectRoot } from './source.mjs'

const page = 'docs/library.md'
const fix = 'node scripts/docs-library.mjs'
const examples = filesUnder(projectRoot, 'docs/examples').filter(path => path.endsWith('.ts'))
const nameOf = path => basename(path, '.ts')

/** Modules as people import them → their source. */
const modules = {
  clew: 'src/index.ts',
  'clew/decode': 'src/decode/decode.ts',
  'clew/graph': 'src/graph/graph.ts',
  'clew/load': 'src/load.ts',
  'clew/schema': 'src/schema/schema.ts',
  'clew/write': 'src/write/write.ts',
  'clew/store': 'src/write/store/store.ts',
}

/** Name of an example → what it prints, each in a folder of its own: some of them change it. */
function outputs() {
  const entryPoints = Object.fromEntries(examples.map(path => [nameOf(path), path]))
  const alias = Object.fromEntries(Object.entries(modules).map(([name, path]) => [name, join(projectRoot, path)]))
  const run = async folder => {
    const printed = new Map()
    for (const name of examples.map(nameOf)) {
      printed.set(name, await withDemo(async demo => outputOf(demo, join(folder, name))))
    }
    return printed
  }
  return withBundle(entryPoints, run, { alias })
}

function outputOf(demo, script) {
  const { code, stdout, stderr } = runLine(demo, `"${process.execPath}" "${script}.mjs"`)
  if (code !== 0) throw new Error(`docs/examples/${basename(script)}.ts failed:\n${stderr}`)
  return stdout.trimEnd()
}

function exampleBlock(path, output) {
  const code = readFileSync(join(projectRoot, path), 'utf8').trimEnd()
  return `\`\`\`ts\n${code}\n\`\`\`\n\n\`\`\`text\n${output}\n\`\`\``
}

const code = text => `\`${text}\``

/** Name of an example → the names that it imports from the package as values. */
const imported = new Map(
  examples.map(path => {
    const text = readFileSync(join(projectRoot, path), 'utf8')
    const lists = [...text.matchAll(/import \{([^}]*)\} from 'clew(?:\/\w+)?'/g)].map(([, list]) => list)
    return [nameOf(path), new Set(lists.flatMap(list => list.split(',').map(name => name.trim())))]
  }),
)

/** Where an example that uses the name stands on the page; the first that is most about it. */
function exampleOf(name) {
  const using = [...imported].filter(([, names]) => names.has(name)).sort(([, one], [, other]) => one.size - other.size)
  const [example] = using[0] ?? []
  if (example === undefined) throw new Error(`${name} is exported and in no example: use it in one of docs/examples`)
  return `[${example}](examples/${example}.ts)`
}

function nameTables(names) {
  const values = names.filter(({ kind }) => kind !== 'type')
  const types = names.filter(({ kind }) => kind === 'type')
  const valueRows = values.map(({ name, signature, comment }) => [code(signature), comment, exampleOf(name)])
  const typeRows = types.map(({ name, comment }) => [code(name), comment])
  const tables = []
  if (valueRows.length > 0) tables.push(table(['signature', 'meaning', 'example'], valueRows))
  if (typeRows.length > 0) tables.push(table(['type', 'meaning'], typeRows))
  return tables.join('\n\n')
}

/** All names of the package, and for each smaller entry only those that it shares and those that it adds. */
function moduleSections() {
  const main = exportedNames(projectRoot, modules.clew)
  const known = new Set(main.map(({ name }) => name))
  const smaller = Object.entries(modules).filter(([name]) => name !== 'clew')
  const sections = smaller.map(([name, path]) => {
    const names = exportedNames(projectRoot, path)
    const shared = names.filter(one => known.has(one.name)).map(one => code(one.name))
    const own = names.filter(one => !known.has(one.name))
    const sharing = shared.length > 0 ? `As in \`clew\`: ${shared.join(', ')}.` : ''
    return [`### ${name}`, sharing, own.length > 0 ? nameTables(own) : ''].filter(Boolean).join('\n\n')
  })
  return [`### clew`, nameTables(main), ...sections].join('\n\n')
}

const printed = await outputs()
let text = withPart(readPage(page), 'names', moduleSections())
for (const path of examples) text = withPart(text, nameOf(path), exampleBlock(path, printed.get(nameOf(path)) ?? ''))
finishPage(page, text, fix)
