// Numbers of charts: where lines and labels stand, and which place a pointer means. It draws nothing.

/** Round values from 0 to at least `most`, about `count` steps. */
export function ticksTo(most: number, count = 3): number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0]
  const rough = most / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find(one => one * power >= rough * 0.999) ?? 10) * power
  const steps = Math.ceil(most / step - 1e-9)
  return Array.from({ length: steps + 1 }, (_, at) => at * step)
}

/** Which of `count` equal columns `x` lies in; the nearest one where it lies beside them. */
export function columnAt(x: number, width: number, count: number): number {
  if (count === 0 || width <= 0) return 0
  return Math.min(count - 1, Math.max(0, Math.floor((x / width) * count)))
}

/** Places of labels: every so many columns that each has `room`, the last one always, and none crowding it. */
export function labelPlaces(count: number, width: number, room: number): number[] {
  if (count === 0) return []
  const every = Math.max(1, Math.ceil((count * room) / Math.max(1, width)))
  const places: number[] = []
  for (let at = count - 1; at >= 0; at -= every) places.unshift(at)
  return places
}

/** Where a key leads from `at`; undefined where it leads nowhere. Pages are tenths. */
export function keyStep(key: string, at: number, count: number): number | undefined {
  const far = Math.max(1, Math.round(count / 10))
  const steps: { [key: string]: number } = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - far,
    PageUp: at + far,
    Home: 0,
    End: count - 1,
  }
  const to = Object.hasOwn(steps, key) ? steps[key] : undefined
  return to === undefined ? undefined : Math.min(count - 1, Math.max(0, to))
}

/**
 * Of very many values those that a picture of `width` points can show: in each stretch the lowest and the highest, so that
 * no drop and no peak is lost. Gives places.
 */
export function thinned(values: readonly number[], width: number): number[] {
  const most = Math.max(4, Math.floor(width))
  if (values.length <= most) return values.map((_, at) => at)
  const stretches = Math.floor(most / 2)
  const places = new Set<number>([0, values.length - 1])
  for (let one = 0; one < stretches; one++) {
    const from = Math.floor((one * values.length) / stretches)
    const to = Math.floor(((one + 1) * values.length) / stretches)
    let low = from
    let high = from
    for (let at = from; at < to; at++) {
      if ((values[at] as number) < (values[low] as number)) low = at
      if ((values[at] as number) > (values[high] as number)) high = at
    }
    places.add(low).add(high)
  }
  return [...places].sort((left, right) => left - right)
}
