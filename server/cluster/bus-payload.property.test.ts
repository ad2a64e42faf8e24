import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { anyText, holds } from '../../scripts/test-property.ts';
import { EVERYTHING, payloadsOf, readPayload } from './bus-payload.ts';

const seq = fc.oneof(
  fc.integer({ min: 1, max: 2_000_000 }),
  fc.maxSafeNat().map((n) => n || 1),
);
const seqs = fc.array(seq, { maxLength: 3_000, size: 'max' });

test('ids come back in their order, in payloads that NOTIFY takes and that are as few as possible', () =>
  holds(
    60,
    fc.property(seqs, (deviceSeqs) => {
      const payloads = payloadsOf(deviceSeqs);
      assert.deepEqual(
        payloads.flatMap<unknown>((payload) => readPayload(payload)),
        deviceSeqs,
      );
      for (const [index, payload] of payloads.entries()) {
        assert.ok(Buffer.byteLength(payload) < 8_000);
        const next = payloads[index + 1]?.split(',')[0];
        if (next !== undefined) assert.ok(`${payload},${next}`.length >= 8_000);
      }
    }),
  ));

/** Almost a payload. */
const nearly = fc
  .tuple(
    fc.array(fc.oneof(seq.map(String), fc.constantFrom('', '0', '00', '01', '-1', '1e3', '1.5', ' 1', '٣')), {
      maxLength: 8,
    }),
    fc.constantFrom(',', ', ', ';', ',,'),
  )
  .map(([parts, comma]) => parts.join(comma));

test('any other text is none of ours: it never throws, and gives only ids', () =>
  holds(
    1_000,
    fc.property(fc.oneof(anyText(60), nearly, fc.mixedCase(fc.json())), (text) => {
      const read = readPayload(text);
      if (read === undefined || read === EVERYTHING) return;
      assert.ok(read.length > 0 && read.every((each) => Number.isSafeInteger(each) && each > 0));
      assert.deepEqual(payloadsOf(read), [text], 'it is what a node would write');
    }),
  ));
