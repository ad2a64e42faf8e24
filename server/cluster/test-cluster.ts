// Several nodes in this process, for tests: one database in PostgreSQL, one folder of artifacts.
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';

export interface TestNode extends TestService {
  fleet: TestFleet;
}

export interface TestCluster {
  nodes: TestNode[];
  /** Starts another node. */
  join(env?: Record<string, string>): Promise<TestNode>;
  /** Stops all nodes and removes what they stored. */
  end(): Promise<void>;
}

/** A node that is cut off is found gone within a second. */
export const FAST = { renewMs: 100, leaseMs: 800, rescanMs: 600_000 };

export async function startTestCluster(count: number, times: Partial<typeof FAST> = {}): Promise<TestCluster> {
  const options = { clusterTimes: { ...FAST, ...times } };
  const nodes: TestNode[] = [];
  const join = async (env: Record<string, string> = {}) => {
    const service = await startTestService(env, nodes[0]?.dataDir, undefined, options);
    const node = { ...service, fleet: testFleet((...request) => service.call(...request)) };
    nodes.push(node);
    return node;
  };
  for (let started = 0; started < count; started++) await join();
  return {
    nodes,
    join,
    end: async () => {
      const [first, ...others] = nodes;
      for (const node of others) await node.close();
      await first?.end();
    },
  };
}
