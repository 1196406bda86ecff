import { appendFileSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { describeApp, finish, type Opened, phone, sampleHome, still, words } from './browser.ts'
import { focusMark, markedItem, noteArrivals, ownWords, wordsInView } from './in-page.mjs'

const session = '33c79d8c-6d99-4d32-b36b-48f475c1e43f'
const live = '89fa56ca-4696-4aba-8872-34198a51a117'

interface PrintedEvent {
  id: string
  kind: string
  thread: string
  blocks?: { type: string; text?: string }[]
}

/** What a session's printed events are, in file order. */
function eventsOf(text: string): PrintedEvent[] {
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
}

/** The last record that others can hang on. */
function lastRecord(file: string): { uuid: string; message: object } {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map(line => JSON.parse(line)).findLast(record => record.uuid !== undefined)
}

async function where({ page }: Opened): Promise<string> {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}

/** What the prompt or other item says that the keyboard is on; what its turn took comes later. */
async function current({ page }: Opened): Promise<string> {
  const item = page.locator('[data-current="true"], main [role="group"]:focus').first()
  await item.waitFor()
  return item.evaluate(ownWords)
}

describeApp('reading', sampleHome, check => {
  check('goes through a session by keyboard alone', async app => {
    const opened = await app.open('/')
    const { page } = opened
    await page.locator('main a[href^="/s/"]').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    const second = await page.evaluate(focusMark)
    expect(second).toMatchObject({ tag: 'a', isSeen: true, isInView: true })
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await expect.poll(() => where(opened)).toMatch(/^\/s\/[^/]+$/)
    await page.goto(`${app.origin}/s/${session}`)
    await page.locator('.item-prompt').first().waitFor()
    await page.keyboard.press('n')
    const first = await current(opened)
    await page.keyboard.press('n')
    await expect.poll(() => current(opened)).not.toBe(first)
    const next = await current(opened)
    await page.keyboard.press('p')
    await expect.poll(() => current(opened)).toBe(first)
    await page.keyboard.press('j')
    await expect.poll(() => current(opened)).not.toBe(first)
    await page.keyboard.press('n')
    await expect.poll(() => current(opened)).toBe(next)
    await page.keyboard.press('e')
    await expect.poll(() => current(opened)).not.toBe(next)
    const item = page.locator('[data-current="true"]').first()
    await expect.poll(async () => (await item.boundingBox())?.y ?? -1).toBeGreaterThan(0)
    await finish(opened)
  })

  check('opens and closes an item, its raw record, the help and the search by key', async app => {
    const opened = await app.open(`/s/${session}`)
    const { page } = opened
    await page.locator('.item-call').first().waitFor()
    await still(page)
    for (let stop = 0; stop < 2; stop++) {
      await page.keyboard.press('e')
      await page.getByText(`Error ${stop + 1} of 2`).waitFor()
    }
    await page.locator('[data-current="true"]', { hasText: 'npm test -- preorder' }).waitFor()
    const item = page.locator('[data-current="true"]').first()
    await item.waitFor()
    const button = item.locator('[aria-expanded]').first()
    const was = await button.getAttribute('aria-expanded')
    await page.keyboard.press('o')
    await expect.poll(() => button.getAttribute('aria-expanded')).not.toBe(was)
    await page.keyboard.press('r')
    const raw = page.getByRole('dialog', { name: 'Raw record' })
    await expect.poll(() => words(page, '[role="dialog"]')).toMatch(/"(parentUuid|uuid|type)": "/)
    await page.keyboard.press('Escape')
    await raw.waitFor({ state: 'hidden' })
    await page.keyboard.press('?')
    const help = page.getByRole('dialog')
    await help.waitFor()
    for (const says of ['next prompt', 'next error', 'raw record', 'map']) {
      expect(await words(page, 'dialog')).toContain(says)
    }
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'hidden' })
    await page.keyboard.press('/')
    await expect.poll(() => where(opened)).toMatch(/^\/search/)
    await expect.poll(() => page.evaluate(focusMark)).toMatchObject({ tag: 'input', isSeen: true })
    await page.keyboard.type('croissant')
    await page.locator('main a[href*="event="]').first().waitFor()
    await finish(opened)
  })

  check('goes to every screen with g and a letter, and says which one is on', async app => {
    const opened = await app.open(`/s/${session}`)
    const ways: [string, string][] = [
      ['m', `/s/${session}/map`],
      ['c', `/s/${session}/context`],
      ['f', `/s/${session}/files`],
      ['t', `/s/${session}`],
      ['u', '/usage'],
      ['a', '/archive'],
      ['s', '/search'],
    ]
    await opened.page.locator('.item-prompt').first().waitFor()
    for (const [key, path] of ways) {
      await opened.page.keyboard.press('g')
      await opened.page.keyboard.press(key)
      await expect.poll(() => where(opened)).toBe(path)
      await opened.page.locator('header [aria-current="page"]').waitFor()
    }
    await opened.page.keyboard.press('Escape')
    await opened.page.keyboard.press('g')
    await opened.page.keyboard.press('h')
    await expect.poll(() => where(opened)).toBe('/')
    await finish(opened)
  })

  check('shows the focus wherever Tab leads, and never loses it', async app => {
    for (const path of ['/', `/s/${session}`, `/s/${session}/map`, '/search?q=cart', '/usage', '/archive']) {
      const opened = await app.open(path)
      await still(opened.page)
      const unseen: unknown[] = []
      for (let step = 0; step < 12; step++) {
        await opened.page.keyboard.press('Tab')
        const mark = await opened.page.evaluate(focusMark)
        // Behind the last one the browser's own bar has the focus.
        if (mark === null && step > 4) break
        if (!mark?.isSeen || !mark.isInView || mark.name === '') unseen.push({ path, step, mark })
      }
      expect(unseen).toEqual([])
      await finish(opened)
    }
  })

  check('lands on the event of a link, on the main thread and on a subagent’s', async app => {
    const events = eventsOf(app.clew('events', session, '--json').stdout)
    const answers = events.filter(
      event => event.kind === 'answer' && event.blocks?.some(block => block.type === 'text'),
    )
    const main = answers.filter(event => event.thread === session).at(-1)
    const nested = answers.filter(event => event.thread !== session).at(-1)
    for (const event of [main, nested]) {
      if (!event) throw new Error('the sample has no such event')
      const opened = await app.open(`/s/${session}?event=${encodeURIComponent(event.id)}`)
      await expect
        .poll(() => opened.page.evaluate(markedItem), { timeout: 50_000 })
        .toMatchObject({ isInView: true, isUncovered: true })
      const text = event.blocks?.find(block => block.type === 'text')?.text ?? ''
      const plain = (one: string) => one.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
      expect(plain((await opened.page.evaluate(markedItem))?.text ?? '')).toContain(plain(text).slice(0, 30))
      await finish(opened)
    }
  })

  check('goes to every error by key, as many as are counted, wherever they are', async app => {
    const opened = await app.open(`/s/${session}`)
    const { page } = opened
    await page.locator('.item-prompt').first().waitFor()
    await still(page)
    const head = (await page.evaluate(`fetch('/api/sessions/${session}').then(answer => answer.json())`)) as {
      counts: { errors: number }
    }
    const stops = new Set<string>()
    for (let stop = 1; stop <= head.counts.errors; stop++) {
      await page.keyboard.press('e')
      await page.getByText(`Error ${stop} of ${head.counts.errors}`).waitFor()
      await expect.poll(() => page.evaluate(markedItem)).toMatchObject({ isInView: true, isUncovered: true })
      await still(page)
      const item = page.locator('.item[data-marked="true"]')
      expect(await item.locator('[data-status="failed"], .error-line').count()).toBeGreaterThan(0)
      stops.add((await item.getAttribute('data-key')) ?? '')
    }
    expect(stops.size).toBe(head.counts.errors)
    expect([...stops].some(key => key.includes('/'))).toBe(true)
    await page.keyboard.press('e')
    await page.getByText('No further error').waitFor()
    await finish(opened)
  })

  check('opens the row of a search hit, marks its words there, and unfolds nothing else', async app => {
    const opened = await app.open('/search?q=vitest')
    const { page } = opened
    await page.locator('[data-hit]').first().waitFor()
    const hrefs = await page.locator('[data-hit]').evaluateAll(all => all.map(one => one.getAttribute('href') ?? ''))
    expect(hrefs.length).toBeGreaterThan(0)
    for (const href of hrefs.slice(0, 6)) {
      await page.goto(app.origin + href)
      await expect.poll(() => page.evaluate(markedItem)).toMatchObject({ isInView: true, isUncovered: true })
      await expect.poll(() => page.evaluate(wordsInView), { message: href }).toBeGreaterThan(0)
      const others = page.locator(
        '.transcript-rows > .row > article > .item:not([data-marked="true"]):not(:has([data-marked="true"])) > .call[aria-expanded="true"]',
      )
      expect(await others.count()).toBe(0)
    }
    await finish(opened)
  })

  check('finds from where the reader is, with the keys of the browser', async app => {
    const opened = await app.open(`/s/${session}`)
    const { page } = opened
    await page.locator('.item-prompt').first().waitFor()
    for (let step = 0; step < 3; step++) await page.keyboard.press('n')
    await still(page)
    await page.keyboard.press('Control+f')
    await page.locator('.find-bar input:focus').waitFor()
    await page.keyboard.type('preorder')
    await page.getByText(/^\d+ places$/).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => words(page, '.find-count')).toMatch(/^(?!1 of)\d+ of \d+$/)
    await expect.poll(() => page.evaluate(wordsInView)).toBeGreaterThan(0)
    await finish(opened)
  })

  check('opens and closes everything, hides thinking, and saves the session as a page', async app => {
    const opened = await app.open(`/s/${session}`)
    const { page } = opened
    await page.locator('.item-call').first().waitFor()
    await still(page)
    const open = page.locator('.item-call > .call[aria-expanded="true"]')
    await page.keyboard.press('O')
    await expect.poll(() => open.count()).toBeGreaterThan(2)
    await page.keyboard.press('C')
    await expect.poll(() => open.count()).toBe(0)
    await page.locator('.item-thinking').first().waitFor()
    await page.keyboard.press('t')
    await expect.poll(() => page.locator('.item-thinking').count()).toBe(0)
    await page.keyboard.press('t')
    await page.locator('.item-thinking').first().waitFor()
    const menu = page.locator('.filter-tools .dropdown')
    await menu.getByRole('button', { name: 'View' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      menu.getByRole('button', { name: 'Download as HTML' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^croissant.*\.html$/)
    expect(readFileSync(await download.path(), 'utf8')).toMatch(/^<!doctype html>/)
    await page.keyboard.press('Escape')
    await page.keyboard.press(']')
    await expect.poll(() => where(opened)).not.toContain(session)
    await page.keyboard.press('[')
    await expect.poll(() => where(opened)).toContain(session)
    await finish(opened)
  })

  check('shows files as a tree, all changes of one together, and a way to the editor', async app => {
    const opened = await app.open(`/s/${session}/files`)
    const { page } = opened
    await page.locator('.file-folder').first().waitFor()
    await page.locator('.file-row').first().click()
    await page.locator('.diff-line').first().waitFor()
    expect(await page.locator('.editor-link a').getAttribute('href')).toMatch(/^vscode:\/\/file\/[^/]/)
    const rows = page.locator('.file-row')
    const before = await rows.count()
    await page.locator('.file-folder').first().click()
    await expect.poll(() => rows.count()).toBeLessThan(before)
    await finish(opened)
  })

  check('says what is wrong where a session or an event is not there', async app => {
    const opened = await app.open('/s/no-such-session')
    await expect.poll(() => words(opened.page)).toMatch(/not|no session/i)
    await opened.page.goto(`${app.origin}/s/${session}?event=no-such-event`)
    await opened.page.locator('.item-prompt').first().waitFor()
    await opened.page.close()
    expect(opened.faults.filter(fault => !fault.includes('404'))).toEqual([])
  })

  check('finds its place again with back and forward', async app => {
    const opened = await app.open('/', { width: 1280, height: 500 })
    const { page } = opened
    await page.locator('main a[href^="/s/"]').first().waitFor()
    await page.mouse.move(500, 400)
    await page.mouse.wheel(0, 600)
    await still(page)
    const link = page.locator('main a[href^="/s/"]').nth(7)
    const href = await link.getAttribute('href')
    const before = (await link.boundingBox())?.y ?? Number.NaN
    await link.click()
    await page.locator('main [role="feed"], main .transcript').first().waitFor()
    await page.goBack()
    const again = page.locator(`main a[href="${href}"]`)
    await again.waitFor()
    await expect.poll(async () => Math.abs(((await again.boundingBox())?.y ?? 0) - before)).toBeLessThan(30)
    await page.goForward()
    await expect.poll(() => where(opened)).toBe(href)
    await page.locator('main [role="feed"], main .transcript').first().waitFor()
    await finish(opened)
  })

  check('comes back from a map to the place in the transcript that was read', async app => {
    const opened = await app.open(`/s/${session}`)
    const { page } = opened
    await page.locator('.item-prompt').first().waitFor()
    for (let step = 0; step < 4; step++) await page.keyboard.press('n')
    await still(page)
    const before = await current(opened)
    await page.keyboard.press('g')
    await page.keyboard.press('m')
    await expect.poll(() => where(opened)).toContain('/map')
    await page.goBack()
    await page.locator('.item').first().waitFor()
    await still(page)
    const item = page.locator('.item', { hasText: before.split('\n')[0] ?? before }).first()
    const box = await item.boundingBox()
    expect(box === null ? 'gone' : box.y > 0 && box.y < 900).toBe(true)
    await finish(opened)
  })

  check('shows what a session appends, within moments, and follows its end', async app => {
    const file = join(app.home, 'projects/-home-mira-sakana', `${live}.jsonl`)
    const last = lastRecord(file)
    const opened = await app.open(`/s/${live}`)
    await opened.page.locator('.item-prompt').first().waitFor()
    await still(opened.page)
    const texts = Array.from({ length: 12 }, (_, at) => `appended answer number ${at} of twelve`)
    await opened.page.evaluate(noteArrivals, texts)
    await opened.page.keyboard.press('End')
    const sent: number[] = []
    let parent = last.uuid
    for (const [at, text] of texts.entries()) {
      const uuid = `aaaaaaaa-0000-4000-8000-${String(at).padStart(12, '0')}`
      const message = {
        id: `msg_a${at}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-5',
        content: [{ type: 'text', text }],
      }
      const record = {
        ...last,
        type: 'assistant',
        uuid,
        parentUuid: parent,
        message,
        timestamp: new Date().toISOString(),
      }
      parent = uuid
      sent.push(Date.now())
      appendFileSync(file, `${JSON.stringify(record)}\n`)
      await expect
        .poll(() => opened.page.evaluate(`window.__arrived[${JSON.stringify(text)}]`), {
          interval: 20,
          timeout: 50_000,
        })
        .toBeTruthy()
    }
    const arrived = (await opened.page.evaluate('window.__arrived')) as Record<string, number>
    const took = texts
      .map((text, at) => (arrived[text] ?? Number.POSITIVE_INFINITY) - (sent[at] ?? 0))
      .sort((a, b) => a - b)
    console.log(`appended to shown: median ${took[6]} ms, p95 ${took[11]} ms`)
    expect(took[11]).toBeLessThan(5000)
    const end = opened.page.getByText(texts.at(-1) ?? '').first()
    await expect.poll(async () => ((await end.boundingBox())?.y ?? 9999) < 900).toBe(true)
    await finish(opened)
  })

  check('says on the context screen what fills the window now, while the session grows', async app => {
    const file = join(app.home, 'projects/-home-mira-sakana', `${live}.jsonl`)
    const last = lastRecord(file)
    const opened = await app.open(`/s/${live}/context`)
    const { page } = opened
    await still(page)
    const usage = {
      input_tokens: 7,
      output_tokens: 20,
      cache_read_input_tokens: 123_000,
      cache_creation_input_tokens: 0,
    }
    const content = [{ type: 'text', text: 'A new answer.' }]
    const message = { id: 'msg_ctx', type: 'message', role: 'assistant', model: 'claude-opus-4-6', content, usage }
    const uuid = 'dddddddd-0000-4000-8000-000000000000'
    const timestamp = new Date().toISOString()
    appendFileSync(
      file,
      `${JSON.stringify({ ...last, type: 'assistant', uuid, parentUuid: last.uuid, message, timestamp })}\n`,
    )
    await expect.poll(() => words(page, '.make-up-sum'), { timeout: 50_000 }).toContain('123,027')
    await finish(opened)
  })

  check('counts what comes, says what runs, and stops saying so when the session is gone', async app => {
    const file = join(app.home, 'projects/-home-mira-sakana', `${live}.jsonl`)
    const last = lastRecord(file)
    const opened = await app.open(`/s/${live}`)
    const { page } = opened
    await page.locator('.item-prompt').first().waitFor()
    await still(page)
    const facts = () => words(page, '.inspector')
    const cost = async () => /This session\s+(\S+)/.exec(await facts())?.[1]
    const total = async () => /Total\s+(\S+)/.exec(await facts())?.[1]
    const calls = async () => Number(/(\d+) calls?/.exec(await words(page, '.session-top'))?.[1])
    await page.mouse.move(500, 500)
    await page.mouse.wheel(0, -20_000)
    await page.locator('.session-top').waitFor()
    const before = { cost: await cost(), total: await total(), calls: await calls() }
    const usage = {
      input_tokens: 5,
      output_tokens: 40_000,
      cache_read_input_tokens: 90_000,
      cache_creation_input_tokens: 0,
    }
    const message = {
      id: 'msg_running',
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-4-6',
      content: [{ type: 'tool_use', id: 'toolu_running', name: 'Bash', input: { command: 'sleep 100' } }],
      usage,
    }
    const uuid = 'cccccccc-0000-4000-8000-000000000000'
    const record = {
      ...last,
      type: 'assistant',
      uuid,
      parentUuid: last.uuid,
      message,
      timestamp: new Date().toISOString(),
    }
    appendFileSync(file, `${JSON.stringify(record)}\n`)
    await expect.poll(calls, { timeout: 50_000 }).toBe(before.calls + 1)
    await expect.poll(total, { timeout: 50_000 }).not.toBe(before.total)
    await expect.poll(cost, { timeout: 50_000 }).not.toBe(before.cost)
    await page.keyboard.press('End')
    const call = page.locator('.item-call', { hasText: 'sleep 100' })
    await expect.poll(async () => (await call.allInnerTexts()).join()).toMatch(/running/)
    await page.locator('.crumbs .live').waitFor()
    renameSync(file, `${file}.gone`)
    try {
      await page.locator('.crumbs .live').waitFor({ state: 'detached' })
      await expect.poll(async () => (await call.allInnerTexts()).join()).not.toMatch(/running/)
    } finally {
      renameSync(`${file}.gone`, file)
    }
    await page.close()
  })

  check('does not pull a reader away who scrolled up while a session grows', async app => {
    const file = join(app.home, 'projects/-home-mira-sakana', `${live}.jsonl`)
    const last = lastRecord(file)
    const opened = await app.open(`/s/${live}`, phone)
    const { page } = opened
    await page.locator('.item-prompt').first().waitFor()
    await page.mouse.move(150, 400)
    await page.mouse.wheel(0, -20_000)
    await still(page)
    const prompt = page.locator('.item-prompt').first()
    const before = (await prompt.boundingBox())?.y
    const long = 'One more line of a long answer.\n\n'.repeat(60)
    const message = { ...last.message, id: 'msg_long', content: [{ type: 'text', text: long }] }
    appendFileSync(
      file,
      `${JSON.stringify({ ...last, uuid: 'bbbbbbbb-0000-4000-8000-000000000000', parentUuid: last.uuid, message })}\n`,
    )
    await page.waitForTimeout(600)
    await still(page)
    expect(Math.abs(((await prompt.boundingBox())?.y ?? 0) - (before ?? 0))).toBeLessThan(4)
    await finish(opened)
  })
})
