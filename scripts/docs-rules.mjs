// Writes the generated part of docs/check.md: every rule with its severity per profile, the statements that no file can
// break, and the findings that no specification states. The explanations around it are written by hand.
//   node scripts/docs-rules.mjs           write
//   node scripts/docs-rules.mjs --check   exit 1 when the page is not current

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { finishPage, readPage, table, withBundle, withPart } from './docs-page.mjs'

const page = 'docs/check.md'
const fix = 'node scripts/docs-rules.mjs'

/** Kinds of rules as headings, in the order of the page. */
const headings = {
  validation: 'Lines and values',
  type: 'Types of records',
  field: 'Fields',
  block: 'Content blocks',
  usage: 'Usage',
  tool: 'Tools',
  relation: 'Relations between records',
  order: 'Order',
  subagent: 'Subagents',
  compaction: 'Compactions',
  location: 'Files and folders',
  compatibility: 'Compatibility',
  parsing: 'Parsing',
  performance: 'Performance',
  statistic: 'Statistics',
}

const code = text => `\`${text}\``
const levelOf = severity => (severity === 'off' ? '–' : severity)

function groups(rows) {
  const unknown = rows.find(row => !Object.hasOwn(headings, row.kind))
  if (unknown) throw new Error(`the rule ${unknown.id} is of kind ${unknown.kind}, which has no heading in ${fix}`)
  const kinds = Object.keys(headings).filter(kind => rows.some(row => row.kind === kind))
  return kinds.map(kind => ({ heading: headings[kind], rows: rows.filter(row => row.kind === kind) }))
}

/** `s0 JSONL Structure`, `s0 Overview` → `s0 JSONL Structure, Overview`. */
function statedIn(places) {
  const bySpecification = new Map()
  for (const place of places) {
    const [, specification, section] = /^(\S+)\s*(.*)$/.exec(place)
    bySpecification.set(specification, [...(bySpecification.get(specification) ?? []), section])
  }
  return [...bySpecification].map(([name, sections]) => `${name} ${sections.join(', ')}`.trim()).join('; ')
}

function ruleTable(rows, profiles) {
  return table(
    ['code', 'what it says', ...profiles, 'stated in'],
    rows.map(row => [
      code(row.id),
      row.says,
      ...profiles.map(profile => levelOf(row.severity[profile])),
      statedIn(row.stated),
    ]),
  )
}

const statementTable = rows =>
  table(
    ['code', 'what it says', 'what shows it', 'stated in'],
    rows.map(row => [code(row.id), row.says, row.shownBy, statedIn(row.stated)]),
  )

function content({ ruleRows, builtinRules, pathFindings, profiles }) {
  const checked = ruleRows.filter(row => row.severity)
  const unchecked = ruleRows.filter(row => !row.severity)
  const rules = groups(checked).flatMap(({ heading, rows }) => [`### ${heading}`, ruleTable(rows, profiles)])
  const builtin = builtinRules.map(rule => [code(rule.code), rule.severity, rule.says])
  const paths = pathFindings.map(rule => [code(rule.code), rule.severities.join(' or '), rule.says])
  return {
    'built-in': table(['code', 'severity', 'meaning'], [...builtin, ...paths]),
    rules: [`${checked.length} rules have a check.`, ...rules].join('\n\n'),
    statements: [`${unchecked.length} statements:`, statementTable(unchecked)].join('\n\n'),
  }
}

const sources = {
  table: 'src/check/table.ts',
  builtin: 'src/check/builtin.ts',
  finding: 'src/model/finding.ts',
}
const parts = await withBundle(sources, async folder => {
  const names = Object.keys(sources)
  const modules = await Promise.all(names.map(name => import(pathToFileURL(join(folder, `${name}.mjs`)).href)))
  return content(Object.assign({}, ...modules))
})
const text = Object.entries(parts).reduce((page, [name, part]) => withPart(page, name, part), readPage(page))
finishPage(page, text, fix)
