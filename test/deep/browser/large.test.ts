import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { describeApp, finish, still, words } from './browser.ts'
import { dropFile, markedItem } from './in-page.mjs'
import { idAt, lines, longId, writeLongSession } from './long-session.mjs'

const count = 100_000

/** The longest task of the page while something is done, in milliseconds; 50 where none was long. */
async function longestTask(page: Page, work: () => Promise<void>): Promise<number> {
  await page.evaluate('window.__longTasks.length = 0')
  await work()
  await page.waitForTimeout(100)
  const tasks = (await page.evaluate('window.__longTasks.map(task => task.duration)')) as number[]
  return Math.max(50, ...tasks)
}

async function scroll(page: Page): Promise<void> {
  await page.mouse.move(600, 500)
  for (let step = 0; step < 40; step++) await page.mouse.wheel(0, step % 4 === 3 ? 6000 : 900)
  for (const part of [0.3, 0.9, 0.1, 0.6]) {
    await page.locator('.transcript-scroll').evaluate((outer, at) => {
      outer.scrollTop = outer.scrollHeight * at
    }, part)
    await page.waitForTimeout(120)
    for (let step = 0; step < 6; step++) await page.mouse.wheel(0, -700)
  }
}

describeApp(
  'a session of 100,000 events',
  app => writeLongSession(app.home, count),
  check => {
    check(
      'opens at its beginning, scrolls without a task over 200 ms, and finds what is not on screen',
      async app => {
        const opened = await app.open(`/s/${longId}`)
        const { page } = opened
        await page.getByText('Prompt number 0:').first().waitFor({ timeout: 60_000 })
        const height = () => page.locator('.transcript-scroll').evaluate(outer => outer.scrollHeight)
        await expect.poll(height, { timeout: 60_000 }).toBeGreaterThan(1_000_000)
        await still(page, 400)
        // Other work on the machine may stop the page for a while: the best of some tries counts.
        const tries: number[] = []
        while (tries.length < 5 && Math.min(...tries, 999) > 200) {
          tries.push(await longestTask(page, () => scroll(page)))
        }
        console.log(`longest task while scrolling ${count} events: ${tries.map(Math.round).join(', ')} ms`)
        expect(Math.min(...tries)).toBeLessThanOrEqual(200)
        await page.keyboard.press('f')
        await page.locator('main input:focus').waitFor()
        await page.keyboard.type('Prompt number 64000')
        await expect.poll(() => words(page), { timeout: 30_000 }).toMatch(/\b1 (place|of 1)\b/)
        await page.keyboard.press('Enter')
        await page.locator('.item-prompt', { hasText: 'Prompt number 64000:' }).waitFor({ timeout: 30_000 })
        await finish(opened)
      },
      180_000,
    )

    check(
      'lands on its 80,000th event, and jumps from there by key',
      async app => {
        const opened = await app.open(`/s/${longId}?event=${idAt(80_000)}`)
        const { page } = opened
        await expect
          .poll(() => page.evaluate(markedItem), { timeout: 30_000 })
          .toMatchObject({ isInView: true, isUncovered: true })
        expect((await page.evaluate(markedItem))?.text).toContain('Prompt number 80000:')
        await page.keyboard.press('n')
        await page.locator('[data-current="true"]', { hasText: 'Prompt number 80008:' }).waitFor()
        await page.keyboard.press('e')
        await page.locator('[data-current="true"]', { hasText: /80501|80502|npm run part/ }).waitFor()
        await still(page)
        expect((await page.locator('[data-current="true"]').boundingBox())?.y).toBeGreaterThan(0)
        await finish(opened)
      },
      90_000,
    )

    check(
      'shows its map',
      async app => {
        const opened = await app.open(`/s/${longId}/map`)
        await opened.page.locator('main canvas, main svg').first().waitFor({ timeout: 30_000 })
        await still(opened.page)
        await finish(opened)
      },
      90_000,
    )
  },
)

describeApp(
  'a file that is dropped into the window',
  () => {},
  check => {
    check('is shown, and nothing is asked of anybody for it', async app => {
      const opened = await app.open('/')
      await still(opened.page, 600)
      const before = opened.requests.length
      await opened.page.evaluate(dropFile, { name: 'dropped.jsonl', text: [...lines(4000)].join('') })
      await opened.page.getByText('Prompt number 0:').first().waitFor()
      await opened.page.keyboard.press('g')
      await opened.page.keyboard.press('m')
      await opened.page.locator('main canvas, main svg').first().waitFor()
      for (const key of ['c', 'f', 't']) {
        await opened.page.keyboard.press('g')
        await opened.page.keyboard.press(key)
        await still(opened.page)
      }
      await opened.page.getByText('Prompt number 0:').first().waitFor()
      const asked = opened.requests.slice(before).map(url => new URL(url).pathname)
      expect(
        asked.filter(path => !path.startsWith('/assets/') && path !== '/api/live' && path !== '/icon.svg'),
      ).toEqual([])
      await finish(opened)
    })

    check('is refused with words where it is not a log', async app => {
      const opened = await app.open('/')
      await still(opened.page)
      await opened.page.evaluate(dropFile, { name: 'notes.txt', text: 'this is no log\n' })
      await expect.poll(() => words(opened.page, 'body')).toMatch(/could not be opened|not a session|no record/i)
      await finish(opened)
    })
  },
)
