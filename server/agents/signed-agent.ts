// The published agent as devices accept it: with a statement that the service has signed.
import type { Signed } from '#/contract/agent-link.ts';
import type { Database } from '../store/database.ts';
import { numberBuild } from '../store/update-key.ts';
import type { UpdateKey } from '../store/update-key.ts';
import { requireProgram } from './published-agent.ts';
import type { AgentProgram, PublishedAgent } from './published-agent.ts';
import type { PublishedRuntimes, Runtime } from './published-runtimes.ts';

export interface SignedAgent {
  program: AgentProgram;
  version: string;
  sequence: number;
  signed: Signed;
}

export interface AgentSigner {
  key: UpdateKey;
  /** The program as it is published now; a 503 if there is none that runs. */
  signed: () => Promise<SignedAgent>;
  /** The Sequence of the published program, if it was published before. */
  sequence: () => number | undefined;
}

interface SignerOptions {
  db: Database;
  key: UpdateKey;
  /** Sequences of builds that were published before, by SHA-256. */
  builds: ReadonlyMap<string, number>;
  published: PublishedAgent;
  runtimes: PublishedRuntimes;
  now: () => number;
}

export function openAgentSigner({ db, key, builds, published, runtimes, now }: SignerOptions): AgentSigner {
  const known = new Map(builds);
  let last: { of: string; signed: Promise<SignedAgent> } | undefined;

  const sign = async (program: AgentProgram, available: Runtime[]): Promise<SignedAgent> => {
    const { sha256 } = program;
    const version = await program.version();
    const sequence = known.get(sha256) ?? (await db.write((tx) => numberBuild(tx, sha256, now())));
    known.set(sha256, sequence);
    const content = {
      Sha256: sha256,
      Size: program.bytes.length,
      Version: version,
      Sequence: sequence,
      ...(available.length > 0 && { Runtimes: available.map(runtimeOf) }),
    };
    return { program, version, sequence, signed: key.sign({ Kind: 'agent', ...content }) };
  };

  return {
    key,
    signed: async () => {
      const program = requireProgram(published);
      const available = await runtimes.all();
      const of = [program, ...available].map(({ sha256 }) => sha256).join(' ');
      if (last?.of === of) return last.signed;
      const signed = sign(program, available);
      last = { of, signed };
      // A program that does not run may be replaced by one that does, and a full disk be emptied.
      signed.catch(() => {
        if (last?.signed === signed) last = undefined;
      });
      return signed;
    },
    sequence: () => known.get(published.program()?.sha256 ?? ''),
  };
}

const runtimeOf = ({ platform, version, sha256, size }: Runtime) => ({
  Platform: platform,
  Version: version,
  Sha256: sha256,
  Size: size,
});
