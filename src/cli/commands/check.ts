// `clew check`: the rules of a specification, or of what Claude Code really writes, over files, sessions and homes. What is
// read for it is decided in src/check/scan, how findings are grouped in src/check/groups.ts.

import { pathToFileURL } from 'node:url'
import pc from 'picocolors'
import { check } from '../../answers/care/check.ts'
import { countOf } from '../../base/format.ts'
import type { FindingGroup } from '../../check/groups.ts'
import { ruleRows, saysOf } from '../../check/table.ts'
import type { Finding, Profile, Severity } from '../../model/finding.ts'
import type { CheckReport } from '../../schema/contract-shapes.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import {
  findingLine,
  findingText,
  isOutputClosed,
  printJson,
  printLine,
  say,
  severityText,
} from '../terminal/output.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const { findings, groups, ...report } = await check(globals.clew, {
    words: args,
    profile: options['profile'] as Profile | undefined,
    least: options['severity'] as Severity | undefined,
    rules: (options['rule'] as string[] | undefined) ?? [],
  })
  if (options['sarif'] === true) await printJson(toSarif(report.profile, findings))
  else if (globals.json) await printJson({ ...report, findings, groups })
  else {
    if (options['all'] === true) await printFindings(findings)
    else await printGroups(groups)
    if (!globals.quiet) await printSummary(report, findings, options['all'] !== true && findings.length > groups.length)
  }
  const errors = findings.filter(finding => finding.severity === 'error').length
  if (errors > 0 && (globals.json || options['sarif'] === true)) say(`clew: ${countOf(errors, 'error')}`)
  return errors > 0 ? 1 : 0
}

async function printFindings(findings: readonly Finding[]): Promise<void> {
  for (const finding of findings) {
    await printLine(findingLine(finding))
    if (isOutputClosed()) return
  }
}

/** A rule with one finding is printed as that finding, one with more as a count and the first of them. */
async function printGroups(groups: readonly FindingGroup[]): Promise<void> {
  for (const group of groups) {
    await printLine(group.count === 1 ? findingLine(group.example) : groupLines(group))
    if (isOutputClosed()) return
  }
}

function groupLines({ code, severity, count, files, example }: FindingGroup): string {
  const where = files > 1 ? ` in ${countOf(files, 'file')}` : ''
  return `${severityText(severity)} ${pc.bold(code)}: ${countOf(count, 'finding')}${where}\n  first: ${findingText(example)}`
}

async function printSummary(
  report: Omit<CheckReport, 'findings' | 'groups'>,
  findings: readonly Finding[],
  isShortened: boolean,
): Promise<void> {
  const counts = { error: 0, warning: 0, info: 0 }
  for (const finding of findings) counts[finding.severity]++
  const found = `${countOf(counts.error, 'error')}, ${countOf(counts.warning, 'warning')}, ${countOf(counts.info, 'note')}`
  const read = `${countOf(report.files, 'file')}, ${countOf(report.records, 'record')}, ${countOf(report.bytes, 'byte')}`
  await printLine(`${counts.error > 0 ? pc.red(found) : pc.green(found)} in ${read} (profile ${report.profile})`)
  if (isShortened) await printLine(pc.dim('to see every finding: clew check --all'))
}

const levels: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'note' }

function toSarif(profile: string, findings: readonly Finding[]): object {
  const codes = [...new Set(findings.map(finding => finding.code))].sort()
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'clew', informationUri: 'https://www.npmjs.com/package/clew', rules: codes.map(ruleOf) },
        },
        columnKind: 'utf16CodeUnits',
        properties: { profile },
        results: findings.map(finding => resultOf(finding, codes.indexOf(finding.code))),
      },
    ],
  }
}

function ruleOf(code: string): object {
  const row = ruleRows.find(rule => rule.id === code)
  return {
    id: code,
    shortDescription: { text: saysOf(code) ?? code },
    ...(row ? { help: { text: `Stated in: ${row.stated.join('; ')}.` } } : {}),
  }
}

function resultOf(finding: Finding, ruleIndex: number): object {
  return {
    ruleId: finding.code,
    ruleIndex,
    level: levels[finding.severity],
    message: { text: finding.message },
    ...(finding.file === undefined ? {} : { locations: [locationOf(finding, finding.file)] }),
  }
}

function locationOf(finding: Finding, file: string): object {
  const region = {
    ...(finding.line === undefined ? {} : { startLine: finding.line }),
    ...(finding.offset === undefined ? {} : { byteOffset: finding.offset }),
  }
  return {
    physicalLocation: {
      artifactLocation: { uri: file === '-' ? 'stdin' : pathToFileURL(file).href },
      ...(Object.keys(region).length > 0 ? { region } : {}),
    },
  }
}
