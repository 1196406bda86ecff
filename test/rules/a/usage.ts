// Fixtures of the rules about token counts, cost and duration.

import type { Fixture } from '../fixture.ts'
import { answerLine, text, usage, userLine, without } from '../lines.ts'

const withUsage = (changed: object) => answerLine(1, [text('hi')], { usage: { ...usage, ...changed } })
const good = [userLine(1, 'hello'), answerLine(2, [text('hi')])]

function count(code: string, key: string): Fixture[] {
  return [
    {
      code,
      follows: [...good, withUsage({ [key]: 0, cache_creation: undefined })],
      breaks: [withUsage({ [key]: undefined })],
    },
    { code, follows: good, breaks: [withUsage({ [key]: -1 })] },
    { code, follows: good, breaks: [withUsage({ [key]: 1.5 })] },
    { code, follows: good, breaks: [withUsage({ [key]: '3' })] },
  ]
}

export const fixtures: Fixture[] = [
  { code: 'usage-missing', follows: good, breaks: [answerLine(1, [text('hi')], { usage: undefined })] },
  ...count('usage-input-tokens', 'input_tokens'),
  ...count('usage-output-tokens', 'output_tokens'),
  ...count('usage-cache-creation-tokens', 'cache_creation_input_tokens'),
  ...count('usage-cache-read-tokens', 'cache_read_input_tokens'),
  { code: 'usage-cache-creation-split', follows: good, breaks: [withUsage({ cache_creation: undefined })] },
  {
    code: 'usage-cache-creation-split',
    follows: good,
    breaks: [withUsage({ cache_creation: { ephemeral_5m_input_tokens: 1 } })],
  },
  { code: 'usage-cache-parts-sum', follows: good, breaks: [withUsage({ cache_creation_input_tokens: 0 })] },
  { code: 'usage-service-tier', follows: good, breaks: [withUsage({ service_tier: null })] },
  { code: 'usage-inference-geo', follows: good, breaks: [withUsage({ inference_geo: undefined })] },
  {
    code: 'cost-usd-missing',
    follows: [userLine(1, 'hello'), answerLine(2, [], {}, { costUSD: 0.01 })],
    breaks: [answerLine(2, [])],
  },
  {
    code: 'duration-ms-missing',
    follows: [userLine(1, 'hello'), answerLine(2, [], {}, { durationMs: 0 })],
    breaks: [without(answerLine(2, [], {}, { durationMs: 1 }), 'durationMs')],
  },
]
