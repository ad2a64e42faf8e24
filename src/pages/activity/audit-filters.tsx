// The filters above the audit log, all in the URL.
import { useRef } from 'react';
import { NativeSelect } from '@mantine/core';
import type { AuditFilters } from '#/contract/audit.ts';
import { SearchField } from '#/ui/form/search-field.tsx';
import { chosenFilter } from '#/ui/table/active-filters.tsx';
import { FilterBar } from '#/ui/table/filter-bar.tsx';
import { SkipToRows } from '#/ui/table/skip-to-rows.tsx';
import { oneOf, plainText, urlSchema } from '#/ui/url/url-schema.ts';
import { useTyped } from '#/ui/url/use-typed.ts';
import type { UrlActions } from '#/ui/url/use-url-state.ts';
import { KINDS, type Kind } from './audit-words.ts';

/** In hours. */
const PERIODS = [1, 24, 7 * 24, 30 * 24] as const;

export const auditUrl = urlSchema({
  actor: plainText,
  /** People, if it is not set. */
  by: oneOf(['anyone', 'devices']),
  kind: oneOf(Object.keys(KINDS) as Kind[]),
  object: plainText,
  outcome: oneOf(['refused']),
  within: oneOf(PERIODS),
});
type AuditView = typeof auditUrl.defaults;

/** The filters of the request. `now` is rounded down to a minute, so that a re-render does not send another request. */
export function filtersOf({ actor, by, kind, object, outcome, within }: AuditView, now: Date): AuditFilters {
  const minute = Math.floor(now.getTime() / 60_000) * 60_000;
  return {
    ...(actor ? { actor } : by !== 'anyone' && { by: by ?? 'people' }),
    ...(kind && { action: kind }),
    ...(object.trim() && { about: object.trim() }),
    ...(outcome && { outcome }),
    ...(within && { from: new Date(minute - within * 3_600_000).toISOString() }),
  };
}

interface AuditFilterBarProps {
  view: AuditView;
  url: UrlActions<AuditView>;
  /** The name of the actor in the URL. */
  actor: string;
  /** The number of entries, as text. */
  count: string;
}

const KIND_OPTIONS = Object.entries(KINDS).map(([value, label]) => ({ value, label }));
const periodText = (hours: number) =>
  hours === 1 ? 'Last hour' : hours === 24 ? 'Last 24 hours' : `Last ${hours / 24} days`;

const BY_OPTIONS = [
  { value: '', label: 'By people and tokens' },
  { value: 'devices', label: 'By devices' },
  { value: 'anyone', label: 'By anyone' },
];
const RESULTS = [
  { value: '', label: 'Any result' },
  { value: 'refused', label: 'Refused' },
];
const TIMES = [
  { value: '', label: 'Any time' },
  ...PERIODS.map((hours) => ({ value: String(hours), label: periodText(hours) })),
];

export function AuditFilterBar({ view, url, actor, count }: AuditFilterBarProps) {
  const search = useRef<HTMLInputElement>(null);
  const object = useTyped(view.object, (text) => url.set({ object: text }));
  const isFiltered = Object.values(view).some(Boolean);
  const clear = () => {
    object.empty();
    url.set(auditUrl.defaults);
  };
  return (
    <FilterBar
      label="Filter entries"
      field={search}
      slash
      filtered={isFiltered}
      onClear={clear}
      count={count}
      active={[
        ...chosenFilter('Action', view.kind, KIND_OPTIONS, () => url.set({ kind: undefined })),
        ...chosenFilter('', view.actor ? '' : view.by, BY_OPTIONS, () => url.set({ by: undefined })),
        ...chosenFilter('Result', view.outcome, RESULTS, () => url.set({ outcome: undefined })),
        ...chosenFilter('Time', view.within, TIMES, () => url.set({ within: undefined })),
        ...(view.actor
          ? [
              {
                key: 'actor',
                label: 'By',
                value: actor,
                remove: () => {
                  url.set({ actor: '' });
                  search.current?.focus();
                },
              },
            ]
          : []),
      ]}
      filters={
        <>
          <NativeSelect
            aria-label="Action"
            value={view.kind ?? ''}
            onChange={(event) => url.set({ kind: (event.currentTarget.value || undefined) as AuditView['kind'] })}
            data={[{ value: '', label: 'Any action' }, ...KIND_OPTIONS]}
          />
          {!view.actor && (
            <NativeSelect
              aria-label="By"
              value={view.by ?? ''}
              onChange={(event) => url.set({ by: (event.currentTarget.value || undefined) as AuditView['by'] })}
              data={BY_OPTIONS}
            />
          )}
          <NativeSelect
            aria-label="Result"
            value={view.outcome ?? ''}
            onChange={(event) => url.set({ outcome: (event.currentTarget.value || undefined) as AuditView['outcome'] })}
            data={RESULTS}
          />
          <NativeSelect
            aria-label="Time"
            value={String(view.within ?? '')}
            onChange={(event) =>
              url.set({ within: PERIODS.find((hours) => String(hours) === event.currentTarget.value) })
            }
            data={TIMES}
          />
        </>
      }
    >
      <SearchField
        ref={search}
        label="Name or ID of the object"
        placeholder="Name or ID of a device, job …"
        clear="Clear the name or ID"
        aria-keyshortcuts="/"
        text={object}
      />
      <SkipToRows />
    </FilterBar>
  );
}
