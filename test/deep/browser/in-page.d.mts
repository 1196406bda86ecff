// The types of what runs inside the page; tests have none of a browser's own.

export function watchPage(): void
export function settled(limits: { quietMs: number; mostMs: number }): Promise<void>
export function wideElements(): string[]
export function foreignParts(): string[]
export function readThrough(limits: {
  step: number
  waitMs: number
  most: number
}): Promise<{ text: string; opened: number }>
export function dropFile(file: { name: string; text: string }): void
export function noteArrivals(texts: readonly string[]): void
export function markedItem(): { isInView: boolean; isUncovered: boolean; text: string } | null
export function wordsInView(): number
export function focusMark(): { tag: string; name: string; isSeen: boolean; isInView: boolean } | null
export function tryForbidden(
  remote: string,
): Promise<{ asked: string; isHidden: boolean; pwned: number | null; forbidden: string[] }>
export function ownWords(item: unknown): string
export function coveredTexts(item: unknown): string[] | null
export function lineCounts(elements: readonly unknown[]): number[]
export function fontSize(element: unknown): number
