// Writes the generated parts of docs/cli.md: the global options and a section per command, from the declarations in
// src/cli/commands.ts, with what the examples print on the sample history. The rest of the page is written by hand.
//   node scripts/docs-cli.mjs           write
//   node scripts/docs-cli.mjs --check   exit 1 when the page is not current

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runLineHere, withDemo } from './docs-demo.mjs'
import { finishPage, readPage, table, withBundle, withPart } from './docs-page.mjs'
import { filesUnder } from './source.mjs'

const page = 'docs/cli.md'
const fix = 'node scripts/docs-cli.mjs'
const mostLines = 18
const mostJsonLines = 5
const mostColumns = 120

/** Commands whose output is about the machine: their examples are shown without it. */
const aboutTheMachine = new Set(['doctor', 'config', 'completion', 'guide', 'index'])

/** Commands that continue until somebody stops them: their examples are not run. */
const endless = new Set(['watch', 'serve'])

/** Ids that examples make up, and sample sessions that begin otherwise. */
const standIns = { '1f2e': '57ba' }

const flag = flags => `\`${flags}\``

function optionRows(options) {
  return options.map(option => {
    const more = [
      ...(option.choices ? [`one of ${option.choices.map(choice => `\`${choice}\``).join(', ')}`] : []),
      ...(option.isRepeatable && !option.description.includes('repeatable') ? ['repeatable'] : []),
    ]
    return [flag(option.flags), [option.description, ...more].join('; ')]
  })
}

function usage(command) {
  return ['clew', command.name, '[options]', command.argument?.name].filter(Boolean).join(' ')
}

function inputs(command) {
  const rows = [
    ...(command.argument ? [[flag(command.argument.name), command.argument.description]] : []),
    ...optionRows(command.options),
  ]
  return rows.length > 0 ? table(['argument or option', 'meaning'], rows) : ''
}

/** A line that is too long is cut, and of many lines the first and the last are kept. */
function shorten(text) {
  // How long it took is another number every time, how long ago it was one every day.
  const lines = text
    .trimEnd()
    .replace(/\(\d+ ms\)/g, '(8 ms)')
    .replace(/\b\d{2,}d ago\b/g, '200d ago')
    .split('\n')
    .map(cutLine)
  const most = lines.every(line => line.startsWith('{"')) ? mostJsonLines : mostLines
  if (lines.length <= most) return lines.join('\n')
  const shown = most - 2
  return [...lines.slice(0, shown), `… ${lines.length - shown - 1} more lines …`, lines.at(-1)].join('\n')
}

function cutLine(line) {
  const characters = [...line]
  return characters.length <= mostColumns ? line : `${characters.slice(0, mostColumns - 1).join('')}…`
}

async function example(demo, main, [declared, what], isShown = true) {
  const line = Object.entries(standIns).reduce((text, [made, real]) => text.replaceAll(made, real), declared)
  const { code, stdout, stderr } = await runLineHere(demo, line, main)
  if (code !== 0 && code !== 1) throw new Error(`the example "${line}" failed with exit code ${code}: ${stderr}`)
  const said = isShown ? shorten(withSteadyIds(stdout + stderr)) : ''
  const block = ['```console', `$ ${line}`, ...(said === '' ? [] : [said]), '```'].join('\n')
  return `${upperFirst(what)}:\n\n${block}\n${code === 0 || !isShown ? '' : `\nExit code ${code}.\n`}`
}

/** In a folder of its own, which it may write to. */
const exampleAlone = (main, declared) => withDemo(own => example(own, main, declared))

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const samples = filesUnder('samples/home').map(path => `${path} ${readFileSync(join('samples/home', path), 'utf8')}`)
const sampleIds = new Set(samples.join(' ').match(uuid))

/** Ids of new sessions are other ones every time: numbered ones stand for them. */
function withSteadyIds(text) {
  const made = [...new Set(text.match(uuid))].filter(id => !sampleIds.has(id))
  const nameOf = at => `c1e50000-0000-4000-8000-${String(at + 1).padStart(12, '0')}`
  return made.reduce((page, id, at) => page.replaceAll(id, nameOf(at)), text)
}

const upperFirst = text => text.charAt(0).toUpperCase() + text.slice(1)

const written = ([line, what]) => `${upperFirst(what)}:\n\n\`\`\`console\n$ ${line}\n\`\`\`\n`

async function section(command, demo, main) {
  const isShown = !aboutTheMachine.has(command.name)
  const examples = []
  for (const declared of command.examples) {
    if (endless.has(command.name)) examples.push(written(declared))
    else if (command.writes) examples.push(await exampleAlone(main, declared))
    else examples.push(await example(demo, main, declared, isShown))
  }
  const head = `## clew ${command.name}\n\n${upperFirst(command.summary)}. ${command.description}`
  const json = `\`--json\`: see [the JSON it prints](json.md#clew-${command.name}).`
  return [head, `\`\`\`text\n${usage(command)}\n\`\`\``, inputs(command), json, ...examples]
    .filter(part => part !== '')
    .join('\n\n')
}

const sources = { main: 'src/cli/main.ts', commands: 'src/cli/commands.ts', options: 'src/cli/options.ts' }

const { globals, overview, sections } = await withBundle(sources, async folder => {
  const main = join(folder, 'main.mjs')
  const { commands } = await import(pathToFileURL(join(folder, 'commands.mjs')).href)
  const { globalOptions } = await import(pathToFileURL(join(folder, 'options.mjs')).href)
  return withDemo(async demo => {
    const overview = await example(demo, main, ['clew', 'what is there, the latest sessions first'])
    const sections = []
    for (const command of commands) sections.push(await section(command, demo, main))
    return { globals: table(['option', 'meaning'], optionRows(globalOptions)), overview, sections }
  })
})

const parts = { globals, overview, commands: sections.join('\n\n') }
const text = Object.entries(parts).reduce((page, [name, content]) => withPart(page, name, content), readPage(page))
finishPage(page, text.replace(/\n{3,}/g, '\n\n'), fix)
