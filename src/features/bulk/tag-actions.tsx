// Attaches an existing or a new tag to many devices, or detaches one.
import { useState } from 'react';
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { devicesText } from '#/lib/format.ts';
import { isNotOffered } from '#/api/api-error.ts';
import { bulkRequests, bulkTag } from '#/api/bulk.ts';
import { tagNamed } from '#/api/tag-ids.ts';
import { tagQueries, tagRequests } from '#/api/tags.ts';
import type { Tag } from '#/contract/tags.ts';
import { skipTagged, skipUntagged } from './bulk-plan.ts';
import { BulkSteps, type BulkActionProps } from './bulk-steps.tsx';
import { SuggestInput } from '#/ui/form/suggest-input.tsx';
import { NoDataYet } from '#/ui/page/view.tsx';

export function TagAction({ on, ...frame }: BulkActionProps & { on: boolean }) {
  const tags = useQuery(tagQueries.list());
  if (isNotOffered(tags.error)) return <p>This service has no tags.</p>;
  if (!tags.data) return <NoDataYet query={tags} name="the tags" rows={2} />;
  return on ? <AddTag {...frame} tags={tags.data} /> : <RemoveTag {...frame} tags={tags.data} />;
}

type TagProps = BulkActionProps & { tags: Tag[] };

function AddTag({ tags, ...frame }: TagProps) {
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  const names = [...new Set(tags.map(({ TagName }) => TagName))].filter(Boolean);
  const isNew = name !== '' && !names.includes(name);
  return (
    <BulkSteps
      {...frame}
      what="Add a tag"
      whySkipped={skipTagged(name)}
      does={['gets it', 'get it']}
      fault={name === '' ? 'Type or choose a tag first.' : undefined}
      button={(count) => `${isNew ? 'Create and add' : 'Add'} to ${devicesText(count)}`}
      requests={(change, inService) => {
        const { first, id } = tagRequests(name, tags);
        return [...first, ...bulkRequests(bulkTag(id, true), change, inService)];
      }}
      write={async () => bulkTag(await tagNamed(name), true, name)}
      note={() => isNew && <p>There is no tag “{name}” yet: it is created first.</p>}
    >
      <SuggestInput label="Tag" data-autofocus data={names} value={typed} onChange={setTyped} />
    </BulkSteps>
  );
}

function RemoveTag({ tags, ...frame }: TagProps) {
  const [id, setId] = useState('');
  const { devices } = frame;
  const hasTags = devices.some(({ Tags }) => Tags !== undefined);
  const counts = new Map<string, number>();
  for (const { Tags = [] } of devices) for (const { TagId } of Tags) counts.set(TagId, (counts.get(TagId) ?? 0) + 1);
  const offered = hasTags ? tags.filter(({ TagId }) => counts.has(TagId)) : tags;
  if (offered.length === 0) return <p>{hasTags ? 'None of the selected devices has a tag.' : 'There are no tags.'}</p>;
  return (
    <BulkSteps
      {...frame}
      what="Remove a tag"
      whySkipped={skipUntagged(id)}
      does={['loses it', 'lose it']}
      fault={id === '' ? 'Choose a tag first.' : undefined}
      button={(count) => `Remove from ${devicesText(count)}`}
      write={bulkTag(id, false)}
    >
      <Select
        label="Tag"
        data-autofocus
        placeholder="Choose a tag"
        searchable
        value={id || null}
        onChange={(next) => setId(next ?? '')}
        data={offered.map(({ TagId, TagName }) => ({
          value: TagId,
          label: `${TagName || TagId}${hasTags ? ` · on ${devicesText(counts.get(TagId) ?? 0)}` : ''}`,
        }))}
        nothingFoundMessage="No matching tag"
      />
    </BulkSteps>
  );
}
