// Homes in which askers easily differ: copied sessions with ids in both orders, subagents of every kind, one line of a prompt
// history, a failure that only a notification reports. All of it is invented; hand-made.ts has older cases.

import type { JsonObject } from '../../src/base/json.ts'
import { Sketch, type Wire } from '../../src/graph/testing.ts'
import type { Home } from '../specs/home.ts'

const session = (n: number) => `${String(n).repeat(8)}-0000-4000-8000-000000000000`
const uuid = (name: string) => `${name.padEnd(8, '0')}-0000-4000-8000-000000000000`
/** Ids of the API are long: shorter ones count for their session only. */
const message = (name: string) => `msg_01KitchenKitchen${name}`
const at = (minute: number): Wire => ({ timestamp: new Date(Date.UTC(2026, 2, 4, 9, minute)).toISOString() })
const place = { cwd: '/home/lena/kitchen', gitBranch: 'main' }

function asHome(files: Record<string, readonly Wire[]>): Home {
  const below = Object.entries(files).map(([path, records]) => [path, records as readonly JsonObject[]])
  return Object.fromEntries(below)
}

const log = (id: string) => `projects/-home-lena-kitchen/${id}.jsonl`

/** Twelve minutes of work that others copy. */
function original(id: string): Sketch {
  return new Sketch(id)
    .user(uuid('a1'), null, 'Write the menu', { ...at(0), ...place })
    .call(
      uuid('a2'),
      uuid('a1'),
      'toolu_m1',
      'Write',
      { file_path: '/home/lena/kitchen/menu.md', content: 'Soup\n' },
      { message: message('A1'), ...at(1), ...place },
    )
    .result(uuid('a3'), uuid('a2'), 'toolu_m1', 'File created', { ...at(2), ...place })
    .blocks(uuid('a4'), uuid('a3'), [{ type: 'text', text: 'The menu is written' }], message('A2'), {
      ...at(3),
      ...place,
    })
    .user(uuid('a5'), uuid('a4'), 'Add a dessert', { ...at(10), ...place })
    .blocks(uuid('a6'), uuid('a5'), [{ type: 'text', text: 'Plums' }], message('A3'), { ...at(12), ...place })
}

/** Begins with records of another session, under its own id and without a word of where they come from. */
function silentCopy(of: Sketch, id: string, records: number, own: string, minute: number): Wire[] {
  const copied = of.records.slice(0, records).map((record): Wire => ({ ...record, sessionId: id }))
  const last = copied.at(-1)?.['uuid'] as string
  const more = new Sketch(id)
    .user(uuid(`${own}1`), last, `Continue as ${own}`, { ...at(minute), ...place })
    .blocks(uuid(`${own}2`), uuid(`${own}1`), [{ type: 'text', text: `Done ${own}` }], message(own), {
      ...at(minute + 2),
      ...place,
    })
  return [...copied, ...more.records]
}

/** Copies what was typed under other uuids and with the id of the session it resumes, as 0.2 and 1.0 wrote it. */
function oldResume(of: Sketch, id: string): Wire[] {
  const renamed = (name: unknown) => (name === uuid('a1') || name === null ? name : `${name}`.replace(/^a/, 'f'))
  const copied = of.records.map((record): Wire => {
    const { type, uuid: own, parentUuid } = record
    const isPrompt = type === 'user' && own !== uuid('a3')
    const ids = { uuid: renamed(own), parentUuid: renamed(parentUuid) }
    return { ...record, ...ids, ...(isPrompt ? {} : { sessionId: id, ...at(100) }) } as Wire
  })
  const own = new Sketch(id).user(uuid('f7'), uuid('f6'), 'Say goodbye', { ...at(101), ...place })
  return [...copied, ...own.records]
}

/** An original, a fork, a fork of the fork, and a resume that copied everything and said nothing; by ids in either order. */
export function copiesHome(order: 'original first' | 'fork first'): Home {
  const [one, two, three, four] = order === 'original first' ? [1, 2, 3, 4] : [9, 8, 7, 6]
  const [from, fork, second, whole] = [one, two, three, four].map(n => session(n as number)) as [
    string,
    string,
    string,
    string,
  ]
  const first = original(from)
  const forked = silentCopy(first, fork, 4, 'b', 300)
  const again = new Sketch(fork)
  again.records.push(...forked)
  return asHome({
    [log(from)]: first.records,
    [log(fork)]: forked,
    [log(second)]: silentCopy(again, second, 6, 'c', 700),
    [log(whole)]: first.records.map(record => ({ ...record, sessionId: whole })),
    [log(session(5))]: oldResume(first, session(5)),
  })
}

/** Two sessions with one id, one of them with a subagent and a copy elsewhere; and a session without a directory. */
export function namesakesHome(): Home {
  const id = session(4)
  const file = (slug: string) => `projects/${slug}/${id}.jsonl`
  const here = original(id)
  const elsewhere = { cwd: '/home/lena/attic/kitchen' }
  const side = { isSidechain: true, agentId: 'a0cafe3', ...elsewhere }
  const other = new Sketch(id)
    .user(uuid('k1'), null, 'Count the chairs', { ...at(400), ...elsewhere })
    .call(
      uuid('k2'),
      uuid('k1'),
      'toolu_k1',
      'Task',
      { prompt: 'Look below' },
      {
        message: message('K1'),
        ...at(401),
        ...elsewhere,
      },
    )
    .result(uuid('k3'), uuid('k2'), 'toolu_k1', 'Two', {
      toolUseResult: { agentId: 'a0cafe3' },
      ...at(404),
      ...elsewhere,
    })
    .blocks(uuid('k4'), uuid('k3'), [{ type: 'text', text: 'Six' }], message('K2'), { ...at(405), ...elsewhere })
  const below = new Sketch(id)
    .user(uuid('k5'), null, 'Look below', { ...at(402), ...side })
    .blocks(uuid('k6'), uuid('k5'), [{ type: 'text', text: 'Two' }], message('K3'), { ...at(403), ...side })
  const nowhere = new Sketch(session(3))
    .user(uuid('n1'), null, 'Cook somewhere', at(500))
    .blocks(uuid('n2'), uuid('n1'), [{ type: 'text', text: 'Done' }], message('N1'), at(501))
  return asHome({
    [file('-home-lena-kitchen')]: here.records,
    [file('-home-lena-old-kitchen')]: here.records,
    [file('-home-lena-attic-kitchen')]: other.records,
    [`projects/-home-lena-attic-kitchen/${id}/subagents/agent-a0cafe3.jsonl`]: below.records,
    [`projects/-home-lena-attic-kitchen/${session(3)}.jsonl`]: nowhere.records,
  })
}

const agentPrompt = 'Taste the soup'
const progressAgent = 'a0cafe1'

/** What a subagent without a file said, wrapped as Claude Code 2.1.12 to 2.1.81 did. */
function agentProgress(id: string, uuidOf: string, parent: string, minute: number, said: Wire): Wire {
  const data = { type: 'agent_progress', prompt: agentPrompt, agentId: progressAgent, normalizedMessages: [] }
  return {
    ...{
      type: 'progress',
      uuid: uuid(uuidOf),
      parentUuid: parent,
      sessionId: id,
      isSidechain: false,
      version: '2.1.20',
    },
    ...{ toolUseID: `agent_${message('B1')}`, parentToolUseID: 'toolu_t1', ...place, ...at(minute) },
    data: { ...data, message: { ...said, ...at(minute) } },
  }
}

function agentCall(name: string, input: Wire, minute: number): Wire {
  const usage = { input_tokens: 40, output_tokens: 8, cache_creation_input_tokens: 100, cache_read_input_tokens: 0 }
  const content = [{ type: 'tool_use', id: 'toolu_p1', name, input }]
  const api = { id: message('P1'), type: 'message', role: 'assistant', model: 'claude-sonnet-4-5-20250929', content }
  return {
    ...{ type: 'assistant', uuid: uuid(`e${minute}`), requestId: 'req_01KitchenP1' },
    message: { ...api, stop_reason: null, usage },
  }
}

/** Subagents in `agent_progress` records alone, in a file, inline, and in the background with a failure in a notification. */
export function agentsHome(): Home {
  const id = session(5)
  const wrapped = (n: string, parent: string, minute: number, said: Wire) =>
    agentProgress(id, n, uuid(parent), minute, said)
  const asked = {
    type: 'user',
    uuid: uuid('e0'),
    message: { role: 'user', content: [{ type: 'text', text: agentPrompt }] },
  }
  const failed = { type: 'tool_result', tool_use_id: 'toolu_p1', content: 'no such spoon', is_error: true }
  const main = new Sketch(id).user(uuid('d1'), null, 'Cook for ten', { ...at(0), ...place, version: '2.1.20' }).call(
    uuid('d2'),
    uuid('d1'),
    'toolu_t1',
    'Task',
    { prompt: agentPrompt, subagent_type: 'Explore' },
    {
      message: message('B1'),
      ...at(1),
      ...place,
    },
  )
  main.records.push(
    wrapped('d3', 'd2', 2, asked),
    wrapped('d4', 'd3', 3, agentCall('Read', { file_path: '/home/lena/kitchen/soup.md' }, 3)),
    wrapped('d5', 'd4', 4, { type: 'user', uuid: uuid('e4'), message: { role: 'user', content: [failed] } }),
  )
  main
    .result(uuid('d6'), uuid('d2'), 'toolu_t1', 'Too salty', { ...at(5), ...place })
    .call(
      uuid('d7'),
      uuid('d6'),
      'toolu_t2',
      'Task',
      { prompt: 'Bake bread' },
      { message: message('B2'), ...at(6), ...place },
    )
    .result(uuid('d8'), uuid('d7'), 'toolu_t2', 'Baked', { toolUseResult: { agentId: 'a0cafe2' }, ...at(9), ...place })
    .call(
      uuid('d9'),
      uuid('d8'),
      'toolu_t3',
      'Bash',
      { command: 'simmer', run_in_background: true },
      {
        message: message('B3'),
        ...at(10),
        ...place,
      },
    )
    .result(uuid('da'), uuid('d9'), 'toolu_t3', 'Command running in background with ID: b0ff1', {
      toolUseResult: { backgroundTaskId: 'b0ff1' },
      ...at(11),
      ...place,
    })
    .user(uuid('db'), uuid('da'), notification('b0ff1', 'toolu_t3', 'failed'), {
      origin: { kind: 'task-notification' },
      ...at(12),
      ...place,
    })
    .blocks(uuid('dc'), uuid('db'), [{ type: 'text', text: 'It boiled over' }], message('B4'), { ...at(13), ...place })
  const side = { isSidechain: true, agentId: 'a0cafe2', ...place }
  const baker = new Sketch(id)
    .user(uuid('f1'), null, 'Bake bread', { ...at(6), ...side })
    .blocks(uuid('f2'), uuid('f1'), [{ type: 'text', text: 'Baked' }], message('F1'), { ...at(8), ...side })
    // No name of the session: that is in its own log.
    .side({ type: 'last-prompt', lastPrompt: 'Bake bread', sessionId: id })
    .side({ type: 'custom-title', customTitle: 'Bread', sessionId: id })
  const inline = new Sketch(session(6))
    .user(uuid('g1'), null, 'Set the table', { ...at(20), ...place })
    .call(
      uuid('g2'),
      uuid('g1'),
      'toolu_g1',
      'Task',
      { prompt: 'Count the plates' },
      {
        message: message('G1'),
        ...at(21),
        ...place,
      },
    )
    .user(uuid('g3'), null, 'Count the plates', { isSidechain: true, ...at(22), ...place })
    .blocks(uuid('g4'), uuid('g3'), [{ type: 'text', text: 'Nine' }], message('G2'), {
      isSidechain: true,
      ...at(23),
      ...place,
    })
    .result(uuid('g5'), uuid('g2'), 'toolu_g1', 'Nine', { ...at(24), ...place })
    .blocks(uuid('g6'), uuid('g5'), [{ type: 'text', text: 'One is missing' }], message('G3'), { ...at(25), ...place })
  const unanswered = new Sketch(session(7))
    .user(
      uuid('h1'),
      null,
      '<ide_opened_file>The user opened the file menu.md in the IDE.</ide_opened_file>\nWash up',
      {
        ...at(30),
        ...place,
      },
    )
    .call(
      uuid('h2'),
      uuid('h1'),
      'toolu_h1',
      'Bash',
      { command: 'wash' },
      { message: message('H1'), ...at(31), ...place },
    )
  return asHome({
    [log(id)]: main.records,
    [`projects/-home-lena-kitchen/${id}/subagents/agent-a0cafe2.jsonl`]: baker.records,
    [log(session(6))]: inline.records,
    [log(session(7))]: unanswered.records,
  })
}

function notification(task: string, call: string, status: string): string {
  const parts = [`<task-id>${task}</task-id>`, `<tool-use-id>${call}</tool-use-id>`, `<status>${status}</status>`]
  return ['<task-notification>', ...parts, '<summary>simmer</summary>', '</task-notification>'].join('\n')
}

/** Prompts in three sessions, of which the prompt history has one line, and one of a session that is gone. */
export function historyHome(n = 1): Home {
  const typed = (id: number, name: string, minute: number) =>
    new Sketch(session(id))
      .user(uuid(`${name}1`), null, `Peel ${name}`, { ...at(minute), ...place })
      .blocks(uuid(`${name}2`), uuid(`${name}1`), [{ type: 'text', text: 'Peeled' }], message(`${name}${n}`), {
        ...at(minute + 1),
        ...place,
      })
      .user(uuid(`${name}3`), uuid(`${name}2`), `Cut ${name}`, { ...at(minute + 2), ...place })
      .blocks(uuid(`${name}4`), uuid(`${name}3`), [{ type: 'text', text: 'Cut' }], message(`${name}${n}x`), {
        ...at(minute + 3),
        ...place,
      }).records
  const line = (display: string, minute: number, id: number) => ({
    ...{ display, pastedContents: {}, project: place.cwd, sessionId: session(id) },
    timestamp: Date.UTC(2026, 2, 4, 9, minute),
  })
  return asHome({
    [log(session(n))]: typed(n, 'carrots', 40),
    [log(session(n + 1))]: typed(n + 1, 'onions', 50),
    'history.jsonl': [line('Peel carrots', 40, n), line('Order pizza', 5, 9)],
  })
}
