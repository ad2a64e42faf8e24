// Resumable uploads by tus 1.0 (https://tus.io/protocols/resumable-upload): the core protocol with creation, checksum and
// termination. Bytes are stored as they arrive, and an upload goes on at any node; the last one makes the artifact.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TUS_EXTENSIONS, TUS_VERSION } from '#/contract/uploads.ts';
import type { uploadEndpoints } from '#/contract/uploads.ts';
import type { Context } from '../context.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import type { HandlerRequest, Handlers } from '../http/implement.ts';
import { invalid, Problem, problemOf } from '../http/problem.ts';
import { stopping } from '../http/traffic.ts';
import { bodyMemory, tooManyBodies } from '../http/body-memory.ts';
import { partsOf, Stalled } from '../http/body-parts.ts';
import type { Received } from '../store/artifact-files.ts';
import { Refusal } from '../store/errors.ts';
import { insertArtifact, requireQuota } from '../store/artifacts.ts';
import { newId } from '../store/ids.ts';
import { forgetSubmission, runOnce } from '../store/submissions.ts';
import { logFault } from '../store/system-fault.ts';
import { addPieces, endUpload, insertUpload, isKept, noteStored, piecesOf, uploadById } from '../store/uploads.ts';
import type { Piece, StoredUpload } from '../store/uploads.ts';
import { readArtifactForm, takeIn } from './artifact-intake.ts';
import { openTurns } from './upload-turns.ts';
import { baseName, drain, OPEN_BODY_BYTES, tooLarge } from './upload.ts';

const CHECKSUMS = ['sha256', 'sha1'];
/** What is stored at a time: a crash loses no more. */
const PIECE_BYTES = 8 * 1024 * 1024;
const MAX_METADATA = 64 * 1024;
/** Fields of `Upload-Metadata`; others are ignored, because clients of tus add some of their own. */
const FIELDS = ['size', 'version', 'type', 'destination', 'command'];

export function uploadRoutes(context: Context): Handlers<typeof uploadEndpoints> {
  const { db, audit, files, now, config, traffic } = context;
  const turns = openTurns();
  /** Uploads that are being made artifacts, which goes on if the client leaves. */
  const finishing = new Map<string, Promise<string>>();

  const headersOf = ({ length, received, metadata, artifactId }: StoredUpload) => ({
    'Upload-Offset': String(received),
    'Upload-Length': String(length),
    ...(metadata !== '' && { 'Upload-Metadata': metadata }),
    ...(artifactId !== null && { 'Muster-Artifact': artifactId }),
  });

  const begin = async (request: HandlerRequest): Promise<Response> => {
    const { http, account } = request;
    refuseNotOffered(http.req);
    const length = wholeNumber(http.req.header('Upload-Length'), 'Upload-Length');
    if (length === 0) throw invalid([{ field: 'Upload-Length', message: 'is 0: the file is empty' }]);
    if (length >= config.artifactMax) throw tooLarge(config.artifactMax);
    const metadata = http.req.header('Upload-Metadata') ?? '';
    const { name, fields } = readMetadata(metadata, length);
    readArtifactForm(fields);
    const key = idempotencyKey(http);
    const id = newId();
    const submission = { accountId: account.id, key, content: [request.actor, length, name, fields] };
    const begun = await db.write(async (tx) => {
      const beginOnce = () =>
        runOnce(tx, submission, now(), async () => {
          await requireQuota(tx, account.id, length);
          await insertUpload(tx, request, { id, metadata, length }, now());
          return id;
        });
      const first = await beginOnce();
      if (!first.repeated || (await isKept(tx, first.id))) return first;
      // What this key began has ended.
      await forgetSubmission(tx, submission);
      return beginOnce();
    });
    return answer(201, { Location: `/v1/uploads/${begun.id}` });
  };

  /** The artifact of a complete upload. */
  const finish = (request: HandlerRequest, upload: StoredUpload): Promise<string> => {
    if (upload.artifactId !== null) return Promise.resolve(upload.artifactId);
    const before = finishing.get(upload.id);
    if (before) return before;
    const made = makeArtifact(request, upload).finally(() => finishing.delete(upload.id));
    finishing.set(upload.id, made);
    return made;
  };

  const makeArtifact = async (request: HandlerRequest, upload: StoredUpload): Promise<string> => {
    const { seq, id, length } = upload;
    const received = await files.receive(files.pieces.read(id, await piecesOf(db, seq)), length + 1);
    try {
      if (received.sizeBytes !== length) throw new Error(`Pieces of the upload ${id} are missing`);
      const artifact = await takeIn(context, {
        ...readMetadata(upload.metadata, length),
        accountId: request.account.id,
        received,
        commit: async (tx, made) => {
          const before = await noteStored(tx, upload, made.id, now());
          if (before !== undefined) return { id: before, repeated: true };
          await insertArtifact(tx, made);
          await audit.record(tx, request, 'artifact.upload', made.id);
          return { id: made.id, repeated: false };
        },
      });
      removePieces(id);
      return artifact.id;
    } catch (cause) {
      await files.discard(received);
      // What the checks refuse can only be sent anew.
      if (problemOf(cause)?.status === 400) await end(upload);
      throw cause;
    }
  };

  const end = async ({ seq, id }: StoredUpload) => {
    await db.write((tx) => endUpload(tx, seq), { essential: true });
    removePieces(id);
  };

  /** If this fails, the next look at ended uploads does it. */
  const removePieces = (id: string) =>
    void files.pieces.remove(id).catch((cause: unknown) => logFault(`upload ${id}: its bytes stay behind`, cause));

  const append = async (request: HandlerRequest, id: string): Promise<Response> => {
    const { http } = request;
    const { incoming } = http.env;
    if (http.req.header('Content-Type') !== 'application/offset+octet-stream')
      throw new Problem(415, 'The bytes have another type', 'Send them as application/offset+octet-stream.');
    const offset = wholeNumber(http.req.header('Upload-Offset'), 'Upload-Offset');
    const checksum = readChecksum(http.req.header('Upload-Checksum'));
    await uploadById(db, request, id);
    const turn = await turns.take(id);
    let upload: StoredUpload;
    try {
      upload = await uploadById(db, request, id);
      if (offset !== upload.received)
        throw new Problem(
          409,
          'The upload continues elsewhere',
          `It has ${upload.received} bytes: send the bytes from there on.`,
          { headers: { 'Upload-Offset': String(upload.received) } },
        );
      upload = await receive(upload, incoming, { checksum, interrupted: turn.interrupted });
    } finally {
      turn.end();
    }
    if (upload.received < upload.length) return answer(204, { 'Upload-Offset': String(upload.received) });
    const artifactId = await finish(request, upload);
    return answer(204, { 'Upload-Offset': String(upload.received), 'Muster-Artifact': artifactId });
  };

  /** Stores the body of a request in pieces. With a checksum, they count only when all have arrived. */
  const receive = async (
    upload: StoredUpload,
    incoming: IncomingMessage,
    { checksum, interrupted }: { checksum: Checksum | undefined; interrupted: AbortSignal },
  ): Promise<StoredUpload> => {
    const room = upload.length - upload.received;
    if (Number(incoming.headers['content-length'] ?? 0) > room) throw tooMany(upload);
    const crowded = new AbortController();
    const memory = bodyMemory.open(upload.accountId, () => crowded.abort());
    memory.grow(OPEN_BODY_BYTES);
    const digest = checksum && createHash(checksum.algorithm);
    const body = partsOf(incoming, AbortSignal.any([interrupted, traffic.giveUp, crowded.signal]));
    let total = 0;
    let isOver = false;
    let cut: unknown;
    /** The bytes of the next piece. What has arrived of it when the body is cut off need not be sent again. */
    async function* piece(): AsyncGenerator<Buffer> {
      for (let size = 0; size < PIECE_BYTES;) {
        const next = await body.next().catch((cause: unknown) => void (cut = cause));
        isOver = next === undefined || next.done === true;
        if (!next || next.done) return;
        total += next.value.length;
        if (total > room) throw tooMany(upload);
        digest?.update(next.value);
        size += next.value.length;
        yield next.value;
      }
    }
    let current = upload;
    const held: Received[] = [];
    try {
      while (!isOver) {
        const received = await files.receive(piece(), Infinity);
        held.push(received);
        if (!checksum) current = await keep(current, held);
      }
      if (cut === undefined) {
        if (checksum && digest && !isSame(digest.digest(), checksum.expected))
          throw new Problem(460, 'The bytes arrived changed', 'Their checksum is another one. Send them again.');
        return await keep(current, held);
      }
    } finally {
      await body.return(undefined);
      memory.end();
      for (const received of held) await files.discard(received);
    }
    const arrived = checksum ? 'Nothing of this request is stored' : 'What had arrived is stored';
    if (traffic.giveUp.aborted) throw stopping(`${arrived}: go on when the service is back.`);
    const goOn = `${arrived}. Ask for its offset, and go on there.`;
    if (crowded.signal.aborted) throw tooManyBodies(goOn);
    throw cut instanceof Stalled
      ? new Problem(408, 'The upload did not arrive in time', goOn, { headers: { Connection: 'close' } })
      : new Problem(400, 'The upload was cut off', goOn);
  };

  /** Adds these bytes to the upload, and takes them out of the list. Bytes that could not be added do not stay. */
  const keep = async (upload: StoredUpload, held: Received[]): Promise<StoredUpload> => {
    const pieces: Piece[] = [];
    try {
      for (let received = held.shift(); received; received = held.shift()) {
        const { sizeBytes } = received;
        if (sizeBytes === 0) {
          await files.discard(received);
          continue;
        }
        const name = newId(20);
        await files.pieces.put(upload.id, name, received);
        pieces.push({ name, sizeBytes });
      }
    } catch (cause) {
      await dropPieces(upload.id, pieces);
      throw cause;
    }
    if (pieces.length === 0) return upload;
    try {
      return await db.write((tx) => addPieces(tx, upload, pieces, now()));
    } catch (cause) {
      // After a fault of the database they may have been added.
      if (cause instanceof Refusal) await dropPieces(upload.id, pieces);
      throw cause;
    }
  };

  const dropPieces = (id: string, pieces: readonly Piece[]) =>
    files.pieces
      .remove(
        id,
        pieces.map(({ name }) => name),
      )
      .catch((cause: unknown) => logFault(`upload ${id}: bytes that do not count stay until it ends`, cause));

  const tell = async (request: HandlerRequest, id: string): Promise<Response> => {
    await uploadById(db, request, id);
    // Whoever asks goes on: a request that is still open belongs to a connection that broke.
    (await turns.take(id)).end();
    const upload = await uploadById(db, request, id);
    if (upload.received < upload.length) return answer(200, headersOf(upload));
    // The answer to the last bytes was lost, or the service stopped before it could give it.
    return answer(200, headersOf({ ...upload, artifactId: await finish(request, upload) }));
  };

  const give = async (request: HandlerRequest, id: string): Promise<Response> => {
    await uploadById(db, request, id);
    const turn = await turns.take(id);
    try {
      await end(await uploadById(db, request, id));
    } finally {
      turn.end();
    }
    return answer(204);
  };

  const offers = () =>
    answer(204, {
      'Tus-Version': TUS_VERSION,
      'Tus-Extension': TUS_EXTENSIONS.join(','),
      'Tus-Max-Size': String(config.artifactMax - 1),
      'Tus-Checksum-Algorithm': CHECKSUMS.join(','),
    });

  const route = (request: HandlerRequest): Promise<Response> | Response => {
    const { http } = request;
    const { method } = http.env.incoming;
    const id = http.req.param('upload_id');
    if (method === 'OPTIONS') return offers();
    if (http.req.header('Tus-Resumable') !== TUS_VERSION)
      throw new Problem(412, 'The request is not of tus 1.0', `Send Tus-Resumable: ${TUS_VERSION}.`, {
        headers: { 'Tus-Version': TUS_VERSION },
      });
    if (id === undefined) return begin(request);
    // Some clients can send POST only.
    switch (method === 'POST' ? http.req.header('X-HTTP-Method-Override') : method) {
      case 'HEAD':
        return tell(request, id);
      case 'PATCH':
        return append(request, id);
      case 'DELETE':
        return give(request, id);
      default:
        throw new Problem(405, 'Method not allowed', 'An upload takes HEAD, PATCH, DELETE.', {
          headers: { Allow: 'HEAD, PATCH, DELETE' },
        });
    }
  };

  return {
    tus: async (request) => {
      try {
        return await route(request);
      } catch (cause) {
        drain(request.http.env.incoming);
        const problem = problemOf(cause);
        if (problem) problem.headers['Tus-Resumable'] = TUS_VERSION;
        throw problem ?? cause;
      }
    },
  };
}

const answer = (status: 200 | 201 | 204, headers: Record<string, string> = {}): Response =>
  new Response(null, { status, headers: { 'Tus-Resumable': TUS_VERSION, 'Cache-Control': 'no-store', ...headers } });

/**
 * What belongs to extensions that `Tus-Extension` does not name. Ignored, parts of a file that is sent in parallel would become
 * artifacts of their own, and bytes be lost.
 */
const NOT_OFFERED: { field: string; has?: RegExp; title: string; instead: string }[] = [
  {
    field: 'Upload-Concat',
    title: 'An upload cannot be sent in parallel parts',
    instead: 'Send the file as one upload: in tus-js-client and Uppy with parallelUploads: 1.',
  },
  {
    field: 'Upload-Defer-Length',
    title: 'An upload cannot begin without its length',
    instead: 'Send Upload-Length: in tus-js-client and Uppy with uploadLengthDeferred: false.',
  },
  {
    field: 'Content-Type',
    has: /^application\/offset\+octet-stream$/i,
    title: 'An upload begins without bytes',
    instead: 'Send them with PATCH: in tus-js-client and Uppy with uploadDataDuringCreation: false.',
  },
];
function refuseNotOffered(request: HandlerRequest['http']['req']): void {
  for (const { field, has = /./, title, instead } of NOT_OFFERED)
    if (has.test(request.header(field) ?? ''))
      throw new Problem(400, title, instead, { errors: [{ field, message: 'is not supported here' }] });
}

function wholeNumber(text: string | undefined, field: string): number {
  if (text === undefined || !/^\d{1,15}$/.test(text))
    throw invalid([{ field, message: text === undefined ? 'is missing' : 'must be a whole number of 0 or more' }]);
  return Number(text);
}

/** `key value, key value …`, each value in base64. */
function readMetadata(text: string, length: number): { name: string; fields: Record<string, string> } {
  if (text.length > MAX_METADATA)
    throw invalid([{ field: 'Upload-Metadata', message: `is longer than ${MAX_METADATA / 1024} kB` }]);
  const given = new Map<string, string>();
  for (const pair of text.split(',').filter((each) => each.trim() !== '')) {
    const [key = '', value = '', ...rest] = pair.trim().split(' ');
    const bytes = Buffer.from(value, 'base64');
    if (rest.length > 0 || given.has(key) || bytes.toString('base64').replaceAll('=', '') !== value.replaceAll('=', ''))
      throw invalid([{ field: 'Upload-Metadata', message: 'must be pairs of a key and a value in base64' }]);
    given.set(key, bytes.toString());
  }
  const fields = Object.fromEntries(FIELDS.flatMap((name) => (given.has(name) ? [[name, given.get(name) ?? '']] : [])));
  return { name: baseName(given.get('filename') ?? '', 'filename'), fields: { size: String(length), ...fields } };
}

interface Checksum {
  algorithm: string;
  expected: Buffer;
}

function readChecksum(text: string | undefined): Checksum | undefined {
  if (text === undefined) return undefined;
  const [algorithm = '', digest = ''] = text.split(' ');
  if (!CHECKSUMS.includes(algorithm))
    throw invalid([{ field: 'Upload-Checksum', message: `must begin with ${CHECKSUMS.join(' or ')}` }]);
  return { algorithm, expected: Buffer.from(digest, 'base64') };
}

const isSame = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other);

const tooMany = ({ length }: StoredUpload) =>
  new Problem(413, 'More bytes than announced', `The upload is ${length} bytes long by its Upload-Length.`);
