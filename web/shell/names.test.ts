import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { noUsage } from '../../src/model/usage.ts'
import type { PicturedRow } from '../../src/server/api/api.ts'
import { SessionRow } from './rows.tsx'

const facts = { prompts: 0, toolCalls: 0, subagents: 0, compactions: 0, errors: 0, bytes: 0, events: 0, files: 1 }
const rest = {
  ...{ startedAt: null, endedAt: null, live: false, models: [], tools: [], onDisk: true, archived: false },
  ...{ titleFrom: 'id' as const, programmatic: false, usage: noUsage() },
}

it('a row shows what would reorder or hide its text', () => {
  const row: PicturedRow = {
    ...facts,
    ...rest,
    id: 'a',
    title: 'pay\u202e001\u3164',
    projectKey: '/p\u2066',
    project: { cwd: '/p\u2066', slug: '-p', name: 'p\u2066' },
    gitBranch: 'ma\u115fin',
    tag: 't\u180e',
  }
  const page = renderToStaticMarkup(
    createElement(SessionRow, { row, now: 0, isWide: false, headings: 'time', current: undefined }),
  )
  for (const text of ['pay\\u{202e}001\\u{3164}', 'p\\u{2066}', 'ma\\u{115f}in', '#t\\u{180e}'])
    expect(page).toContain(text)
  expect(page).not.toMatch(/[\u202e\u3164\u2066\u115f\u180e]/)
})
