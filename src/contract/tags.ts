// Tags. v1.md uses them (as a filter and a job target) without defining endpoints; these are the endpoints of known
// services, plus detach.
import * as z from 'zod/mini';
import { list, nameText, pathId, text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';

export const tag = z.object({
  TagId: z.pipe(text, z.string().check(z.minLength(1))),
  TagName: text,
});
export type Tag = z.output<typeof tag>;

const deviceAndTag = z.object({ device_id: pathId, tag_id: pathId });

export const tagEndpoints = resource('tags', { live: 'flag', id: 'tag_id' }).operations({
  list: {
    method: 'GET',
    path: '/v1/tag',
    permission: 'read',
    summary: 'List all tags',
    addition: true,
    response: list(tag),
  },
  create: {
    method: 'POST',
    path: '/v1/tag/:tag_name',
    permission: 'operate',
    changes: ['devices'],
    summary: 'Create a tag',
    addition: true,
    params: z.object({ tag_name: z.pipe(pathId, nameText) }),
  },
  remove: {
    method: 'DELETE',
    path: '/v1/tag/:tag_id',
    permission: 'operate',
    unlimited: true,
    changes: ['devices'],
    summary: 'Delete a tag and take it off every device',
    addition: true,
    params: z.object({ tag_id: pathId }),
  },
  attach: {
    method: 'POST',
    path: '/v1/devices/:device_id/tag/:tag_id',
    permission: 'operate',
    changes: ['devices'],
    summary: 'Put a tag on a device',
    addition: true,
    params: deviceAndTag,
  },
  detach: {
    method: 'DELETE',
    path: '/v1/devices/:device_id/tag/:tag_id',
    permission: 'operate',
    changes: ['devices'],
    summary: 'Take a tag off a device',
    addition: true,
    params: deviceAndTag,
  },
});
