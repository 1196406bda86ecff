// Fixtures of the rules about history.jsonl.

import type { JsonObject } from '../../../src/base/json.ts'
import type { Case, Fixture } from '../fixture.ts'
import { historyLine } from '../lines.ts'

const history = (fields: JsonObject): Case => ({
  files: [{ name: '/home/ada/.claude/history.jsonl', lines: [historyLine(fields)] }],
})

export const fixtures: Fixture[] = [
  { code: 'history-display', follows: history({}), breaks: history({ display: undefined }) },
  {
    code: 'history-pasted-contents',
    follows: history({ pastedContents: { 1: {} } }),
    breaks: history({ pastedContents: [] }),
  },
  { code: 'history-timestamp-ms', follows: history({}), breaks: history({ timestamp: '2026-02-17T23:21:59.414Z' }) },
  { code: 'history-project', follows: history({ project: 'C:\\shop' }), breaks: history({ project: 'shop' }) },
  { code: 'history-session-id', follows: history({}), breaks: history({ sessionId: undefined }) },
  { code: 'history-session-id', follows: history({}), breaks: history({ sessionId: 'latest' }) },
]
