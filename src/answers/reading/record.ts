// One event's bytes: its record as it was written, and the images and documents in it.

import { type Block, type MediaBlock, privateTypes, type SessionEvent } from '../../model/event.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { ByteSource, SessionFiles } from '../../model/source.ts'
import { decodePiece } from '../../session/load.ts'
import type { RawRecord } from '../../view/reading.ts'
import { notFound } from '../error.ts'
import { readRange } from './hydration.ts'

const mostRawBytes = 1024 * 1024

/** The event of an id, copies included; an error where there is none. */
export function eventOf(graph: SessionGraph, id: string | undefined): SessionEvent {
  const node = id === undefined ? undefined : graph.nodes.get(id as SessionEvent['id'])
  const event = node?.event ?? graph.events.find(one => one.id === id)
  if (event === undefined) throw notFound('There is no such event in this session.')
  return event
}

export async function rawRecord(event: SessionEvent, files: SessionFiles, source: ByteSource): Promise<RawRecord> {
  const { file, line, offset, bytes } = event.source
  const log = files.logs.find(({ path }) => path === file)
  if (log === undefined) throw notFound('The log of this event is gone.')
  if (privateTypes.has(event.wireType)) {
    const text = JSON.stringify({ type: event.wireType, sessionId: event.session })
    return { event: event.id, file: shownPath(file, files), line, offset, bytes, text, isCut: true }
  }
  const isCut = bytes > mostRawBytes
  const found = await readRange(source, log, offset, offset + Math.min(bytes, mostRawBytes))
  const text = new TextDecoder().decode(found)
  return { event: event.id, file: shownPath(file, files), line, offset, bytes, text: text.replace(/\r?\n$/, ''), isCut }
}

/** Relative to its project's folder. */
function shownPath(path: string, { slug }: SessionFiles): string {
  const way = path.split(/[\\/]/)
  const at = slug === '' ? -1 : way.lastIndexOf(slug)
  return at < 0 ? (way.at(-1) ?? '') : way.slice(at + 1).join('/')
}

/** An image or document: bytes, and the type that the log names for them. */
export interface MediaBytes {
  /** `image/png`, … ; never a type that a browser would run. */
  mediaType: string
  bytes: Uint8Array
}

/** Types that a browser shows without running anything. */
const shownTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
])

/** `n`: its position among the media of the event, then of the results of its calls. */
export async function mediaBytes(
  event: SessionEvent,
  n: number,
  graph: SessionGraph,
  files: SessionFiles,
  source: ByteSource,
): Promise<MediaBytes> {
  let before = 0
  for (const holder of [event, ...resultsOf(event, graph)]) {
    const media = await mediaIn(holder, files, source)
    const found = media[n - before]
    before += media.length
    if (found === undefined) continue
    if (found.data === undefined) throw notFound('The log does not contain this image.')
    const mediaType = shownTypes.has(found.mediaType) ? found.mediaType : 'application/octet-stream'
    return { mediaType, bytes: Buffer.from(found.data, 'base64') }
  }
  throw notFound('There is no such image in this event.')
}

function resultsOf(event: SessionEvent, graph: SessionGraph): SessionEvent[] {
  if (!event.blocks.some(({ type }) => type === 'tool-call')) return []
  const calls = graph.toolCalls.filter(call => call.requestEvent === event.id)
  return calls.flatMap(({ resultEvent }) => {
    const found = resultEvent === undefined ? undefined : graph.nodes.get(resultEvent)
    return found === undefined ? [] : [found.event]
  })
}

async function mediaIn(event: SessionEvent, files: SessionFiles, source: ByteSource): Promise<MediaBlock[]> {
  const log = files.logs.find(({ path }) => path === event.source.file)
  if (log === undefined) return []
  const { offset, bytes } = event.source
  const found = await readRange(source, log, offset, offset + bytes)
  const whole = decodePiece(log, files.id, event, found, { data: true })
  return (whole?.blocks ?? []).flatMap(mediaOf)
}

function mediaOf(block: Block): MediaBlock[] {
  if (block.type === 'image' || block.type === 'document') return [block]
  if (block.type !== 'tool-result') return []
  return block.content.flatMap(inner => (inner.type === 'image' || inner.type === 'document' ? [inner] : []))
}
