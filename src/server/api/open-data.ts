// Opens the data behind the routes: answers from the bundled samples until the user has a first session, and from then on from the user's sessions alone: the
// two are never mixed. It looks for that session and passes requests on; it answers none itself.

import type { MediaBytes } from '../../answers/reading/record.ts'
import type { JsonRoute, LiveMessage, RouteQuery, Routes } from './api.ts'
import { type DataOptions, LocalData, type ServerData } from './data.ts'

/** How often it looks: a few names of folders, as they are empty. */
const lookMs = 1_000
/** Requests to the samples that are under way get their answers. */
const closeAfterMs = 10_000

interface Follower {
  session: string | undefined
  onMessage: (message: LiveMessage) => void
  stop: () => void
}

/** Close it when done. */
export async function openData(options: DataOptions): Promise<ServerData> {
  const data = await LocalData.open(options)
  return data.handle.isSample ? new SampleData(data, options) : data
}

class SampleData implements ServerData {
  readonly isReadOnly: boolean
  private readonly options: DataOptions
  private current: LocalData
  private readonly old: { data: LocalData; timer: NodeJS.Timeout }[] = []
  private readonly followers = new Set<Follower>()
  private timer: NodeJS.Timeout | undefined
  private switching: Promise<void> | undefined

  constructor(sample: LocalData, options: DataOptions) {
    this.current = sample
    this.options = options
    this.isReadOnly = sample.isReadOnly
    this.timer = setInterval(() => this.look(), lookMs)
    this.timer.unref()
  }

  answer<Name extends JsonRoute>(name: Name, query: RouteQuery<Name>, id = ''): Promise<Routes[Name]['answer']> {
    return this.current.answer(name, query, id)
  }

  media(query: RouteQuery<'GET /api/sessions/:id/media'>, id: string): Promise<MediaBytes> {
    return this.current.media(query, id)
  }

  follow(session: string | undefined, onMessage: Follower['onMessage']): () => void {
    const follower: Follower = { session, onMessage, stop: this.current.follow(session, onMessage) }
    this.followers.add(follower)
    return () => {
      this.followers.delete(follower)
      follower.stop()
    }
  }

  async close(): Promise<void> {
    this.endLooking()
    await this.switching
    for (const { timer } of this.old) clearTimeout(timer)
    await Promise.all([this.current, ...this.old.map(({ data }) => data)].map(data => data.close()))
  }

  private look(): void {
    if (this.current.handle.isStillEmpty()) return
    this.endLooking()
    this.switching = this.switchOver().catch(error => {
      this.options.onProblem?.(error instanceof Error ? error.message : String(error))
    })
  }

  private endLooking(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }

  private async switchOver(): Promise<void> {
    const next = await LocalData.open(this.options)
    const data = this.current
    this.current = next
    const timer = setTimeout(() => {
      this.old.splice(0)
      void data.close()
    }, closeAfterMs)
    this.old.push({ data, timer: timer.unref() })
    for (const follower of this.followers) {
      follower.stop()
      follower.stop = next.follow(follower.session, follower.onMessage)
    }
    next.handle.listChanged()
  }
}
