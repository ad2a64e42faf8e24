// Shows on every page that bulk work runs, whichever person began it, and has pages read
// again when it ends where the service reports no changes.
import { useEffect, useRef } from 'react';
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { IconLoader } from '@tabler/icons-react';
import type { Bulk } from '#/contract/bulk.ts';
import { bulkQueries, isRunning } from '#/api/bulk-work.ts';
import { isLive } from '#/api/live.ts';
import { invalidate } from '#/api/query.ts';
import { bulkProgress } from '#/features/bulk/bulk-words.ts';
import { fleetStore } from '#/fleet/use-fleet.ts';
import { paths } from '#/paths.ts';
import { NavLink } from '#/ui/url/link.tsx';

/** More are on their page. */
const MOST = 3;

function readAgain(client: QueryClient, { Of, Action }: Bulk): void {
  if (isLive()) return;
  const keys =
    Of === 'Jobs'
      ? ['jobs', 'devices']
      : [
          'devices',
          'tags',
          ...(Action === 'delete' ? ['jobs', 'tunnels'] : []),
          ...(Action === 'delete' || Action === 'create' ? ['account'] : []),
        ];
  void invalidate(client, keys);
  fleetStore().changed();
}

export function BulkIndicator({ onGo }: { onGo: () => void }) {
  const { data = NONE } = useQuery(bulkQueries.list());
  const client = useQueryClient();
  const before = useRef(new Set<string>());
  useEffect(() => {
    for (const bulk of data) if (!isRunning(bulk) && before.current.has(bulk.BulkId)) readAgain(client, bulk);
    before.current = new Set(data.filter(isRunning).map(({ BulkId }) => BulkId));
  }, [data, client]);
  const running = data.filter(isRunning).slice(0, MOST);
  if (running.length === 0) return null;
  return (
    <div className="frame-links stack">
      {running.map((bulk) => (
        <NavLink key={bulk.BulkId} to={paths.bulk(bulk.BulkId)} className="frame-link row dim" onClick={onGo}>
          <IconLoader size={18} stroke={1.6} aria-hidden />
          {bulkProgress(bulk)} …
        </NavLink>
      ))}
    </div>
  );
}

const NONE: Bulk[] = [];
