// What the JSON examples of specification 001 mean.

import { call, type ExpectedByPlace, is, result, text } from './expected.ts'

const noTokens = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0, outputFinal: true }
const envelope = {
  id: 'unique-message-uuid-v4',
  session: 'session-uuid-v4',
  thread: 'session-uuid-v4',
  at: '2026-01-27T10:15:30.123Z',
  version: '2.1.20',
  cwd: '/full/path/to/working/directory',
} as const
/** The second way to write the envelope: no parent, not in a repository. */
const rootEnvelope = { ...envelope, parent: null }

export const expected001: ExpectedByPlace = {
  '001 Message Envelope (Common Fields) #1': {
    events: [
      { ...is.client.prompt, ...envelope, parent: 'uuid-string', gitBranch: 'branch-name' },
      { ...is.client.answer, ...rootEnvelope },
      { ...is.client.by('progress'), ...rootEnvelope },
      { ...is.client.by('notice'), ...rootEnvelope },
      { ...is.client.by('title'), ...rootEnvelope },
      { ...is.client.by('snapshot'), ...rootEnvelope },
    ],
  },
  '001 Content Structure / User Message Content #1': {
    events: [{ ...is.client.prompt, blocks: [text('Your question or instruction')] }],
  },
  '001 Content Structure / User Message Content #2': {
    events: [{ ...is.client.results, blocks: [result('toolu_01XYZ', 'Tool output text')] }],
  },
  '001 Content Structure / Assistant Message Content #1': {
    events: [
      {
        ...is.client.answer,
        blocks: [{ type: 'thinking', text: '...', logged: true }, text('...'), call('toolu_01XYZ', 'Read', {})],
        message: {
          id: 'msg_bdrk_01Abc123',
          model: 'claude-opus-4-5-20251101',
          stopReason: 'end_turn',
          usage: noTokens,
        },
      },
    ],
  },
  '001 Content Block Types / Text Block #1': {
    events: [{ ...is.client.answer, blocks: [text('Response text content')] }],
  },
  '001 Content Block Types / Thinking Block #1': {
    events: [
      {
        ...is.client.answer,
        blocks: [{ type: 'thinking', text: 'Internal reasoning (extended thinking mode)', logged: true }],
      },
    ],
  },
  '001 Content Block Types / Tool Use Block #1': {
    events: [
      { ...is.client.answer, blocks: [call('toolu_01Abc123XYZ', 'ToolName', { param1: 'value1', param2: 123 })] },
    ],
  },
  '001 Content Block Types / Tool Result Block #1': {
    events: [{ ...is.client.results, blocks: [result('toolu_01Abc123XYZ', 'Result text or structured output')] }],
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
