import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { discover } from '../disk/discover/discover.ts'
import { diskSource } from '../disk/read/read.ts'
import { loadSession } from '../session/load.ts'
import { sessionDocument } from './document.ts'

test('a session becomes a page or Markdown, in a file that is named after it', async () => {
  const { sessions } = await discover(resolve('samples/home'))
  for (const session of sessions.slice(0, 6)) {
    const graph = await loadSession(diskSource(), session)
    const html = sessionDocument(graph, 'html', { slug: session.slug, files: [] })
    const markdown = sessionDocument(graph, 'md', { slug: session.slug, files: [] })
    expect(html.text).toMatch(/^<!doctype html>/)
    expect(markdown.text).toMatch(/^# /m)
    expect(html.name).toMatch(/^[\p{L}\p{N}-]+\.html$/u)
    expect(markdown.name).toBe(html.name.replace(/html$/, 'md'))
  }
})
