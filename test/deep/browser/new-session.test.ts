// Forks and repairs in the app, on a copy of the sample history: the preview writes nothing, the confirmed change is a session
// in the list, which the command that is shown resumes and the other one removes.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type App, barriers, describeApp, finish, phone, picture, sampleHome, still, words } from './browser.ts'

/** The richest of the samples, and one whose log is damaged here. */
const session = '33c79d8c-6d99-4d32-b36b-48f475c1e43f'
const damaged = 'da3a9ed0-0000-4000-8000-000000000001'

/** A torn line, the same record twice, and an answer whose parent is not there. */
function damagedHome(app: App): void {
  sampleHome(app)
  const base = {
    isSidechain: false,
    userType: 'external',
    cwd: '/home/mira/bakery',
    sessionId: damaged,
    version: '2.1.0',
  }
  const says = [
    'Which oven is warm?',
    'The left one has been on since five.',
    'And the timer?',
    'It rings in ten minutes.',
    'Good. Order flour.',
    'Flour is ordered for Thursday.',
  ]
  const lines = says.map((text, at) => {
    const isPrompt = at % 2 === 0
    const model = 'claude-opus-4-5'
    return JSON.stringify({
      parentUuid: at === 0 ? null : at === 5 ? 'gone' : `da3a9ed0-0000-4000-8000-00000000010${at - 1}`,
      ...base,
      type: isPrompt ? 'user' : 'assistant',
      message: isPrompt
        ? { role: 'user', content: text }
        : { id: `msg_${at}`, type: 'message', role: 'assistant', model, content: [{ type: 'text', text }] },
      uuid: `da3a9ed0-0000-4000-8000-00000000010${at}`,
      timestamp: `2026-01-05T08:00:0${at}.000Z`,
    })
  })
  const [first = '', second = '', third = '', ...rest] = lines
  const folder = join(app.home, 'projects', '-home-mira-bakery')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${damaged}.jsonl`)
  writeFileSync(path, `${[first, second.slice(0, -70), third, third, ...rest].join('\n')}\n`)
  const before = Date.now() / 1000 - 2 * 86_400
  utimesSync(path, before, before)
}

const logs = ({ home }: App): string[] => readdirSync(join(home, 'projects', '-home-mira-bakery')).sort()
const dialog = (page: Page) => page.getByRole('dialog', { name: /^(Fork|Repair)/ })

/** In both colours, and what axe says of it. */
async function look(page: Page, name: string): Promise<void> {
  expect(await barriers(page)).toEqual([])
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await picture(page, `new-${name}-${page.viewportSize()?.width}-${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
}

/** The text of the command below a heading of the result. */
const command = async (page: Page, name: string) =>
  (await dialog(page).locator('.new-command', { hasText: name }).locator('pre').textContent()) ?? ''

describeApp('new sessions in the app', damagedHome, check => {
  check('a fork from a prompt is shown, written, listed, opened and undone', async app => {
    const opened = await app.open(`/s/${session}`)
    const { page } = opened
    await still(page)
    const before = logs(app)
    const item = page.locator('.item-prompt').first()
    const said = ((await item.locator('.markdown').textContent()) ?? '').trim().slice(0, 40)
    await item.hover()
    await look(page, 'fork-tools')
    await item.getByRole('button', { name: 'Fork from here' }).click()
    await dialog(page).getByLabel('Title').waitFor()
    expect(await words(page, 'dialog')).toMatch(
      /Fork from this prompt[\s\S]*Copied\s+\d+ records?[\s\S]*Open calls\s+none/,
    )
    expect(await words(page, 'dialog')).toContain(join(app.home, 'projects', '-home-mira-bakery'))
    expect(logs(app)).toEqual(before)
    await look(page, 'fork')
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    expect(logs(app)).toEqual(before)
    // The inspector offers the same for the item that is looked at.
    await item.click({ position: { x: 4, y: 4 } })
    const inspector = page.getByRole('complementary', { name: 'Details' })
    await look(page, 'fork-inspector')
    await inspector.getByRole('button', { name: 'Fork from here' }).click()
    await dialog(page).getByLabel('Title').fill('Another way to bake')
    await dialog(page).getByRole('button', { name: 'Fork', exact: true }).click()
    await dialog(page).getByText('is written').waitFor()
    const added = logs(app).filter(name => !before.includes(name))
    expect(added).toHaveLength(1)
    const id = added[0]?.replace('.jsonl', '') ?? ''
    await look(page, 'forked')
    expect(await command(page, 'To continue it')).toMatch(new RegExp(`claude --resume ${id}$`))
    const undo = await command(page, 'To undo')
    await dialog(page).getByRole('link', { name: 'Open the new session' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/s/${id}`)
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Another way to bake' }).first().waitFor()
    await expect.poll(() => words(page)).toContain(said)
    await page.goto(`${app.origin}/`)
    await page.locator(`main a[href="/s/${id}"]`, { hasText: 'Another way to bake' }).waitFor()
    await still(page)
    await look(page, 'forked-list')
    execFileSync('sh', ['-c', undo])
    expect(logs(app)).toEqual(before)
    await finish(opened)
  })

  check('a damaged session is repaired from its menu, line by line, and the origin stays as it was', async app => {
    const path = join(app.home, 'projects', '-home-mira-bakery', `${damaged}.jsonl`)
    const bytes = readFileSync(path, 'utf8')
    const opened = await app.open(`/s/${damaged}`)
    const { page } = opened
    await still(page)
    await page.getByRole('button', { name: 'View' }).click()
    await look(page, 'repair-menu')
    await page.getByRole('button', { name: 'Repair…' }).click()
    await dialog(page).getByRole('button', { name: 'Repair', exact: true }).waitFor()
    const shown = await words(page, 'dialog')
    expect(shown).toMatch(/A resume sends\s+\d+ message[\s\S]*Repaired, it sends\s+6 messages/)
    expect(shown).toMatch(/line 2\s+torn/)
    expect(shown).toMatch(/line 4\s+copy/)
    await look(page, 'repair')
    await dialog(page).getByRole('button', { name: 'Repair', exact: true }).click()
    await dialog(page).getByText('is written').waitFor()
    await look(page, 'repaired')
    const id = /claude --resume (\S+)$/.exec(await command(page, 'To continue it'))?.[1] ?? ''
    expect(readFileSync(path, 'utf8')).toBe(bytes)
    await dialog(page).getByRole('button', { name: 'Close' }).last().click()
    await dialog(page).waitFor({ state: 'detached' })
    await page.goto(`${app.origin}/s/${id}`)
    await expect.poll(() => words(page)).toContain('The left one has been on since five.')
    await page.goto(`${app.origin}/`)
    await page.locator(`main a[href="/s/${id}"]`, { hasText: '(repaired)' }).waitFor()
    // There is nothing more to repair in it, but its last record is too new to be sure of that.
    await page.goto(`${app.origin}/s/${id}`)
    await page.getByRole('button', { name: 'View' }).click()
    await page.getByRole('button', { name: 'Repair…' }).click()
    await dialog(page).getByText('may be in use').waitFor()
    await look(page, 'refused')
    expect(opened.faults.filter(fault => !fault.includes('409'))).toEqual([])
    opened.faults.splice(0)
    await finish(opened)
  })

  check('findings of the health screen lead to the repair of their session', async app => {
    const opened = await app.open('/health')
    const { page } = opened
    const repair = page.getByRole('button', { name: /^Repair… Which oven is warm/ }).first()
    await repair.waitFor({ timeout: 50_000 })
    await look(page, 'health')
    await repair.click()
    await dialog(page)
      .getByText(/line 2/)
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    expect(await repair.evaluate(one => one === one.ownerDocument.activeElement)).toBe(true)
    await finish(opened)
  })

  check('on a phone the dialogs fit, and a session without damage says so', async app => {
    const opened = await app.open(`/s/${session}`, phone)
    const { page } = opened
    await still(page)
    const item = page.locator('.item-prompt').first()
    await item.focus()
    await item.getByRole('button', { name: 'Fork from here' }).click()
    await dialog(page).getByLabel('Title').waitFor()
    const box = await dialog(page).boundingBox()
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= phone.width).toBe(true)
    expect((box?.y ?? -1) >= 0 && (box?.y ?? 0) + (box?.height ?? 0) <= phone.height).toBe(true)
    await look(page, 'fork')
    await dialog(page).getByRole('button', { name: 'Fork', exact: true }).click()
    await dialog(page).getByText('is written').waitFor()
    await look(page, 'forked')
    execFileSync('sh', ['-c', await command(page, 'To undo')])
    await dialog(page).getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'View' }).click()
    await page.getByRole('button', { name: 'Repair…' }).click()
    await dialog(page).getByText('Nothing is damaged').waitFor()
    await look(page, 'sound')
    await page.goto(`${app.origin}/s/${damaged}`)
    await still(page)
    await page.getByRole('button', { name: 'View' }).click()
    await page.getByRole('button', { name: 'Repair…' }).click()
    await dialog(page)
      .getByText(/line 2/)
      .first()
      .waitFor()
    await look(page, 'repair')
    await finish(opened)
  })
})
