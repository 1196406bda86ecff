// `clew check`: the rules of a specification, or of what Claude Code really writes, over files, sessions and homes. What is
// read for it is decided in src/check/scan, how findings are grouped in src/check/groups.ts.

import { homedir } from 'node:os'
import { pathToFileURL } from 'node:url'
import pc from 'picocolors'
import { UserError } from '../../answers/error.ts'
import { discoverRoots, isPath, sessionOf } from '../../answers/sessions/find.ts'
import { countOf } from '../../base/format.ts'
import { Checker } from '../../check/check.ts'
import { type FindingGroup, groupFindings, selectFindings } from '../../check/groups.ts'
import { checkDiscovery, checkPath, checkWholeSession } from '../../check/scan/scan.ts'
import { ruleRows, saysOf } from '../../check/table.ts'
import { expandTilde } from '../../disk/discover/homes.ts'
import type { SessionEvent } from '../../model/event.ts'
import type { Finding, Profile, Severity } from '../../model/finding.ts'
import type { LogRecord } from '../../model/record.ts'
import type { LogFile } from '../../model/source.ts'
import type { CheckReport } from '../../schema/contract-shapes.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { findingLine, findingText, isOutputClosed, printJson, printLine, severityText } from '../terminal/output.ts'
import { type Progress, startProgress } from '../terminal/progress.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const rules = (options['rule'] as string[] | undefined) ?? []
  const unknown = rules.find(rule => saysOf(rule) === undefined)
  if (unknown !== undefined) throw new UserError(`no rule is called "${unknown}"; docs/check.md lists them`)
  const progress = startProgress({ what: 'checking', isQuiet: globals.quiet })
  const checker = new WatchedChecker((options['profile'] as Profile | undefined) ?? 'real', progress)
  try {
    await checkAll(checker, args, globals)
  } finally {
    progress.end()
  }
  const report = checker.report()
  const least = (options['severity'] as Severity | undefined) ?? 'info'
  const findings = selectFindings(report.findings, { least, rules })
  const groups = groupFindings(findings)
  if (options['sarif'] === true) await printJson(toSarif(report.profile, findings))
  else if (globals.json) await printJson({ ...report, findings, groups })
  else {
    if (options['all'] === true) await printFindings(findings)
    else await printGroups(groups)
    if (!globals.quiet) await printSummary(report, findings, options['all'] !== true)
  }
  return findings.some(finding => finding.severity === 'error') ? 1 : 0
}

/** Paths and sessions that are named; without any, all homes. */
async function checkAll(checker: Checker, args: readonly string[], globals: GlobalOptions): Promise<void> {
  if (args.length === 0) {
    const { discoveries } = await discoverRoots(globals.clew)
    for (const discovery of discoveries) await checkDiscovery(checker, discovery, globals.clew)
  }
  for (const arg of args) {
    if (isPath(arg, globals.clew.tree)) await checkPath(checker, expandTilde(arg, homedir()), globals.clew)
    else await checkWholeSession(checker, await sessionOf(arg, globals.clew), globals.clew)
  }
}

/** Reports how many bytes are checked. */
class WatchedChecker extends Checker {
  private readonly progress: Progress

  constructor(profile: Profile, progress: Progress) {
    super(profile)
    this.progress = progress
  }

  override record(file: LogFile, record: LogRecord, event: SessionEvent | null, text?: string): void {
    super.record(file, record, event, text)
    this.progress.add(record.bytes)
  }
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

async function printSummary(report: CheckReport, findings: readonly Finding[], isGrouped: boolean): Promise<void> {
  const counts = { error: 0, warning: 0, info: 0 }
  for (const finding of findings) counts[finding.severity]++
  const found = `${countOf(counts.error, 'error')}, ${countOf(counts.warning, 'warning')}, ${countOf(counts.info, 'note')}`
  const read = `${countOf(report.files, 'file')}, ${countOf(report.records, 'record')}, ${countOf(report.bytes, 'byte')}`
  await printLine(`${counts.error > 0 ? pc.red(found) : pc.green(found)} in ${read} (profile ${report.profile})`)
  if (isGrouped && findings.length > groupFindings(findings).length)
    await printLine(pc.dim('to see every finding: clew check --all'))
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
