// Which part of the folded time is on screen, and what zooming and panning make of it. Numbers only; who moves it is not
// its business.

import { type FoldedTime, toFolded, toReal } from './fold.ts'

/** In folded milliseconds. */
export interface View {
  from: number
  to: number
}

/** The closest look. */
const leastSpan = 250
/** Empty room beside the first and the last event, as a share of the whole. */
const margin = 0.012

/** Everything, with a little room at both ends. */
export function fitView(time: FoldedTime): View {
  const room = Math.max(time.length * margin, 40)
  return { from: -room, to: time.length + room }
}

/** Keeps a view within the session and not closer than one can see. */
export function clampView(view: View, time: FoldedTime): View {
  const fit = fitView(time)
  const most = fit.to - fit.from
  const span = Math.min(most, Math.max(Math.min(leastSpan, most), view.to - view.from))
  const from = Math.max(fit.from, Math.min(fit.to - span, view.from + (view.to - view.from - span) / 2))
  return { from, to: from + span }
}

export function isFit(view: View, time: FoldedTime): boolean {
  const fit = fitView(time)
  return view.to - view.from >= (fit.to - fit.from) * 0.999
}

/** Zooms by `factor` (below 1: closer) around a place that stays where it is on screen. */
export function zoomView(view: View, factor: number, around: number, time: FoldedTime): View {
  const fit = fitView(time)
  const span = view.to - view.from
  const next = Math.min(fit.to - fit.from, Math.max(leastSpan, span * factor))
  const share = span === 0 ? 0.5 : (around - view.from) / span
  const from = around - next * share
  return clampView({ from, to: from + next }, time)
}

export function panView(view: View, by: number, time: FoldedTime): View {
  return clampView({ from: view.from + by, to: view.to + by }, time)
}

/** A view that shows a stretch with some room around it. */
export function viewOf(from: number, to: number, time: FoldedTime, room = 0.06): View {
  const span = Math.max(to - from, leastSpan)
  return clampView({ from: from - span * room, to: from + span * (1 + room) }, time)
}

/** Moves a view, no further than needed, so that a place is on it. */
export function reveal(view: View, at: number, time: FoldedTime): View {
  const room = (view.to - view.from) * 0.08
  if (at < view.from + room) return panView(view, at - view.from - room, time)
  if (at > view.to - room) return panView(view, at - view.to + room, time)
  return view
}

/** The view that an address names; undefined where it names none. Real times, so that folding may change. */
export function readView(query: Record<string, string>, time: FoldedTime): View | undefined {
  const from = Number(query['from'] ?? Number.NaN)
  const to = Number(query['to'] ?? Number.NaN)
  if (!Number.isFinite(from) || !Number.isFinite(to) || to <= from) return
  return clampView({ from: toFolded(time, from), to: toFolded(time, to) }, time)
}

/** What the address says of a view; nothing of one that shows everything. */
export function writeView(view: View, time: FoldedTime): Record<string, string> {
  if (isFit(view, time)) return {}
  return { from: String(Math.round(toReal(time, view.from))), to: String(Math.round(toReal(time, view.to))) }
}

/** Between two views, for a short glide; the span changes evenly by ratio. */
export function between(one: View, other: View, share: number): View {
  const span = (one.to - one.from) ** (1 - share) * (other.to - other.from) ** share
  const middle = ((one.from + one.to) / 2) * (1 - share) + ((other.from + other.to) / 2) * share
  return { from: middle - span / 2, to: middle + span / 2 }
}
