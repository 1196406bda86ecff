// A check report as SARIF 2.1.0, the form in which CI systems take findings.

import { pathToFileURL } from 'node:url'
import { builtinRules } from '../../check/builtin.ts'
import { ruleRows } from '../../check/table.ts'
import type { Finding, Severity } from '../../model/finding.ts'
import type { CheckReport } from '../../schema/contract-shapes.ts'

const levels: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'note' }

export function toSarif(report: CheckReport): object {
  const codes = [...new Set(report.findings.map(finding => finding.code))].sort()
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'clew', informationUri: 'https://www.npmjs.com/package/clew', rules: codes.map(ruleOf) },
        },
        columnKind: 'utf16CodeUnits',
        properties: { profile: report.profile },
        results: report.findings.map(finding => resultOf(finding, codes.indexOf(finding.code))),
      },
    ],
  }
}

function ruleOf(code: string): object {
  const row = ruleRows.find(rule => rule.id === code)
  const says = row?.says ?? builtinRules.find(rule => rule.code === code)?.says ?? code
  return {
    id: code,
    shortDescription: { text: says },
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
