import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sessionToHtml } from '../../../src/render/html/html.ts'
import { everyHead, everyItem, hostileTexts } from '../../export/items.ts'
import { dangersIn, readTags } from '../../export/tags.ts'
import { chromiumPath } from '../../needs.ts'

/** The page as the browser understood it. */
function asUnderstood(html: string, folder: string): string {
  const file = join(folder, 'page.html')
  writeFileSync(file, html)
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${join(folder, 'profile')}`]
  return execFileSync(chromiumPath ?? '', [...flags, '--dump-dom', pathToFileURL(file).href], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 60_000,
  })
}

describe('a page in a browser', { tags: 'chromium' }, () => {
  it('has exactly the elements that were written, with all hostile texts in it', { timeout: 90_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'clew-page-'))
    try {
      const all = hostileTexts.join('\n\n')
      const items = [...hostileTexts.flatMap(text => everyItem(text).slice(0, 12)), ...everyItem(all)]
      const html = [...sessionToHtml(items, everyHead(all), { timezone: 'UTC', data: true })].join('')
      const tags = readTags(asUnderstood(html, folder).replace(/^<!DOCTYPE html>/i, '<!doctype html>\n'))
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
