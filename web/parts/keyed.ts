// Keys for lists that come from a log: they never change their order, so the place is the key.

export interface Keyed<T> {
  key: string
  value: T
}

export function keyed<T>(values: readonly T[]): Keyed<T>[] {
  return values.map((value, at) => ({ key: String(at), value }))
}
