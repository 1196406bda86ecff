// The whole sample home from all sketches: a map from path to content. It reads sketches and writes nothing.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClientSession } from './client.mjs'
import { writeS0 } from './s0.mjs'
import { writeS3 } from './s3.mjs'
import { parseSketch } from './sketch.mjs'

/** Path inside the home → text, sorted by path. */
export function buildHome(sketchFolder) {
  const home = new Home(sketchFolder)
  for (const name of home.names()) home.session(name)
  home.finish()
  return new Map([...home.contents].sort(([a], [b]) => (a < b ? -1 : 1)))
}

class Home {
  constructor(folder) {
    this.folder = folder
    this.contents = new Map()
    this.written = new Map()
    this.history = []
  }

  names() {
    const files = readdirSync(this.folder).filter(name => name.endsWith('.txt'))
    return files.map(name => name.slice(0, -'.txt'.length)).sort()
  }

  /** The session of a sketch, written when it is asked for first: copies and summaries need others'. */
  session(name) {
    const done = this.written.get(name)
    if (done !== undefined) return done
    const sketch = parseSketch(readFileSync(join(this.folder, `${name}.txt`), 'utf8'), name)
    const dialect = sketch.head.dialect.split(' ')[0]
    const writers = {
      client: () => new ClientSession(sketch, this).write(),
      s0: () => writeS0(sketch, this),
      s3: () => writeS3(sketch, this),
    }
    const session = dialect === 'history' ? this.addHistory(sketch) : writers[dialect]()
    this.written.set(name, session)
    return session
  }

  put(path, content) {
    if (this.contents.has(path)) throw new Error(`two sketches write ${path}`)
    this.contents.set(path, content)
  }

  /** What somebody typed into a session, for history.jsonl. */
  typed(session, thread, text) {
    if (!session.form.since('1.0.98')) return
    const id = session.form.since('2.1.20') ? { sessionId: session.id } : {}
    this.history.push({ display: text, pastedContents: {}, timestamp: thread.clock, project: session.cwd, ...id })
  }

  /** A sketch of history lines alone: prompts whose session is gone. */
  addHistory({ head, events }) {
    for (const event of events) {
      const [day, time, project, sessionId] = event.args[0] === undefined ? [] : event.args
      const timestamp = Date.parse(`${day}T${time.replaceAll('.', ':')}Z`)
      const [display, ...pasted] = event.text.split('\n')
      const content = pasted.join('\n')
      const pastedContents = content === '' ? {} : { 1: { id: 1, type: 'text', content } }
      this.history.push({
        display,
        pastedContents,
        timestamp,
        project,
        ...(sessionId === undefined ? {} : { sessionId }),
      })
    }
    return head
  }

  finish() {
    const lines = this.history.sort((a, b) => a.timestamp - b.timestamp)
    this.put('history.jsonl', lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  }
}
