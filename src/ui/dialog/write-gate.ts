// Why the person may not send a write. The application knows; dialogs ask, so that one that a link opens shows the reason
// instead of a form that could not be sent.
import { createContext } from 'react';
import type { MutationMeta } from '@tanstack/react-query';

export const WriteGate = createContext<(write: { meta?: MutationMeta | undefined }) => string | undefined>(
  () => undefined,
);
