// The tags of a device: remove one, add one, or create one by typing its name.
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { isMissing } from '#/api/api-error.ts';
import { useOffered } from '#/api/capabilities.ts';
import { bulkTag } from '#/api/bulk.ts';
import { tagMutations, tagQueries, tagRequests } from '#/api/tags.ts';
import type { Device } from '#/contract/devices.ts';
import type { Tag } from '#/contract/tags.ts';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { Section } from '#/ui/page/page.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { SuggestInput } from '#/ui/form/suggest-input.tsx';
import { FormError, NoDataYet } from '#/ui/page/view.tsx';
import classes from './device-tags.module.css';
import { tagEndpoints } from '#/contract/tags.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { offerAttachUndo, offerDetachUndo } from '#/features/undo/undo-device.ts';
import { useMay } from '#/api/people.ts';

export function DeviceTags({ device }: { device: Device }) {
  const hasTags = useOffered('tags');
  const tags = useQuery({ ...tagQueries.list(), enabled: hasTags === true });
  if (hasTags === false) return null;
  return (
    <Section title="Tags">
      {tags.data ? <Attached device={device} tags={tags.data} /> : <NoDataYet query={tags} name="the tags" rows={1} />}
    </Section>
  );
}

function Attached({ device, tags }: { device: Device; tags: readonly Tag[] }) {
  const { DeviceId, Tags } = device;
  const noTags = useMay([tagEndpoints.attach, tagEndpoints.detach], 'Tagging devices');
  const detach = useWrite(tagMutations.detach(DeviceId));
  return (
    <div className={classes.tags}>
      {Tags === undefined ? (
        <p className="small dim">This service does not report which tags a device has.</p>
      ) : Tags.length === 0 ? (
        <p className="small dim">No tags.</p>
      ) : (
        <ul className={classes.list} aria-label="Tags of this device">
          {Tags.map(({ TagId, TagName }) => (
            <li key={TagId} className={classes.tag}>
              {TagName || TagId}
              <Gate why={noTags ?? (detach.isPending ? 'A tag is being removed' : undefined)}>
                <button
                  type="button"
                  className="bare dim"
                  aria-label={`Remove ${TagName || TagId}`}
                  title={`Remove ${TagName || TagId}`}
                  onClick={() =>
                    detach.mutate(TagId, { onSuccess: () => void offerDetachUndo(device, { TagId, TagName }) })
                  }
                >
                  <IconX size={14} stroke={1.6} aria-hidden />
                </button>
              </Gate>
            </li>
          ))}
        </ul>
      )}
      <FormError
        error={isMissing(detach.error) ? new Error('This service cannot remove tags from devices.') : detach.error}
      />
      {noTags === undefined ? <AddTag device={device} tags={tags} /> : <p className="small dim">{noTags}</p>}
    </div>
  );
}

function AddTag({ device, tags }: { device: Device; tags: readonly Tag[] }) {
  const { DeviceId: id, Tags: own = [] } = device;
  const [typed, setTyped] = useState('');
  const attach = useWrite(tagMutations.attachNamed(id));
  const name = typed.trim();
  const names = tags.map(({ TagName }) => TagName).filter((each) => !own.some(({ TagName }) => TagName === each));
  const requests = () => {
    if (!name) return own.map(({ TagId }) => bulkTag(TagId, false).request({ DeviceId: id }));
    const { first, id: tag } = tagRequests(name, tags);
    return [...first, bulkTag(tag, true).request({ DeviceId: id })];
  };
  return (
    <form
      className={classes.add}
      onSubmit={(event) => {
        event.preventDefault();
        if (name && !attach.isPending)
          attach.mutate(name, {
            onSuccess: () => {
              setTyped((now) => (now.trim() === name ? '' : now));
              void offerAttachUndo(device, name);
            },
          });
      }}
    >
      <SuggestInput
        size="xs"
        aria-label="Tag to add"
        placeholder="Add a tag"
        data={[...new Set(names)].filter(Boolean)}
        value={typed}
        onChange={setTyped}
      />
      <Gate why={name ? undefined : 'Type or choose a tag first'}>
        <Button type="submit" size="xs" variant="default" loading={attach.isPending}>
          {name && !names.includes(name) ? 'Create and add' : 'Add'}
        </Button>
      </Gate>
      {(name || own.length > 0) && (
        <div className={classes.wide}>
          <ShowAsCurl request={requests} />
        </div>
      )}
      {attach.error && (
        <div className={classes.wide}>
          <FormError error={attach.error} />
        </div>
      )}
    </form>
  );
}
