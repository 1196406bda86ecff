// One made-up session as Claude Code 2.1 writes it: records in file order, chained by uuid, tool output
// written twice, state lines written again and again. Shares and sizes follow what was measured on real logs.

import { chance, mulberry, pick } from '../scripts/random.mjs'

/** `progress`: how many progress lines follow a call; `attachments`: chance of one after a prompt or result. */
const eras = [
  {
    version: '2.1.45',
    model: 'claude-sonnet-4-5-20250929',
    progress: 2.2,
    attachments: 0,
    state: 0.02,
    keepsThinking: true,
  },
  { version: '2.1.210', model: 'claude-opus-4-7', progress: 0, attachments: 0.35, state: 0.12, keepsThinking: false },
]
const toolNames = ['Bash', 'Bash', 'Bash', 'Read', 'Read', 'Edit', 'Grep', 'Write', 'Glob', 'TodoWrite']

/** What all sessions of a corpus share; making the pools takes longer than a small session. */
export function material(seed) {
  const random = mulberry(seed)
  return { random, text: textPool(random), opaque: opaquePool(random), ids: idMaker(random) }
}

/** Makes the records of one session (or of one subagent's file), as long as somebody asks for more. */
export class SessionWriter {
  constructor({ random, text, opaque, ids }, { agent } = {}) {
    Object.assign(this, { random, text, opaque, ids, agent })
    this.era = pick(random, eras)
    this.id = ids.uuid()
    this.cwd = `/home/dev/${pick(random, ['shop', 'ledger', 'atlas', 'my_site.v2'])}`
    this.clock = Date.UTC(2026, Math.floor(random() * 9), 1 + Math.floor(random() * 27), 9)
    this.parent = null
    this.agents = []
  }

  /** One prompt and all that follows it. */
  *turn() {
    const prompt = this.chained('user', {
      message: { role: 'user', content: this.text(skewed(this.random, 150, 1.2)) },
    })
    yield {
      type: 'file-history-snapshot',
      messageId: prompt.uuid,
      snapshot: this.snapshot(prompt.uuid),
      isSnapshotUpdate: false,
    }
    yield prompt
    const steps = 2 + Math.floor(this.random() * 14)
    for (let step = 0; step < steps; step++) {
      if (chance(this.random, this.era.attachments)) yield this.attachment()
      yield* this.answer(step === steps - 1)
      if (chance(this.random, this.era.state)) yield* this.state(prompt)
    }
    yield this.chained('system', { subtype: 'turn_duration', durationMs: 1000 * steps, isMeta: false })
  }

  /** One API message: thinking, text, and calls with their results between the calls' lines. */
  *answer(isLast) {
    const message = { id: this.ids.prefixed('msg'), requestId: this.ids.prefixed('req'), usage: this.usage() }
    if (chance(this.random, 0.45)) {
      const thinking = this.era.keepsThinking ? this.text(skewed(this.random, 250, 0.8)) : ''
      const signature = this.opaque(skewed(this.random, 500, 0.9))
      yield this.block(message, { type: 'thinking', thinking, signature }, isLast)
    }
    if (isLast || chance(this.random, 0.4)) {
      yield this.block(message, { type: 'text', text: this.text(skewed(this.random, 250, 1)) }, isLast)
    }
    if (isLast) return
    const calls = chance(this.random, 0.12) ? 2 + Math.floor(this.random() * 3) : 1
    for (let call = 0; call < calls; call++) yield* this.call(message)
  }

  *call(message) {
    const name = chance(this.random, 0.01) && !this.agent ? 'Task' : pick(this.random, toolNames)
    const id = this.ids.prefixed('toolu')
    const request = this.block(message, { type: 'tool_use', id, name, input: this.input(name) }, false)
    yield request
    for (let left = this.random() * 2 * this.era.progress; left >= 1; left--) yield this.progress(id)
    const failed = chance(this.random, 0.045)
    const output = this.text(Math.min(900_000, skewed(this.random, 800, 1.65)))
    const block = { tool_use_id: id, type: 'tool_result', content: output, ...(failed ? { is_error: true } : {}) }
    const agentId = name === 'Task' ? this.ids.agent() : undefined
    if (agentId) this.agents.push({ agentId, toolUseId: id })
    yield this.chained('user', {
      message: { role: 'user', content: [block] },
      toolUseResult: failed ? `Error: ${output}` : this.structured(name, output, agentId),
      sourceToolAssistantUUID: request.uuid,
      parentUuid: request.uuid,
    })
  }

  structured(name, output, agentId) {
    if (agentId)
      return {
        status: 'completed',
        prompt: 'Look at it.',
        agentId,
        content: [{ type: 'text', text: output }],
        totalTokens: 9000,
      }
    if (name === 'Read')
      return {
        type: 'text',
        file: { filePath: `${this.cwd}/src/cart.ts`, content: output, numLines: 40, startLine: 1, totalLines: 40 },
      }
    if (name === 'Edit' || name === 'Write') {
      const patch = [{ oldStart: 3, oldLines: 2, newStart: 3, newLines: 2, lines: output.slice(0, 2000).split('\n') }]
      return {
        filePath: `${this.cwd}/src/cart.ts`,
        oldString: 'a',
        newString: 'b',
        originalFile: this.text(output.length * 2),
        structuredPatch: patch,
        userModified: false,
        replaceAll: false,
      }
    }
    if (name === 'Grep' || name === 'Glob')
      return { mode: 'content', numFiles: 3, filenames: [], content: output, numLines: 30 }
    return { stdout: output, stderr: '', interrupted: false, isImage: false, noOutputExpected: false }
  }

  input(name) {
    if (name === 'Bash') return { command: this.text(skewed(this.random, 90, 1)), description: 'Run it' }
    if (name === 'Edit')
      return {
        file_path: `${this.cwd}/src/cart.ts`,
        old_string: this.text(skewed(this.random, 200, 1)),
        new_string: this.text(skewed(this.random, 260, 1)),
      }
    if (name === 'Write')
      return { file_path: `${this.cwd}/src/new.ts`, content: this.text(skewed(this.random, 1200, 1)) }
    if (name === 'Task') return { description: 'Look', prompt: 'Look at it.', subagent_type: 'general-purpose' }
    return { file_path: `${this.cwd}/src/cart.ts`, pattern: 'total' }
  }

  progress(id) {
    const output = this.text(skewed(this.random, 500, 1))
    const data = {
      type: 'bash_progress',
      output,
      fullOutput: output,
      elapsedTimeSeconds: 2,
      totalLines: 12,
      timeoutMs: 120000,
    }
    return this.chained('progress', { data, toolUseID: 'bash-progress-1', parentToolUseID: id })
  }

  attachment() {
    const kinds = ['task_reminder', 'hook_success', 'edited_text_file', 'queued_command', 'skill_listing']
    const type = pick(this.random, kinds)
    return this.chained('attachment', {
      attachment: {
        type,
        content: this.text(skewed(this.random, 400, 1)),
        prompt: 'Also the tests, please.',
        itemCount: 0,
      },
    })
  }

  *state(prompt) {
    yield {
      type: 'last-prompt',
      lastPrompt: prompt.message.content.slice(0, 200),
      leafUuid: this.parent,
      sessionId: this.id,
    }
    yield { type: 'permission-mode', permissionMode: 'acceptEdits', sessionId: this.id }
    yield { type: 'ai-title', aiTitle: 'Rounding of the cart', sessionId: this.id }
  }

  snapshot(messageId) {
    const backup = { backupFileName: `${this.ids.agent()}@v2`, version: 2, backupTime: this.now() }
    return { messageId, trackedFileBackups: { 'src/cart.ts': backup, 'src/order.ts': backup }, timestamp: this.now() }
  }

  usage() {
    const random = this.random
    const written = Math.floor(random() * 4000)
    return {
      input_tokens: 1 + Math.floor(random() * 20),
      cache_creation_input_tokens: written,
      cache_read_input_tokens: 10_000 + Math.floor(random() * 150_000),
      cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
      output_tokens: 1 + Math.floor(random() * 900),
      service_tier: 'standard',
      inference_geo: 'not_available',
    }
  }

  /** One line of an API message; Claude Code writes one line per block and repeats the usage on each. */
  block({ id, requestId, usage }, block, isLast) {
    const stop = this.era.progress ? null : isLast ? 'end_turn' : 'tool_use'
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model: this.era.model,
      stop_sequence: null,
      content: [block],
      stop_reason: stop,
      usage,
    }
    return this.chained('assistant', { message, requestId })
  }

  now() {
    this.clock += Math.floor(this.random() * 4000)
    return new Date(this.clock).toISOString()
  }

  chained(type, fields) {
    const uuid = this.ids.uuid()
    const record = {
      parentUuid: this.parent,
      isSidechain: this.agent !== undefined,
      userType: 'external',
      cwd: this.cwd,
      sessionId: this.id,
      version: this.era.version,
      gitBranch: 'main',
      ...(this.agent ? { agentId: this.agent } : {}),
      type,
      ...fields,
      uuid,
      timestamp: this.now(),
    }
    this.parent = uuid
    return record
  }
}

/**
 * The lines of one session of exactly that many records.
 * @param {number} records
 * @returns {string}
 */
export function sessionText(records, seed = 7) {
  const writer = new SessionWriter(material(seed))
  const lines = []
  while (lines.length < records) for (const record of writer.turn()) lines.push(JSON.stringify(record))
  return `${lines.slice(0, records).join('\n')}\n`
}

const words =
  'cart total items price const return import function await value index result error status count order stock file path test null true Zürich größe naïve 数 → ✓ user session token request response config build module export'.split(
    ' ',
  )
const shapes = [
  (word, number) =>
    `${String(number % 900).padStart(6)}\t  const ${word()} = await ${word()}("${word()}", { ${word()}: ${number} })`,
  (word, number) =>
    `  src/${word()}/${word()}.ts:${number % 400}:${number % 80} - ${word()} ${word()} '${word()}' ${word()}`,
  word => `    if (!${word()} || ${word()}.${word()} === "${word()}") return ${word()}\\n`,
  (word, number) =>
    `2026-03-${String(1 + (number % 28)).padStart(2, '0')}T10:11:12Z INFO ${word()} ${word()}=${number} path=/home/dev/${word()}`,
  word =>
    `The ${word()} of the ${word()} is not the ${word()}; the ${word()} must ${word()} before the ${word()} does.`,
  () => '',
]

/**
 * A function that cuts texts of about the asked length from one pool.
 * @param {() => number} random
 * @returns {(length: number) => string}
 */
function textPool(random) {
  const word = () => pick(random, words)
  const lines = []
  for (let size = 0; size < 1_000_000; ) {
    const line = pick(random, shapes)(word, Math.floor(random() * 10_000))
    lines.push(line)
    size += line.length + 1
  }
  const pool = lines.join('\n')
  return length => {
    const from = Math.floor(random() * (pool.length - 1))
    if (from + length <= pool.length) return pool.slice(from, from + length)
    const rest = length - (pool.length - from)
    return pool.slice(from) + pool.repeat(Math.floor(rest / pool.length)) + pool.slice(0, rest % pool.length)
  }
}

/** Base64-like text, as signatures and images have it. */
function opaquePool(random) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const pool = Array.from({ length: 300_000 }, () => alphabet[Math.floor(random() * 64)]).join('')
  return length => {
    const from = Math.floor(random() * Math.max(1, pool.length - length))
    return pool.slice(from, from + length)
  }
}

const hex = Array.from({ length: 65536 }, (_, number) => number.toString(16).padStart(4, '0'))

/** Names of things: uuids, and ids with a prefix. */
function idMaker(random) {
  const four = () => hex[Math.floor(random() * 65536)]
  return {
    uuid: () => `${four()}${four()}-${four()}-4${four().slice(1)}-a${four().slice(1)}-${four()}${four()}${four()}`,
    prefixed: prefix => `${prefix}_01${four()}${four()}${four()}${four()}${four()}`,
    agent: () => `a${four()}${four()}${four()}${four()}`,
  }
}

/** A length with the given median whose tail is long: `spread` 1 means that one in six is more than e times larger. */
export function skewed(random, median, spread) {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return Math.max(1, Math.round(median * Math.exp(spread * normal)))
}
