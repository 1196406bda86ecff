// Picker, pager and progress without a terminal: keys, pictures, and who gets what.

import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/base/width.ts'
import { pagerCommand } from '../../src/cli/terminal/pager.ts'
import { initialPick, keysOf, type PickRow, picture, press } from '../../src/cli/terminal/picker.ts'
import { progressText, startProgress } from '../../src/cli/terminal/progress.ts'
import { glyphsFor } from '../../src/render/terminal/style.ts'

const rows: PickRow[] = [
  { id: 'a1', title: 'Round the prices', place: 'bakery', when: '26-01-01 10:00' },
  {
    id: 'b2',
    title: '来週の献立 🍱 with a title that is much too long for any terminal',
    place: 'sakana',
    when: '26-01-02 10:00',
  },
  { id: 'c3', title: 'Bakery \u001b[2J\u009b31m evil\r\ntitle', place: 'x\u202ey', when: '26-01-03 10:00' },
]

function typed(...keys: string[]) {
  return keys.reduce((pick, key) => press(pick, key, rows, 2), initialPick(rows))
}

describe('the picker', () => {
  it('finds rows by words in title, place and id, in any order and case', () => {
    expect(typed(...'BAKERY').found).toEqual([0, 2])
    expect(typed(...'bak evil').found).toEqual([2])
    expect(typed(...'b2').found).toEqual([1])
    expect(typed(...'献立').found).toEqual([1])
    expect(typed(...'献x', 'backspace').found).toEqual([1])
    expect(typed(...'bak evi', 'word').filter).toBe('bak ')
  })

  it('stays within the list and keeps the chosen row on the screen', () => {
    expect(typed('up')).toMatchObject({ at: 0, top: 0 })
    expect(typed('down', 'down', 'down')).toMatchObject({ at: 2, top: 1 })
    expect(typed('last', 'page-up')).toMatchObject({ at: 0, top: 0 })
    expect(typed(...'zzz', 'down')).toMatchObject({ at: 0, found: [] })
  })

  it('ends with Enter on a row, and with Escape or Ctrl-C on none', () => {
    expect(typed('enter')).toMatchObject({ isDone: true, isCancelled: false })
    expect(typed(...'zzz', 'enter').isDone).toBe(false)
    for (const key of ['escape', 'cancel']) expect(typed(key)).toMatchObject({ isDone: true, isCancelled: true })
  })

  it('reads keys however the terminal cuts them up', () => {
    expect(keysOf('a\u001b[A\u001bOB\r')).toEqual({ keys: ['a', 'up', 'down', 'enter'], rest: '' })
    expect(keysOf('é\u001b')).toEqual({ keys: ['é'], rest: '\u001b' })
    expect(keysOf('\u001b[')).toEqual({ keys: [], rest: '\u001b[' })
    expect(keysOf('\u0003\u0004')).toEqual({ keys: ['cancel', 'cancel'], rest: '' })
    expect(keysOf('\u001b[200~x\u0001').keys).toEqual(['x'])
  })

  it('fits any width and lets no title drive the terminal', () => {
    for (const width of [20, 40, 69, 70, 80, 200]) {
      const lines = picture(rows, typed(), {
        width,
        height: 5,
        glyphs: glyphsFor({ LANG: 'C.UTF-8' }),
        what: 'session',
      })
      expect(lines.length).toBe(5)
      for (const line of lines) {
        const plain = line.replace(/\u001b\[[0-9;]*m/g, '')
        expect(columnsOf(plain)).toBeLessThan(width)
        expect(plain).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
      }
    }
  })
})

describe('the pager', () => {
  const env = { TERM: 'xterm' }
  it('is what people set, else less; none in a pipe, on a dumb terminal, or when not wanted', () => {
    expect(pagerCommand({ isEnabled: true, isTerminal: true, env })).toBe('less -R')
    expect(pagerCommand({ isEnabled: true, isTerminal: true, env: { ...env, PAGER: 'most -w' } })).toBe('most -w')
    const mark = 'this is event'
    expect(pagerCommand({ isEnabled: true, isTerminal: true, env, mark })).toBe('less -R +/this.is.event')
    expect(pagerCommand({ isEnabled: true, isTerminal: true, env: { ...env, PAGER: 'most -w' }, mark })).toBe('most -w')
    expect(pagerCommand({ isEnabled: false, isTerminal: true, env })).toBeNull()
    expect(pagerCommand({ isEnabled: true, isTerminal: false, env })).toBeNull()
    for (const PAGER of ['', 'cat', ' ']) {
      expect(pagerCommand({ isEnabled: true, isTerminal: true, env: { ...env, PAGER } })).toBeNull()
    }
    expect(pagerCommand({ isEnabled: true, isTerminal: true, env: { TERM: 'dumb' } })).toBeNull()
  })
})

describe('progress', () => {
  function run(options: { isTTY: boolean; isQuiet?: boolean }): string[] {
    const written: string[] = []
    let time = 1_000
    const stream = { isTTY: options.isTTY, columns: 60, write: (text: string) => written.push(text) }
    const progress = startProgress({
      what: 'reading',
      total: 50_000_000,
      isQuiet: options.isQuiet ?? false,
      stream,
      now: () => time,
    })
    for (let step = 0; step < 10; step++) {
      progress.add(4_000_000)
      time += 90
    }
    progress.end()
    return written
  }

  it('shows itself after half a second, now and then, and is gone at the end', () => {
    const written = run({ isTTY: true })
    expect(written.length).toBeGreaterThan(1)
    expect(written.length).toBeLessThan(6)
    expect(written[0]).toBe('\r\u001b[Kreading 28 MB of 50 MB, 52 MB/s, 424 ms left')
    expect(written.at(-1)).toBe('\r\u001b[K')
  })

  it('keeps out of pipes and quiet runs', () => {
    expect(run({ isTTY: false })).toEqual([])
    expect(run({ isTTY: true, isQuiet: true })).toEqual([])
  })

  it('says what it knows', () => {
    expect(progressText('reading', 1_500_000, undefined, 1000)).toBe('reading 1.5 MB, 1.5 MB/s')
  })
})
