// What an item holds, part by part, each in the form made for it.

import type { ViewItem, ViewPart } from '../../../src/view/view.ts'
import { CheckList } from '../../parts/checklist.tsx'
import { Code } from '../../parts/code.tsx'
import { Diff } from '../../parts/diff.tsx'
import { Facts } from '../../parts/facts.tsx'
import { keyed } from '../../parts/keyed.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { Media } from '../../parts/media.tsx'
import { Text } from '../../parts/text.tsx'
import { useAround } from '../state.ts'
import { Clamped } from './clamped.tsx'

export interface BodyProps {
  item: ViewItem
  /** The item's own key: nested threads' items are named behind it. */
  path: string
  /** Long texts of people and models show their beginning first. */
  isClamped?: boolean
  /** How many media the event's items before this one hold. */
  mediaFrom?: number
}

export function Body({ item, path, isClamped = false, mediaFrom = 0 }: BodyProps) {
  const media = item.body.filter(part => part.type === 'media')
  return keyed(item.body).map(({ key, value }) => (
    <Part key={key} part={value} item={item} path={path} isClamped={isClamped} n={mediaFrom + placeOf(media, value)} />
  ))
}

interface PartProps extends BodyProps {
  part: ViewPart
  /** Its place among the item's media. */
  n: number
}

function Part({ part, item, path, isClamped = false, n }: PartProps) {
  const { session, Nested } = useAround()
  switch (part.type) {
    case 'markdown':
      return isClamped ? <Clamped text={part.text} /> : <Markdown text={part.text} />
    case 'text':
      return <Text part={part} isAlone={item.body.filter(one => one.type === 'text').length === 1} />
    case 'code': {
      const { text, language, startLine, isFolded } = part
      return (
        <Code
          text={text}
          {...(language === undefined ? {} : { language })}
          {...(startLine === undefined ? {} : { startLine })}
          {...(isFolded ? { isFolded } : {})}
          what={item.kind === 'call' && language === 'bash' ? 'command' : 'code'}
        />
      )
    }
    case 'diff':
      return <Diff part={part} />
    case 'checklist':
      return <CheckList items={part.items} isChoice={item.headline.startsWith('AskUserQuestion')} />
    case 'facts':
      return <Facts facts={part.facts} />
    case 'media':
      return <Media part={part} session={session} event={item.id} n={n} />
    case 'thread':
      return <Nested part={part} path={`${path}/`} />
  }
}

function placeOf(media: readonly ViewPart[], part: ViewPart): number {
  return media.indexOf(part)
}
