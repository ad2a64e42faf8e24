// Reads a multipart upload: the file goes directly to disk, and fields may come before and after it in any order. An
// upload that fails for any reason leaves nothing behind.
import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';
import type { BusboyFileStream, BusboyHeaders } from '@fastify/busboy';
import { invalid, nameOf, Problem, problemOf } from '../http/problem.ts';
import { bodyMemory, tooManyBodies } from '../http/body-memory.ts';
import type { BodyShare } from '../http/body-memory.ts';
import { watchForSilence } from '../http/body-parts.ts';
import { endSocket } from '../http/end-socket.ts';
import { stopping } from '../http/traffic.ts';
import type { ArtifactFiles, Received } from '../store/artifact-files.ts';

/** A complete upload; its file still has a temporary name. */
export interface Upload {
  fields: Record<string, string>;
  name: string;
  received: Received;
}

/** The most bytes of a form besides its file. */
const MAX_FORM_OVERHEAD = 1024 * 1024;
const LIMITS = { fields: 16, fieldSize: 64 * 1024, files: 2, parts: 20, headerPairs: 32, headerSize: 16 * 1024 };
/** How much of a refused upload is still read, for bytes that were already on their way. */
const DRAIN_BYTES = 1024 * 1024;

export const tooLarge = (most: number): Problem =>
  new Problem(
    413,
    'The upload is too large',
    `An artifact must be smaller than ${most / 1024 / 1024} MB (${most.toLocaleString('en')} bytes).`,
  );

/** The last part of the sender's file name; throws if no file can have that name. */
export function baseName(given: string, field = 'file'): string {
  // Browsers send a quote in a name as %22 (HTML standard, "multipart form data").
  const name = (given.split(/[\\/]/).at(-1) ?? '').replaceAll('%22', '"').toWellFormed();
  const refuse = (message: string) => invalid([{ field, message }]);
  if (name === '' || name === '.' || name === '..') throw refuse('has no usable name');
  if (Buffer.byteLength(name) > 255) throw refuse('has a name that is too long: at most 255 bytes fit on a device');
  // oxlint-disable-next-line no-control-regex -- these are refused
  if (/[\u0000-\u001f\u007f]/.test(name)) throw refuse('has a name with control characters: rename it');
  return name;
}

/** What an upload holds in memory while it arrives, about: parts on their way to the disk, and its connection. */
export const OPEN_BODY_BYTES = 256 * 1024;

export interface UploadRules {
  /** The account that uploads. */
  accountId: number;
  /** The file must be smaller than this. */
  most: number;
  /** Allowed names of text fields. */
  fields: readonly string[];
  /** Called before the body is read; throws to refuse the upload. */
  admit?: () => Promise<void>;
  /** Aborted when the service stops and cannot wait for the rest. */
  giveUp: AbortSignal;
}

/** Reads the upload of a request. */
export async function readUpload(incoming: IncomingMessage, files: ArtifactFiles, rules: UploadRules): Promise<Upload> {
  const { most, admit } = rules;
  try {
    if (Number(incoming.headers['content-length'] ?? 0) > most + MAX_FORM_OVERHEAD) throw tooLarge(most);
    await admit?.();
    return await receive(incoming, files, rules);
  } catch (cause) {
    drain(incoming);
    // The rest of the body must not be parsed as the next request.
    const problem = problemOf(cause);
    if (problem) problem.headers['Connection'] = 'close';
    throw problem ?? cause;
  }
}

async function receive(
  incoming: IncomingMessage,
  files: ArtifactFiles,
  { accountId, most, fields: known, giveUp }: UploadRules,
): Promise<Upload> {
  const parser = openParser(incoming);
  const fields = new Map<string, string>();
  let name: string | undefined;
  let stream: BusboyFileStream | undefined;
  let receiving: Promise<Received> | undefined;
  let stopWaiting = () => {};
  let endWatch = () => {};
  let memory: BodyShare | undefined;

  const parsed = new Promise<void>((resolve, reject) => {
    let length = 0;
    const damaged = () =>
      reject(new Problem(400, 'The form is cut off or damaged', 'Nothing was kept. Send the upload again.'));
    const refuseField = (field: string, message: string) => reject(invalid([{ field, message }]));
    // An exception inside the parser, which some damaged headers cause, would end the process.
    const write = parser._write.bind(parser);
    parser._write = (chunk, encoding, done) => {
      try {
        write(chunk, encoding, done);
      } catch {
        damaged();
      }
    };
    parser.on('field', (given: string | undefined, value, nameCut, valueCut) => {
      const field = given ?? '';
      if (nameCut || valueCut) refuseField(field, `is too long: at most ${LIMITS.fieldSize / 1024} kB are read`);
      else if (fields.has(field)) refuseField(field, 'was sent twice');
      else if (field === 'file') refuseField(field, 'must be a file: send it with a file name');
      else if (!known.includes(field))
        refuseField(nameOf(field), `is no field of an upload, which takes file, ${known.join(', ')}`);
      else fields.set(field, value);
    });
    parser.on('file', (given: string | undefined, file, fileName: string | undefined) => {
      const field = given ?? '';
      file.on('error', damaged);
      if (field !== 'file' || receiving) {
        file.resume();
        return refuseField(
          field,
          receiving ? 'was sent twice: upload one file at a time' : 'is a file: only the part named "file" may be one',
        );
      }
      stream = file;
      const take = async () => {
        name = baseName(fileName ?? '');
        return files.receive(file, most);
      };
      receiving = take();
      receiving.catch(reject);
    });
    const tooMany = () =>
      reject(new Problem(400, 'The form has too many parts', 'Send the documented fields and one file.'));
    parser.on('partsLimit', tooMany).on('fieldsLimit', tooMany).on('filesLimit', tooMany);
    parser.on('error', damaged);
    parser.on('finish', resolve);
    incoming.on('data', (part: Buffer) => {
      length += part.length;
      if (length > most + 2 * MAX_FORM_OVERHEAD) reject(tooLarge(most));
    });
    // A lost connection also loses data that has arrived but was not read yet.
    const lost = () => {
      if (!incoming.readableEnded)
        reject(new Problem(400, 'The upload was cut off', 'Nothing was stored. Send it again.'));
    };
    incoming.on('close', lost).on('error', lost);
    if (incoming.destroyed) lost();
    stopWaiting = () => reject(stopping());
    giveUp.addEventListener('abort', stopWaiting);
    endWatch = watchForSilence(incoming, () =>
      reject(new Problem(408, 'The upload did not arrive in time', 'Nothing was stored. Send it again.')),
    );
    memory = bodyMemory.open(accountId, () =>
      reject(tooManyBodies('Nothing was stored. Send it again in some seconds.')),
    );
    memory.grow(OPEN_BODY_BYTES);
  });

  try {
    incoming.pipe(parser);
    await parsed;
    if (!receiving || name === undefined) throw invalid([{ field: 'file', message: 'is missing' }]);
    const received = await receiving;
    if (received.sizeBytes > 0) return { fields: Object.fromEntries(fields), name, received };
    throw invalid([{ field: 'file', message: 'is empty' }]);
  } catch (thrown) {
    let cause = thrown;
    incoming.unpipe(parser);
    stream?.destroy(new Error('The upload was given up'));
    // Afterwards there is no file, or one to discard. An error of the file matters more than the resulting state of the
    // form.
    const left = await receiving?.catch((why: unknown) => {
      cause = problemOf(why) ?? cause;
      return undefined;
    });
    if (left) await files.discard(left);
    throw cause;
  } finally {
    giveUp.removeEventListener('abort', stopWaiting);
    endWatch();
    memory?.end();
  }
}

function openParser(incoming: IncomingMessage) {
  const { 'content-type': type = '' } = incoming.headers;
  try {
    if (!/^multipart\/form-data\b/i.test(type)) throw new TypeError('another type');
    return new Busboy({ headers: incoming.headers as BusboyHeaders, preservePath: true, limits: LIMITS });
  } catch {
    throw new Problem(415, 'The upload is not a form', 'Send it as multipart/form-data with a boundary.');
  }
}

/**
 * Leaves the rest of a refused body unread except for a little. The response is sent immediately, and the connection is
 * closed a moment later. If it were closed with the response, as Node does, the unread bytes would reset it before the
 * sender sees the refusal.
 */
export function drain(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.destroyed) return;
  const { socket } = incoming;
  socket.destroySoon = () => endSocket(socket);
  let drained = 0;
  incoming.on('data', (part: Buffer) => {
    drained += part.length;
    if (drained > DRAIN_BYTES) incoming.pause();
  });
  incoming.resume();
}
