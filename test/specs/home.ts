// A Claude home made of invented lines: written to a temporary folder, discovered, loaded and checked as `clew check` does.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type JsonObject, jsonText } from '../../src/base/json.ts'
import { Checker } from '../../src/check/check.ts'
import { discover } from '../../src/disk/discover/discover.ts'
import { diskSource } from '../../src/disk/read/read.ts'
import type { Profile } from '../../src/model/finding.ts'
import type { SessionGraph } from '../../src/model/session.ts'
import type { CheckReport } from '../../src/schema/contract-shapes.ts'
import { eventDecoder, loadSession, readRecords } from '../../src/session/load.ts'

/** Path below the home → the file's lines, or its text. */
export type Home = Readonly<Record<string, readonly JsonObject[] | string>>

export interface CheckedHome {
  report: CheckReport
  /** In the order of discovery. */
  graphs: SessionGraph[]
}

export async function checkHome(home: Home, profile: Profile): Promise<CheckedHome> {
  const root = mkdtempSync(path.join(tmpdir(), 'clew-specs-'))
  try {
    writeHome(root, home)
    return await check(root, profile)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

export function writeHome(root: string, home: Home): void {
  for (const [name, content] of Object.entries(home)) writeFile(path.join(root, name), content)
}

function writeFile(target: string, content: readonly JsonObject[] | string): void {
  mkdirSync(path.dirname(target), { recursive: true })
  const text = typeof content === 'string' ? content : content.map(line => `${jsonText(line)}\n`).join('')
  writeFileSync(target, text)
}

async function check(root: string, profile: Profile): Promise<CheckedHome> {
  const checker = new Checker(profile)
  const discovery = await discover(root)
  const source = diskSource()
  const graphs: SessionGraph[] = []
  checker.addFindings(discovery.findings)
  checker.home(discovery)
  for (const session of discovery.sessions) {
    const graph = await loadSession(source, session, {}, (log, record, [event = null]) =>
      checker.record(log, record, event),
    )
    checker.session(session, graph)
    graphs.push(graph)
  }
  for (const log of discovery.histories) {
    const decoder = eventDecoder(log)
    for await (const record of readRecords(source, log)) checker.record(log, record, decoder.decode(record)[0] ?? null)
  }
  return { report: checker.report(), graphs }
}
