// The prompt history and workflow journals. Facts only; decode decides what becomes of them.

import type { CatalogEntry } from './entry.ts'

export const logsEntries: readonly CatalogEntry[] = [
  {
    name: 'history',
    group: 'history',
    wire: 'history.jsonl',
    firstSeen: '1.0.128',
    lastSeen: '2.1.100',
    sources: 'd2n',
    becomes: 'history',
    purpose: 'One line of the prompt history: what was typed at the prompt, in any session.',
    examples: [
      '{"display":"Add a jasmine tea to the menu, please.","pastedContents":{},"timestamp":1777885964120,"project":"/home/ada/tea-shop","sessionId":"77b2…"}',
    ],
    notes: ['It has no `type`. The session is named from 2.0.x on.'],
    fields: [
      'display! | string | 1.0.128-2.1.100 |  | d2 | What was typed.',
      'pastedContents | object | 1.0.128-2.1.100 |  | d2 | Pasted texts by number.',
      'timestamp! | number or string | 1.0.128-2.1.100 |  | d2 | Milliseconds since 1970.',
      'project! | string | 1.0.128-2.1.100 |  | d2 | The working directory.',
      'sessionId | string | 2.0.77-2.1.100 |  | d2 | The session it was typed in.',
    ],
  },
  {
    name: 'journal',
    group: 'journal',
    wire: 'launched, started, result, failed',
    firstSeen: '2.1.154',
    sources: 'n',
    becomes: 'other',
    purpose:
      'A step of a workflow: an agent of it was launched, started, gave a result or failed. Only in `journal.jsonl`.',
    examples: [
      '{"type":"started","key":"proofread","agentId":"a4f2c1d09b7733e10","label":"Proofread the menu"}',
      '{"type":"result","key":"proofread","agentId":"a4f2c1d09b7733e10","result":"No mistakes found."}',
    ],
    fields: [
      'type! | "launched" or "started" or "result" or "failed" |  |  | n | The step.',
      'key | any |  |  | n | Which step of the script it is.',
      'agentId | any |  |  | n | The agent.',
      'label | any |  |  | n | Its name.',
      'phase | any |  |  | n | The phase it belongs to.',
      'result | any |  |  | n | What came of it.',
    ],
  },
]
