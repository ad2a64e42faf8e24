// Tags, as queries and mutations. A service without them answers 404: then a tag is a plain text field.
import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { tagEndpoints } from '#/contract/tags.ts';
import { call } from '#/api/call.ts';

const changed = { invalidates: [['tags'], ['devices']] };

export const tagQueries = {
  list: () => queryOptions({ queryKey: ['tags'], queryFn: ({ signal }) => call(tagEndpoints.list, {}, { signal }) }),
};

export const tagMutations = {
  create: () =>
    mutationOptions({
      mutationFn: (name: string) => call(tagEndpoints.create, { params: { tag_name: name } }),
      meta: changed,
    }),
  remove: () =>
    mutationOptions({
      mutationFn: (id: string) => call(tagEndpoints.remove, { params: { tag_id: id } }),
      meta: changed,
    }),
  attach: (device: string) =>
    mutationOptions({
      mutationFn: (id: string) => call(tagEndpoints.attach, { params: { device_id: device, tag_id: id } }),
      meta: changed,
    }),
  detach: (device: string) =>
    mutationOptions({
      mutationFn: (id: string) => call(tagEndpoints.detach, { params: { device_id: device, tag_id: id } }),
      meta: changed,
    }),
};
