// The link's messages: whatever arrives is a message within the limits, of a type that a newer peer may know, or one
// kind of error; and every valid message arrives as it was sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { anyText, holds } from '../../scripts/test-property.ts';
import {
  MAX_TUNNELS,
  OUTCOMES,
  OUTPUT_PIECE,
  readAgentMessage,
  readOtherVersion,
  readServiceMessage,
  STREAMS,
  UnreadableFrame,
} from './agent-link.ts';

const READERS = [readAgentMessage, readServiceMessage, readOtherVersion] as const;

/** A message, undefined, or UnreadableFrame; any other error ends the test. */
function read(reader: (frame: string) => unknown, frame: string): unknown {
  try {
    return reader(frame);
  } catch (cause) {
    assert.ok(cause instanceof UnreadableFrame, `${String(cause)} for ${frame.slice(0, 200)}`);
    return undefined;
  }
}

const storable = (length: number) =>
  fc.oneof(
    { weight: 9, arbitrary: anyText(20).map((text) => text.toWellFormed().replaceAll('\u0000', '')) },
    { weight: 1, arbitrary: fc.constant('é'.repeat(length)) },
  );
const count = fc.maxSafeNat();
const id = fc.oneof(fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/), fc.constantFrom('__proto__', 'constructor', '-', '_'));
const digest = fc.stringMatching(/^[0-9a-f]{64}$/);
const seconds = fc.nat(2 ** 31 - 1);
const tunnel = fc.nat(MAX_TUNNELS - 1);
const sizes = fc.record({ stdout: count, stderr: count });
const optional = { requiredKeys: [] as [] };
const type = <Name extends string>(name: Name) => fc.constant(name);
const failed = fc.record({ version: storable(255), sha256: digest, reason: storable(1000), wentBack: fc.boolean() });
const both = <One extends object, Other extends object>(one: fc.Arbitrary<One>, other: fc.Arbitrary<Other>) =>
  fc.tuple(one, other).map(([some, more]) => ({ ...some, ...more }));

const publicKey = fc.stringMatching(/^[A-Za-z0-9+/]{59}=$/);
const signed = fc.record({ statement: storable(500), signature: fc.stringMatching(/^[A-Za-z0-9+/]{86}==$/) });
const trust = fc.record({ key: fc.oneof(publicKey, fc.constant('')), sequence: count, nonce: id });

const selfUpdate = both(
  fc.record({ build: fc.oneof(digest, fc.constant('')), unable: storable(500) }),
  fc.record({ underWay: fc.constantFrom('waiting', 'installing'), failed, trust }, optional),
);
const offer = both(
  fc.record({ id: tunnel, protocol: fc.constantFrom('HTTP', 'TCP'), dest: storable(255) }),
  fc.record({ login: digest, idleSeconds: seconds, endsInSeconds: seconds }, optional),
);
const agentMessage = fc.oneof(
  both(
    fc.record({
      type: type('hello'),
      version: fc.maxSafeInteger(),
      journal: id,
      server: fc.webUrl(),
      agentVersion: storable(255),
      os: storable(255),
      arch: storable(255),
      hostname: storable(255),
      localAddr: storable(255),
      localPort: storable(255),
      jobs: fc.array(id, { maxLength: 30 }),
    }),
    fc.record({ setAside: fc.array(storable(1000), { maxLength: 20 }), update: selfUpdate }, optional),
  ),
  fc.record({ type: type('started'), job: id, ago: count }),
  fc.record({
    type: type('output'),
    job: id,
    stream: fc.constantFrom(...STREAMS),
    offset: count,
    data: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  }),
  both(
    fc.record({ type: type('ended'), job: id, outcome: fc.constantFrom(...OUTCOMES), endedAgo: count }),
    fc.record({ exitCode: fc.integer(), reason: storable(1000), startedAgo: count }, optional),
  ),
  fc.record({ type: type('offers'), run: id, offers: fc.array(offer, { maxLength: 10 }) }),
  fc.record({ type: type('update-state'), state: fc.constantFrom('waiting', 'installing') }),
  fc.record({ type: type('update-state'), state: type('failed'), failed }),
);
const serviceMessage = fc.oneof(
  fc.record({ type: type('welcome'), version: fc.maxSafeInteger(), device: anyText(), name: anyText() }),
  fc.record({
    type: type('run'),
    job: id,
    command: anyText(),
    timeLimitSeconds: count.map((number) => Math.max(1, number)),
    outputLimit: count,
    have: sizes,
  }),
  fc.record({ type: type('stored'), job: id, have: sizes }),
  fc.record({ type: fc.constantFrom('cancel', 'settled'), job: id }),
  fc.record({
    type: type('opened'),
    tunnels: fc.array(
      both(fc.record({ id: tunnel }), fc.record({ address: anyText(), refused: anyText() }, optional)),
      { maxLength: 10 },
    ),
  }),
  fc.record({ type: type('closed'), id: tunnel, reason: anyText() }),
  fc.record({ type: type('carry'), ticket: fc.stringMatching(/^[\w-]{1,64}$/) }),
  both(
    fc.record({ type: type('update'), version: storable(255), sha256: digest, size: count }),
    fc.record({ signed, order: signed }, optional),
  ),
  both(
    fc.record({ type: type('signer'), key: publicKey, changes: fc.array(signed, { maxLength: 5 }) }),
    fc.record({ published: signed }, optional),
  ),
);
const message = fc.oneof(agentMessage, serviceMessage) as fc.Arbitrary<Record<string, unknown>>;

test('every valid message arrives as sent, without fields that a newer peer adds', () =>
  holds(
    300,
    fc.property(fc.oneof(agentMessage), fc.oneof(serviceMessage), fc.jsonValue(), (fromAgent, fromService, more) => {
      for (const [reader, sent] of [
        [readAgentMessage, fromAgent] as const,
        [readServiceMessage, fromService] as const,
      ]) {
        const plain: unknown = JSON.parse(JSON.stringify(sent));
        assert.deepEqual(reader(JSON.stringify(sent)), plain);
        // As text, because a literal would set the prototype.
        const added = `{"newer":${JSON.stringify(more)},"__proto__":{"type":"cancel"},${JSON.stringify(sent).slice(1)}`;
        assert.deepEqual(reader(added), plain);
      }
    }),
  ));

/** What a value of a message may be replaced by. */
const wrong = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.double(),
  fc.constantFrom(1e308, -1, 2 ** 53, 2 ** 63, -0, 0.5, null, '', '\ud800', '\u0000', '[object Object]'),
  fc.constantFrom('hello', 'run', '__proto__', 'toString', 'constructor'),
  fc.nat(1200).map((length) => Array<number>(length).fill(0)),
  fc.nat(1200).map((length) => Array.from({ length }, (_, at) => `id${at}`)),
  fc.nat(70_000).map((length) => 'x'.repeat(length)),
);
const frame = fc.oneof(
  anyText(),
  fc.json(),
  fc.tuple(message, fc.nat(), wrong).map(([sent, at, value]) => {
    const keys = Object.keys(sent);
    return JSON.stringify({ ...sent, [keys[at % keys.length] ?? '']: value });
  }),
  fc.tuple(message, fc.nat()).map(([sent, at]) => {
    const text = JSON.stringify(sent);
    return text.slice(0, at % text.length);
  }),
  fc
    .tuple(fc.constantFrom('[', '{"type":', '{"hello":[', '[{"jobs":'), fc.nat(20_000), fc.constantFrom('0', ']}', ''))
    .map(([open, depth, rest]) => open.repeat(depth) + rest),
);

/** Every value in what was accepted: texts are short and storable, numbers are whole. */
function mustBeBounded(value: unknown, depth = 0): void {
  assert.ok(depth <= 3);
  if (typeof value === 'number') assert.ok(Number.isSafeInteger(value));
  else if (typeof value === 'string') {
    assert.ok(value.length <= Math.ceil(OUTPUT_PIECE / 3) * 4);
    assert.ok(value.isWellFormed() && !value.includes('\u0000'), JSON.stringify(value));
  } else if (Array.isArray(value)) {
    assert.ok(value.length <= 1000);
    for (const each of value) mustBeBounded(each, depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    for (const [name, each] of Object.entries(value)) {
      // Base64: any other sign in it is passed over when it is decoded.
      if (name === 'data' && typeof each === 'string') mustBeBounded(each.replaceAll(/[^\w+/=-]/g, ''), depth + 1);
      else mustBeBounded(each, depth + 1);
    }
  }
}

test('any input is a message within the limits, unknown or unreadable', () =>
  holds(
    600,
    fc.property(frame, (text) => {
      for (const reader of READERS) {
        const got = read(reader, text);
        if (reader !== readServiceMessage) mustBeBounded(got);
      }
      assert.equal(({} as Record<string, unknown>)['type'], undefined);
    }),
  ));
