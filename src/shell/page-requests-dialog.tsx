// The requests of the current page, as curl commands. Cached data is read again, so that all requests are listed.
import { useEffect, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { Stack } from '@mantine/core';
import { directAddress } from '#/api/direct.ts';
import { pageNow, readsOf } from '#/api/recent-reads.ts';
import { CurlLines } from '#/ui/curl/curl-lines.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';

const readsHere = () => readsOf(pageNow()).map((path) => ({ base: directAddress, method: 'GET', path }));

export function PageRequestsDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [reads, setReads] = useState(readsHere);
  useEffect(() => {
    let isOpen = true;
    const loaded = {
      type: 'active',
      predicate: ({ state }: { state: { status: string } }) => state.status === 'success',
    } as const;
    void client.refetchQueries(loaded, { cancelRefetch: false }).then(() => isOpen && setReads(readsHere()));
    return () => {
      isOpen = false;
    };
  }, [client]);
  return (
    <BaseDialog onClose={onClose} title="Requests of this page" size="xl" centered={false}>
      <Stack gap="md">{reads.length > 0 ? <CurlLines requests={reads} /> : <p>This page sends no requests.</p>}</Stack>
    </BaseDialog>
  );
}
