// Keeps the documents true: links resolve, the table of layers is the checked one, every command has a section with an
// example, every public name says what it means, generated pages are current. It does not judge prose.
//   node scripts/docs.mjs            check
//   node scripts/docs.mjs --write    rewrite what is generated, then check

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkLinks } from './docs-links.mjs'
import { checkPublicNames } from './docs-names.mjs'
import { layersMarkdown } from './layers.mjs'
import { runNode } from './run.mjs'
import { filesUnder, isCode, report, rootFromArguments } from './source.mjs'

const generators = [
  'scripts/docs-format.mjs',
  'scripts/docs-cli.mjs',
  'scripts/docs-rules.mjs',
  'scripts/docs-library.mjs',
  'scripts/samples.mjs',
  'scripts/picture.mjs',
  'scripts/lock.mjs',
]
const markers = /(<!-- layers:start -->\n)([\s\S]*?)(\n<!-- layers:end -->)/

/** Paths of a machine where the project was worked on, and documents that are not part of it. */
const foreignWords = [/(?<![\w.~-])[/]work[/]/, /shared[/](DESIGN|STYLE|FORMAT|UI)\b/]

/** ARCHITECTURE.md has the table of layers.json between its markers, and nothing else there. */
function checkLayersTable(root, write) {
  const path = join(root, 'ARCHITECTURE.md')
  if (!existsSync(path)) return ['ARCHITECTURE.md:1  is missing.']
  const text = readFileSync(path, 'utf8')
  const table = layersMarkdown(root)
  const found = markers.exec(text)
  if (!found)
    return ['ARCHITECTURE.md:1  has no <!-- layers:start --> … <!-- layers:end --> for the table of layers.json.']
  if (found[2].trim() === table) return []
  if (!write) return ['ARCHITECTURE.md:1  its table of layers is not that of layers.json. Run: npm run docs -- --write']
  writeFileSync(
    path,
    text.replace(markers, (_, start, __, end) => start + table + end),
  )
  return []
}

const conflictMarker = /^(<{7}|>{7}) /

function checkWords(root) {
  const paths = filesUnder(root).filter(path => isCode(path) || /\.(md|json|jsonl|txt|yml)$/.test(path))
  return paths.flatMap(path => {
    const lines = readFileSync(join(root, path), 'utf8').split('\n')
    return lines.flatMap((line, index) => {
      if (conflictMarker.test(line)) return [`${path}:${index + 1}  has a mark of a merge conflict. Resolve it.`]
      const word = foreignWords.map(pattern => pattern.exec(line)?.[0]).find(Boolean)
      return word ? [`${path}:${index + 1}  mentions ${word}, which is no part of the project. Reword it.`] : []
    })
  })
}

/** Every command of the tool has a heading in docs/cli.md, an example under it, and every flag of its help named. */
async function checkCommands(root) {
  const main = join(root, 'dist/cli/main.js')
  if (!existsSync(main)) return []
  const path = join(root, 'docs/cli.md')
  if (!existsSync(path)) return ['docs/cli.md:1  is missing.']
  const text = readFileSync(path, 'utf8')
  const helpOf = async name => (await runNode(main, [...name, '--help'], { cwd: root, env: { NO_COLOR: '1' } })).stdout
  const names = commandNames(await helpOf([]))
  const helps = await Promise.all(names.map(name => helpOf([name])))
  return names.flatMap((name, index) => [...checkSection(text, name), ...checkFlags(text, name, helps[index])])
}

function checkSection(text, name) {
  const section = sectionsOf(text).find(({ title }) => new RegExp(`\\bclew ${name}\\b`).test(title) || title === name)
  if (!section) return [`docs/cli.md:1  has no heading for the command ${name}. Add "## clew ${name}".`]
  const hasExample = new RegExp(`^[^\\n]*\\bclew ${name}\\b`, 'm').test(section.body)
  return hasExample ? [] : [`docs/cli.md:${section.line}  the section on ${name} shows no example of it.`]
}

function checkFlags(text, name, help) {
  const flags = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(match => match[1])
  const missing = flags.filter(flag => !new RegExp(`${flag}(?![\\w-])`).test(text))
  return missing.map(flag => `docs/cli.md:1  does not name ${flag} of the command ${name}.`)
}

/** First words of the lines under `Commands:` in the help text; `help` documents itself. */
function commandNames(help) {
  const list = /^Commands:\n([\s\S]*?)(?:\n\S|$(?![\s\S]))/m.exec(help)?.[1] ?? ''
  const names = [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(match => match[1])
  return names.filter(name => name !== 'help')
}

/** Headings with the text up to the next heading of the same or a higher level. */
function sectionsOf(markdown) {
  const lines = markdown.split('\n')
  const headings = lines.flatMap((text, index) => {
    const match = /^(#{1,6})\s+(.*)/.exec(text)
    return match ? [{ level: match[1].length, title: match[2].replaceAll('`', '').trim(), line: index + 1 }] : []
  })
  return headings.map((heading, index) => {
    const next = headings.slice(index + 1).find(other => other.level <= heading.level)
    return { ...heading, body: lines.slice(heading.line, next ? next.line - 1 : undefined).join('\n') }
  })
}

/** Pages and samples that a script makes: checked, or written again. */
async function checkGenerated(root, write) {
  const problems = []
  for (const script of generators.filter(path => existsSync(join(root, path)))) {
    if (write) await runNode(join(root, script), [], { cwd: root })
    const { code, output } = await runNode(join(root, script), ['--check'], { cwd: root })
    if (code !== 0) problems.push(`${script} --check failed. Run: node ${script}\n${output.trimEnd()}`)
  }
  return problems
}

export async function checkDocs(root, write) {
  return [
    ...(await checkGenerated(root, write)),
    ...checkLayersTable(root, write),
    ...checkLinks(root),
    ...checkWords(root),
    ...checkPublicNames(root),
    ...(await checkCommands(root)),
  ]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await report('docs', () => checkDocs(rootFromArguments(process.argv), process.argv.includes('--write')))
}
