import { describe, expect, it } from 'vitest'
import { isSessionPath } from './session-path.ts'

const id = '11111111-1111-4111-8111-111111111111'

describe('a path of a home', () => {
  it.each([
    'history.jsonl',
    `projects/-p/${id}.jsonl`,
    `projects/-p/${id}.cast`,
    `projects/-p/${id}.precompact.json`,
    `projects/-p/${id}.jsonl.backup`,
    `projects/-p/${id}/tool-results/a:b 1.txt`,
    `projects/-p/${id}/subagents/workflows/run/journal.jsonl`,
    'projects/-p/notes.jsonl',
    'projects/-p/notes/subagents/agent-1.jsonl',
    'projects/-p/agent-1.meta.json',
    'projects/-p/sessions-index.json',
    'projects/-p/.session-aliases',
    'projects/loose.jsonl',
    `conversations/p/${id}.jsonl`,
    `file-history/${id}/abc@v1`,
    `image-cache/${id}/1.png`,
    'paste-cache/0123456789abcdef.txt',
    'plans/fog.md',
    'tasks/hooks/1.json',
    'teams/commands/config.json',
    `${id}.jsonl`,
    `-p/${id}/tool-results/x.txt`,
    'sessions/a.jsonl',
    'agents/a.jsonl',
  ])('is a session’s: %s', path => {
    expect(isSessionPath(path)).toBe(true)
    expect(isSessionPath(path, '/home/mira/.claude')).toBe(true)
  })

  it.each([
    'settings.json',
    'Settings.JSON',
    'settings.json.',
    'settings.json::$DATA',
    'set\u200btings.json',
    'settings.local.json',
    '.credentials.json',
    '.claude.json',
    'CLAUDE.md',
    'commands/deploy.md',
    `commands/${id}/deploy.md`,
    'commands/tool-results/deploy.md',
    'COMMANDS/tool-results/deploy.md',
    'COMMAN~1/tool-results/deploy.md',
    'hooks/pre.sh',
    'hooks/pre.jsonl',
    'skills/x/SKILL.md',
    'plugins/subagents/x.js',
    'agents/tool-results/x.md',
    'projects/-p/memory/MEMORY.md',
    'projects/-p/Memory/MEMORY.md',
    'projects/-p/memory/x.jsonl',
    'projects/-p/memory/tool-results/x.md',
    'Projects/-p/memory/MEMORY.md',
    'projects/app/CLAUDE.md',
    'projects/app/.claude/settings.json',
    'projects/app/Makefile',
    'projects/app/src/index.ts',
    `projects/-p/${id}.desktop`,
    `projects/-p/${id}/.git/hooks/post-checkout`,
    'plans/.claude/commands/x.md',
    'plans',
    '.bashrc',
    '.config/autostart/agent-1.desktop',
    '.ssh/authorized_keys',
    `${id}.desktop`,
    'shell-snapshots/snapshot.sh',
    'stats-cache.json',
    '',
  ])('is none: %j', path => {
    expect(isSessionPath(path)).toBe(false)
    expect(isSessionPath(path, '/home/mira/.claude')).toBe(false)
  })

  it.each(['/home/mira/.claude/commands', '/home/mira/.Claude/hooks', 'C:\\Users\\m\\.claude\\skills'])(
    'is none where its home is a part of a Claude home that is not for sessions: %s',
    home => {
      expect(isSessionPath(`${id}/tool-results/x.md`, home)).toBe(false)
      expect(isSessionPath(`projects/-p/${id}/x.md`, home)).toBe(false)
    },
  )
})
