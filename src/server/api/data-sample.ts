// Answers from the sample history until the first session of one's own is there, and from then on from that alone: the two
// are never mixed. It looks for that session and hands every question on; it answers none itself.

import type { DataOptions, ServerData } from './answers.ts'
import type { LiveMessage } from './api.ts'
import { LocalData } from './data-local.ts'
import { scopeOf } from './scope.ts'

/** How often it is looked: a few names of folders, as there is nothing in them. */
const lookMs = 1_000
/** Who asked the old one for something gets an answer. */
const partingMs = 10_000

type Tell = (message: LiveMessage) => void
interface Follower {
  session: string | undefined
  tell: Tell
  stop: () => void
}

export class SampleData implements ServerData {
  readonly isReadOnly: boolean
  private readonly options: DataOptions
  private now: LocalData
  private readonly old: { data: LocalData; timer: NodeJS.Timeout }[] = []
  private readonly followers = new Set<Follower>()
  private timer: NodeJS.Timeout | undefined
  private turning: Promise<void> | undefined

  constructor(sample: LocalData, options: DataOptions, everyMs = lookMs) {
    this.now = sample
    this.options = options
    this.isReadOnly = sample.isReadOnly
    this.timer = setInterval(() => this.look(), everyMs)
    this.timer.unref()
  }

  about = (...args: Parameters<ServerData['about']>) => this.now.about(...args)
  list = (...args: Parameters<ServerData['list']>) => this.now.list(...args)
  head = (...args: Parameters<ServerData['head']>) => this.now.head(...args)
  first = (...args: Parameters<ServerData['first']>) => this.now.first(...args)
  outline = (...args: Parameters<ServerData['outline']>) => this.now.outline(...args)
  items = (...args: Parameters<ServerData['items']>) => this.now.items(...args)
  place = (...args: Parameters<ServerData['place']>) => this.now.place(...args)
  raw = (...args: Parameters<ServerData['raw']>) => this.now.raw(...args)
  files = (...args: Parameters<ServerData['files']>) => this.now.files(...args)
  context = (...args: Parameters<ServerData['context']>) => this.now.context(...args)
  find = (...args: Parameters<ServerData['find']>) => this.now.find(...args)
  media = (...args: Parameters<ServerData['media']>) => this.now.media(...args)
  search = (...args: Parameters<ServerData['search']>) => this.now.search(...args)
  usage = (...args: Parameters<ServerData['usage']>) => this.now.usage(...args)
  keeping = (...args: Parameters<ServerData['keeping']>) => this.now.keeping(...args)
  keepNow = (...args: Parameters<ServerData['keepNow']>) => this.now.keepNow(...args)
  restore = (...args: Parameters<ServerData['restore']>) => this.now.restore(...args)
  forget = (...args: Parameters<ServerData['forget']>) => this.now.forget(...args)

  follow(session: string | undefined, tell: Tell): () => void {
    const follower: Follower = { session, tell, stop: this.now.follow(session, tell) }
    this.followers.add(follower)
    return () => {
      this.followers.delete(follower)
      follower.stop()
    }
  }

  async close(): Promise<void> {
    this.endLooking()
    await this.turning
    for (const { timer } of this.old) clearTimeout(timer)
    await Promise.all([this.now, ...this.old.map(({ data }) => data)].map(data => data.close()))
  }

  private look(): void {
    if (isStillEmpty(this.options)) return
    this.endLooking()
    this.turning = this.turn().catch(error => {
      this.options.onProblem?.(error instanceof Error ? error.message : String(error))
    })
  }

  private endLooking(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }

  private async turn(): Promise<void> {
    const next = await LocalData.open(this.options)
    const data = this.now
    this.now = next
    const timer = setTimeout(() => {
      this.old.splice(0)
      void data.close()
    }, partingMs)
    this.old.push({ data, timer: timer.unref() })
    for (const follower of this.followers) {
      follower.stop()
      follower.stop = next.follow(follower.session, follower.tell)
    }
    next.tellList()
  }
}

/** A file of settings that somebody is just writing is looked at again later. */
function isStillEmpty(options: DataOptions): boolean {
  try {
    return scopeOf(options).isSample
  } catch {
    return true
  }
}
