// A Claude home in which reports differ easily: forks with and without a stated origin, a subagent that outlasts its session,
// folders with equal names, Windows paths, a summary in another file, an abandoned branch, failures of several kinds, one session
// in two project folders, the rest of a deleted one.

import type { JsonObject } from '../../src/base/json.ts'
import { Sketch, type Wire } from '../../src/graph/testing.ts'
import type { Home as HomeFiles } from '../specs/home.ts'

const id = (n: number) => `0000000${n}-0000-4000-8000-000000000000`
const uuid = (name: string) => `${name}-0000-4000-8000-000000000000`
const at = (minute: number): Wire => ({ timestamp: new Date(Date.UTC(2026, 1, 10, 10, minute)).toISOString() })
/** Ids of the API are long: shorter ones count for their session only. */
const message = (n: number) => `msg_01BakeryBakeryBakery${n}`

/** One call that fails, a delegation, an answer. */
function original(): Sketch {
  const place = { cwd: '/home/mara/work/app' }
  return new Sketch(id(1))
    .user(uuid('a1'), null, 'Bake the rolls', { ...at(0), ...place })
    .call(
      uuid('a2'),
      uuid('a1'),
      'toolu_1',
      'Bash',
      { command: 'oven on' },
      { message: message(1), ...at(1), ...place },
    )
    .result(uuid('a3'), uuid('a2'), 'toolu_1', 'no such oven', { is_error: true, ...at(2), ...place })
    .call(
      uuid('a4'),
      uuid('a3'),
      'toolu_2',
      'Task',
      { prompt: 'Find flour' },
      { message: message(2), ...at(3), ...place },
    )
    .result(uuid('a5'), uuid('a4'), 'toolu_2', 'Found', { toolUseResult: { agentId: 'a1b2c3d' }, ...at(4), ...place })
    .blocks(uuid('a6'), uuid('a5'), [{ type: 'text', text: 'All done' }], message(3), { ...at(5), ...place })
}

function outlasting(): Sketch {
  const side = { isSidechain: true, agentId: 'a1b2c3d', cwd: '/home/mara/work/app' }
  return new Sketch(id(1))
    .user(uuid('b1'), null, 'Find flour', { ...at(3), ...side })
    .call(
      uuid('b2'),
      uuid('b1'),
      'toolu_3',
      'Read',
      { file_path: '/flour' },
      { message: message(4), ...at(4), ...side },
    )
    .result(uuid('b3'), uuid('b2'), 'toolu_3', 'no such file', { is_error: true, ...at(30), ...side })
    .blocks(uuid('b4'), uuid('b3'), [{ type: 'text', text: 'No flour' }], message(5), { ...at(31), ...side })
}

/** A session that begins with records of the original, under its own id. */
function copy(session: number, records: number, more: (record: Wire) => Wire): Wire[] {
  return original()
    .records.slice(0, records)
    .map(record => ({ ...record, sessionId: id(session), ...more(record) }))
}

function statedFork(): Wire[] {
  const copied = copy(2, 6, record => ({ forkedFrom: { sessionId: id(1), messageUuid: record['uuid'] } }))
  return [...copied, ...further(2, uuid('a6'), 40).records]
}

/** Made from the middle: it has fewer records than its origin. */
function silentFork(): Wire[] {
  return [...copy(3, 2, () => ({})), ...further(3, uuid('a2'), 50).records]
}

function further(session: number, parent: string, minute: number): Sketch {
  const place = { cwd: '/home/mara/work/app' }
  const [prompt, answer] = [uuid(`c${session}`), uuid(`d${session}`)]
  return new Sketch(id(session))
    .user(prompt, parent, 'Another way', { ...at(minute), ...place })
    .blocks(answer, prompt, [{ type: 'text', text: 'Taken' }], message(10 + session), { ...at(minute + 1), ...place })
}

/** A prompt with its answer was abandoned; work goes on below the project's folder. */
function rewound(): Sketch {
  const [here, below] = [{ cwd: '/home/mara/play/app' }, { cwd: '/home/mara/play/app/src' }]
  return new Sketch(id(4))
    .user(uuid('e1'), null, 'Paint the sign', { ...at(6), ...here })
    .blocks(uuid('e2'), uuid('e1'), [{ type: 'text', text: 'Blue?' }], message(21), { ...at(7), ...here })
    .user(uuid('e3'), uuid('e2'), 'No, red', { ...at(8), ...here })
    .blocks(uuid('e4'), uuid('e3'), [{ type: 'text', text: 'Red' }], message(22), { ...at(9), ...here })
    .user(uuid('e5'), uuid('e2'), 'Yes, blue', { ...at(10), ...below })
    .blocks(uuid('e6'), uuid('e5'), [{ type: 'text', text: 'Blue' }], message(23), { ...at(11), ...below })
}

function onWindows(): Sketch {
  const place = { cwd: 'C:\\Users\\mara\\app' }
  const input = { file_path: 'C:\\Users\\mara\\app\\till.py', old_string: 'a', new_string: 'b' }
  return new Sketch(id(5))
    .user(uuid('f1'), null, 'Mend the till', { ...at(12), ...place })
    .call(uuid('f2'), uuid('f1'), 'toolu_5', 'Edit', input, { message: message(31), ...at(13), ...place })
    .result(uuid('f3'), uuid('f2'), 'toolu_5', 'The file was updated', { ...at(14), ...place })
}

/** It moved to another folder, where it has a larger file. */
function moved(): { here: Sketch; there: Sketch } {
  const [here, there] = [{ cwd: '/home/mara/stall' }, { cwd: '/home/mara/fair' }]
  return {
    here: new Sketch(id(6))
      .user(uuid('a7'), null, 'Count the jars', { ...at(15), ...here })
      .blocks(uuid('a8'), uuid('a7'), [{ type: 'text', text: 'Nine' }], message(41), { ...at(16), ...here }),
    there: new Sketch(id(6))
      .user(uuid('a9'), uuid('a8'), 'And at the fair, where there are more of them?', { ...at(17), ...there })
      .blocks(uuid('aa'), uuid('a9'), [{ type: 'text', text: 'Twelve in all' }], message(42), { ...at(18), ...there }),
  }
}

/** Its main file is gone. */
function remains(): Sketch {
  const side = { isSidechain: true, agentId: 'b1c2d3e', cwd: '/home/mara/fair' }
  return new Sketch(id(7))
    .user(uuid('ab'), null, 'Look for jars', { ...at(19), ...side })
    .blocks(uuid('ac'), uuid('ab'), [{ type: 'text', text: 'None' }], message(43), { ...at(20), ...side })
}

/** Only a summary of another session: it has neither time nor directory. */
const summaryAlone: Wire[] = [{ type: 'summary', summary: 'A blue sign', leafUuid: uuid('e6') }]

export function handMadeHome(): HomeFiles {
  const work = 'projects/-home-mara-work-app'
  const play = 'projects/-home-mara-play-app'
  const { here, there } = moved()
  const files: Record<string, Wire[]> = {
    [`projects/-home-mara-stall/${id(6)}.jsonl`]: here.records,
    [`projects/-home-mara-stall/${id(8)}.jsonl`]: [],
    [`projects/-home-mara-fair/${id(6)}.jsonl`]: there.records,
    [`projects/-home-mara-fair/${id(7)}/subagents/agent-b1c2d3e.jsonl`]: remains().records,
    [`${work}/${id(1)}.jsonl`]: original().records,
    [`${work}/${id(1)}/subagents/agent-a1b2c3d.jsonl`]: outlasting().records,
    [`${work}/${id(2)}.jsonl`]: statedFork(),
    [`${work}/${id(3)}.jsonl`]: silentFork(),
    [`${play}/${id(4)}.jsonl`]: rewound().records,
    [`${play}/${id(9)}.jsonl`]: summaryAlone,
    [`projects/C--Users-mara-app/${id(5)}.jsonl`]: onWindows().records,
  }
  return files as Record<string, JsonObject[]>
}
