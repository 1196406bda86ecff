// Checks a session against what Claude Code is known to write.
import { Checker, discover, diskSource, groupFindings, loadSession, profiles, severities } from 'clew'

const { sessions, findings } = await discover('session.jsonl')
const checker = new Checker('real')
checker.addFindings(findings)

for (const files of sessions) {
  const graph = await loadSession(diskSource(), files, {}, (log, record, [event = null]) =>
    checker.record(log, record, event),
  )
  checker.session(files, graph)
}

const report = checker.report()
console.log(
  `${report.records} records, ${report.counts.torn} torn, ${report.counts.callsWithoutResult} calls without result`,
)
for (const finding of report.findings) console.log(`${finding.severity} ${finding.code} line ${finding.line ?? '-'}`)

// The same by rule, the worst first; the profiles that there are, and the severities.
for (const { code, count, says } of groupFindings(report.findings).slice(0, 1)) console.log(code, count, says)
console.log(profiles.join(), severities.join())
