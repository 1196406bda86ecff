// What the graph noticed while it was built, in the words that people read. The full set of rules is checked elsewhere.

import type { SessionEvent } from '../../model/event.ts'
import type { Finding, Severity } from '../../model/finding.ts'

export function findingAbout(event: SessionEvent, code: string, severity: Severity, message: string): Finding {
  const { file, line, offset } = event.source
  return { code, severity, file, line, offset, event: event.id, message }
}
