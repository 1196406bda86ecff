// The text that is looked for in the session, in small letters: parts show what they would fold where it is in there.

import { createContext } from 'react'

export const FindContext = createContext('')
