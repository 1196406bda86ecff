// What the JSON examples of specification 001 mean.

import { call, type ExpectedByPlace, is, result, text } from './expected.ts'

const noTokens = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0, outputFinal: true }
const envelope = {
  id: '0a0b0c0d-3333-4333-8333-000000000003',
  session: '0a0b0c0d-2222-4222-8222-000000000002',
  thread: '0a0b0c0d-2222-4222-8222-000000000002',
  at: '2026-03-04T08:30:30.123Z',
  version: '2.1.20',
  cwd: '/home/mara/bakery',
} as const
/** The second way to write the envelope: no parent, not in a repository. */
const rootEnvelope = { ...envelope, parent: null }

export const expected001: ExpectedByPlace = {
  '001 Message Envelope (Common Fields) #1': {
    events: [
      { ...is.client.prompt, ...envelope, parent: '0a0b0c01-1111-4111-8111-000000000001', gitBranch: 'rye-bread' },
      { ...is.client.answer, ...rootEnvelope },
      { ...is.client.by('progress'), ...rootEnvelope },
      { ...is.client.by('notice'), ...rootEnvelope },
      { ...is.client.by('title'), ...rootEnvelope },
      { ...is.client.by('snapshot'), ...rootEnvelope },
    ],
  },
  '001 Content Structure / User Message Content #1': {
    events: [{ ...is.client.prompt, blocks: [text('How long does rye rise?')] }],
  },
  '001 Content Structure / User Message Content #2': {
    events: [{ ...is.client.results, blocks: [result('toolu_rye1', 'Twelve hours')] }],
  },
  '001 Content Structure / Assistant Message Content #1': {
    events: [
      {
        ...is.client.answer,
        blocks: [{ type: 'thinking', text: '...', logged: true }, text('...'), call('toolu_rye1', 'Read', {})],
        message: {
          id: 'msg_rye1',
          model: 'claude-opus-4-5-20251101',
          stopReason: 'end_turn',
          usage: noTokens,
        },
      },
    ],
  },
  '001 Content Block Types / Text Block #1': {
    events: [{ ...is.client.answer, blocks: [text('Rye rises overnight')] }],
  },
  '001 Content Block Types / Thinking Block #1': {
    events: [
      {
        ...is.client.answer,
        blocks: [{ type: 'thinking', text: 'Rye is slower than wheat', logged: true }],
      },
    ],
  },
  '001 Content Block Types / Tool Use Block #1': {
    events: [{ ...is.client.answer, blocks: [call('toolu_weigh1', 'Weigh', { param1: 'rye', param2: 123 })] }],
  },
  '001 Content Block Types / Tool Result Block #1': {
    events: [{ ...is.client.results, blocks: [result('toolu_weigh1', '123 g')] }],
  },
  '001 Usage Object #1': {
    events: [
      {
        ...is.client.answer,
        message: {
          usage: {
            inputTokens: 1000,
            outputTokens: 500,
            cacheCreationTokens: 200,
            cacheReadTokens: 400,
            cacheCreation5mTokens: 200,
            cacheCreation1hTokens: 0,
            // Without stop reason and version nothing says that the output is more than a placeholder.
            outputFinal: false,
          },
        },
      },
    ],
  },
}
