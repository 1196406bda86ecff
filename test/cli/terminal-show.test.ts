// `clew show` in a real terminal, as people see it: at three widths, in a pager, and with the picker.

import { resolve } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { columnsOf } from '../../src/base/width.ts'
import { mainFile } from './run.ts'
import { Terminal, type TerminalOptions } from './terminal.ts'

const samples = resolve('samples/home')
const clew = `"${process.execPath}" "${mainFile}"`
const croissants = '33c79d8c-6d99-4d32-b36b-48f475c1e43f'
const japanese = '8b863dff-418d-4587-b367-608598f5e71c'

let open: Terminal | undefined
afterEach(() => {
  open?.close()
  open = undefined
})

/** Runs `clew …`, then says how it ended and whether the terminal is as it was. */
function terminal(args: string, options: TerminalOptions): Terminal {
  const check = `before=$(stty -g)\n${clew} ${args} --root "${samples}" --timezone UTC\ncode=$?`
  const report = `[ "$before" = "$(stty -g)" ] && echo "ended $code clean" || echo "ended $code changed"`
  open = new Terminal(`${check}\n${report}`, options)
  return open
}

describe('show on a terminal', { tags: 'tmux' }, () => {
  it.each([40, 80, 200])('fits %i columns', async columns => {
    for (const id of [croissants, japanese]) {
      const text = await terminal(`show ${id}`, { columns, env: { PAGER: 'cat' } }).until('ended 0 clean', true)
      expect(text).toContain('── turn 1 · You')
      expect(text).toContain('tokens')
      for (const line of text.split('\n')) expect(columnsOf(line), line).toBeLessThanOrEqual(columns)
      open?.close()
    }
  })

  it('opens a pager, which quits and takes Ctrl-C without leaving a trace', async () => {
    const shown = terminal(`show ${croissants}`, { columns: 80, env: { PAGER: 'less -R' } })
    await shown.until(/^:/m)
    expect(shown.text()).toContain('Croissant pre-orders')
    shown.keys('C-c')
    await new Promise(done => setTimeout(done, 300))
    expect(shown.text()).not.toContain('ended')
    shown.keys('q')
    await shown.until('ended 0 clean')
  })

  it.each(['no-such-pager-anywhere', 'no-such-pager-anywhere "$HOME"'])(
    'prints plainly where PAGER is %s',
    async pager => {
      const text = await terminal(`show ${croissants}`, { columns: 80, env: { PAGER: pager } }).until(
        'ended 0 clean',
        true,
      )
      expect(text).toContain('Croissant pre-orders')
      expect(text).toContain('tokens')
    },
  )
})

describe('show without a session', { tags: 'tmux' }, () => {
  it.each([40, 80, 200])('lets people choose at %i columns', async columns => {
    const picker = terminal('show', { columns, env: { PAGER: 'cat' } })
    const list = await picker.until(/session: _ {2}\d+ of \d+/)
    for (const line of list.split('\n')) expect(columnsOf(line), line).toBeLessThanOrEqual(columns)
    picker.keys('-l', 'hexwind')
    await picker.until('session: hexwind_')
    picker.keys('BSpace')
    picker.keys('C-u')
    picker.keys('-l', 'fog of')
    await picker.until(/fog of_ {2}1 of/)
    picker.keys('Enter')
    const text = await picker.until('ended 0 clean', true)
    expect(text).toContain('▌ I want fog of war')
    expect(text).not.toContain('type to filter')
  })

  it('moves with the arrows and follows a change of size', async () => {
    const picker = terminal('show', { columns: 80, rows: 10, env: { PAGER: 'cat' } })
    await picker.until(/^› .*\n {2}\S/m)
    const second = /\n› .*\n {2}(.*)/.exec(picker.text())?.[1] ?? 'nothing'
    picker.keys('Down')
    await picker.until(`› ${second}`)
    picker.keys('NPage')
    picker.keys('End')
    picker.resize(40, 8)
    // It paints again when it hears of the size.
    await vi.waitFor(() => {
      expect(picker.text()).toContain('› ')
      for (const line of picker.text().split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(40)
    }, 50_000)
    picker.keys('Home')
    picker.keys('Up')
    picker.keys('Down')
    picker.keys('Enter')
    await picker.until('ended 0 clean', true)
  })

  it.each(['Escape', 'C-c'])('gives the terminal back after %s', async key => {
    const picker = terminal('show', { columns: 80 })
    await picker.until('type to filter')
    picker.keys(key)
    const text = await picker.until('ended 1 clean')
    expect(text).not.toContain('type to filter')
  })

  it('says that nothing fits, and takes it back', async () => {
    const picker = terminal('show', { columns: 80 })
    await picker.until('type to filter')
    picker.keys('-l', 'zzz')
    await picker.until('no matching session')
    picker.keys('Enter')
    picker.keys('C-w')
    await picker.until(/session: _ {2}(\d+) of \1/)
    picker.keys('Escape')
    await picker.until('ended 1 clean')
  })
})
