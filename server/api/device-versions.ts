// Which version of an artifact runs on which device; an addition.
import { printIsoTime } from '#/contract/timestamps.ts';
import type { DeviceVersion, deviceVersionEndpoints } from '#/contract/device-versions.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../http/implement.ts';
import { JsonResponse } from '../http/json-response.ts';
import { invalid } from '../http/problem.ts';
import { changesInScope, currentPosition, parsePosition, printPosition } from '../store/changes.ts';
import type { ScopedChange } from '../store/changes.ts';
import type { Reader } from '../store/database.ts';
import { deviceById } from '../store/devices.ts';
import { scopeOf } from '../store/scope.ts';
import type { Scope } from '../store/scope.ts';
import {
  countVersions,
  versionsAfterJobs,
  versionsOfArtifact,
  versionsOfDevice,
  type DeviceVersionRow,
} from '../store/device-versions.ts';

const DEFAULT_LIMIT = 100;
/** Beyond this number of changed jobs, reading all pages is faster. */
const MAX_CHANGED = 20_000;

export function deviceVersionRoutes({ db }: Context): Handlers<typeof deviceVersionEndpoints> {
  return {
    list: async (request) => {
      const {
        query: { artifact, device_id, since, limit, before },
      } = request;
      if ((artifact === undefined) === (device_id === undefined))
        throw invalid([{ field: 'artifact', message: 'give exactly one of artifact and device_id' }]);
      const scope = scopeOf(request);
      // Read before the rows, so that no change is missed.
      const position = await currentPosition(db);
      const answer = { Items: [] as DeviceVersion[], Next: '', Version: printPosition(position, scope), Reset: false };
      const none = { None: [] as string[] };
      if (artifact === undefined) {
        const { seq } = await deviceById(db, scope, device_id ?? '');
        return compressible({ ...answer, ...none, Items: (await versionsOfDevice(db, seq)).map(itemOf) });
      }
      if (since !== undefined) {
        const from = parsePosition(since, scope);
        const changes = from && (await changesInScope(db, scope, from, position));
        const changed = changes && (await changedVersions(db, { scope, artifact, changes }));
        return compressible({ ...answer, ...none, ...(changed ?? { Reset: true }) });
      }
      const most = Number(limit ?? DEFAULT_LIMIT);
      const rows = await versionsOfArtifact(db, {
        scope,
        artifact,
        before: before ? Number(before) : Number.MAX_SAFE_INTEGER,
        limit: most + 1,
      });
      const shown = rows.slice(0, most);
      const last = shown.at(-1);
      const Next = rows.length > most && last ? String(last.device_seq) : '';
      return compressible({ ...answer, ...none, Items: shown.map(itemOf), Next });
    },

    counts: async (request) =>
      (await countVersions(db, scopeOf(request))).map(({ artifact_name, version, devices }) => ({
        ArtifactName: artifact_name,
        Version: version,
        Devices: devices,
      })),
  };
}

/** The response contains no secrets, so it may be compressed. */
const compressible = (answer: object) =>
  new JsonResponse(Buffer.from(JSON.stringify(answer)), undefined, { compressible: true });

const itemOf = ({ device_id, artifact_name, version, at, job_id }: DeviceVersionRow): DeviceVersion => ({
  DeviceId: device_id,
  ArtifactName: artifact_name,
  Version: version,
  Time: printIsoTime(new Date(at)),
  JobId: job_id,
});

interface ChangedVersions {
  scope: Scope;
  artifact: string;
  changes: readonly ScopedChange[];
}

/** The versions on devices whose jobs changed; undefined if too many jobs changed, or devices came into the scope or left it. */
async function changedVersions(db: Reader, { scope, artifact, changes }: ChangedVersions) {
  if (changes.some(({ regrouped }) => regrouped === 1)) return undefined;
  const jobSeqs = new Set(
    changes.flatMap(({ kind, what, object }) => (kind === 'job' && what === 'changed' ? object : [])),
  );
  if (jobSeqs.size > MAX_CHANGED) return undefined;
  const rows = await versionsAfterJobs(db, { scope, artifact, jobSeqs: [...jobSeqs] });
  return {
    Items: rows.flatMap((row) => (row.version === null ? [] : itemOf({ ...row, version: row.version }))),
    None: rows.flatMap(({ version, device_id }) => (version === null ? device_id : [])),
  };
}
