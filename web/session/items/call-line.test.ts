import { describe, expect, it } from 'vitest'
import { eventId, threadId } from '../../../src/model/ids.ts'
import type { Badge, ViewItem, ViewPart } from '../../../src/view/view.ts'
import { lineOf, marksOf, pathHalves } from './call-line.ts'

function call(headline: string, body: ViewPart[] = [], badges: Badge[] = []): ViewItem {
  const plain = { id: eventId('e'), thread: threadId('t'), at: null, isQuiet: false }
  return { kind: 'call', actor: 'agent', headline, body, badges, status: 'done', ...plain }
}

const bash = (words: string, command: string) =>
  call(`Bash  ${words}`, [{ type: 'code', text: command, language: 'bash' }])
const edit = (line: number) =>
  call('Edit  /p/src/a.ts', [
    { type: 'diff', path: '/p/src/a.ts', hunks: [{ oldStart: line, newStart: line, lines: [] }], added: 1, removed: 1 },
  ])

describe('the line of a call', () => {
  it('says what a command is for, and the command after it', () => {
    expect(lineOf(bash('Run the tests', 'npm test'), '')).toMatchObject({ words: 'Run the tests', target: 'npm test' })
    expect(lineOf(bash('npm test', 'npm test'), '')).toMatchObject({ words: '', target: 'npm test' })
  })

  it('names a path below the project without it, and the lines that were read', () => {
    const read = call('Read  /p/src/a.ts', [], [{ text: 'lines 10-60 of 200', tone: 'quiet' }])
    expect(lineOf(read, '/p/')).toMatchObject({ target: 'src/a.ts', isPath: true, part: '10–60' })
    expect(pathHalves('src/deep/a.ts')).toEqual(['src/deep/', 'a.ts'])
    expect(pathHalves('C:\\Users\\me\\a.ts')).toEqual(['C:\\Users\\me\\', 'a.ts'])
  })

  it('says where was searched, below the project', () => {
    const grep = (place: string) => lineOf(call(`Grep  a in b  in ${place}`), 'D:\\shop').target
    expect(grep('D:\\shop\\src\\cart.ts')).toBe('a in b in src\\cart.ts')
    expect(grep('D:\\shop')).toBe('a in b')
    expect(grep('D:\\other')).toBe('a in b in D:\\other')
    expect(lineOf(call('Grep  total'), '/p').target).toBe('total')
  })

  it('names a task in the background when it is opened', () => {
    const badges: Badge[] = [{ text: 'background task b2qq2a1k8', tone: 'accent' }]
    const shown: Badge[] = [{ text: 'background', tone: 'accent' }]
    expect(marksOf(call('Bash  serve', [], badges))).toEqual({ duration: '', shown, isShortened: true })
  })

  it('tells neighbours apart that would look the same', () => {
    expect(lineOf(edit(40), '/p/', edit(7)).part).toBe('line 40')
    expect(lineOf(edit(40), '/p/').part).toBe('')
    const start = "MSYS_NO_PATHCONV=1 wsl -e bash -lc '"
    const second = lineOf(bash('', `${start}cat b'`), '', bash('', `${start}cat a'`))
    expect(second.target).toMatch(/^… /)
    expect(second.target).toContain("b'")
  })

  it('says ✗ of a change that failed, and nothing of lines', () => {
    const failed = { ...edit(1), status: 'failed' as const, badges: [{ text: '1.2 s', tone: 'quiet' as const }] }
    expect(marksOf(failed)).toMatchObject({ duration: '1.2 s', shown: [{ text: 'failed', tone: 'bad' }] })
  })

  it('leaves out what says nothing: a time limit, an exit code of 0', () => {
    const badges: Badge[] = [
      { text: 'exit 0', tone: 'good' },
      { text: 'timeout 2 min', tone: 'quiet' },
    ]
    expect(marksOf(call('Bash  ls', [], badges)).shown).toEqual([])
  })
})
