// Colours and size of a canvas: tokens of the page as values to draw with.

import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react'
import { type ToolKind, toolKind } from '../parts/tool-kind.ts'
import { isDark, onThemeChange } from '../theme.ts'

const names = [
  'paper',
  'sheet',
  'wash',
  'wash-2',
  'ink',
  'soft',
  'faint',
  'hair',
  'hair-2',
  'thread',
  'prompt',
  'file',
  'shell',
  'web',
  'agent',
  'system',
  'thinking',
  'bad',
  'warn',
  'seam',
  'seam-ink',
] as const

export type ColourName = (typeof names)[number]

export interface Palette extends Record<ColourName, string> {
  /** By hue, 1 to 8; at 0 the colour of subagents in general. */
  agents: string[]
  isDark: boolean
}

/** The kinds of calls, with the colour of each. 0 is not a call. */
const tones: { kind: ToolKind; colour: ColourName; name: string }[] = [
  { kind: 'file', colour: 'file', name: 'files' },
  { kind: 'shell', colour: 'shell', name: 'shell, search' },
  { kind: 'web', colour: 'web', name: 'web' },
  { kind: 'agent', colour: 'agent', name: 'subagents' },
  { kind: 'list', colour: 'system', name: 'lists' },
  { kind: 'talk', colour: 'prompt', name: 'questions, plans' },
  { kind: 'plug', colour: 'warn', name: 'MCP servers' },
  { kind: 'other', colour: 'system', name: 'others' },
]
const toneByKind = new Map(tones.map(({ kind }, at) => [kind, at + 1]))
const toneByTool = new Map<string, number>()

/** The number of a tool's kind in long columns. */
export function toneOf(tool: string): number {
  let tone = toneByTool.get(tool)
  if (tone === undefined) {
    tone = toneByKind.get(toolKind(tool)) ?? tones.length
    toneByTool.set(tool, tone)
  }
  return tone
}

export function toneColour(palette: Palette, tone: number): string {
  return palette[tones[tone - 1]?.colour ?? 'system']
}

/** The kinds of calls as a legend names them: those of one colour together. */
export function toneNames(): { colour: ColourName; name: string }[] {
  return tones.filter(({ kind }) => kind !== 'list' && kind !== 'agent').map(({ colour, name }) => ({ colour, name }))
}

function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement)
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim() || 'gray'
  const colours = Object.fromEntries(names.map(name => [name, read(name)])) as Record<ColourName, string>
  const agents = [colours.agent, ...Array.from({ length: 8 }, (_, at) => read(`agent-${at + 1}`))]
  return { ...colours, agents, isDark: isDark() }
}

let known: Palette | undefined

function subscribe(listener: () => void): () => void {
  return onThemeChange(() => {
    known = undefined
    listener()
  })
}

/** The colours as they are now; renders again when they change. */
export function usePalette(): Palette {
  return useSyncExternalStore(subscribe, () => {
    if (known?.isDark !== isDark()) known = readPalette()
    return known
  })
}

export interface Size {
  width: number
  height: number
  /** Pixels of the device for one of the page. */
  ratio: number
}

/** The size of an element's box; changes with it and with the zoom of the page. */
export function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0, ratio: 1 })
  useEffect(() => {
    const box = element.current
    if (!box) return
    const read = () => {
      const now = { width: box.clientWidth, height: box.clientHeight, ratio: window.devicePixelRatio || 1 }
      setSize(old => (old.width === now.width && old.height === now.height && old.ratio === now.ratio ? old : now))
    }
    const observer = new ResizeObserver(read)
    observer.observe(box)
    window.addEventListener('resize', read)
    read()
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', read)
    }
  }, [element])
  return size
}

/** An empty canvas of this size, to be drawn on in pixels of the page. */
export function clearedContext(canvas: HTMLCanvasElement | null, size: Size): CanvasRenderingContext2D | null {
  const context = canvas?.getContext('2d') ?? null
  if (!canvas || !context || size.width === 0 || size.height === 0) return null
  const width = Math.round(size.width * size.ratio)
  const height = Math.round(size.height * size.ratio)
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width
    canvas.height = height
  }
  context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0)
  context.clearRect(0, 0, size.width, size.height)
  return context
}
