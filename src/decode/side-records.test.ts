import { describe, expect, it } from 'vitest'
import { envelope, one } from './testing.ts'

describe('records outside the chain', () => {
  it.each([
    [
      'queue',
      {
        type: 'queue-operation',
        operation: 'enqueue',
        content: '{"task_id":"a1","description":"d","task_type":"local_agent"}',
      },
      { operation: 'enqueue', task: { id: 'a1', description: 'd', type: 'local_agent' } },
    ],
    ['queue', { type: 'queue-operation', operation: 'dequeue' }, { operation: 'dequeue' }],
    ['title', { type: 'summary', summary: 'T', leafUuid: 'l' }, { titleFrom: 'summary', title: 'T', leaf: 'l' }],
    ['title', { type: 'ai-title', aiTitle: 'T', sessionId: 's' }, { titleFrom: 'ai', title: 'T' }],
    [
      'state',
      { type: 'last-prompt', lastPrompt: 'P', leafUuid: 'l', sessionId: 's' },
      { type: 'last-prompt', lastPrompt: 'P', leaf: 'l' },
    ],
    [
      'state',
      { type: 'permission-mode', permissionMode: 'plan', sessionId: 's' },
      { type: 'permission-mode', permissionMode: 'plan' },
    ],
    ['state', { type: 'session-owner', accountUuid: 'a', organizationUuid: 'o' }, { type: 'session-owner' }],
    ['link', { type: 'pr-link', prNumber: 7, sessionId: 's' }, { type: 'pr-link', prNumber: 7 }],
    [
      'hook',
      { ...envelope, type: 'attachment', attachment: { type: 'hook_success', hookName: 'Stop', stdout: '' } },
      { hookName: 'Stop' },
    ],
    [
      'prompt',
      {
        ...envelope,
        type: 'attachment',
        attachment: { type: 'queued_command', prompt: 'and this', commandMode: 'prompt' },
      },
      { queued: true },
    ],
    [
      'notification',
      {
        ...envelope,
        type: 'attachment',
        attachment: {
          type: 'queued_command',
          prompt: '<task-notification><task-id>b</task-id></task-notification>',
          commandMode: 'task-notification',
        },
      },
      { notification: { taskId: 'b' } },
    ],
    [
      'compaction',
      {
        ...envelope,
        type: 'system',
        subtype: 'compact_boundary',
        content: 'x',
        compactMetadata: { trigger: 'auto', preTokens: 7, preservedMessages: { anchorUuid: 'a', uuids: ['x'] } },
      },
      { phase: 'done', trigger: 'auto', preTokens: 7, preserved: { anchor: 'a', uuids: ['x'] } },
    ],
    [
      'history',
      { display: 'hi', pastedContents: { 1: { content: 'p' } }, timestamp: 1770654699405, project: '/p' },
      { project: '/p', pasted: [{ content: 'p' }] },
    ],
    ['other', { type: 'api-request', sessionId: 's', id: 'x' }, { type: 'api-request' }],
    ['other', { type: 'from-the-future', glow: true }, { type: 'from-the-future' }],
  ])('become %s for %j', (kind, line, detail) => {
    const event = one(line)
    expect(event.kind).toBe(kind)
    expect(event.detail).toMatchObject(detail)
  })
})

describe('system records', () => {
  it('without a subtype may be a local command', () => {
    const output = { ...envelope, type: 'system', content: '<local-command-stdout>ok</local-command-stdout>' }
    expect(one(output).kind).toBe('command-output')
    expect(one({ ...envelope, type: 'system', content: 'Running PostToolUse:Edit...' }).kind).toBe('notice')
  })
})

describe('the prompt queue', () => {
  it('takes a prompt that mentions a notification for a prompt', () => {
    const enqueue = (content: string) => one({ type: 'queue-operation', operation: 'enqueue', content, sessionId: 's' })
    expect(enqueue('why is <task-notification> empty?').detail).not.toHaveProperty('notification')
    expect(enqueue('<task-notification><task-id>b</task-id></task-notification>\nread it').detail).toMatchObject({
      notification: { taskId: 'b' },
    })
  })
})
