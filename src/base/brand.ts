// Nominal types over plain strings and numbers. A brand is made in exactly one place; nothing here checks a value.

declare const brand: unique symbol

/** A `T` that may not be mixed up with another `T`. Cast only where the value is made. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name }
