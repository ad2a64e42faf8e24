// What a browser shows again before something lasting is made of its session: somebody may have found it open.
import { isLess } from '#/contract/permissions.ts';
import type { Rights } from '#/contract/permissions.ts';
import type { Context } from '../context.ts';
import { invalid, Problem } from '../http/problem.ts';
import type { Caller } from '../store/caller.ts';
import type { Tx } from '../store/database.ts';
import { personById } from '../store/people.ts';
import { readSession, redeemSigninCode } from '../store/sessions.ts';
import { tokenHolder } from '../store/tokens.ts';
import type { SigninGuards } from './sessions.ts';

/** Signing in at an identity provider this recently is a proof. */
const PROVIDER_PROVES_MS = 600_000;
const NEEDED =
  'Enter your password, an API token or a link from "npm run token -- link". If you sign in through an identity provider, sign in there again first.';
const WRONG = [{ field: 'Proof', message: 'Not recognized. Copy it whole; a link works only once.' }];

/** A browser's user. */
type Prover = Pick<Caller, 'account' | 'actor' | 'personId' | 'sessionId' | 'address'>;

/** A proof as it was given. */
export interface GivenProof {
  text: string;
  /** It proves enough already: a password, or a sign-in at the provider just now. */
  isEnough: boolean;
}

export interface Proofs {
  /** Takes what was given, or says that a proof is needed. Slow where it is a password, so not inside a transaction. */
  take(prover: Prover, given: string | undefined): Promise<GivenProof>;
  /** Throws `refused` unless it proves these rights. Uses up a sign-in code. */
  require(tx: Tx, prover: Prover, proof: GivenProof, asked: Rights): Promise<void>;
  /** Runs what requires a proof. A wrong one is counted, and in the audit log as this action. */
  guard<Result>(prover: Prover, action: 'token.create' | 'person.join', run: () => Promise<Result>): Promise<Result>;
}

/** @param nothing says what did not happen because of a wrong proof */
export function openProofs(
  { db, audit, now }: Pick<Context, 'db' | 'audit' | 'now'>,
  { limit, passwords }: Pick<SigninGuards, 'limit' | 'passwords'>,
  nothing: string,
): Proofs {
  const refused = new Problem(403, 'The proof is not valid', nothing, { errors: WRONG });

  const isPassword = async ({ personId, address }: Prover, proof: string): Promise<boolean> => {
    const person = personId === undefined ? undefined : await personById(db, personId);
    if (!person || person.password === '' || /^mu[a-z]_|#code=/.test(proof)) return false;
    if (await tokenHolder(db, proof, now())) return false;
    return (await passwords.check(person.email, proof, address))?.id === person.id;
  };

  const hasJustSignedIn = async ({ sessionId }: Prover): Promise<boolean> => {
    const session = sessionId === undefined ? undefined : await readSession(db, sessionId);
    return session?.how === 'oidc' && now() < session.created + PROVIDER_PROVES_MS;
  };

  const isProven = async (tx: Tx, { account, personId }: Prover, proof: string, asked: Rights): Promise<boolean> => {
    const holder = await tokenHolder(tx, proof, now());
    if (holder) {
      const isTheirs = holder.person_id === null || holder.person_id === personId;
      return holder.account_id === account.id && isTheirs && !isLess(holder.rights, asked);
    }
    // Users paste the whole link.
    const code = /#code=(\S+)$/.exec(proof)?.[1] ?? proof;
    return (await redeemSigninCode(tx, code, now())) === account.id;
  };

  return {
    take: async (prover, given = '') => {
      const text = given.trim();
      if (text !== '') return { isEnough: await isPassword(prover, given), text };
      if (await hasJustSignedIn(prover)) return { isEnough: true, text };
      throw invalid([{ field: 'Proof', message: NEEDED }]);
    },
    require: async (tx, prover, { isEnough, text }, asked) => {
      if (!isEnough && !(await isProven(tx, prover, text, asked))) throw refused;
    },
    guard: async (prover, action, run) => {
      try {
        return await run();
      } catch (cause) {
        if (cause !== refused) throw cause;
        limit.failed(prover.address);
        await db.write((tx) => audit.refused(tx, prover, action));
        throw cause;
      }
    },
  };
}
