// What a person with a limited role sees, as a sentence for lists that are empty: they may be empty for them only.
import { createContext } from 'react';

export const ScopeNote = createContext<string | undefined>(undefined);
