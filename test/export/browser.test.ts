import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sessionToHtml } from '../../src/render/html/html.ts'
import { everyHead, everyItem, hostileTexts } from './items.ts'
import { dangersIn, readTags } from './tags.ts'

const browser = findBrowser()

function findBrowser(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  return names.flatMap(name => folders.map(folder => join(folder, name))).find(path => existsSync(path))
}

/** The page as the browser understood it; undefined where it does not start. */
function asUnderstood(path: string, html: string, folder: string): string | undefined {
  const file = join(folder, 'page.html')
  writeFileSync(file, html)
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${join(folder, 'profile')}`]
  try {
    return execFileSync(path, [...flags, '--dump-dom', pathToFileURL(file).href], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 60_000,
    })
  } catch {
    return undefined
  }
}

describe('a page in a browser', () => {
  it('has exactly the elements that were written, with all hostile texts in it', { timeout: 90_000 }, () => {
    if (browser === undefined) {
      console.log('skipped: no Chromium on this machine')
      return
    }
    const folder = mkdtempSync(join(tmpdir(), 'clew-page-'))
    try {
      const all = hostileTexts.join('\n\n')
      const items = [...hostileTexts.flatMap(text => everyItem(text).slice(0, 12)), ...everyItem(all)]
      const html = [...sessionToHtml(items, everyHead(all), { timezone: 'UTC', data: true })].join('')
      const understood = asUnderstood(browser, html, folder)
      if (understood === undefined) {
        console.log(`skipped: ${browser} does not start here`)
        return
      }
      const tags = readTags(understood.replace(/^<!DOCTYPE html>/i, '<!doctype html>\n'))
      expect(dangersIn(tags)).toEqual([])
      expect(tags.map(tag => tag.name).join(' ')).toBe(
        readTags(html)
          .map(tag => tag.name)
          .join(' '),
      )
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    }
  })
})
