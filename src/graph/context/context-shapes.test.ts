import { describe, expect, test } from 'vitest'
import { decodeText } from '../../decode/decode.ts'
import { sessionId } from '../../model/ids.ts'
import type { Context } from '../../model/session.ts'
import { contextOfEvents } from './context.ts'
import {
  answer,
  call,
  chainRecord,
  change,
  outline,
  type Rec,
  replace,
  result,
  say,
  text,
  thought,
  toLines,
  twoTurns,
  whole,
} from './context-testing.ts'

function contextOf(lines: string | readonly Rec[]): Context {
  const log = typeof lines === 'string' ? lines : toLines(lines)
  return contextOfEvents(sessionId('S'), decodeText(log, { session: 'S' }).events)
}

const sent = (...args: Parameters<typeof contextOf>): string[] => outline(contextOf(...args))

describe('parallel calls', () => {
  const expected = [
    'user: go',
    'assistant: thinking, call x, call y, call z',
    'user: result x, result y, result z',
    'assistant: done',
  ]

  test('keep all results, in the order of the file, when each hangs on its own request', () => {
    const lines = [
      say('p', null, 'go'),
      answer('t', 'p', 'm', [thought('hm')]),
      answer('x1', 't', 'm', [call('x')]),
      result('x2', 'x1', 'x'),
      answer('y1', 'x1', 'm', [call('y')]),
      answer('z1', 'y1', 'm', [call('z')]),
      result('z2', 'z1', 'z'),
      result('y2', 'y1', 'y'),
      answer('e', 'y2', 'n', [text('done')]),
    ]
    expect(sent(lines)).toEqual(expected.with(2, 'user: result x, result z, result y'))
  })

  test('keep all results when they are chained', () => {
    const lines = [
      say('p', null, 'go'),
      answer('a', 'p', 'm', [thought('hm'), call('x'), call('y'), call('z')]),
      result('x2', 'a', 'x'),
      result('y2', 'x2', 'y'),
      result('z2', 'y2', 'z'),
      answer('e', 'z2', 'n', [text('done')]),
    ]
    expect(sent(lines)).toEqual(expected)
  })

  test('do not bring back answers of a branch that was left', () => {
    const lines = [
      say('p', null, 'go'),
      answer('a', 'p', 'm', [call('x')]),
      result('r', 'a', 'x'),
      say('q', null, 'anew'),
    ]
    expect(sent(lines)[0]).toBe('user: anew')
  })

  test('keep two answers apart even where they are next to each other', () => {
    const lines = [say('p', null, 'go'), answer('a', 'p', 'm', [text('one')]), answer('b', 'a', 'n', [text('two')])]
    expect(sent(lines)).toEqual(['user: go', 'assistant: one', 'assistant: two'])
  })

  test('of an answer run by the API itself stay within it', () => {
    const search = [
      { type: 'server_tool_use', id: 'w', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 'w', content: [] },
    ]
    expect(sent([say('p', null, 'go'), answer('a', 'p', 'm', [...search, text('found')])])).toEqual([
      'user: go',
      'assistant: call w, result w, found',
    ])
  })
})

describe('what is sent besides prompts and answers', () => {
  const attachment = (uuid: string, parent: string, facts: Rec, more: Rec = {}) =>
    chainRecord('attachment', uuid, parent, { attachment: facts, ...more })

  test('are meta texts, commands and summaries in one user message, and queued prompts behind it', () => {
    const lines = [
      say('p1', null, 'caveat', { isMeta: true }),
      say('p2', 'p1', '<command-name>/cost</command-name>'),
      say('p3', 'p2', '<local-command-stdout>1 $</local-command-stdout>'),
      attachment('p4', 'p3', { type: 'queued_command', prompt: 'and the gate', commandMode: 'prompt' }),
    ]
    const context = contextOf(lines)
    expect(outline(context)[0]).toBe(
      'user: caveat, <command-name>/cost</command-name>, <local-command-stdout>1 $</local-command-stdout>',
    )
    expect(context.messages[0]?.events).toEqual(['p1', 'p2', 'p3'])
    expect(context.messages[0]?.blocks[0]).toEqual({ type: 'text', text: 'caveat\n' })
    expect(context.messages[1]).toMatchObject({ role: 'system', events: ['p4'] })
    expect(outline(context)[1]).toMatch(/while you were working:\nand the gate\n/)
    expect(outline(context)[2]).toBe('assistant: No response requested.')
  })

  test('are attachments as they were rendered, but not the system prompt', () => {
    const lines = [
      say('p', null, 'go'),
      attachment(
        'd',
        'p',
        { type: 'date', date: '2026-01-01' },
        { rendered: [{ content: 'Today is a Thursday' }, { content: [text('indeed')] }] },
      ),
      attachment('s', 'd', { type: 'prompt_snapshot', systemPrompt: ['You are'], text: 'You are' }),
      attachment('h', 's', { type: 'hook_success', hookEvent: 'PostToolUse', content: 'formatted' }),
      attachment('n', 'h', { type: 'nested_memory', content: { path: 'A.md', content: 'use tabs' } }),
      answer('a', 'n', 'm', [text('ok')]),
    ]
    const said = 'Today is a Thursday\nindeed\n\nContents of A.md:\n\nuse tabs'
    expect(sent(lines)).toEqual(['user: go', `system: ${said}`, 'assistant: ok'])
    expect(contextOf(lines).messages[1]).toMatchObject({ events: ['d', 'n'], blocks: [text(said)] })
  })

  test('are attachments in the name of the user as a part of the result before them', () => {
    const asked = [say('p', null, 'go'), answer('a', 'p', 'm', [call('x')]), result('r', 'a', 'x')]
    const note = (content: unknown) =>
      attachment('d', 'r', { type: 'date_change' }, { rendered: [{ content }], renderedRole: 'user' })
    const lines = [...asked, note('It is Friday'), answer('b', 'd', 'n', [text('ok')])]
    expect(contextOf(lines).messages[2]?.blocks).toMatchObject([{ content: [text('output of x\n\nIt is Friday')] }])
    const tagged = '<system-reminder>\nIt is Friday\n</system-reminder>'
    const inTags = contextOf([...asked, note(tagged), answer('b', 'd', 'n', [text('ok')])])
    expect(inTags.messages[2]?.blocks).toMatchObject([{ content: [text(`output of x\n\n${tagged}`)] }])
  })

  test('are attachments between two answers as a message of the user', () => {
    const first = [say('p', null, 'go'), answer('a', 'p', 'm', [text('one')])]
    const note = attachment('d', 'a', { type: 'date_change' }, { rendered: [{ content: 'It is Friday' }] })
    const reminder = '<system-reminder>\nIt is Friday\n</system-reminder>'
    expect(sent([...first, note, answer('b', 'd', 'n', [text('two')])])).toEqual([
      'user: go',
      'assistant: one',
      `user: ${reminder}`,
      'assistant: two',
    ])
    expect(sent([...first, note, say('q', 'd', 'on'), answer('b', 'q', 'n', [text('two')])])).toEqual([
      'user: go',
      'assistant: one',
      'user: on',
      'system: It is Friday',
      'assistant: two',
    ])
  })

  test('are pictures of queued prompts, whose wording counts only where it is all text', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    const asked = [say('p', null, 'go'), answer('a', 'p', 'm', [call('x')]), result('r', 'a', 'x')]
    const queued = { type: 'queued_command', commandMode: 'prompt', prompt: [text('look'), image] }
    const rendered = [{ content: [text('as it was worded'), image] }]
    const lines = [...asked, attachment('d', 'r', queued, { rendered }), answer('b', 'd', 'n', [text('ok')])]
    const [, wrapped, picture] = contextOf(lines).messages[2]?.blocks ?? []
    expect(wrapped).toMatchObject({ text: expect.stringMatching(/while you were working:\nlook\n/) })
    expect(picture?.type).toBe('image')
  })

  test('are attachments before the prompt where the model takes no messages of the system', () => {
    const notes = (id: string, parent: string) => [
      attachment(id, parent, { type: 'date_change' }, { rendered: [{ content: 'It is Friday' }] }),
      attachment(`${id}m`, id, { type: 'nested_memory', content: { path: 'A.md', content: 'use tabs' } }),
    ]
    const old = 'claude-sonnet-4-6'
    const lines = [
      say('p', null, 'go'),
      ...notes('d', 'p'),
      answer('a', 'dm', 'm', [call('x')], {}, old),
      result('r', 'a', 'x'),
      ...notes('e', 'r'),
      answer('b', 'em', 'n', [text('ok')], {}, old),
    ]
    const memory = '<system-reminder>\nContents of A.md:\n\nuse tabs\n</system-reminder>'
    expect(sent(lines)[0]).toBe(`user: It is Friday, ${memory}, go`)
    expect(contextOf(lines).messages[2]?.blocks).toMatchObject([
      { content: [text(`output of x\n\nIt is Friday\n\n${memory}`)] },
    ])
    expect(contextOf(lines).messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  })

  test('are no documents of files that were named', () => {
    const content = { type: 'pdf', file: { filePath: '/a.pdf', base64: 'JVBERi0xLjQK', originalSize: 9 } }
    const file = attachment('d', 'p', { type: 'file', filename: '/a.pdf', content })
    expect(sent([say('p', null, 'go'), file, answer('a', 'd', 'm', [text('ok')])])[1]).toBe(
      'system: Called the Read tool with the following input: {"file_path":"/a.pdf"}\nResult of calling the Read tool:\nPDF file read: /a.pdf (9 bytes)',
    )
  })

  test('are messages of a coordinator in words of their own', () => {
    const queued = { type: 'queued_command', prompt: 'dig deeper', origin: { kind: 'coordinator' } }
    const lines = [say('p', null, 'go'), attachment('d', 'p', queued), answer('b', 'd', 'n', [text('ok')])]
    expect(sent(lines)[1]).toMatch(/^system: The coordinator sent a message while you were working:\ndig deeper\n/)
  })

  test('are not errors of the API or notices', () => {
    const lines = [
      say('p', null, 'go'),
      answer('e', 'p', 'x', [text('overloaded')], { isApiErrorMessage: true }, '<synthetic>'),
      chainRecord('system', 's', 'e', { subtype: 'informational', content: 'psst' }),
      answer('a', 's', 'm', [text('ok')]),
    ]
    expect(sent(lines)).toEqual(['user: go', 'assistant: ok'])
  })

  test('are results that were cleared or replaced while the session ran, as the log has them', () => {
    const lines = [
      say('p', null, 'go'),
      answer('a', 'p', 'm', [call('x'), call('y')]),
      result('rx', 'a', 'x'),
      result('ry', 'rx', 'y'),
      chainRecord('system', 's', 'ry', {
        subtype: 'microcompact_boundary',
        microcompactMetadata: { compactedToolIds: ['x'] },
      }),
      {
        type: 'content-replacement',
        sessionId: 'S',
        replacements: [{ toolUseId: 'y', replacement: 'saved to y.txt' }],
      },
      answer('b', 's', 'n', [text('ok')]),
    ]
    const contents = contextOf(lines).messages[2]?.blocks.map(block => block.type === 'tool-result' && block.content)
    expect(contents).toEqual([[text('output of x')], [text('output of y')]])
  })
})

describe('a compaction', () => {
  const border = (facts: Rec) =>
    chainRecord('system', 'b', null, {
      subtype: 'compact_boundary',
      logicalParentUuid: 'o4',
      compactMetadata: { trigger: 'manual', ...facts },
    })
  const old = [
    say('o1', null, 'old one'),
    answer('o2', 'o1', 'm1', [text('old two')]),
    say('o3', 'o2', 'kept one'),
    answer('o4', 'o3', 'm2', [text('kept two')]),
  ]
  const summary = say('s', 'b', 'in short', { isCompactSummary: true })
  const messages = { preservedMessages: { anchorUuid: 's', uuids: ['o3', 'o4'], allUuids: ['o3', 'o4'] } }
  const segment = { preservedSegment: { headUuid: 'o3', anchorUuid: 's', tailUuid: 'o4' } }
  const next = (parent: string) => [say('n1', parent, 'new one'), answer('n2', 'n1', 'm3', [text('new two')])]
  const kept = ['user: in short, kept one', 'assistant: kept two', 'user: new one', 'assistant: new two']

  test('begins again with its summary', () => {
    expect(sent([...old, border({}), summary, ...next('s')])).toEqual(['user: in short, new one', 'assistant: new two'])
  })

  test.each([
    ['a list', messages],
    ['a segment', segment],
  ])('puts what it preserved behind the summary, given %s', (_, facts) => {
    expect(sent([...old, border(facts), summary, ...next('s')])).toEqual(kept)
    expect(sent([...old, border(facts), summary, ...next('o4')])).toEqual(kept)
    expect(sent([...old, border(facts), summary])).toEqual([...kept.slice(0, 2)])
  })

  test('may keep what comes before the summary', () => {
    const facts = { preservedMessages: { anchorUuid: 'b', uuids: ['o1', 'o2'] } }
    expect(sent([...old, border(facts), summary, ...next('s')])).toEqual([
      'user: old one',
      'assistant: old two',
      'user: in short, new one',
      'assistant: new two',
    ])
  })

  test('makes last-prompts before it void and keeps those behind it', () => {
    const before = { type: 'last-prompt', leafUuid: 'o4', sessionId: 'S' }
    expect(sent([...old, before, border({}), summary, ...next('s')])[0]).toBe('user: in short, new one')
    expect(sent([...old, border(messages), summary, { ...before, leafUuid: 's' }, ...next('o4')])).toEqual(kept)
    expect(sent([...old, border(messages), summary, { ...before, leafUuid: 'o4' }, ...next('o4')])).toEqual(kept)
  })

  test('without its border sends the whole old history again', () => {
    const lines = replace([...old, border(messages), summary, ...next('s')], 'b')
    expect(sent(lines)).toEqual([
      'user: old one',
      'assistant: old two',
      'user: kept one',
      'assistant: kept two',
      'user: in short, new one',
      'assistant: new two',
    ])
  })

  test('without its summary lacks that part and no more', () => {
    const lines = replace([...old, border({}), summary, ...next('s')], 's')
    expect(sent(lines)).toEqual(['user: new one', 'assistant: new two'])
  })

  test('keeps the records of its list and no others of the same answer', () => {
    const facts = { preservedMessages: { anchorUuid: 's', uuids: ['a', 'y2'], allUuids: ['a', 'x2', 'y2'] } }
    const lines = [
      say('o', null, 'old'),
      answer('a', 'o', 'm', [call('x'), call('y')]),
      result('x2', 'a', 'x'),
      result('y2', 'a', 'y'),
      border(facts),
      summary,
      ...next('y2'),
    ]
    expect(sent(lines).slice(0, 3)).toEqual([
      'user: in short',
      'assistant: call x, call y',
      'user: error x, result y, new one',
    ])
  })

  test.each([
    ['not complete', ['gone', 'o3', 'o4']],
    ['empty', []],
  ])('does not take the segment where its list is %s', (_, uuids) => {
    const facts = { ...segment, preservedMessages: { anchorUuid: 's', uuids } }
    expect(sent([...old, border(facts), summary, ...next('s')])).toEqual([
      'user: in short, new one',
      'assistant: new two',
    ])
  })

  test('takes a list that names a record twice', () => {
    const of = (...uuids: string[]) => ({ preservedMessages: { anchorUuid: 's', uuids } })
    expect(sent([...old, border(of('o3', 'o4', 'o4')), summary, ...next('s')])).toEqual(kept)
    expect(sent([...old, border(of('o3', 'o3', 'o4')), summary, ...next('s')])).toEqual([
      'user: kept one',
      ...kept.slice(1),
    ])
  })

  test('does not show what it preserved where its anchor is missing', () => {
    const facts = { preservedMessages: { anchorUuid: 'gone', uuids: ['o3', 'o4'] } }
    expect(sent([...old, border(facts), summary, ...next('s')])).toEqual([
      'user: in short, new one',
      'assistant: new two',
    ])
  })

  test('cuts where its border has a parent, or is on a sidechain', () => {
    const fresh = ['user: in short, new one', 'assistant: new two']
    expect(sent([...old, { ...border({}), parentUuid: 'o4' }, summary, ...next('s')])).toEqual(fresh)
    const before = { type: 'last-prompt', leafUuid: 'o4', sessionId: 'S' }
    expect(sent([...old, before, { ...border({}), isSidechain: true }, summary, ...next('s')])).toEqual(fresh)
  })
})

describe('records that are not as they should be', () => {
  const ok = (parent: string) => answer('e', parent, 'n', [text('ok')])
  const failed = (content: unknown[]) =>
    chainRecord('user', 'r', 'a', {
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', is_error: true, content }] },
    })

  test.each([{}, { message: { id: 'm', content: null } }, { message: { id: 'm', content: 5 } }])(
    'are not sent without content: %j',
    more => {
      const lines = [say('p', null, 'go'), chainRecord('assistant', 'a', 'p', more), say('q', 'a', 'on'), ok('q')]
      expect(sent(lines)).toEqual(['user: go, on', 'assistant: ok'])
    },
  )

  test('are sent without the blocks that say nothing', () => {
    const blocks = [
      { type: 'fallback' },
      null,
      { text: 'no type' },
      { type: 'text' },
      { type: 'tool_use', name: 'Bash' },
    ]
    const lines = [say('p', null, 'go'), answer('a', 'p', 'm', [...blocks, text('hm')]), say('q', 'a', 'on'), ok('q')]
    expect(sent(lines)).toEqual(['user: go', 'assistant: hm', 'user: on', 'assistant: ok'])
    expect(sent([lines[0] as Rec, answer('a', 'p', 'm', [{ type: 'hologram' }]), ok('a')])[1]).toBe('assistant: other')
  })

  test('are sent without blank texts where lines are joined, and without results in answers', () => {
    const found = [text('\n\n'), call('x'), { type: 'tool_result', tool_use_id: 'y', content: 'stray' }]
    const lines = [say('p', null, 'go'), answer('a', 'p', 'm', found), result('r', 'a', 'x'), ok('r')]
    expect(sent(lines)[1]).toBe('assistant: \n, call x')
    const apart = [answer('a', 'p', 'm', [text('\n\n')]), answer('b', 'a', 'm', [call('x')]), result('r', 'b', 'x')]
    expect(sent([lines[0] as Rec, ...apart, ok('r')])[1]).toBe('assistant: call x')
    expect(sent([lines[0] as Rec, answer('a', 'p', 'm', [text('x'), text('\n')])])[1]).toBe('assistant: x, ')
  })

  test('are nothing where other lines of the answer say something', () => {
    const lines = [say('p', null, 'go'), answer('a', 'p', 'm', [text('hm')]), answer('b', 'a', 'm', [])]
    expect(sent(lines)[1]).toBe('assistant: hm')
  })

  test('are placeholders where blank blocks are all that was said', () => {
    const lines = [say('p', null, 'go'), answer('a', 'p', 'm', [text('hm')])]
    const blank = chainRecord('user', 'q', 'a', { message: { role: 'user', content: [text(' ')] } })
    expect(sent([...lines, blank, ok('q')])[2]).toBe('user: (no content)')
  })

  test('fail with one text, without images', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    const lines = [
      say('p', null, 'go'),
      answer('a', 'p', 'm', [call('x')]),
      failed([text('a'), image, text('b')]),
      ok('r'),
    ]
    expect(contextOf(lines).messages[2]?.blocks[0]).toMatchObject({ content: [text('a\n\nb')] })
  })

  test('fail with texts as they are, and with nothing where there is no text', () => {
    const lines = (content: unknown[]) => [
      say('p', null, 'go'),
      answer('a', 'p', 'm', [call('x')]),
      failed(content),
      ok('r'),
    ]
    const contentOf = (content: unknown[]) => contextOf(lines(content)).messages[2]?.blocks[0]
    expect(contentOf([text('a'), text('b')])).toMatchObject({ content: [text('a'), text('b')] })
    const reference = { type: 'tool_reference', tool_name: 'Weigh' }
    expect(contentOf([reference])).toMatchObject({ content: [] })
    expect(sent(lines([text('a'), reference]))[2]).toBe('user: error x, Tool loaded.')
  })

  test('are not sent where nothing in them is a block, but the last one leaves the end without an answer', () => {
    const lines = [say('p', null, 'go'), answer('a', 'p', 'm', [text('hm')])]
    for (const content of [[], ['plain'], [{ text: 'no type' }]]) {
      const empty = chainRecord('user', 'q', 'a', { message: { role: 'user', content } })
      expect(sent([...lines, empty, ok('q')])).toEqual(['user: go', 'assistant: hm', 'assistant: ok'])
      expect(sent([...lines, empty]).slice(1)).toEqual(['assistant: hm', 'assistant: No response requested.'])
    }
    expect(sent([...lines, answer('b', 'a', 'n', ['plain'])])).toEqual(['user: go', 'assistant: hm'])
  })

  test('have calls and results without half characters in their names', () => {
    const use = { type: 'tool_use', id: 'x\udc00', name: 'Ra\ud800ke', input: {} }
    const lines = [say('p', null, 'go'), answer('a', 'p', 'm', [use]), result('r', 'a', 'x\udc00'), ok('r')]
    const [, asked, answered] = contextOf(lines).messages
    expect(asked?.blocks[0]).toMatchObject({ callId: 'x\ufffd', name: 'Ra\ufffdke' })
    expect(answered?.blocks[0]).toMatchObject({ callId: 'x\ufffd' })
  })

  test('have calls without half characters, under the name that the tool has today', () => {
    const use = { type: 'tool_use', id: 'x', name: 'Task', input: { a: ['\ud800', '\\ud800', '\u{1f345}'] } }
    const lines = [say('p', null, 'go'), answer('a', 'p', 'm', [use]), result('r', 'a', 'x'), ok('r')]
    const input = { a: ['\ufffd', '\\ud800', '\u{1f345}'] }
    expect(contextOf(lines).messages[1]?.blocks[0]).toMatchObject({ name: 'Agent', input })
  })

  test('are followed to what was written before where their parent is no text, and end where it is empty', () => {
    const lines = (parent: unknown) => [say('p', null, 'go'), { ...ok('p'), parentUuid: parent }]
    for (const parent of [5, true, {}]) expect(sent(lines(parent))).toEqual(['user: go', 'assistant: ok'])
    for (const parent of ['', 0, false]) expect(sent(lines(parent))).toEqual(['assistant: ok'])
  })

  test('are sent where they are marked as deleted, not where they are only displayed', () => {
    const lines = [
      say('p', null, 'go'),
      answer('a', 'p', 'm', [text('psst')], { isVirtual: true }),
      say('q', 'a', 'on'),
    ]
    expect(sent(lines)[0]).toBe('user: go, on')
    expect(sent([say('p', null, 'go', { isDeleted: true }), ok('p')])[0]).toBe('user: go')
  })
})

describe('the end of a session', () => {
  test('is not a notice that is a root of its own', () => {
    const notice = chainRecord('system', 's', null, { subtype: 'informational', content: 'psst' })
    expect(sent([...twoTurns().filter(({ type }) => type !== 'last-prompt'), notice])).toEqual(whole)
  })

  test('drops open calls before an error of the API, and adds no answer', () => {
    const error = answer('e', 'a', 'x', [text('overloaded')], { isApiErrorMessage: true }, '<synthetic>')
    expect(sent([say('p', null, 'go'), answer('a', 'p', 'm', [call('x')]), error])).toEqual(['user: go'])
  })

  test('answers open calls where the last line of their answer is none', () => {
    const lines = [say('p', null, 'go'), answer('a', 'p', 'm', [call('x')]), answer('b', 'a', 'm', [text('hm')])]
    expect(sent(lines)).toEqual([
      'user: go',
      'assistant: hm, call x',
      'user: error x',
      'assistant: No response requested.',
    ])
    const later = [answer('c', 'a', 'n', [text('wait')]), answer('d', 'c', 'm', [text('well')])]
    expect(sent([...lines.slice(0, 2), ...later])).toEqual(['user: go', 'assistant: wait', 'assistant: well'])
  })

  test('is the newest record from the last one on, even where it has children', () => {
    const lines = twoTurns().filter(({ type }) => type !== 'last-prompt')
    const [first, ...more] = lines as [Rec, ...Rec[]]
    const late = { timestamp: '2027-01-01T00:00:00.000Z' }
    expect(sent([...more, first])).toEqual(whole)
    expect(sent([...more, { ...first, ...late }])).toEqual([whole[0], 'assistant: No response requested.'])
    expect(sent([...change(more, 'a6', late), first])).toEqual(whole.slice(0, 6))
    expect(sent(change(lines, 'a6', late))).toEqual(whole)
  })

  test('is the limit of turns, whatever notice comes behind it', () => {
    const limit = { attachment: { type: 'max_turns_reached', exitCommitted: false } }
    const lines = [say('p', null, 'go'), answer('a', 'p', 'm', [call('x')]), result('r', 'a', 'x')]
    lines.push(chainRecord('attachment', 't', 'r', limit), chainRecord('system', 's', 't', { subtype: 'x' }))
    expect(sent(lines).at(-1)).toBe('user: result x')
  })

  test('keeps thinking where a cloud or a window size is part of the name of the model', () => {
    for (const model of ['claude-opus-4-8[1m]', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'])
      expect(sent([say('p', null, 'go'), answer('a', 'p', 'm', [thought('hm'), text('ok')], {}, model)])[1]).toBe(
        'assistant: thinking, ok',
      )
  })

  test('is thought by the model of the last answer that says something', () => {
    const lines = [say('p', null, 'go'), answer('a', 'p', 'm', [thought('hm'), text('ok')], {}, 'claude-sonnet-5')]
    lines.push(say('q', 'a', 'on'), answer('b', 'q', 'n', [thought('well')]))
    expect(sent(lines)[1]).toBe('assistant: thinking, ok')
  })

  test('has the first of two results in the file, even where the chain leads through the second', () => {
    const other = { message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: 'early' }] } }
    const lines = [say('p', null, 'go'), answer('a', 'p', 'm', [call('x')]), chainRecord('user', 'o', 'a', other)]
    lines.push(result('r', 'a', 'x'), answer('e', 'r', 'n', [text('ok')]))
    expect(contextOf(lines).messages[2]?.blocks).toMatchObject([{ callId: 'x', content: [text('early')] }])
  })

  test('leaves a late result with the calls of its answer', () => {
    const lines = [
      say('p', null, 'go'),
      answer('a', 'p', 'm', [call('x'), call('y')]),
      result('x2', 'a', 'x'),
      answer('e', 'x2', 'n', [text('ok')]),
      result('y2', 'a', 'y'),
      { type: 'last-prompt', leafUuid: 'e', sessionId: 'S' },
    ]
    expect(sent(lines).slice(2)).toEqual(['user: result x, result y', 'assistant: ok'])
  })
})

describe('subagents', () => {
  test('in the same file are sent where the chain leads through them, but nothing continues from them', () => {
    const lines = (uuid: string) => change(twoTurns(), uuid, { isSidechain: true })
    for (const uuid of ['a1', 'a2', 'a3', 'r1', 'p2']) expect(sent(lines(uuid))).toEqual(whole)
    expect(contextOf(lines('a7')).resumable).toBe(false)
    expect(sent(lines('a7').filter(({ type }) => type !== 'last-prompt'))).toEqual([
      ...whole.slice(0, 7),
      'assistant: No response requested.',
    ])
  })

  test('in the same file or their own are not sent for themselves, and never bridged to', () => {
    const side = (uuid: string, parent: string | null) => say(uuid, parent, 'for the agent', { isSidechain: true })
    const lines = [say('p', null, 'go'), side('s1', null), side('s2', 's1'), answer('a', 'gone', 'm', [text('ok')])]
    expect(sent(lines)).toEqual(['user: go', 'assistant: ok'])
    const main = decodeText(toLines([say('p', null, 'go'), answer('a', 'p', 'm', [text('ok')])]), {
      session: 'S',
    }).events
    const copy = decodeText(toLines([say('p', null, 'go', { isSidechain: true, agentId: 'g' }), side('s1', 'p')]), {
      session: 'S',
      agent: 'g',
    }).events
    expect(outline(contextOfEvents(sessionId('S'), [...main, ...copy]))).toEqual(['user: go', 'assistant: ok'])
  })
})

describe('specification 000', () => {
  const line = (type: string, uuid: string, parentUuid: string | null, content: unknown, more: Rec = {}) => ({
    type,
    uuid,
    parentUuid,
    sessionId: 'S',
    timestamp: 1738160130123,
    message: { type: 'message', content },
    ...more,
  })

  test('is sent like any other', () => {
    const lines = [
      line('human', 'h', null, 'go'),
      line('assistant', 'a', 'h', [text('ok'), call('x')]),
      line('tool_result', 'r', 'a', [{ type: 'tool_result', tool_use_id: 'x', content: '1' }]),
      line('assistant', 'e', 'r', [text('done')]),
    ]
    expect(sent(lines)).toEqual(['user: go', 'assistant: ok, call x', 'user: result x', 'assistant: done'])
  })

  test('follows is_active before anything else', () => {
    const fork = (left: Rec, right: Rec) => [
      line('human', 'h', null, 'go'),
      line('assistant', 'a', 'h', [text('ok')]),
      line('human', 'l', 'a', 'left', left),
      line('human', 'r', 'a', 'right', right),
      line('assistant', 'l2', 'l', [text('left again')]),
      line('assistant', 'r2', 'r', [text('right again')]),
    ]
    expect(sent(fork({ is_active: true }, {})).slice(2)).toEqual(['user: left', 'assistant: left again'])
    expect(sent(fork({ is_active: true }, { is_active: false })).slice(2)).toEqual([
      'user: left',
      'assistant: left again',
    ])
    expect(sent(fork({ is_active: false }, { is_active: true })).slice(2)).toEqual([
      'user: right',
      'assistant: right again',
    ])
    expect(sent(fork({}, {})).slice(2)).toEqual(['user: right', 'assistant: right again'])
  })

  test('an is_active before a compaction counts no more', () => {
    const lines = [
      line('human', 'h', null, 'old'),
      line('assistant', 'a', 'h', [text('ok')], { is_active: true }),
      line('compact_prelude', 'c1', null, 'kept'),
      line('compact_recap', 'c2', 'c1', 'in short'),
      line('human', 'n', 'c2', 'new'),
    ]
    expect(sent(lines)[0]).toBe('user: kept, in short, new')
  })

  test('begins after a compaction with all that was preserved, then the recap', () => {
    const lines = [
      line('human', 'h', null, 'old'),
      line('compact_prelude', 'c1', null, 'kept one'),
      line('compact_prelude', 'c2', null, 'kept two'),
      line('compact_recap', 'c3', 'c2', 'in short'),
      line('human', 'n', 'c3', 'new'),
      line('assistant', 'a', 'n', [text('ok')]),
    ]
    expect(sent(lines)).toEqual(['user: kept one, kept two, in short, new', 'assistant: ok'])
    expect(sent(lines.map(record => (record.uuid === 'n' ? { ...record, parentUuid: 'h' } : record)))).toEqual([
      'user: kept one, kept two, in short, new',
      'assistant: ok',
    ])
  })
})

describe('specification 003', () => {
  const line = (
    type: string,
    uuid: string,
    parentUuid: string | null,
    message: string | undefined,
    more: Rec = {},
  ) => ({
    type,
    uuid,
    ...(parentUuid === null ? {} : { parentUuid }),
    sessionId: 'S',
    timestamp: '2025-01-27T10:00:00Z',
    ...(message === undefined ? {} : { message }),
    ...more,
  })
  const tool = { subtype: 'tool_use', toolName: 'Read', toolArguments: {} }

  test('pairs calls without an id with the lines that answer them', () => {
    const lines = [
      line('user', 'u', null, 'go', { userType: 'human' }),
      line('assistant', 't', 'u', undefined, tool),
      line('system', 's', 't', 'file read'),
      line('assistant', 'a', 's', 'done'),
    ]
    expect(sent(lines)).toEqual(['user: go', 'assistant: call s3:t', 'user: result s3:t', 'assistant: done'])
  })

  test('continues from a sidechain as the main thread', () => {
    const side = { isSidechain: true, userType: 'external' }
    const lines = [
      line('user', 'u', null, 'go', { userType: 'human' }),
      line('assistant', 'd', 'u', 'I ask a specialist'),
      line('user', 's1', 'd', 'analyse', side),
      line('assistant', 's2', 's1', 'analysing', side),
      line('assistant', 'a', 's2', 'it says fine'),
    ]
    expect(sent(lines)).toEqual(['user: go', 'assistant: I ask a specialist, it says fine'])
  })

  test('begins after the last compaction, with as many messages before it as were preserved', () => {
    const lines = (metadata: Rec, parent: string) => [
      line('user', 'u1', null, 'one', { userType: 'human' }),
      line('assistant', 'u2', 'u1', 'two'),
      line('user', 'u3', 'u2', 'three'),
      line('assistant', 'u4', 'u3', 'four'),
      line('compact_system', 'c1', 'u4', 'conversation_compacting'),
      line('compact_system', 'c2', 'c1', 'conversation_compacted', { metadata }),
      line('user', 'n1', parent, 'five', { logicalParentUuid: 'u4' }),
      line('assistant', 'n2', 'n1', 'six'),
    ]
    expect(sent(lines({}, 'gone'))).toEqual(['user: five', 'assistant: six'])
    expect(sent(lines({}, 'u4'))).toEqual(['user: five', 'assistant: six'])
    const kept = ['user: three', 'assistant: four', 'user: five', 'assistant: six']
    expect(sent(lines({ preservedMessages: 2, totalMessages: 4 }, 'c2'))).toEqual(kept)
    expect(sent(lines({ preservedMessages: ['u3', 'u4'] }, 'c2'))).toEqual(kept)
  })

  test('finds the messages that a compaction preserved where lines have no parent', () => {
    const metadata = { preservedMessages: 2, totalMessages: 4 }
    const lines = (linked: boolean, after: Rec[]) => [
      line('user', 'u1', null, 'one', { userType: 'human' }),
      line('assistant', 'u2', linked ? 'u1' : null, 'two'),
      line('user', 'u3', linked ? 'u2' : null, 'three'),
      line('assistant', 'u4', linked ? 'u3' : null, 'four'),
      line('compact_system', 'c1', null, 'conversation_compacting'),
      line('compact_system', 'c2', null, 'conversation_compacted', { metadata }),
      ...after,
    ]
    const next = line('user', 'n1', 'c2', 'five')
    const kept = ['user: three', 'assistant: four']
    expect(sent(lines(true, [next])).slice(0, 3)).toEqual([...kept, 'user: five'])
    expect(sent(lines(false, [next])).slice(0, 3)).toEqual([...kept, 'user: five'])
    expect(sent(lines(true, [line('compact_system', 'c3', null, 'conversation_restored')]))).toEqual(kept)
  })
})

describe('size', () => {
  test('a chain of 24,000 records, forwards, reversed or without parents, is read in one go', () => {
    const lines: Rec[] = []
    for (let i = 0; i < 12_000; i++) {
      lines.push(say(`u${i}`, i === 0 ? null : `a${i - 1}`, 'go'), answer(`a${i}`, `u${i}`, `m${i}`, [text('ok')]))
    }
    expect(contextOf(lines).messages).toHaveLength(24_000)
    expect(contextOf(lines.map(record => ({ ...record, parentUuid: 'gone' }))).messages).toHaveLength(24_000)
    expect(contextOf(lines.reverse()).messages).toHaveLength(24_000)
  }, 60_000)
})
