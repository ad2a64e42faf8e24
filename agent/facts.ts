// The facts that the agent itself finds out about its machine. They change rarely: free space is rounded, and the time of
// the last start stands for how long the machine runs.
import { readFileSync, statfsSync } from 'node:fs';
import { cpus, hostname, machine, networkInterfaces, platform, release, totalmem, uptime } from 'node:os';
import { isFactName, LONGEST_FACT, MOST_FACTS, type FactValue } from '#/contract/fact-values.ts';
import { AGENT_VERSION } from './version.ts';

/** Networks of containers and virtual machines: they come and go with what runs, and tell nothing of the device. */
const VIRTUAL = /^(?:veth|docker|br-|virbr|cni|flannel|cali|tap|vnet)/;
const GIGABYTE = 1e9;
/** Free space is given in steps of this part of the whole. */
const FREE_STEPS = 20;

/** The text of a file; '' if there is none. Device trees end texts with NUL. */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').replaceAll('\u0000', '').trim();
  } catch {
    return '';
  }
}

/** The assignments in a file like /etc/os-release. */
export const readAssignments = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/^\s*([A-Z_0-9]+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value.trim().replace(/^(['"])(.*)\1$/, '$2'),
    ]),
  );

function systemFacts(): Record<string, string> {
  const released = readAssignments(readText('/etc/os-release') || readText('/usr/lib/os-release'));
  return {
    os: released.get('ID') ?? platform(),
    os_version: released.get('VERSION_ID') ?? '',
    os_name: released.get('PRETTY_NAME') ?? '',
    kernel: release(),
    arch: machine(),
  };
}

function modelOf(): string {
  const tree = readText('/proc/device-tree/model');
  if (tree !== '') return tree;
  const [vendor, product] = ['sys_vendor', 'product_name'].map((name) => readText(`/sys/class/dmi/id/${name}`));
  return [vendor, product].filter(Boolean).join(' ');
}

/** The values with commas between them, without those that no longer fit. */
function joined(values: Iterable<string>): string {
  let text = '';
  for (const value of [...new Set(values)].toSorted()) {
    const longer = text === '' ? value : `${text}, ${value}`;
    if (longer.length > LONGEST_FACT) break;
    text = longer;
  }
  return text;
}

function networkFacts(): Record<string, string> {
  const own = Object.entries(networkInterfaces())
    .filter(([name]) => !VIRTUAL.test(name))
    .flatMap(([, addresses = []]) => addresses)
    .filter(({ internal }) => !internal);
  return {
    addresses: joined(own.map(({ address }) => address).filter((address) => !/^fe80:/i.test(address))),
    macs: joined(own.map(({ mac }) => mac).filter((mac) => mac !== '00:00:00:00:00:00')),
  };
}

/** A size of a disk as people read it. */
export function sizeText(bytes: number): string {
  if (bytes < GIGABYTE) return `${Math.floor(bytes / 1e6)} MB`;
  return `${bytes < 10 * GIGABYTE ? (bytes / GIGABYTE).toFixed(1) : Math.floor(bytes / GIGABYTE)} GB`;
}

/** The disk that holds this folder. */
function diskFacts(folder: string): Record<string, string> {
  try {
    const { bsize, blocks, bavail } = statfsSync(folder);
    const [total, step] = [bsize * blocks, (bsize * blocks) / FREE_STEPS];
    if (step <= 0) return {};
    return { disk_total: sizeText(total), disk_free: sizeText(Math.floor((bsize * bavail) / step) * step) };
  } catch {
    return {};
  }
}

export interface FactReport {
  facts: FactValue[];
  /** What could not be found out or was left out, for users. */
  problems: string[];
}

const MINUTE = 60_000;

/** When the machine started, to the minute: the clock moves a little against the time since the start. */
export class BootTime {
  #last: number | undefined;

  text(now = Date.now(), upSeconds = uptime()): string {
    const started = now - upSeconds * 1000;
    if (this.#last === undefined || Math.abs(started - this.#last) > MINUTE) this.#last = started;
    return `${new Date(Math.floor(this.#last / MINUTE) * MINUTE).toISOString().slice(0, 16)}Z`;
  }
}

/** Names that mean something else in the hello of an agent that speaks HTTP. */
const OF_THE_HELLO = new Set(['agent', 'kind', 'server', 'job']);

/**
 * The agent's own facts, and those of programs as far as the rules of every agent allow (docs/agent-protocol.md): what does
 * not fit is a problem, because too large a report would be refused for ever.
 */
export function withPrinted(own: readonly FactValue[], printed: readonly FactValue[]): FactReport {
  const names = new Set(own.map(({ name }) => name));
  const found = new Map<string, string>();
  const problems = new Set<string>();
  const leftOut = new Set<string>();
  for (const { name, value } of printed.filter((fact) => fact.value !== ''))
    if (!isFactName(name))
      problems.add(`"${name.slice(0, 80)}" is not the name of a fact: up to 64 of a to z, 0 to 9, _ and .`);
    else if (names.has(name) || OF_THE_HELLO.has(name))
      problems.add(`${name} is a fact of the agent itself: give yours another name`);
    else if (found.has(name) || own.length + found.size < MOST_FACTS) found.set(name, value.slice(0, LONGEST_FACT));
    else leftOut.add(name);
  if (leftOut.size > 0) problems.add(`${leftOut.size} facts are left out: a device has at most ${MOST_FACTS}`);
  return { facts: [...own, ...Array.from(found, ([name, value]) => ({ name, value }))], problems: [...problems] };
}

/** Everything that can be found out; what cannot is left out. */
export function ownFacts(options: { data: string; bootTime: BootTime; hostname?: string | undefined }): FactValue[] {
  const [cpu] = cpus();
  const found: Record<string, string> = {
    ...systemFacts(),
    model: modelOf(),
    cpu: (cpu?.model ?? '').replace(/^unknown$/, '').trim(),
    cpu_cores: String(cpus().length || ''),
    memory: `${Math.round(totalmem() / 1e6)} MB`,
    ...diskFacts(options.data),
    ...networkFacts(),
    boot_time: options.bootTime.text(),
    hostname: options.hostname ?? hostname(),
    agent_kind: 'node',
    agent_version: AGENT_VERSION,
  };
  return Object.entries(found)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ({ name, value: value.slice(0, LONGEST_FACT) }));
}
