// Tags, as queries and mutations. Where they are not offered, a tag is a plain text field.
import { mutationOptions } from '@tanstack/react-query';
import { tagEndpoints, type Tag } from '#/contract/tags.ts';
import { call } from '#/api/call.ts';
import { requireOffer } from '#/api/capabilities.ts';
import { query } from '#/api/query.ts';
import { requestOf, type ApiRequest } from '#/api/request-of.ts';
import { tagNamed } from '#/api/tag-ids.ts';

export const tagQueries = {
  list: () =>
    query(
      tagEndpoints.list,
      {},
      {
        read: async ({ signal }) => {
          await requireOffer('tags');
          return call(tagEndpoints.list, {}, { signal });
        },
      },
    ),
};

/** Placeholder in displayed requests for the id of a tag that does not exist yet. */
const TAG_ID = 'TAG_ID';

/** The requests of {@link tagNamed} for display, and the id that it would return. `tags`: the existing tags. */
export function tagRequests(name: string, tags: readonly Tag[]): { first: readonly ApiRequest[]; id: string } {
  const id = tags.find(({ TagName }) => TagName === name)?.TagId;
  if (id !== undefined) return { first: [], id };
  const create = requestOf(tagEndpoints.create, { params: { tag_name: name } });
  return { first: [create, requestOf(tagEndpoints.list, {})], id: TAG_ID };
}

export const tagMutations = {
  /** Attaches the tag with this name to a device, creating the tag first if it does not exist. */
  attachNamed: (device: string) =>
    mutationOptions({
      mutationFn: async (name: string) =>
        call(tagEndpoints.attach, { params: { device_id: device, tag_id: await tagNamed(name) } }),
      meta: { operation: tagEndpoints.attach },
    }),
  detach: (device: string) =>
    mutationOptions({
      mutationFn: (id: string) => call(tagEndpoints.detach, { params: { device_id: device, tag_id: id } }),
      meta: { operation: tagEndpoints.detach },
    }),
};
