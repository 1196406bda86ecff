// A canvas that is sharp on every screen: as many pixels as its box has on the device. What is drawn is not its business.

import { type RefObject, useEffect, useState } from 'react'

export interface Size {
  width: number
  height: number
  /** Pixels of the device for one of the page. */
  ratio: number
}

/** The size of an element's box, told again when it or the zoom of the page changes. */
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
