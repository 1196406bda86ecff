// Images and documents of the log: pictures of the four kinds that only show, everything else by name and size. Bytes come
// from the log itself, never from elsewhere.

import { useState } from 'react'
import { pictureAddress, visibleLine } from '../../src/render/safe-text.ts'
import type { MediaPart } from '../../src/view/view.ts'
import { sizeText } from '../../src/view/words.ts'
import { mediaAddress } from '../api.ts'
import { localSession } from '../route.ts'
import { Icon } from './icon.tsx'

const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

export interface MediaProps {
  part: MediaPart
  session: string
  event: string
  /** Its place among the event's media. */
  n: number
}

export function Media({ part, session, event, n }: MediaProps) {
  const [isBroken, setBroken] = useState(false)
  const name = `${part.media === 'image' ? 'Image' : 'Document'}, ${visibleLine(part.mediaType)}, ${sizeText(part.bytes)}`
  const address = addressOf({ part, session, event, n })
  if (part.media === 'image' && pictures.has(part.mediaType) && address !== null && !isBroken) {
    return (
      <figure className="media">
        <a href={address} target="_blank" rel="noreferrer noopener">
          <img src={address} alt={name} loading="lazy" decoding="async" onError={() => setBroken(true)} />
        </a>
        <figcaption>{name}</figcaption>
      </figure>
    )
  }
  return (
    <p className="media-name">
      <Icon name={part.media === 'image' ? 'picture' : 'file'} /> {name}
      {isBroken ? ' · its data is not in the log' : null}
      {part.media === 'document' && address !== null ? (
        <>
          {' · '}
          <a href={address} target="_blank" rel="noreferrer noopener">
            Open
          </a>
        </>
      ) : null}
    </p>
  )
}

function addressOf({ part, session, event, n }: MediaProps): string | null {
  if (part.data !== undefined) return pictureAddress(part.mediaType, part.data)
  return session === localSession ? null : mediaAddress(session, event, n)
}
