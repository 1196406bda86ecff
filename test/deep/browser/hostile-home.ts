// A Claude home whose every field tries to become more than text: prompts, answers, names and inputs of tools, output,
// titles, folders, branches, models, file names. Invented; nothing here comes from a log.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hostileTexts } from '../../export/items.ts'

/** The texts of the exports, and some that would leave a trace in the page. */
export const texts: readonly string[] = [
  ...hostileTexts,
  '<img src=x onerror="window.__pwned=1">',
  '<svg><script>window.__pwned=2</script></svg>',
  '<svg><animate onbegin="window.__pwned=3" attributeName=x dur=1s>',
  '[x](javascript:window.__pwned=4)',
  '<a href="javascript:window.__pwned=5" autofocus onfocus="window.__pwned=6">x</a>',
  '![x](javascript:window.__pwned=7)',
  '<iframe srcdoc="<script>parent.__pwned=8</script>"></iframe>',
  '[x](vbscript:x) [y](file:///etc/passwd) [z](//evil.example/z) [w](\\\\evil.example\\w)',
  '<style>@import "https://evil.example/x.css"</style>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=window.__pwned=9>',
  '\u001b[38;5;196m\u001b]0;title\u0007<b onclick=window.__pwned=10>\u001b[0m\u001b[2J\u001b[31;1m<i>red</i>',
]

export const everySession = 'd0d0d0d0-0000-4000-8000-000000000001'

/** The id of a session that is markup by its very name. */
export const oddId = '<img src=x onerror=alert(1)>'

const all = texts.join('\n\n')

class Log {
  readonly lines: string[] = []
  readonly #session: string
  readonly #more: object
  #parent: string | null = null
  #count = 0

  constructor(session: string, more: object = {}) {
    this.#session = session
    this.#more = more
  }

  add(type: string, fields: object): string {
    const uuid = `${this.#session.slice(0, 8)}-${String(++this.#count).padStart(4, '0')}-4000-8000-000000000000`
    const timestamp = new Date(Date.UTC(2026, 5, 1, 9, 0, this.#count)).toISOString()
    const common = {
      parentUuid: this.#parent,
      isSidechain: false,
      userType: 'external',
      cwd: '/home/mira/x',
      version: '2.1.210',
    }
    const record = {
      ...common,
      sessionId: this.#session,
      gitBranch: 'main',
      ...this.#more,
      type,
      uuid,
      timestamp,
      ...fields,
    }
    this.lines.push(JSON.stringify(record))
    this.#parent = uuid
    return uuid
  }

  plain(fields: object): void {
    this.lines.push(JSON.stringify({ sessionId: this.#session, ...fields }))
  }

  prompt(content: unknown): void {
    this.add('user', { message: { role: 'user', content } })
  }

  answer(content: object[], model = 'claude-opus-5'): void {
    const usage = { input_tokens: 5, output_tokens: 7 }
    const message = {
      id: `msg_${this.#session.slice(-4)}_${this.#count}`,
      type: 'message',
      role: 'assistant',
      model,
      content,
      usage,
    }
    this.add('assistant', { message })
  }

  call(name: string, input: unknown, output: unknown, result?: unknown, isError = false): void {
    const id = `toolu_${this.#session.slice(-4)}_${this.#count}`
    this.answer([{ type: 'tool_use', id, name, input }])
    const block = { type: 'tool_result', tool_use_id: id, content: output, is_error: isError }
    this.add('user', { message: { role: 'user', content: [block] }, toolUseResult: result ?? output })
  }
}

function filled(text: string): object {
  return { [text]: text, command: text, description: text, prompt: text, url: text, query: text, pattern: text }
}

/** One turn for each text, then the tools with views of their own with all of them. */
function everyField(): Log {
  const log = new Log(everySession, { slug: all })
  for (const [at, text] of texts.entries()) {
    log.prompt(text)
    log.answer([{ type: 'thinking', thinking: text, signature: text }])
    log.answer([{ type: 'text', text }], text)
    log.call(
      'Bash',
      { command: text, description: text },
      text,
      { stdout: text, stderr: text, interrupted: false },
      at % 3 === 0,
    )
    log.call(text, filled(text), [{ type: 'text', text }], filled(text))
  }
  tools(log, all)
  client(log, all)
  return log
}

function tools(log: Log, text: string): void {
  const path = `/home/mira/x/${text}`
  const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [`-${text}`, `+${text} `, ` ${text}`] }]
  const edit = { filePath: path, oldString: text, newString: `${text} `, originalFile: text, structuredPatch: patch }
  log.call('Edit', { file_path: path, old_string: text, new_string: `${text} ` }, text, edit)
  log.call('Write', { file_path: `${path}.html`, content: text }, text, {
    type: 'create',
    filePath: path,
    content: text,
    structuredPatch: [],
  })
  log.call('Read', { file_path: `${path}.svg` }, text, {
    type: 'text',
    file: { filePath: path, content: text, startLine: 1 },
  })
  log.call('TodoWrite', { todos: [{ content: text, activeForm: text, status: 'in_progress' }] }, text)
  log.call('Grep', { pattern: text, path }, text, { mode: 'content', filenames: [path], content: text })
  log.call('WebSearch', { query: text }, text, {
    query: text,
    results: [{ content: [{ title: text, url: 'javascript:window.__pwned=11' }] }],
  })
  log.call('WebFetch', { url: 'javascript:window.__pwned=12', prompt: text }, text, {
    url: text,
    result: text,
    code: 200,
    codeText: text,
  })
  const questions = [{ question: text, header: text, options: [{ label: text, description: text }] }]
  log.call('AskUserQuestion', { questions }, text, { questions, answers: { [text]: text } })
  log.call('ExitPlanMode', { plan: text }, text, { plan: text })
  log.call('Task', { description: text, prompt: text, subagent_type: text }, text, {
    agentId: 'none',
    content: [{ type: 'text', text }],
  })
  log.call(`mcp__${text}__${text}`, filled(text), [{ type: 'text', text }])
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" onload="window.__pwned=13"><script>alert(1)</script></svg>',
  )
  const media = ['image/svg+xml', 'text/html', 'image/png', text].map(media_type => ({
    type: 'image',
    source: { type: 'base64', media_type, data: svg.toString('base64') },
  }))
  log.prompt([
    ...media,
    {
      type: 'document',
      title: text,
      source: { type: 'base64', media_type: 'text/html', data: svg.toString('base64') },
    },
  ])
  log.prompt([{ type: 'image', source: { type: 'url', url: 'https://evil.example/pixel.png' } }])
}

function client(log: Log, text: string): void {
  log.prompt(`<command-name>${text}</command-name><command-args>${text}</command-args>`)
  log.prompt(`<local-command-stdout>${text}</local-command-stdout>`)
  log.prompt(`<task-notification><task-id>${text}</task-id><summary>${text}</summary></task-notification>`)
  log.add('system', { subtype: 'api_error', content: text, error: { message: text }, level: 'error' })
  log.add('system', { subtype: text, content: text, level: text })
  log.add('system', {
    subtype: 'compact_boundary',
    content: text,
    compactMetadata: { trigger: text, preTokens: 90_000 },
  })
  log.add('user', { isCompactSummary: true, message: { role: 'user', content: text } })
  log.add('attachment', { attachment: { type: text, content: text, filename: text } })
  log.add('progress', { data: { type: 'hook_progress', hookName: text, command: text } })
  log.add(text, { [text]: text })
  log.plain({ type: 'queue-operation', operation: text, content: text })
  log.plain({ type: 'pr-link', prUrl: 'javascript:window.__pwned=14', prNumber: text, prRepository: text })
  log.lines.push(text.replaceAll('\n', ' '), `{"type":"user","message":${JSON.stringify(text)}`)
}

/** A session whose own names are that text. */
function namedAfter(text: string, at: number): Log {
  const log = new Log(`e0e0e0e0-0000-4000-8000-${String(at).padStart(12, '0')}`, {
    cwd: `/home/${text}`,
    gitBranch: text,
    version: text,
  })
  log.prompt(text)
  log.answer([{ type: 'text', text }], text)
  log.plain({ type: at % 2 === 0 ? 'custom-title' : 'ai-title', customTitle: text, aiTitle: text, title: text })
  log.plain({ type: 'summary', summary: text, leafUuid: text })
  return log
}

const fileName = (text: string) => text.replace(/[/\0\n]/g, '_').slice(0, 60)

export function writeHostileHome(home: string): void {
  const write = (project: string, name: string, log: Log) => {
    const folder = join(home, 'projects', project)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${name}.jsonl`), `${log.lines.join('\n')}\n`)
  }
  write('-home-mira-x', everySession, everyField())
  for (const [at, text] of texts.entries()) {
    const log = namedAfter(text, at)
    write(
      at % 4 === 0 ? fileName(`-${text}`) : '-home-names',
      `e0e0e0e0-0000-4000-8000-${String(at).padStart(12, '0')}`,
      log,
    )
  }
  const named = new Log(oddId)
  named.prompt('My id is markup.')
  write('-home-names', oddId, named)
}
