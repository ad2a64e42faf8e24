// What checks of an agent share: how they fail and wait, and an agent with a scripted service.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openRelay, type Relay } from '../chaos/relay.ts';
import { until } from '../test-process.ts';
import { AgentUnderTest } from './agent-under-test.ts';
import { ScriptedService, type End } from './scripted-service.ts';

/** Runs a check and reports it; false if it failed. */
export type Check = (what: string, check: () => Promise<void>) => Promise<boolean>;

export interface Place {
  folder: string;
  command: string[];
  check: Check;
}

/** How long an agent may take to do what it should do at once; it may have to wait until it tries again. */
const SOON_MS = 40_000;

export function must(condition: boolean, why: string): void {
  if (!condition) throw new Error(why);
}

export const soon = <T>(what: string, probe: () => Promise<T | undefined | false> | T | undefined | false) =>
  until(what, probe, SOON_MS);

/** A scripted service, and an agent that reaches it through a network that can be cut. */
export class ScriptedStage {
  readonly service: ScriptedService;
  readonly relay: Relay;
  readonly agent: AgentUnderTest;
  readonly #folder: string;

  private constructor(folder: string, parts: Pick<ScriptedStage, 'service' | 'relay' | 'agent'>) {
    this.#folder = folder;
    ({ service: this.service, relay: this.relay, agent: this.agent } = parts);
  }

  static async open({ folder, command }: Place, env: Record<string, string> = {}): Promise<ScriptedStage> {
    mkdirSync(folder, { recursive: true });
    const service = new ScriptedService();
    await service.listen();
    const relay = await openRelay([service.port]);
    const agent = new AgentUnderTest({ command, url: relay.url, key: 'mdk_conformance', folder, env });
    return new ScriptedStage(folder, { service, relay, agent });
  }

  async close(): Promise<void> {
    await this.agent.reboot();
    this.service.close();
    await this.relay.close();
  }

  /** Waits for a hello, and for the next one after `rejoin`. */
  joined = () => soon('a hello', () => this.service.isJoined);

  file(name: string): string {
    return path.join(this.#folder, name);
  }

  /** How often the command of this name was started. */
  starts(name: string): number {
    return existsSync(this.file(name)) ? readFileSync(this.file(name), 'utf8').split('\n').length - 1 : 0;
  }

  /** An agent finds the processes of a job by its id, which is unique: that of another run on this machine is another. */
  idOf = (name: string) => `${name}-${process.pid}`;

  /** Hands out a job that notes that it was started. */
  give(name: string, then: string, { seconds = 60, times = 1 } = {}): void {
    const command = `echo started >> '${this.file(name)}'; ${then}`;
    this.service.give({ id: this.idOf(name), command, seconds }, times);
  }

  endsOf(name: string, count = 1): Promise<End[]> {
    return soon(`${count} reports of the end of ${name}`, () => {
      const ends = this.service.ends.get(this.idOf(name)) ?? [];
      return ends.length >= count && ends;
    });
  }
}
