// What the account used each day, an addition.
import type { usageEndpoints } from '#/contract/usage.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../http/implement.ts';
import { DAY_MS, usageOf } from '../store/usage.ts';

const DEFAULT_DAYS = 90;

export const usageRoutes = ({ db, now }: Context): Handlers<typeof usageEndpoints> => ({
  list: async ({ account, query: { days = String(DEFAULT_DAYS) } }) => ({
    Items: (await usageOf(db, account.id, Number(days), now())).map((row) => ({
      Day: new Date(row.day * DAY_MS).toISOString().slice(0, 10),
      Devices: row.devices,
      ArtifactBytes: row.artifact_bytes,
      OutputBytes: row.output_bytes,
    })),
  }),
});
