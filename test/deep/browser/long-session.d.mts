// The types of the long session; the bench, which has none, uses it too.

export const longId: string
export function idAt(at: number): string
export function lines(count: number): Generator<string>
export function writeLongSession(home: string, count: number): void
