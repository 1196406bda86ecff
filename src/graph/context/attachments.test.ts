import { describe, expect, test } from 'vitest'
import { decodeText } from '../../decode/decode.ts'
import { sessionId } from '../../model/ids.ts'
import type { Context } from '../../model/session.ts'
import { contextOfEvents } from './context.ts'
import { answer, call, chainRecord, outline, type Rec, result, say, text, toLines } from './context-testing.ts'

function contextOf(lines: readonly Rec[]): Context {
  return contextOfEvents(sessionId('S'), decodeText(toLines(lines), { session: 'S' }).events)
}

const sent = (lines: readonly Rec[]): string[] => outline(contextOf(lines))

const attachment = (uuid: string, parent: string, facts: Rec, more: Rec = {}): Rec =>
  chainRecord('attachment', uuid, parent, { attachment: facts, ...more })

/** What an attachment without words of its own becomes, behind a prompt. */
function worded(facts: Rec, model?: string): string[] {
  return sent([
    say('p', null, 'go'),
    attachment('d', 'p', facts),
    answer('a', 'd', 'm', [text('ok')], {}, model),
  ]).slice(0, -1)
}

const date = { type: 'date_change', newDate: '2026-11-11' }
const dateText =
  "The date has changed. Today's date is now 2026-11-11. No need to announce the new date — the user's own clock shows it."
const briefing = { type: 'fork_briefing', text: 'brief' }
const inTags = (words: string): string => `<system-reminder>\n${words}\n</system-reminder>`
const older = 'claude-sonnet-4-6'

describe('a hook', () => {
  const hook = (facts: Rec): string[] =>
    worded({ hookName: 'SessionStart:startup', hookEvent: 'SessionStart', ...facts })

  test('says what it has for the model, with its name in front', () => {
    const success = { type: 'hook_success', content: 'open', stdout: 'open\n' }
    expect(hook(success)).toEqual(['user: go', 'system: SessionStart:startup hook success: open'])
    expect(hook({ type: 'hook_additional_context', content: ['a', 'b'] })[1]).toBe(
      'system: SessionStart:startup hook additional context: a\nb',
    )
    const blockingError = { blockingError: 'no good', command: 'c' }
    expect(hook({ type: 'hook_blocking_error', blockingError })[1]).toBe(
      'system: SessionStart:startup hook blocking error from command: "c": no good',
    )
  })

  test('that only printed something says nothing', () => {
    expect(hook({ type: 'hook_success', content: '', stdout: 'plain\n' })).toEqual(['user: go'])
    expect(hook({ type: 'hook_success', content: '', stdout: '{"systemMessage":"x"}' })).toEqual(['user: go'])
    expect(hook({ type: 'hook_success', hookEvent: 'Stop', content: 'x' })).toEqual(['user: go'])
    expect(hook({ type: 'hook_additional_context', content: [] })).toEqual(['user: go'])
  })
})

describe('an attachment that its record does not word', () => {
  test.each<[Rec, string]>([
    [date, dateText],
    [
      { type: 'plan_mode', reminderType: 'sparse', planFilePath: '/p.md' },
      'instructions for plan mode, in short, for the plan file /p.md: about 280 characters',
    ],
    [
      { type: 'plan_mode', reminderType: 'full', planFilePath: '/p.md' },
      'instructions for plan mode, for the plan file /p.md: about 4860 characters that are not in the log',
    ],
    [
      { type: 'plan_mode', isSubAgent: true, planFilePath: '/p.md', planExists: true },
      'instructions for plan mode in a subagent, for the plan file /p.md: about 935 characters',
    ],
    [{ type: 'plan_mode_exit' }, '## Exited Plan Mode'],
    [{ type: 'edited_text_file', filename: '/a', snippet: '1\tx' }, 'Note: /a changed on disk since you last read it.'],
    [{ type: 'edited_text_file', filename: '/a', snippet: '' }, 'The changes are not shown here'],
    [
      { type: 'directory', path: '/a', content: 'b' },
      '{"command":"ls /a","description":"Lists files in /a"}\nResult of calling the Bash tool:\nb',
    ],
    [
      { type: 'skill_listing', content: '- a: b' },
      'The following skills are available for use with the Skill tool:\n\n- a: b',
    ],
    [
      { type: 'deferred_tools_delta', addedLines: ['A: does'], removedNames: ['mcp__s__t', 'B'] },
      'A: does\n\nThe following deferred tools are no longer available (their MCP server disconnected). Do not search for them — ToolSearch will return no match:\nmcp__s__t\n\nThe following deferred tools are no longer available in this session. Do not search for them — ToolSearch will return no match:\nB\n\nThis is ambient context',
    ],
    [
      { type: 'deferred_tools_delta', readdedNames: ['mcp__x__y', 'mcp__x__z', 'mcp__q__r', 'L'] },
      '3 deferred tools are available again (MCP server reconnected — names announced earlier in this conversation): mcp__q__*, mcp__x__* (2). Load via ToolSearch as before.\n\n1 deferred tool is available again in this session (announced earlier in this conversation): L.',
    ],
    [
      { type: 'mcp_instructions_delta', addedBlocks: ['## a\nA'], removedNames: ['c'] },
      '## a\nA\n\nThe following MCP servers have disconnected. Their instructions above no longer apply:\nc\n\nThis is ambient context',
    ],
    [
      { type: 'agent_listing_delta', addedLines: ['- x: y'], isInitial: true, showConcurrencyNote: true },
      'Available agent types for the Agent tool:\n- x: y\n\nWhen you launch multiple agents',
    ],
    [
      {
        type: 'diagnostics',
        files: [
          {
            uri: 'file:///a/b.ts',
            diagnostics: [
              {
                message: 'bad',
                severity: 'Warning',
                range: { start: { line: 0, character: 2 } },
                code: '23',
                source: 'ts',
              },
            ],
          },
        ],
      },
      'b.ts:\n  ⚠ [Line 1:3] bad [23] (ts)</new-diagnostics>',
    ],
    [{ type: 'invoked_skills', skills: [{ name: 'a', path: 'p', content: 'c' }] }, '### Skill: a\nPath: p\n\nc'],
    [
      {
        type: 'file',
        filename: '/a',
        truncated: true,
        content: { type: 'text', file: { content: 'x\ny', startLine: 9 } },
      },
      'Result of calling the Read tool:\n9\tx\n10\ty\nNote: The file /a was too large',
    ],
  ])('is worded as Claude Code does: %j', (facts, words) => {
    const [, system] = worded(facts)
    expect(system).toMatch(/^system: /)
    expect(system).toContain(words)
  })

  test('says nothing if it is for the screen or of a kind that is not known', () => {
    for (const type of [
      'command_permissions',
      'goal_status',
      'structured_output',
      'max_turns_reached',
      'from_the_future',
    ])
      expect(worded({ type, content: 'x' })).toEqual(['user: go'])
  })

  test('of tasks is for older models only', () => {
    const tasks = { type: 'task_reminder', content: [{ id: '1', status: 'pending', subject: 'do' }] }
    expect(worded(tasks)).toEqual(['user: go'])
    expect(worded(tasks, older)[0]).toContain(
      'Here are the existing tasks:\n\n#1. [pending] do\n</system-reminder>, go',
    )
  })
})

describe('the place of a reminder', () => {
  const asked = [say('p', null, 'go'), answer('a', 'p', 'm', [call('x')]), result('r', 'a', 'x')]

  test('is one text of the system for all of them, with tags for some models', () => {
    const two = (model?: string): string[] =>
      sent([
        say('p', null, 'go'),
        attachment('d', 'p', date),
        attachment('e', 'd', date),
        answer('a', 'e', 'm', [text('ok')], {}, model),
      ])
    expect(two()[1]).toBe(`system: ${dateText}\n\n${dateText}`)
    expect(two('claude-sonnet-5')[1]).toBe(`system: ${inTags(dateText)}\n\n${inTags(dateText)}`)
  })

  test('between two answers is a message of the user', () => {
    const lines = [
      say('p', null, 'go'),
      answer('a', 'p', 'm', [text('one')]),
      attachment('d', 'a', date),
      attachment('e', 'd', date),
    ]
    expect(sent([...lines, answer('b', 'e', 'n', [text('two')])])[2]).toBe(
      `user: ${inTags(`${dateText}\n\n${dateText}`)}`,
    )
  })

  test('in the name of the user is the result before it', () => {
    const lines = [
      ...asked,
      say('q', 'r', 'and hurry'),
      attachment('d', 'q', briefing),
      answer('b', 'd', 'n', [text('ok')]),
    ]
    expect(contextOf(lines).messages[2]?.blocks).toMatchObject([
      { content: [text(`output of x\n\n${inTags('brief')}`)] },
      text('and hurry'),
    ])
  })

  test('is apart from results where the session says so, with a line end between', () => {
    const snapshot = attachment('s', 'r', { type: 'prompt_snapshot', reminderFold: false })
    const notes = [snapshot, attachment('d', 's', briefing), attachment('e', 'd', briefing)]
    const of = (model?: string): unknown =>
      contextOf([...asked, ...notes, answer('b', 'e', 'n', [text('ok')], {}, model)]).messages[2]?.blocks
    const apart = [{ content: [text('output of x')] }, text(`${inTags('brief')}\n`), text(inTags('brief'))]
    expect(of()).toMatchObject(apart)
    expect(of(older)).toMatchObject(apart)
    const system = [snapshot, attachment('d', 's', date), answer('b', 'd', 'n', [text('ok')], {}, older)]
    expect(contextOf([...asked, ...system]).messages[2]?.blocks).toMatchObject([
      { content: [text(`output of x\n\n${inTags(dateText)}`)] },
    ])
  })

  test('in a result of blocks is a block of its own', () => {
    const content = [{ type: 'tool_result', tool_use_id: 'x', content: [text('t ')] }]
    const blocks = chainRecord('user', 'r', 'a', { message: { role: 'user', content } })
    const lines = [...asked.slice(0, 2), blocks, attachment('d', 'r', briefing), answer('b', 'd', 'n', [text('ok')])]
    expect(contextOf(lines).messages[2]?.blocks).toMatchObject([{ content: [text('t \n'), text(inTags('brief'))] }])
  })

  test('is in front of what the user says, with a line end between', () => {
    const lines = [
      say('p', null, 'go'),
      attachment('d', 'p', briefing),
      say('q', 'd', 'on'),
      answer('b', 'q', 'n', [text('ok')]),
    ]
    expect(contextOf(lines).messages[0]?.blocks).toEqual([text(`${inTags('brief')}\n`), text('go\n'), text('on')])
  })
})

describe('a prompt that was typed while Claude Code worked', () => {
  const asked = [say('p', null, 'go'), answer('a', 'p', 'm', [call('x')]), result('r', 'a', 'x')]
  const queued = (facts: Rec = {}): Rec => ({
    type: 'queued_command',
    prompt: 'hurry',
    commandMode: 'prompt',
    ...facts,
  })
  const typed = { humanTurn: true, origin: { kind: 'human' } }
  const behindResult = (facts: Rec, ...more: Rec[]): string[] =>
    sent([...asked, attachment('d', 'r', facts), ...more, answer('b', 'd', 'n', [text('ok')])]).slice(2, -1)

  test('is a text of the user where the record says that a person typed it', () => {
    expect(behindResult(queued(typed))).toEqual([
      expect.stringMatching(/^user: result x, The user sent a new message while you were working:\nhurry\n/),
    ])
    for (const facts of [
      {},
      { humanTurn: true },
      { origin: typed.origin },
      { ...typed, isMeta: true },
      { ...typed, commandMode: 'bash' },
    ])
      expect(behindResult(queued(facts))).toEqual([
        'user: result x',
        expect.stringMatching(/^system: The user sent a new message/),
      ])
  })

  test('comes behind reminders and before other prompts', () => {
    const lines = [
      say('p', null, 'go'),
      attachment('d', 'p', queued(typed)),
      attachment('e', 'd', briefing),
      answer('b', 'e', 'n', [text('ok')]),
    ]
    const [reminder, prompt, last] = contextOf(lines).messages[0]?.blocks ?? []
    expect(reminder).toEqual(text(`${inTags('brief')}\n`))
    expect(prompt).toMatchObject({ text: expect.stringMatching(/^The user sent .*\n$/s) })
    expect(last).toEqual(text('go'))
  })

  test('is worded by where it comes from', () => {
    const from = (facts: Rec): string | undefined => behindResult(queued(facts))[1]
    expect(from({ origin: { kind: 'channel', server: 's' } })).toMatch(
      /^system: A message arrived from s while you were working:\nhurry\n/,
    )
    expect(from({ origin: { kind: 'peer' } })).toMatch(/^system: Another Claude session sent a message/)
    expect(from({ commandMode: 'task-notification' })).toMatch(/^system: \[SYSTEM NOTIFICATION/)
    expect(from({ isMeta: true })).toBe('system: [MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\nhurry')
    expect(from({ ...typed, origin: { kind: 'new' } })).toBe(
      'system: [MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\nhurry',
    )
  })
})
