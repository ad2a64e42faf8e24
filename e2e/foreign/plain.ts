// A service that keeps to the document, and whose devices run each job as soon as somebody looks.
import { PlainV1 } from '../../scripts/test-plain-v1.ts';
import { FOREIGN_TOKEN, startForeign, type Foreign } from './foreign.ts';

export const startPlain = (): Promise<Foreign> => {
  const plain = new PlainV1(3);
  plain.accounts.set(FOREIGN_TOKEN, 'plain@example.com');
  plain.runs = true;
  return startForeign(plain.answer);
};
