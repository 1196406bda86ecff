import { describe, expect, test } from 'vitest'
import { configKey, toConfigValue } from '../../src/answers/settings.ts'
import type { StatusFacts } from '../../src/answers/statusline/count.ts'
import { readStatusInput } from '../../src/answers/statusline/input.ts'
import { layoutFault, type StatusSettings, statusSettings } from '../../src/answers/statusline/settings.ts'
import { columnsOf } from '../../src/base/width.ts'
import { statusLine } from '../../src/cli/statusline/line.ts'

const facts: StatusFacts = {
  nowMs: 1_000_000,
  model: 'Opus 4.5',
  session: { usd: 1.5, isLeast: false, from: 'client' },
  today: { usd: 1234.5, isLeast: false },
  block: { usd: 5.1, isLeast: false, startMs: 0, endMs: 1_000_000 + 8_000_000, usdPerHour: 3.2 },
  context: { tokens: 84_000, size: 200_000, percent: null },
  fiveHours: { percent: 42.4, resetsAt: 1_000_000 + 3_900_000 },
  sevenDays: { percent: 18 },
  folder: '/home/dev/shop',
  lines: { added: 312, removed: 42 },
}

const settings = (options: Record<string, unknown> = {}, config: Record<string, unknown> = {}): StatusSettings => ({
  ...statusSettings(config, options),
  hasColours: false,
})

const line = (given: Partial<StatusFacts>, options?: Record<string, unknown>, columns = Number.POSITIVE_INFINITY) =>
  statusLine({ ...facts, ...given }, settings(options), columns)

describe('the line', () => {
  test('says model, session, today, block, burn rate and context', () => {
    expect(line({})).toBe(
      'Opus 4.5 · $1.50 session · $1,234.50 today · $5.10 block (2h 13m left) · $3.20/h · 84.0k (42%) context',
    )
  })

  test('says other parts where they are asked for, in their order', () => {
    expect(line({}, { parts: 'limits,lines, folder' })).toBe('5h 42% (1h 5m), 7d 18% · +312 -42 · shop')
  })

  test('fills a text, with a dash for what is not known', () => {
    const template = 'm {model} | {today} | {block} | {burn} | {context} | {nothing} {'
    expect(line({ context: null }, { template })).toBe(
      'm Opus 4.5 | $1,234.50 | $5.10 (2h 13m left) | $3.20/h | - | {nothing} {',
    )
  })

  test('leaves out what is not known, and is never empty', () => {
    expect(line({ session: null, block: null, context: null })).toBe('Opus 4.5 · $1,234.50 today')
    expect(line({ model: null }, { parts: 'model' })).toBe('clew: nothing to say yet')
  })

  test('marks lower bounds and what was counted by Clew', () => {
    const session = { usd: 0.001, isLeast: true, from: 'ours' as const }
    expect(line({ session }, { parts: 'session' })).toBe('≥<$0.01 session (counted)')
  })

  test('writes out what a terminal would act on', () => {
    const hostile = 'x\u001b[31m\u202e\ny\u0007'
    expect(line({ model: hostile, folder: `/a/${hostile}` }, { parts: 'model folder' })).toBe(
      'x\\u{1b}[31m\\u{202e}\\ny\\u{7} · x\\u{1b}[31m\\u{202e}\\ny\\u{7}',
    )
    expect(line({}, { template: '\u001b]0;{model}\u0007' })).toBe('\\u{1b}]0;Opus 4.5\\u{7}')
  })

  test('fits the columns, whatever is in it', () => {
    for (const columns of [1, 2, 3, 9, 10, 11, 12, 13, 40, 60, 80]) {
      expect(columnsOf(line({ model: '漢字漢字漢字' }, {}, columns))).toBeLessThanOrEqual(columns)
    }
    expect(line({}, {}, 40)).toBe('Opus 4.5 · $1.50 session · $1,234.50 to…')
    expect(columnsOf(line({ model: 'm'.repeat(500) }))).toBeLessThan(150)
  })

  test('is in colour, red where the context is nearly full', () => {
    const painted = statusLine(
      { ...facts, context: { tokens: null, size: null, percent: 95 } },
      { ...settings({ parts: 'context' }), hasColours: true },
      80,
    )
    expect(painted).toBe('\u001b[31m95% context\u001b[39m')
  })
})

describe('settings', () => {
  test('come from flags, then from the config, then are the usual ones', () => {
    expect(settings({ parts: 'today' }, { statusline: ['model'] }).layout).toEqual({ parts: ['today'] })
    expect(settings({}, { statusline: ['model', 'today'] }).layout).toEqual({ parts: ['model', 'today'] })
    expect(settings({}, { statusline: '{model}' }).layout).toEqual({ template: '{model}' })
    for (const broken of [7, null, [], [3], 'nonsense', {}]) {
      expect(settings({}, { statusline: broken }).layout).toMatchObject({ parts: { length: 6 } })
    }
    expect(settings({}, { 'statusline.session': 'ours' }).sessionFrom).toBe('ours')
    expect(settings({ session: 'client' }, { 'statusline.session': 'ours' }).sessionFrom).toBe('client')
    expect(statusSettings({ 'statusline.color': 'never' }, {}).hasColours).toBe(false)
  })

  test('are refused by `clew config` where they name no part', () => {
    expect(layoutFault('model,today')).toBeUndefined()
    expect(layoutFault('{model} and {today}')).toBeUndefined()
    expect(layoutFault('{mode}')).toContain('no part "mode"')
    expect(toConfigValue(configKey('statusline'), ['model', 'context'])).toEqual(['model', 'context'])
    expect(() => toConfigValue(configKey('statusline'), ['models'])).toThrow('its parts are model, session')
    expect(() => toConfigValue(configKey('statusline.session'), ['both'])).toThrow('Choices: client, ours')
  })
})

describe('what Claude Code says', () => {
  test('is read from the fields of new and old versions', () => {
    const input = readStatusInput(
      JSON.stringify({
        session_id: 's',
        transcript_path: '/t.jsonl',
        cwd: '/old',
        workspace: { current_dir: '/new', project_dir: '/' },
        model: { id: 'claude-opus-4-5', display_name: 'Opus' },
        cost: { total_cost_usd: 0.5, total_lines_added: 3, total_lines_removed: 0 },
        context_window: {
          context_window_size: 200_000,
          used_percentage: 10,
          current_usage: {
            input_tokens: 5,
            output_tokens: 999,
            cache_creation_input_tokens: 7,
            cache_read_input_tokens: 8,
          },
        },
        rate_limits: { five_hour: { used_percentage: 42, resets_at: 1_781_290_000 }, seven_day: null },
      }),
    )
    expect(input).toEqual({
      session: 's',
      transcript: '/t.jsonl',
      folder: '/new',
      modelId: 'claude-opus-4-5',
      modelName: 'Opus',
      costUsd: 0.5,
      linesAdded: 3,
      linesRemoved: 0,
      contextTokens: 20,
      contextSize: 200_000,
      contextPercent: 10,
      fiveHours: { percent: 42, resetsAt: 1_781_290_000_000 },
    })
  })

  test('counts as not said where it is of another kind', () => {
    for (const odd of [null, 7, 'text', [], {}, true, -1, '']) {
      const fields = ['session_id', 'transcript_path', 'cwd', 'workspace', 'cost', 'context_window', 'rate_limits']
      const input = readStatusInput(JSON.stringify(Object.fromEntries(fields.map(name => [name, odd]))))
      const { session, transcript, folder, ...rest } = input ?? { never: true }
      expect(rest).toEqual({})
      for (const text of [session, transcript, folder]) expect(text ?? 'text').toBe('text')
    }
    const cost = { total_cost_usd: Number.NaN }
    expect(readStatusInput(JSON.stringify({ cost, context_window: { current_usage: null } }))).toEqual({})
  })

  test('is null for anything that is not an object', () => {
    for (const text of ['', 'x', '[]', '7', '"a"', 'null', '{"a":']) expect(readStatusInput(text)).toBeNull()
    expect(readStatusInput('\ufeff{}')).toEqual({})
  })
})
