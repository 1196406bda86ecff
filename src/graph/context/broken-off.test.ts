import { describe, expect, test } from 'vitest'
import { decodeText } from '../../decode/decode.ts'
import { sessionId } from '../../model/ids.ts'
import { contextOfEvents } from './context.ts'
import { answer, call, chainRecord, outline, type Rec, result, say, text, thought, toLines } from './context-testing.ts'

const sent = (lines: readonly Rec[]): string[] =>
  outline(contextOfEvents(sessionId('S'), decodeText(toLines(lines), { session: 'S' }).events))

const note = (uuid: string, parent: string, facts: Rec): Rec =>
  chainRecord('attachment', uuid, parent, { attachment: facts })
const date = { type: 'date_change', newDate: '2026-11-11' }
const snapshot = { type: 'prompt_snapshot', systemPrompt: ['x'] }
const noAnswer = 'assistant: No response requested.'
const started = [say('p', null, 'go'), answer('a', 'p', 'm', [text('ok')])]

describe('the answer to a last message', () => {
  test('comes behind its attachments', () => {
    const lines = [...started, say('q', 'a', 'on'), note('d', 'q', date)]
    expect(sent(lines).slice(2)).toEqual(['user: on', expect.stringMatching(/^system: The date/), noAnswer])
  })

  test('is missing behind a result that ends the turn, but only where a record is behind it', () => {
    const ended = [
      say('p', null, 'go'),
      answer('a', 'p', 'm', [call('x')]),
      result('r', 'a', 'x', { toolEndsTurn: true }),
    ]
    expect(sent(ended).at(-1)).toBe(noAnswer)
    expect(sent([...ended, note('d', 'r', snapshot)]).at(-1)).toBe('user: result x')
    expect(sent([...ended, say('q', 'r', 'more'), note('d', 'q', snapshot)]).at(-1)).toBe(noAnswer)
  })

  test('is missing behind a notification that is for the transcript only', () => {
    const told = (more: Rec): Rec =>
      say('q', 'a', '<task-notification/>', { origin: { kind: 'task-notification' }, ...more })
    expect(sent([...started, told({})]).at(-1)).toBe(noAnswer)
    expect(sent([...started, told({ queueTranscriptOnly: true })]).at(-1)).toMatch(/^user: /)
    expect(sent([...started, told({ queueTranscriptOnly: true }), note('d', 'q', date)]).at(-1)).toMatch(/^system: /)
    const limit = note('d', 'q', { type: 'max_turns_reached', exitCommitted: false })
    expect(sent([...started, say('q', 'a', 'on'), limit, note('e', 'd', snapshot)]).at(-1)).toBe('user: on')
    const unanswered = [say('p', null, 'go'), { ...told({ queueTranscriptOnly: true }), parentUuid: 'p' }]
    expect(sent(unanswered).at(-1)).toBe(noAnswer)
  })

  test('is missing behind an error of the API, unless an attachment is behind that', () => {
    const failed = [
      ...started,
      say('q', 'a', 'on'),
      answer('e', 'q', 'x', [text('no')], { isApiErrorMessage: true }, '<synthetic>'),
    ]
    expect(sent(failed).at(-1)).toBe('user: on')
    const behind = [...failed, note('d', 'e', snapshot)]
    expect(sent(behind).slice(-2)).toEqual(['user: on', noAnswer])
    expect(sent([...behind, answer('z', 'd', 'n', [thought('hm')])]).slice(-2)).toEqual(['user: on', noAnswer])
  })
})

describe('a call without a result', () => {
  const open = (...more: Rec[]): string[] =>
    sent([
      say('p', null, 'go'),
      answer('a', 'p', 'm', [call('x')]),
      result('r', 'a', 'x'),
      answer('b', 'r', 'm', [call('y')]),
      answer('c', 'b', 'n', [call('z')]),
      ...more,
    ]).slice(1)

  test('is interrupted in the last answer, and dropped in one before it', () => {
    expect(open()).toEqual(['assistant: call x', 'user: result x', 'assistant: call z', 'user: error z', noAnswer])
    const thinks = answer('d', 'c', 'o', [thought('hm')])
    expect(open(thinks)).toEqual(open())
  })

  test('is kept in a turn that waits for an answer, and dropped where it ended', () => {
    const kept = ['assistant: call x, call y', 'user: error y, result x', 'assistant: call z', 'user: result z']
    expect(open(result('s', 'c', 'z'))).toEqual([...kept, noAnswer])
    const ended = [result('s', 'c', 'z', { toolEndsTurn: true }), note('d', 's', snapshot)]
    expect(open(...ended)).toEqual(['assistant: call x', 'user: result x', 'assistant: call z', 'user: result z'])
  })

  test('waits for an answer whatever ended the turn', () => {
    const limit = { type: 'max_turns_reached', exitCommitted: false }
    expect(open(note('d', 'c', limit)).slice(-2)).toEqual(['user: error z', noAnswer])
  })
})

describe('blank lines of an answer', () => {
  const lines = (...contents: unknown[][]): string[] => {
    const answers = contents.map((content, at) => answer(`a${at}`, at === 0 ? 'p' : `a${at - 1}`, 'm', content))
    return sent([
      say('p', null, 'go'),
      ...answers,
      say('q', `a${contents.length - 1}`, 'on'),
      answer('z', 'q', 'n', [text('end')]),
    ])
  }

  test('are not sent next to others', () => {
    expect(lines([text('\n\n')], [thought('hm')], [text('x')])[1]).toBe('assistant: thinking, x')
    expect(lines([text('x')], [text('\n\n')])[1]).toBe('assistant: x')
    expect(lines([text('x'), text('\n\n')])[1]).toBe('assistant: x, \n')
  })

  test('are no answer, with or without thinking', () => {
    for (const contents of [[[text('\n')]], [[thought('hm')], [text('\n')]], [[text('\n')], [thought('hm')]]])
      expect(lines(...contents)[0]).toBe('user: go, on')
  })
})

describe('what Claude Code displays only', () => {
  test('is not sent', () => {
    const output = (more: Rec): Rec[] => [
      ...started,
      chainRecord('system', 's', 'a', {
        subtype: 'local_command',
        content: '<local-command-stdout>x</local-command-stdout>',
        ...more,
      }),
      say('q', 's', 'on'),
      answer('b', 'q', 'n', [text('end')]),
    ]
    expect(sent(output({}))[2]).toBe('user: <local-command-stdout>x</local-command-stdout>, on')
    expect(sent(output({ isDisplayOnly: true }))[2]).toBe('user: on')
  })
})

describe('results off the chain', () => {
  test('come back with what else their record says', () => {
    const content = [{ type: 'tool_result', tool_use_id: 'x', content: 'ok' }, text('and hurry')]
    const lines = [
      say('p', null, 'go'),
      answer('a', 'p', 'm', [call('x')]),
      chainRecord('user', 'r', 'a', { message: { role: 'user', content } }),
      answer('b', 'a', 'm', [call('y')]),
      result('s', 'b', 'y'),
      answer('z', 's', 'n', [text('end')]),
    ]
    expect(sent(lines)[2]).toBe('user: result x, result y, and hurry')
  })

  test('that nothing asked for leave an empty message', () => {
    const lines = [...started, result('r', 'a', 'x'), answer('b', 'a', 'n', [text('more')])]
    expect(sent(lines).slice(1)).toEqual(['assistant: ok', 'user: (no content)', 'assistant: more'])
  })
})

describe('contents', () => {
  test('of a result that are no text are sent as their JSON', () => {
    const of = (content: unknown): unknown => {
      const message = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content }] }
      const lines = [
        say('p', null, 'go'),
        answer('a', 'p', 'm', [call('x')]),
        chainRecord('user', 'r', 'a', { message }),
      ]
      const { events } = decodeText(toLines(lines), { session: 'S' })
      return contextOfEvents(sessionId('S'), events).messages[2]?.blocks[0]
    }
    expect(of(7)).toMatchObject({ content: [text('7')] })
    expect(of(false)).toMatchObject({ content: [text('false')] })
    expect(of({ a: 1 })).toMatchObject({ content: [text('{"a":1}')] })
  })

  test('of calls are sent without fields that say again what others say', () => {
    const of = (input: Rec): unknown => {
      const made = { type: 'tool_use', id: 'x', name: 'SendMessage', input }
      const { events } = decodeText(toLines([say('p', null, 'go'), answer('a', 'p', 'm', [made])]), { session: 'S' })
      return contextOfEvents(sessionId('S'), events).messages[1]?.blocks[0]
    }
    expect(
      of({ to: 'a', message: 'm', type: 'message', recipient: 'a', recipient_kind: 'agent', content: 'm' }),
    ).toMatchObject({
      input: { to: 'a', message: 'm' },
    })
    expect(of({ recipient: 'a', content: 'm' })).toMatchObject({ input: { recipient: 'a', content: 'm' } })
  })
})

describe('thinking', () => {
  test.each([
    'claude-sonnet-4-5@20250929',
    'claude-3-5-sonnet-20241022',
    'claude-opus-4-6-fast',
    'anthropic/claude-opus-4.5',
  ])('of %s is kept', model => {
    const lines = [say('p', null, 'go'), answer('a', 'p', 'm', [thought('hm'), text('ok')], {}, model)]
    expect(sent(lines)[1]).toBe('assistant: thinking, ok')
  })
})
