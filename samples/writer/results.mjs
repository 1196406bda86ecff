// What each tool gives back: the text for the model and Claude Code's structured twin of it. A `result` without text is
// worked out from the sketch's files.

import { shortHash } from './ids.mjs'
import { documentBase64, pictureBase64 } from './media.mjs'
import { structuredPatch } from './patch.mjs'

/** `content` and `structured` of a call's result; `after` writes what Claude Code writes right behind it. */
export function resultOf(session, thread, call, event) {
  const text = textOf(event)
  if (event.args.includes('spill')) return spilled(session, thread, call, text)
  if (event.args[0] === 'image') return image(event.args[1])
  if (event.args[0] === 'document') return pdf(session, thread, call, event.text)
  if (event.args[0] === 'background') return background(session, call)
  const make = call.name.startsWith('mcp__') ? mcp : (makers[call.name] ?? plain)
  return make(session, call, text, thread)
}

/** `result repeat 40: row {n}` stands for forty rows; `{v}` is a measured value, `{clock}` a time five minutes later each. */
function textOf(event) {
  const at = event.args.indexOf('repeat')
  if (at < 0) return event.text
  const rows = Array.from({ length: Number(event.args[at + 1]) }, (_, n) =>
    event.text
      .replaceAll('{n}', String(n + 1))
      .replaceAll('{v}', ((400 + ((n * 37) % 211)) / 10).toFixed(1))
      .replaceAll('{clock}', new Date(n * 300_000).toISOString().slice(11, 16)),
  )
  return rows.join('\n')
}

const makers = {
  Bash: bash,
  Read: read,
  Edit: edit,
  MultiEdit: multiEdit,
  Write: write,
  Grep: grep,
  Glob: glob,
  WebSearch: webSearch,
  WebFetch: webFetch,
  Skill: (_session, call) => ({
    content: `Launching skill: ${call.input.skill}`,
    structured: { success: true, commandName: call.input.skill },
  }),
  TodoWrite: todoWrite,
  TaskCreate: taskCreate,
  TaskUpdate: taskUpdate,
  TaskList: taskList,
  TaskOutput: taskOutput,
  ExitPlanMode: exitPlan,
}

function plain(_session, _call, text) {
  return { content: text, structured: text }
}

function mcp(_session, _call, text) {
  const content = [{ type: 'text', text }]
  return { content, structured: content }
}

function bash(session, _call, text) {
  return { content: text === '' ? '(Bash completed with no output)' : text, structured: bashOutput(session, text) }
}

function bashOutput(session, stdout, more = {}) {
  const { since } = session.form
  const sandbox = since('1.0.17') ? {} : { sandbox: false }
  const expected = since('2.1.38') ? { noOutputExpected: false } : {}
  return { stdout, stderr: '', interrupted: false, isImage: false, ...sandbox, ...expected, ...more }
}

function background(session, call) {
  call.taskId = `b${session.ids.hex(6)}`
  call.outputFile = `/tmp/claude-1000/${session.folder.split('/')[1]}/tasks/${call.taskId}.output`
  const content = `Command running in background with ID: ${call.taskId}. Output is being written to: ${call.outputFile}`
  return { content, structured: bashOutput(session, '', { backgroundTaskId: call.taskId }) }
}

function read(session, call, text) {
  const path = call.input.file_path
  const content = text === '' ? contentOf(session, path) : `${text}\n`
  const numbered = content.split('\n').map((line, index) => numberedLine(session, line, index + 1))
  const count = numbered.length
  const file = { filePath: path, content, numLines: count, startLine: 1, totalLines: count }
  return { content: numbered.join('\n'), structured: { type: 'text', file } }
}

function numberedLine(session, line, number) {
  if (session.form.since('2.1.98')) return `${number}\t${line}`
  return `${String(number).padStart(6)}${session.form.since('1.0.17') ? '→' : '\t'}${line}`
}

function image(name) {
  const data = pictureBase64(name)
  const size = { originalWidth: 64, originalHeight: 64, displayWidth: 64, displayHeight: 64 }
  const source = { type: 'base64', data, media_type: 'image/png' }
  const file = { base64: data, type: 'image/png', originalSize: Buffer.from(data, 'base64').length, dimensions: size }
  return { content: [{ type: 'image', source }], structured: { type: 'image', file } }
}

function pdf(session, thread, call, text) {
  const data = documentBase64(text)
  const size = Buffer.from(data, 'base64').length
  const filePath = call.input.file_path
  const source = { type: 'base64', media_type: 'application/pdf', data }
  return {
    content: `PDF file read: ${filePath} (${size} bytes)`,
    structured: { type: 'pdf', file: { filePath, base64: data, originalSize: size } },
    after: () => session.user(thread, [{ type: 'document', source }], { flags: { isMeta: true } }),
  }
}

function edit(session, call) {
  const { file_path: filePath, old_string: oldString, new_string: newString } = call.input
  const before = contentOf(session, filePath)
  const after = change(session, before, oldString, newString)
  save(session, call, filePath, before, after)
  const patch = structuredPatch(before, after)
  const more = session.form.since('1.0.55') ? { userModified: false, replaceAll: false } : {}
  const structured = { filePath, oldString, newString, originalFile: before, structuredPatch: patch, ...more }
  if (session.form.since('2.1.98'))
    return { content: `The file ${filePath} has been updated successfully.`, structured }
  const snippet = (patch[0]?.lines ?? []).filter(line => !line.startsWith('-'))
  const shown = snippet.map((line, index) => numberedLine(session, line.slice(1), patch[0].newStart + index)).join('\n')
  const head = `The file ${filePath} has been updated. Here's the result of running \`cat -n\` on a snippet of the edited file:`
  return { content: `${head}\n${shown}`, structured }
}

function multiEdit(session, call) {
  const { file_path: filePath, edits } = call.input
  const before = contentOf(session, filePath)
  const after = edits.reduce((text, swap) => change(session, text, swap.old_string, swap.new_string), before)
  save(session, call, filePath, before, after)
  const list = edits.map((swap, at) => `${at + 1}. Replaced "${swap.old_string}" with "${swap.new_string}"`)
  const patch = structuredPatch(before, after)
  return {
    content: `Applied ${edits.length} edits to ${filePath}:\n${list.join('\n')}`,
    structured: { filePath, edits, originalFileContents: before, structuredPatch: patch },
  }
}

function write(session, call) {
  const { file_path: filePath, content } = call.input
  const before = session.files.get(filePath)
  save(session, call, filePath, before, content)
  const original = session.form.since('2.0.55') ? { originalFile: before ?? null } : {}
  const modified = session.form.since('2.1.110') ? { userModified: false } : {}
  const type = before === undefined ? 'create' : 'update'
  const patch = before === undefined ? [] : structuredPatch(before, content)
  const said =
    before === undefined ? `File created successfully at: ${filePath}` : `The file ${filePath} has been updated.`
  return { content: said, structured: { type, filePath, content, structuredPatch: patch, ...original, ...modified } }
}

function contentOf(session, path) {
  const content = session.files.get(path)
  if (content === undefined) throw new Error(`${session.head.name}: the sketch has no file ${path}`)
  return content
}

function change(session, text, from, to) {
  if (!text.includes(from)) throw new Error(`${session.head.name}: not in the file: ${from}`)
  return text.replace(from, () => to)
}

/** Keeps the new content, and the old one as Claude Code's checkpoint does. */
function save(session, call, path, before, after) {
  session.files.set(path, after)
  if (!session.form.snapshots) return
  const relative = path.replace(`${session.cwd}/`, '')
  session.tracked ??= {}
  const version = (session.tracked[relative]?.version ?? 0) + 1
  const backupFileName = before === undefined ? null : `${shortHash(path)}@v${version}`
  if (before !== undefined) session.backups.set(backupFileName, before)
  const backup = { backupFileName, version, backupTime: new Date(call.at).toISOString() }
  session.tracked[relative] = backup
  writeCheckpoint(session, call, relative, backup)
}

function writeCheckpoint(session, call, trackingPath, backup) {
  const timestamp = new Date(call.at).toISOString()
  const messageId = call.uuid
  const snapshotMessageId = session.promptUuid
  if (session.form.deltas) {
    const delta = { type: 'file-history-delta', messageId, snapshotMessageId, trackingPath, backup, timestamp }
    session.side(session.main, delta)
    return
  }
  const snapshot = { messageId: snapshotMessageId, trackedFileBackups: { ...session.tracked }, timestamp }
  session.side(session.main, { type: 'file-history-snapshot', messageId, snapshot, isSnapshotUpdate: true })
}

function grep(session, _call, text) {
  const count = text === '' ? 0 : text.split('\n').length
  const content = text === '' ? 'No matches found' : text
  if (!session.form.since('1.0.17')) return { content, structured: { filenames: text.split('\n'), numFiles: count } }
  return { content, structured: { mode: 'content', numFiles: 0, filenames: [], content: text, numLines: count } }
}

function glob(session, _call, text) {
  const filenames = text.split('\n')
  const total = session.form.since('2.1.200') ? { totalMatches: filenames.length, countIsComplete: true } : {}
  return {
    content: text,
    structured: { filenames, durationMs: 12, numFiles: filenames.length, truncated: false, ...total },
  }
}

/** The sketch gives one `Title | address` per line and, after an empty line, what the search says. */
function webSearch(session, call, text) {
  const [list, said] = text.split('\n\n')
  const links = list.split('\n').map(line => ({ title: line.split(' | ')[0], url: line.split(' | ')[1] }))
  const { query } = call.input
  const results = [{ tool_use_id: `srvtoolu_01${session.ids.letters(22)}`, content: links }, said]
  return {
    content: `Web search results for query: "${query}"\n\nLinks: ${JSON.stringify(links)}\n\n${said}`,
    structured: { query, results, durationSeconds: 4.2, ...(session.form.since('2.1.150') ? { searchCount: 1 } : {}) },
  }
}

function webFetch(session, call, text) {
  const bytes = session.ids.between(9_000, 60_000)
  const { url } = call.input
  return { content: text, structured: { bytes, code: 200, codeText: 'OK', result: text, durationMs: 2_140, url } }
}

function todoWrite(session, call) {
  const oldTodos = session.todos
  const newTodos = call.input.todos
  session.todos = newTodos
  const content =
    'Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable'
  return { content, structured: { oldTodos, newTodos } }
}

function taskCreate(session, call) {
  const id = String(session.tasks.length + 1)
  const { subject, description, activeForm } = call.input
  session.tasks.push({ id, subject, description, activeForm, status: 'pending', blocks: [], blockedBy: [] })
  return { content: `Task #${id} created successfully: ${subject}`, structured: { task: { id, subject } } }
}

function taskUpdate(session, call) {
  const { taskId, status } = call.input
  const task = session.tasks.find(other => other.id === taskId)
  const statusChange = { from: task.status, to: status }
  task.status = status
  const structured = { success: true, taskId, updatedFields: ['status'], statusChange }
  return { content: `Updated task #${taskId} status`, structured }
}

function taskList(session) {
  const tasks = session.tasks.map(({ id, subject, status, blockedBy }) => ({ id, subject, status, blockedBy }))
  return {
    content: tasks.map(task => `#${task.id} [${task.status}] ${task.subject}`).join('\n'),
    structured: { tasks },
  }
}

function taskOutput(_session, call, text) {
  const task_id = call.input.task_id
  const task = {
    task_id,
    task_type: 'local_bash',
    status: 'completed',
    description: '',
    output: `${text}\n`,
    exitCode: 0,
  }
  const content = `<retrieval_status>success</retrieval_status>\n\n<task_id>${task_id}</task_id>\n\n<status>completed</status>\n\n<output>\n${text}\n</output>`
  return { content, structured: { retrieval_status: 'success', task } }
}

function exitPlan(session, call) {
  session.plan = call.input.plan
  const filePath = `/home/mira/.claude/plans/${session.head.slug}.md`
  return {
    content: 'User has approved exiting plan mode. You can now proceed.',
    structured: { plan: call.input.plan, isAgent: false, filePath },
  }
}

/** Output that was too long to be kept inline: a file beside the session holds it. */
function spilled(session, thread, call, text) {
  const isMcp = call.name.startsWith('mcp__')
  const name = isMcp
    ? `${call.name.replaceAll('__', '-')}-${thread.clock}`
    : session.form.since('2.1.45')
      ? `b${session.ids.hex(8)}`
      : call.id
  const place = `${session.folder}/${session.id}/tool-results/${name}.txt`
  const persistedOutputPath = `/home/mira/.claude/${place}`
  session.home.put(place, text)
  if (isMcp) {
    const content = `Error: result (${text.length.toLocaleString('en-US')} characters) exceeds maximum allowed tokens. Output has been saved to ${persistedOutputPath}.\nFormat: Plain text\nUse offset and limit parameters to read specific portions of the file.`
    return { content, structured: content }
  }
  const size = `${(text.length / 1024).toFixed(1)}KB`
  const preview = text.slice(0, 1_200)
  const content = `<persisted-output>\nOutput too large (${size}). Full output saved to: ${persistedOutputPath}\n\nPreview (first 1.2KB):\n${preview}\n...\n</persisted-output>`
  const kept = session.form.since('2.1.45') ? { persistedOutputPath, persistedOutputSize: text.length } : {}
  return { content, structured: bashOutput(session, text.slice(0, 4_000), kept) }
}
