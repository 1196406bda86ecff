// The suite of session stores against the SDK's own: it has no wish of ours in it that the SDK does not have.

import { beforeAll, describe } from 'vitest'
import { loadSdk, type Sdk } from './sdk.ts'
import { storeContract } from './store-contract.ts'

describe("the SDK's store in memory", { tags: 'sdk' }, () => {
  let sdk: Sdk
  beforeAll(async () => {
    sdk = await loadSdk()
  })

  // It does not look at uuids, though the SDK asks stores to, and no other process has its memory.
  storeContract(() => ({ store: new sdk.InMemorySessionStore() }), { isIdempotent: false })
})
