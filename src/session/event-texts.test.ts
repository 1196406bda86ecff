import { describe, expect, it } from 'vitest'
import { decodeText } from '../decode/decode.ts'
import { furtherTexts, shownTexts } from './event-texts.ts'

function textsOf(record: Record<string, unknown>) {
  const event = decodeText(JSON.stringify({ sessionId: 's', uuid: 'u1', ...record })).events[0]
  if (event === undefined) throw new Error('no event')
  return { shown: shownTexts(event).map(({ text }) => text), further: furtherTexts(event) }
}

const answer = (...content: unknown[]) => ({ type: 'assistant', message: { role: 'assistant', content } })

describe('the texts of an event', () => {
  it('are what is said, thought and asked of tools, at any depth', () => {
    const input = { command: 'ls', env: [{ name: 'A' }, 'B'], timeout: 5 }
    const { shown, further } = textsOf(
      answer(
        { type: 'text', text: 'Hello' },
        { type: 'thinking', thinking: 'Hm', signature: 'x9' },
        { type: 'tool_use', id: 'c1', name: 'Bash', input },
      ),
    )
    expect(shown).toEqual(['Hello', 'Hm', 'ls', 'A', 'B'])
    expect(further).toEqual([])
  })

  it('are what tools answered; the structured copy comes after that, without old files and data', () => {
    const content = [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'done' }] }]
    const toolUseResult = { stdout: 'done', stderr: 'careful', originalFile: 'old', file: { base64: 'AAAA' } }
    const { shown, further } = textsOf({ type: 'user', message: { role: 'user', content }, toolUseResult })
    expect(shown).toEqual(['done'])
    expect(further).toEqual(['done', 'careful'])
  })

  const resultOf = (toolUseResult: unknown) => {
    const content = [{ type: 'tool_result', tool_use_id: 'c1', content: 'The file was updated.' }]
    return textsOf({ type: 'user', message: { role: 'user', content }, toolUseResult }).further
  }

  it('have an edit once: its result adds only lines of the patch that the call does not say, hunk by hunk', () => {
    const structuredPatch = [
      { oldStart: 7, lines: [' above', '-  return sum', '+  return round(sum)', ' below'] },
      { oldStart: 40, lines: ['-  return sum', '+  return round(sum)'] },
    ]
    const edit = {
      filePath: '/srv/cart.ts',
      oldString: '  return sum',
      newString: '  return round(sum)',
      structuredPatch,
    }
    expect(resultOf({ ...edit, originalFile: 'all of it' })).toEqual(['/srv/cart.ts', ' above\n below'])
    const modified = {
      ...edit,
      newString: '  return 0',
      userModified: true,
      structuredPatch: [{ lines: ['-  return sum', '+  return 0'] }],
    }
    expect(resultOf(modified)).toEqual(['/srv/cart.ts', '+  return 0'])
    const edits = [{ old_string: '  return sum', new_string: '  return round(sum)' }]
    const several = { filePath: '/srv/cart.ts', edits, structuredPatch, originalFileContents: 'all of it' }
    expect(resultOf(several)).toEqual(['/srv/cart.ts', ' above\n below'])
  })

  it('have a written file once, with the lines that it replaced', () => {
    const structuredPatch = [{ oldStart: 1, lines: ['-old plum', '+new plum', ' same'] }]
    const written = { type: 'update', filePath: '/srv/a.md', content: 'new plum\nsame', structuredPatch }
    expect(resultOf(written)).toEqual(['/srv/a.md', '-old plum'])
  })

  it('have the task of an agent, a list of todos and a question once, in the call', () => {
    const agent = { agentId: 'a1', status: 'completed', prompt: 'count', content: [{ type: 'text', text: 'three' }] }
    expect(resultOf(agent)).toEqual(['a1', 'completed', 'three'])
    expect(resultOf({ oldTodos: [], newTodos: [{ content: 'mend', status: 'pending' }] })).toEqual([])
    expect(resultOf({ questions: [{ question: 'Which?' }], answers: { 'Which?': 'this' } })).toEqual(['this'])
    expect(resultOf({ prompt: 'shown by another tool' })).toEqual(['shown by another tool'])
  })

  it('are not the account and the organisation that a session belongs to', () => {
    const owner = {
      type: 'session-owner',
      accountUuid: 'a-1',
      organizationUuid: 'o-1',
      owner: { email: 'ada@example.com' },
    }
    expect(textsOf(owner)).toEqual({ shown: [], further: [] })
  })

  it('are titles, summaries, attachments with all their fields, and the last prompt', () => {
    expect(textsOf({ type: 'custom-title', customTitle: 'Cart' }).shown).toEqual(['Cart'])
    expect(textsOf({ type: 'summary', summary: 'Cakes', leafUuid: 'u2' }).shown).toEqual(['Cakes'])
    expect(textsOf({ type: 'last-prompt', lastPrompt: 'Go on' }).further).toEqual(['Go on'])
    const attachment = { type: 'hook_success', stdout: 'out', stderr: 'err', hookName: 'Stop' }
    expect(textsOf({ type: 'attachment', attachment }).further).toEqual(['out', 'err', 'Stop'])
  })

  it('leave out images, ids, and the lines of subagents that progress repeats', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    expect(textsOf({ type: 'user', message: { role: 'user', content: [image] } }).shown).toEqual([])
    const data = { type: 'agent_progress', prompt: 'look', message: { text: 'copy' } }
    expect(textsOf({ type: 'progress', cwd: '/w', toolUseID: 't1', data })).toEqual({ shown: [], further: ['look'] })
  })

  it('are those of records that no one knows yet, however deep they nest', () => {
    const deep = `{"type":"from-the-future","payload":${'['.repeat(20_000)}"found"${']'.repeat(20_000)}}`
    const event = decodeText(deep).events[0]
    expect(event && furtherTexts(event)).toEqual(['found'])
  })
})
