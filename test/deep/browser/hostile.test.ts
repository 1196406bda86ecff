import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type App, describeApp, desktop, finish, type Opened, still, words } from './browser.ts'
import { everySession, oddId, texts, writeHostileHome } from './hostile-home.ts'
import { dropFile, foreignParts, readThrough, tryForbidden } from './in-page.mjs'

/** Nothing ran and nothing grew out of the text. */
async function expectHarmless({ page }: Opened, path: string): Promise<void> {
  expect({ path, foreign: await page.evaluate(foreignParts) }).toEqual({ path, foreign: [] })
  expect(await page.evaluate('window.__pwned ?? null')).toBeNull()
  expect(await page.locator('h1', { hasText: 'outside' }).count()).toBe(0)
}

/** Looks at a screen with everything opened. */
async function readScreen(app: App, path: string): Promise<string> {
  const opened = await app.open(path, { width: 1280, height: 2400 })
  await still(opened.page)
  const { text } = await opened.page.evaluate(readThrough, { step: 2000, waitMs: 40, most: 120 })
  await expectHarmless(opened, path)
  await finish(opened)
  return text
}

describeApp(
  'what the log says',
  app => writeHostileHome(app.home),
  check => {
    check(
      'stays text on every screen: no script runs, nothing is asked of anybody else',
      async app => {
        const base = `/s/${everySession}`
        const read = await readScreen(app, base)
        for (const text of ['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '"><svg onload=alert(1)>']) {
          expect(read).toContain(text)
        }
        for (const path of [
          '/',
          `${base}/map`,
          `${base}/context`,
          `${base}/files`,
          '/usage',
          '/usage?by=model',
          '/archive',
          '/history',
          '/health',
          '/settings',
        ]) {
          await readScreen(app, path)
        }
      },
      120_000,
    )

    check(
      'stays text in the titles, branches and folders of sessions',
      async app => {
        const read = await readScreen(app, '/')
        expect(read).toContain('<script>alert(1)</script>')
        for (const at of [0, 5, texts.length - 1]) {
          await readScreen(app, `/s/e0e0e0e0-0000-4000-8000-${String(at).padStart(12, '0')}`)
        }
        const odd = await app.open(`/s/${encodeURIComponent(oddId)}`)
        await still(odd.page)
        await expectHarmless(odd, oddId)
        await odd.page.close()
        // Such an id may be refused, but in words.
        expect(odd.faults.filter(fault => !/status of 4\d\d/.test(fault))).toEqual([])
      },
      120_000,
    )

    check('stays text in what a reader typed into the address', async app => {
      const markup = encodeURIComponent('"><img src=x onerror=window.__pwned=1>')
      for (const path of [
        `/search?q=${markup}`,
        `/?text=${markup}&project=${markup}&is=${markup}`,
        `/s/${markup}?event=${markup}`,
        `/usage?by=${markup}&since=${markup}`,
        `/usage?sort=${markup}`,
        `/?sort=${markup}&group=${markup}&since=${markup}&until=${markup}`,
        `/history?text=${markup}&project=${markup}`,
      ]) {
        const opened = await app.open(path)
        await still(opened.page)
        await expectHarmless(opened, path)
        await opened.page.close()
        // An address that means nothing may be refused; that is all that may be said of it.
        expect(opened.faults.filter(fault => !/status of 4\d\d/.test(fault))).toEqual([])
      }
    })

    check('stays text in search results and in the raw record', async app => {
      const opened = await app.open('/search?q=script')
      await opened.page.locator('main a[href*="event="]').first().waitFor()
      await still(opened.page)
      await expectHarmless(opened, 'search')
      await opened.page.goto(`${app.origin}/s/${everySession}`)
      await opened.page.locator('.item-prompt').first().waitFor()
      await opened.page.keyboard.press('j')
      await opened.page.keyboard.press('r')
      await expect.poll(() => words(opened.page, '[role="dialog"]')).toMatch(/"(parentUuid|uuid|type)": "/)
      await expectHarmless(opened, 'raw')
      await finish(opened)
    })

    check(
      'stays text in a file that was dropped into the window, which goes nowhere',
      async app => {
        const text = readFileSync(join(app.home, 'projects/-home-mira-x', `${everySession}.jsonl`), 'utf8')
        const opened = await app.open('/', { ...desktop, height: 2400 })
        await still(opened.page)
        await opened.page.evaluate(dropFile, { name: '<img src=x onerror=alert(1)>.jsonl', text })
        await opened.page.locator('.item-prompt').first().waitFor()
        const { text: read } = await opened.page.evaluate(readThrough, { step: 2000, waitMs: 40, most: 40 })
        expect(read).toContain('<script>alert(1)</script>')
        await expectHarmless(opened, 'dropped')
        await finish(opened)
      },
      120_000,
    )

    check('could not run even if it became markup: the policy of the page is in force', async app => {
      const asked: (string | undefined)[] = []
      const other = createServer(({ url }, answer) => {
        asked.push(url)
        answer.end()
      })
      const port = await new Promise<number>(done => {
        other.listen(0, '127.0.0.1', () => done((other.address() as AddressInfo).port))
      })
      for (const path of ['/', `/s/${everySession}`, '/usage']) {
        const opened = await app.open(path)
        await still(opened.page)
        const tried = await opened.page.evaluate(tryForbidden, `http://127.0.0.1:${port}`)
        expect(tried).toMatchObject({ asked: 'refused', isHidden: false, pwned: null })
        const directives = [...new Set(tried.forbidden.map(one => one.split(':')[0]))]
        expect(directives).toEqual(expect.arrayContaining(['img-src', 'style-src-elem', 'frame-src', 'connect-src']))
        expect(directives).toContainEqual(expect.stringMatching(/^(script-src|require-trusted-types-for)/))
        await opened.page.close()
      }
      other.close()
      expect(asked).toEqual([])
    })
  },
)
