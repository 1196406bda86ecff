import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { ArchiveAnswer, SearchResult, SessionList, UsageAnswerJson } from '../../../src/server/api/api.ts'
import type { ContextAt, FileTouched, Outline, SessionHead } from '../../../src/view/reading.ts'
import {
  type App,
  barriers,
  describeApp,
  desktop,
  finish,
  type Opened,
  phone,
  picture,
  sampleHome,
  still,
  words,
} from './browser.ts'
import { readThrough, wideElements } from './in-page.mjs'

/** The richest of the samples: subagents, a fork, a compaction, failures. */
const session = '33c79d8c-6d99-4d32-b36b-48f475c1e43f'

interface Listed {
  sessions: { id: string; title: string; prompts: number; toolCalls: number; errors: number; subagents: number }[]
}
interface Shown {
  title: string
  threads: { id: string; kind: string; agentType?: string; eventCount: number }[]
  toolCalls: { name: string }[]
  compactions: unknown[]
  branches: unknown[]
}
interface Counted {
  files: { path: string }[]
}
interface Used {
  totals: { inputTokens: number; outputTokens: number; totalTokens: number; totalCost: number }
  bounds: { messages: number; messagesWithPartialOutput: number; unknownModels: string[] }
}
interface ArchiveStatus {
  files: number
  bytes: number
  storedBytes: number
  expiring: { session: string }[]
}

const screens: Record<string, string> = {
  home: '/',
  transcript: `/s/${session}`,
  map: `/s/${session}/map`,
  context: `/s/${session}/context`,
  files: `/s/${session}/files`,
  search: '/search?q=cart',
  usage: '/usage',
  archive: '/archive',
  history: '/history',
  health: '/health',
  settings: '/settings',
}
const sizes = { phone, tablet: { width: 768, height: 1024 }, desktop, wide: { width: 2560, height: 1440 } }

/** What the server answers to the page itself. */
async function answerOf<Answer>({ page }: Opened, path: string): Promise<Answer> {
  return (await page.evaluate(`fetch(${JSON.stringify(path)}).then(answer => answer.json())`)) as Answer
}

/** Waits until the screen has these words. */
async function says(opened: Opened, ...parts: (string | RegExp)[]): Promise<void> {
  for (const part of parts) {
    const match = typeof part === 'string' ? expect.stringContaining(part) : expect.stringMatching(part)
    await expect.poll(() => words(opened.page), { timeout: 50_000 }).toEqual(match)
  }
}

/** Rows of a list that begin before the one above them ends. */
async function overlaps(page: Page): Promise<string[]> {
  const places = await page.locator('main .row-place').evaluateAll(all =>
    all.map(one => {
      const { top, bottom } = one.getBoundingClientRect()
      return { top, bottom, text: one.textContent ?? '' }
    }),
  )
  const rows = places.sort((one, other) => one.top - other.top)
  return rows.filter((row, at) => row.top < (rows[at - 1]?.bottom ?? row.top) - 1).map(({ text }) => text)
}

/** How a count of tokens may be written: whole, or short with one or two digits behind the point. */
function tokenForms(tokens: number): RegExp {
  const short = [tokens / 1e3, tokens / 1e6].flatMap((value, at) =>
    [0, 1, 2].map(digits => `${value.toFixed(digits)}\\s?${at === 0 ? 'k' : 'M'}`),
  )
  return new RegExp([tokens.toLocaleString('en-US'), ...short].map(form => `(?<![\\d.,])${form}`).join('|'), 'i')
}

describeApp('the screens on the sample history', sampleHome, check => {
  check('home lists every session that ls lists, with its title', async app => {
    const { sessions } = app.json<Listed>('ls')
    const opened = await app.open('/', { width: 1280, height: 3000 })
    await says(opened, ...sessions.map(one => one.title.slice(0, 60)), `${sessions.length} sessions`)
    const links = await opened.page
      .locator('main a[href^="/s/"]')
      .evaluateAll(all => all.map(one => one.getAttribute('href')))
    expect(new Set(links)).toEqual(new Set(sessions.map(one => `/s/${one.id}`)))
    const list = await answerOf<SessionList>(opened, '/api/sessions')
    const answer = list.sessions.map(one => [one.id, one.prompts, one.toolCalls, one.errors, one.subagents])
    const printed = sessions.map(one => [one.id, one.prompts, one.toolCalls, one.errors, one.subagents])
    expect(new Set(answer.map(row => row.join()))).toEqual(new Set(printed.map(row => row.join())))
    await finish(opened)
  })

  check('a filter on home is in the address and narrows the list', async app => {
    const opened = await app.open('/')
    await opened.page.locator('main a[href*="project="]', { hasText: 'hexwind' }).first().click()
    expect(new URL(opened.page.url()).searchParams.get('project')).toContain('hexwind')
    const hexwind = app.json<Listed>('ls', '--project', 'hexwind').sessions
    await says(opened, new RegExp(`\\b${hexwind.length} sessions`))
    await opened.page.reload()
    await says(opened, new RegExp(`\\b${hexwind.length} sessions`))
    await finish(opened)
  })

  check('the transcript has every prompt, every tool and the title', async app => {
    const shown = app.json<Shown>('show', session)
    const opened = await app.open(screens['transcript'] ?? '')
    await opened.page.getByRole('heading', { name: shown.title }).first().waitFor()
    const outline = await answerOf<Outline>(opened, `/api/sessions/${session}/outline`)
    const left = new Set(Object.keys(outline.branches))
    await says(opened, Object.values(outline.prompts)[0]?.slice(0, 40) ?? 'a prompt')
    const { text } = await opened.page.evaluate(readThrough, { step: 700, waitMs: 60, most: 60 })
    const flat = text.replace(/\s+/g, ' ')
    for (const [slot, prompt] of Object.entries(outline.prompts)) {
      if (!left.has(slot)) expect(flat).toContain(prompt.replace(/\s+/g, ' ').slice(0, 60))
    }
    for (const { name } of shown.toolCalls) expect(flat).toContain(name)
    const head = await answerOf<SessionHead>(opened, `/api/sessions/${session}`)
    expect(head.threads).toHaveLength(shown.threads.length)
    expect(head.counts.calls).toBe(shown.toolCalls.length)
    expect(head.branches).toHaveLength(shown.branches.length)
    expect(head.compactions).toHaveLength(shown.compactions.length)
    await finish(opened)
  })

  check('the map names every thread and jumps into the transcript', async app => {
    const shown = app.json<Shown>('show', session)
    const opened = await app.open(screens['map'] ?? '')
    await still(opened.page)
    const named = await opened.page.locator('main').evaluate(main => `${main.textContent} ${main.innerHTML}`)
    for (const thread of shown.threads) if (thread.agentType) expect(named).toContain(thread.agentType)
    const widths = await opened.page.locator('main canvas').evaluateAll(all => all.map(one => one.clientWidth))
    expect(Math.max(...widths)).toBeGreaterThan(400)
    await opened.page.keyboard.press('j')
    await opened.page.keyboard.press('Enter')
    await expect.poll(() => opened.page.url()).toContain(`/s/${session}?event=`)
    await opened.page.locator('[data-marked="true"]').waitFor()
    await finish(opened)
  })

  check('the context screen reports the same tokens as its answer', async app => {
    const opened = await app.open(screens['context'] ?? '')
    const context = await answerOf<ContextAt>(opened, `/api/sessions/${session}/context`)
    expect(context.parts.length).toBeGreaterThan(2)
    expect(context.parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(context.tokens)
    await says(opened, tokenForms(context.counted ?? context.tokens), context.isEstimated ? '≈' : '')
    for (const part of context.parts) await says(opened, tokenForms(part.tokens))
    await opened.page.locator('main table').first().waitFor()
    await finish(opened)
  })

  check('the files screen has the files that stats counts', async app => {
    const opened = await app.open(screens['files'] ?? '')
    const { files } = app.json<Counted>('stats', session)
    const answer = await answerOf<{ files: FileTouched[] }>(opened, `/api/sessions/${session}/files`)
    expect(answer.files.map(file => file.path).sort()).toEqual(files.map(file => file.path).sort())
    await says(opened, ...files.map(file => file.path.split('/').at(-1) ?? ''))
    await finish(opened)
  })

  check('search finds what the command line finds, and a hit opens on its event', async app => {
    const found = app.json<SearchResult>('search', 'cart')
    const opened = await app.open('/search')
    await opened.page.getByRole('searchbox').first().fill('cart')
    await says(opened, new RegExp(`\\b${found.total}\\b`))
    expect(new URL(opened.page.url()).searchParams.get('q')).toBe('cart')
    const hit = found.hits.find(one => one.label === 'prompt')
    const link = opened.page.locator(`main a[href*="event=${hit?.event}"]`).first()
    await link.locator('mark').first().waitFor()
    await link.click()
    await opened.page.locator('[data-marked="true"]').waitFor()
    expect(new URL(opened.page.url()).pathname).toBe(`/s/${hit?.session}`)
    await finish(opened)
  })

  check('usage has the numbers of clew usage, with bounds as bounds', async app => {
    const opened = await app.open(screens['usage'] ?? '')
    const used = app.json<Used>('usage', 'daily')
    const answer = await answerOf<UsageAnswerJson>(opened, '/api/usage?by=daily')
    expect(answer.totals.totalTokens).toBe(used.totals.totalTokens)
    expect(answer.totals.totalCost).toBeCloseTo(used.totals.totalCost, 9)
    expect(answer.bounds.messagesWithPartialOutput).toBe(used.bounds.messagesWithPartialOutput)
    await says(opened, tokenForms(used.totals.totalTokens), `$${used.totals.totalCost.toFixed(2)}`, '≥')
    for (const model of used.bounds.unknownModels) await says(opened, model)
    await opened.page.locator('main table').first().waitFor()
    await finish(opened)
  })

  check('every grouping of usage has the rows of the command line', async app => {
    const opened = await app.open('/usage?by=model')
    for (const by of ['daily', 'model', 'project', 'session', 'tool', 'subagent', 'blocks']) {
      const answer = await answerOf<UsageAnswerJson>(opened, `/api/usage?by=${by}`)
      const used = app.json<{ totals: { totalTokens: number } }>('usage', by)
      expect([by, answer.totals.totalTokens]).toEqual([by, used.totals.totalTokens])
    }
    await finish(opened)
  })

  check('usage is sorted by its heads and downloads what clew usage --csv prints', async app => {
    const opened = await app.open('/usage?by=project')
    const { page } = opened
    const column = (n: number) => page.locator(`main tbody tr > :nth-child(${n})`).allInnerTexts()
    await page.getByRole('button', { name: 'Project', exact: true }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('sort')).toBe('name')
    const names = await column(1)
    expect(names).toEqual([...names].sort(new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare))
    await page.getByRole('button', { name: 'Output', exact: true }).click()
    await page.locator('th[aria-sort="descending"]', { hasText: /output/i }).waitFor()
    const numbers = (await column(5)).map(text => Number(text.replace(/[^\d]/g, '')))
    expect(numbers).toEqual([...numbers].sort((one, other) => other - one))
    for (const by of ['daily', 'session', 'project', 'model', 'tool', 'subagent']) {
      const { text } = await answerOf<{ text: string }>(opened, `/api/usage/csv?by=${by}`)
      expect([by, text.split('\n').sort()]).toEqual([by, app.clew('usage', by, '--csv').stdout.split('\n').sort()])
    }
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('clew-usage-project.csv')
    await finish(opened)
  })

  check('home is sorted, grouped and narrowed to a day', async app => {
    const opened = await app.open('/')
    const { page } = opened
    const titles = () => page.locator('main .row-title').allInnerTexts()
    await page.getByLabel('Sort').selectOption('title')
    await expect.poll(async () => (await titles()).length).toBeGreaterThan(5)
    const sorted = app.json<Listed>('ls').sessions.map(one => one.title)
    const first = sorted.sort(new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare)[0] ?? ''
    await expect.poll(async () => (await titles())[0]).toBe(first)
    await page.getByRole('link', { name: 'By project' }).click()
    await page.locator('main h2.row-heading', { hasText: /^bakery$/i }).waitFor()
    await page.goto(`${app.origin}/`)
    // A list with other headings has other heights, also where it was looked at before.
    await page.locator('main h2.row-heading').first().waitFor()
    for (let times = 0; times < 3; times++) {
      await page.getByRole('link', { name: 'By project' }).click()
      await still(page)
      expect(await overlaps(page)).toEqual([])
    }
    await page.goto(`${app.origin}/`)
    const days = page.getByRole('slider', { name: /^Day/ })
    await days.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.get('since')).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(new URL(page.url()).searchParams.get('until')).toBe(new URL(page.url()).searchParams.get('since'))
    await page.getByRole('link', { name: /remove this filter/ }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await finish(opened)
  })

  check('Ctrl+K goes to sessions and screens by keyboard alone, and gives the focus back', async app => {
    const opened = await app.open('/usage')
    const { page } = opened
    await still(page)
    const link = page.locator('main a.chip').first()
    await link.focus()
    await page.keyboard.press('Control+k')
    const box = page.getByRole('combobox', { name: /session/ })
    const options = page.getByRole('listbox', { name: 'Sessions and actions' }).getByRole('option')
    await box.waitFor()
    await expect.poll(() => options.count()).toBeGreaterThan(8)
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
    expect(await link.evaluate(one => one === one.ownerDocument.activeElement)).toBe(true)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('croissant')
    await page.getByRole('option', { name: /Croissant pre-orders/ }).waitFor()
    // What is in no title is searched for.
    await expect.poll(() => options.count()).toBe(2)
    expect(await options.last().textContent()).toContain('Search everything for “croissant”')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/s/${session}`)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('settings')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).pathname).toBe('/settings')
    await finish(opened)
  })

  check('history has every prompt and leads to its place', async app => {
    const { prompts } = app.json<{ prompts: { text: string }[] }>('history')
    const opened = await app.open(screens['history'] ?? '')
    await says(opened, ...prompts.slice(-3).map(({ text }) => text.trim().slice(0, 30)))
    await opened.page.getByLabel('Filter what you typed').fill('croissant')
    await expect.poll(() => new URL(opened.page.url()).searchParams.get('text')).toBe('croissant')
    const link = opened.page.locator('main a[href*="event="]', { hasText: /croissant/i }).first()
    await link.click()
    await opened.page.locator('[data-marked="true"]').waitFor()
    await finish(opened)
  })

  check('health has the groups of clew check and leads to a record', async app => {
    // Findings are no failure of this command here.
    const printed = app.clew('check', '--json').stdout
    const { groups } = JSON.parse(printed) as { groups: { code: string; count: number }[] }
    const opened = await app.open(screens['health'] ?? '')
    await says(opened, ...groups.slice(0, 5).map(({ code }) => code))
    await opened.page.locator('main a[href*="event="]').first().click()
    await opened.page.locator('[data-marked="true"]').waitFor()
    await finish(opened)
  })

  check('settings are those of clew config, and count at once', async app => {
    const opened = await app.open(screens['settings'] ?? '')
    const { page } = opened
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    await page.emulateMedia({ colorScheme: 'light' })
    const light = await paper()
    await page.getByLabel('Dark').check()
    await says(opened, 'Saved.')
    expect(await paper()).not.toBe(light)
    await page.reload()
    await still(page)
    expect(await paper()).not.toBe(light)
    await page.getByLabel('As the system').check()
    await expect.poll(paper).toBe(light)
    await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Asia/Tokyo')
    await expect
      .poll(() => app.json<{ config: unknown }>('config', 'list').config)
      .toMatchObject({
        theme: 'system',
        timezone: 'Asia/Tokyo',
      })
    await page.getByRole('combobox', { name: 'Time zone' }).selectOption('UTC')
    await expect.poll(() => app.json<{ config: unknown }>('config', 'list').config).toMatchObject({ timezone: 'UTC' })
    await finish(opened)
  })

  check(
    'the archive screen agrees with archive status, and archives on request',
    async app => {
      const opened = await app.open(screens['archive'] ?? '')
      const before = app.json<ArchiveStatus>('archive', 'status')
      const answer = await answerOf<ArchiveAnswer>(opened, '/api/archive')
      expect(answer.files).toBe(before.files)
      expect(answer.bytes).toBe(before.bytes)
      await says(opened, /archive/i)
      const [response] = await Promise.all([
        opened.page.waitForResponse(one => one.url().endsWith('/api/archive/run')),
        opened.page.getByRole('button', { name: 'Archive now' }).click(),
      ])
      expect(response.status()).toBe(200)
      await expect
        .poll(async () => (await answerOf<ArchiveAnswer>(opened, '/api/archive')).files, { timeout: 50_000 })
        .toBe(app.json<ArchiveStatus>('archive', 'status').files)
      expect(app.json<ArchiveStatus>('archive', 'status').files).toBeGreaterThan(0)
      await restoreDeleted(app, opened)
      await finish(opened)
    },
    120_000,
  )

  for (const [name, path] of Object.entries(screens)) {
    check(`${name} fits phone and desktop, light and dark, and is in no one's way`, async app => {
      const opened = await app.open(path)
      await look(opened, name)
      await finish(opened)
    })
  }

  check('prints the transcript without the panes around it', async app => {
    const opened = await app.open(screens['transcript'] ?? '')
    await still(opened.page)
    await opened.page.emulateMedia({ media: 'print' })
    expect(await opened.page.locator('aside.pane').isVisible()).toBe(false)
    await picture(opened.page, 'transcript-print')
    await finish(opened)
  })
})

/** A session that Claude Code deleted comes back, byte for byte, after a second press. */
async function restoreDeleted(app: App, opened: Opened): Promise<void> {
  const { page } = opened
  const file = join(app.home, 'projects/-home-mira-bakery/2eb05ff7-043a-458f-91b0-3b29e0a4dac5.jsonl')
  const bytes = readFileSync(file)
  rmSync(file)
  const button = page.getByRole('button', { name: /restore/i }).first()
  await expect
    .poll(async () => (await answerOf<ArchiveAnswer>(opened, '/api/archive')).gone.length, { timeout: 60_000 })
    .toBe(1)
  await page.reload()
  await button.click()
  expect(existsSync(file)).toBe(false)
  await page.locator('form').getByRole('button', { name: 'Restore', exact: true }).click()
  await expect.poll(() => existsSync(file) && readFileSync(file).equals(bytes)).toBe(true)
}

/** One navigation, then all sizes and themes. */
async function look({ page }: Opened, name: string): Promise<void> {
  const problems: string[] = []
  const isPictured = Boolean(process.env['CLEW_SCREENS'])
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const [size, viewport] of Object.entries(sizes)) {
      if (!isPictured && size !== 'phone' && size !== 'desktop') continue
      await page.setViewportSize(viewport)
      await still(page)
      const wide = await page.evaluate(wideElements)
      problems.push(...wide.map(one => `${size} ${colorScheme}: ${one}`))
      if (size === 'phone' || size === 'desktop') {
        problems.push(...(await barriers(page)).map(one => `${size} ${colorScheme}: ${one}`))
      }
      await picture(page, `${name}-${viewport.width}-${colorScheme}`)
    }
  }
  expect(problems).toEqual([])
}

describeApp(
  'the app without any session',
  // A home that was named is looked at even if it is empty.
  app => {
    app.env.CLAUDE_CONFIG_DIR = ''
  },
  check => {
    check('teaches with the sample history, one click away', async app => {
      const opened = await app.open('/')
      await opened.page.getByRole('link', { name: /sample/i }).click()
      await says(opened, 'Croissant pre-orders', /sample history/i)
      await opened.page.locator('main a[href^="/s/"]').first().click()
      await opened.page.locator('main [role="feed"], main .transcript').first().waitFor()
      await finish(opened)
    })
  },
)

/** Ten projects with many sessions, enough for a first index to take a moment. */
function manyProjects({ home }: App): void {
  for (let project = 0; project < 10; project++) {
    const folder = join(home, 'projects', `-home-mira-project-${project}`)
    mkdirSync(folder, { recursive: true })
    for (let at = 0; at < 250; at++) {
      const id = `5e5510a0-${String(project).padStart(4, '0')}-4000-8000-${String(at).padStart(12, '0')}`
      const base = { sessionId: id, cwd: `/home/mira/project-${project}`, timestamp: '2026-01-01T00:00:00.000Z' }
      const message = { role: 'user', content: `Prompt ${at} of project ${project}` }
      const record = { ...base, type: 'user', uuid: `u-${project}-${at}`, parentUuid: null, message }
      writeFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify(record)}\n`)
    }
  }
}

describeApp('the app on a home of many projects', manyProjects, check => {
  check(
    'lists sessions before they are indexed, and fills in',
    async app => {
      const opened = await app.open('/')
      await says(opened, /Prompt \d+ of project \d/, '2,500 sessions')
      await says(opened, /1 prompt/)
      await expect.poll(() => opened.page.locator('.indexing').count(), { timeout: 50_000 }).toBe(0)
      await finish(opened)
    },
    120_000,
  )

  check('the menu of projects closes by choice, Escape and a press elsewhere, and keeps the focus', async app => {
    for (const viewport of [desktop, phone]) {
      const opened = await app.open('/', viewport)
      const { page } = opened
      const button = page.getByRole('button', { name: /^\d+ more$/ })
      const menu = page.getByRole('navigation', { name: 'More projects' })
      await button.click()
      await menu.waitFor()
      const box = await menu.boundingBox()
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= viewport.width).toBe(true)
      await page.keyboard.press('Escape')
      await menu.waitFor({ state: 'hidden' })
      expect(await button.evaluate(one => one === one.ownerDocument.activeElement)).toBe(true)
      await button.click()
      await menu.waitFor()
      await page.mouse.click(viewport.width - 4, 4)
      await menu.waitFor({ state: 'hidden' })
      await button.click()
      await menu.getByRole('link').first().click()
      await menu.waitFor({ state: 'hidden' })
      expect(new URL(page.url()).searchParams.get('project')).toContain('project-')
      await finish(opened)
    }
  })

  check('a server that is gone, a used address and a wrong one are pages that say what to do', async app => {
    const opened = await app.open('/')
    const { page } = opened
    await page.goto(`${app.origin}/nothing`)
    await says(opened, 'Page not found')
    await page.goto(`${app.origin}/`)
    await says(opened, /2,500 sessions/)
    await page.route('**/api/usage*', route => route.abort())
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    await says(opened, 'The server cannot be reached', 'clew serve')
    // Nobody is signed in from here on.
    await page.context().clearCookies()
    await page.goto(`${app.origin}/`)
    await says(opened, 'This browser is not signed in', /press Enter/i)
    await page.goto(`${app.origin}/?token=used`)
    await says(opened, 'This address was used already', 'clew serve')
    expect(await barriers(page)).toEqual([])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await picture(page, `refused-1280-${colorScheme}`)
    }
    await page.close()
  })
})
