import { expect, test } from 'vitest'
import { allText, badgeTexts, callSketch, itemsOf, partsOf, viewCallOf } from '../testing.ts'

const npmTest = { command: 'npm test\nnpm run lint', description: 'Run the tests' }

test('a command shows its description, its code, and stdout and stderr once', () => {
  const item = viewCallOf('Bash', npmTest, {
    content: 'all green\nslow test',
    structured: { stdout: 'all green\n', stderr: 'slow test', interrupted: false, isImage: false },
  })
  expect(item.headline).toBe('Bash  Run the tests')
  expect(item.body).toEqual([
    { type: 'code', text: npmTest.command, language: 'bash' },
    { type: 'text', text: 'all green', tone: 'plain', label: 'stdout' },
    { type: 'text', text: 'slow test', tone: 'warn', label: 'stderr' },
  ])
  expect(badgeTexts(item)).toContain('1 min')
})

test('a command without description is its own headline, cut at its first line', () => {
  expect(viewCallOf('Bash', { command: 'ls\npwd' }, {}).headline).toBe('Bash  ls …')
  expect(viewCallOf('PowerShell', { command: 'dir' }, {}).body[0]).toMatchObject({ language: 'powershell' })
})

test('a failed command says its exit code in a badge and the rest as bad text', () => {
  const item = viewCallOf('Bash', npmTest, {
    content: 'Exit code 2\nno such file',
    structured: 'Error: Exit code 2\nno such file',
    isError: true,
  })
  expect(item.status).toBe('failed')
  expect(badgeTexts(item)).toContain('exit 2')
  expect(badgeTexts(item)).not.toContain('failed')
  expect(partsOf(item, 'text')).toEqual([{ type: 'text', text: 'no such file', tone: 'bad' }])
})

test('an error that is only in the structured result is shown, without its tags', () => {
  const item = viewCallOf('Bash', npmTest, { content: '', structured: 'Error: nope', isError: true })
  expect(allText(item)).toContain('nope')
  const tagged = { content: '<tool_use_error>Blocked</tool_use_error>', isError: true }
  expect(partsOf(viewCallOf('Bash', npmTest, tagged), 'text')).toEqual([{ type: 'text', text: 'Blocked', tone: 'bad' }])
})

test('a background task, a time limit and what an exit code means are badges', () => {
  const item = viewCallOf(
    'Bash',
    { command: 'serve', timeout: 120_000, run_in_background: true, dangerouslyDisableSandbox: true },
    { structured: { stdout: '', stderr: '', backgroundTaskId: 'b1', returnCodeInterpretation: 'No matches found' } },
  )
  expect(badgeTexts(item)).toEqual(
    expect.arrayContaining(['background task b1', 'timeout 2 min', 'no sandbox', 'No matches found']),
  )
  expect(partsOf(item, 'text')).toEqual([])
})

test('a silent command says so', () => {
  const item = viewCallOf('Bash', { command: 'true' }, { content: '', structured: { stdout: '', stderr: '' } })
  expect(partsOf(item, 'text')).toEqual([{ type: 'text', text: 'no output', tone: 'quiet' }])
})

test('an interrupted command is marked', () => {
  const item = viewCallOf('Bash', npmTest, { structured: { stdout: 'half', stderr: '', interrupted: true } })
  expect(item.status).toBe('interrupted')
  expect(badgeTexts(item)).toContain('interrupted')
})

test('a command that was refused says that it was interrupted, not that it failed as well', () => {
  const content = "The user doesn't want to proceed with this tool use. The tool use was rejected."
  const item = viewCallOf('Bash', npmTest, { content, isError: true })
  expect(item.status).toBe('interrupted')
  expect(badgeTexts(item)).toContain('interrupted')
  expect(badgeTexts(item)).not.toContain('failed')
})

test('an image that a command printed is media, not text', () => {
  const url = 'data:image/png;base64,aGVsbG8='
  const item = viewCallOf('Bash', npmTest, { content: [], structured: { stdout: url, stderr: '', isImage: true } })
  expect(partsOf(item, 'media')).toEqual([
    { type: 'media', media: 'image', mediaType: 'image/png', bytes: 5, data: 'aGVsbG8=' },
  ])
  expect(allText(item)).not.toContain('aGVsbG8')
})

test('spilled output names its file', () => {
  const structured = { stdout: 'begin', stderr: '', persistedOutputPath: '/t/b1.txt', persistedOutputSize: 90_000 }
  const part = partsOf(viewCallOf('Bash', npmTest, { structured }), 'text')[0]
  expect(part).toMatchObject({ text: 'begin', spillFile: '/t/b1.txt' })
  const content =
    '<persisted-output>\nOutput too large. Full output saved to: /t/c.txt\n\nPreview:\nabc\n</persisted-output>'
  const preview = partsOf(viewCallOf('Bash', npmTest, { content }), 'text')[0]
  expect(preview?.spillFile).toBe('/t/c.txt')
  expect(preview?.text).not.toContain('<persisted-output>')
})

test('what a command printed before the log ends is taken from its last progress line', () => {
  const sketch = callSketch('Bash', npmTest)
  for (const [id, fullOutput] of [
    ['p1', 'one'],
    ['p2', 'one\ntwo'],
  ] as const) {
    const data = { type: 'bash_progress', output: fullOutput, fullOutput }
    sketch.chain('progress', id, 'a1', { toolUseID: 'bash-progress-0', parentToolUseID: 'c1', data })
  }
  const [item] = itemsOf(sketch.graph(), 'call')
  expect(badgeTexts(item)).toEqual(expect.arrayContaining(['no result', '2 progress lines']))
  expect(partsOf(item, 'text')).toEqual([{ type: 'text', text: 'one\ntwo', tone: 'plain', label: 'output so far' }])
  sketch.result('r1', 'p2', 'c1', 'one\ntwo\nthree')
  const [ended] = itemsOf(sketch.graph(), 'call')
  expect(allText(ended)).toBe(`${npmTest.command}\none\ntwo\nthree`)
  expect(itemsOf(sketch.graph()).map(found => found.kind)).toEqual(['prompt', 'call'])
})

test('shells in the background are read and ended by name', () => {
  const structured = {
    shellId: 's1',
    command: 'npm run dev',
    status: 'completed',
    exitCode: 3,
    stdout: 'up',
    stderr: '',
  }
  const read = viewCallOf('BashOutput', { bash_id: 's1' }, { structured })
  expect(read.headline).toBe('BashOutput  npm run dev')
  expect(badgeTexts(read)).toEqual(expect.arrayContaining(['exit 3', 'completed']))
  const killed = viewCallOf('KillShell', { shell_id: 's1' }, { structured: { message: 'Killed', shell_id: 's1' } })
  expect([killed.headline, allText(killed)]).toEqual(['KillShell  s1', 'Killed'])
})

test('inputs that are not known yet are shown', () => {
  const item = viewCallOf('Bash', { command: 'ls', niceness: 3 }, {})
  expect(partsOf(item, 'facts')).toEqual([{ type: 'facts', facts: [{ name: 'niceness', value: '3' }] }])
})
