// The content of an item, part by part, each in its own form; long texts are clamped until opened.

import { useContext, useMemo, useState } from 'react'
import { countOf } from '../../../src/base/format.ts'
import { foldText } from '../../../src/view/parts.ts'
import type { ViewItem, ViewPart } from '../../../src/view/view.ts'
import { Code } from '../../parts/code.tsx'
import { Diff } from '../../parts/diff.tsx'
import { CheckList, Facts, keyed, Media } from '../../parts/facts.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { foundIn, Text, WordsContext } from '../../parts/text.tsx'
import { threadPath, useAround } from '../state.ts'

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
  const threads = item.body.filter(part => part.type === 'thread')
  return keyed(item.body).map(({ key, value }) => (
    <Part
      key={key}
      part={value}
      item={item}
      path={value.type === 'thread' ? threadPath(path, threads.indexOf(value)) : path}
      isClamped={isClamped}
      n={mediaFrom + placeOf(media, value)}
    />
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
      // What only those look for who want everything is in the inspector.
      return part.isFolded ? null : <Facts facts={part.facts} />
    case 'media':
      return <Media part={part} session={session} event={item.id} n={n} />
    case 'thread':
      return <Nested part={part} path={path} />
    case 'branch':
      // Slots are not folded: `paths.tsx` switches between branches.
      return null
  }
}

function placeOf(media: readonly ViewPart[], part: ViewPart): number {
  return media.indexOf(part)
}

const longest = 800
const mostLines = 10

export function Clamped({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  const isFound = foundIn(text, useContext(WordsContext)) >= 0
  const short = useMemo(() => beginning(text), [text])
  if (isWhole || isFound || short === undefined) {
    return (
      <>
        <Markdown text={text} />
        {isWhole ? (
          <button type="button" className="more" aria-expanded="true" onClick={() => setWhole(false)}>
            Show less
          </button>
        ) : null}
      </>
    )
  }
  return (
    <>
      <Markdown text={short.text} />
      <button type="button" className="more" aria-expanded="false" onClick={() => setWhole(true)}>
        Show{' '}
        {short.lines > 0
          ? countOf(short.lines, 'more line')
          : countOf(text.length - short.text.length, 'more character')}
      </button>
    </>
  )
}

function beginning(text: string): { text: string; lines: number } | undefined {
  const folded = foldText(text, { head: mostLines, tail: 0 })
  let start = folded.hiddenLines > 3 ? folded.lines.join('\n') : text
  if (start.length > longest * 1.5) {
    const end = start.lastIndexOf(' ', longest)
    start = `${start.slice(0, end > longest / 2 ? end : longest)}…`
  }
  if (start === text) return
  // A fence that was opened is closed, so that the button below is not code.
  const fences = start.match(/^\s*```/gm)?.length ?? 0
  return { text: fences % 2 === 1 ? `${start}\n\`\`\`` : start, lines: folded.hiddenLines }
}
