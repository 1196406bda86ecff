import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { ListedSession } from '../../src/server/api/api.ts'
import { SessionRow } from './rows.tsx'

const facts = { prompts: 0, calls: 0, subagents: 0, compactions: 0, errors: 0, tokens: 0, bytes: 0 }
const rest = { startedAt: null, endedAt: null, isLive: false, models: [], onDisk: true, isArchived: false }

it('a row shows what would reorder or hide its text', () => {
  const row: ListedSession = {
    ...facts,
    ...rest,
    id: 'a',
    title: 'pay\u202e001\u3164',
    project: '/p\u2066',
    projectName: 'p\u2066',
    slug: '-p',
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
