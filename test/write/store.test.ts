// Clew's session store does what every store has to.

import { describe } from 'vitest'
import { makeClewStore } from './clew-store.ts'
import { storeContract } from './store-contract.ts'

describe("Clew's session store", () => {
  storeContract(makeClewStore, { module: 'test/write/clew-store.ts' })
})
