// Saved views of the devices, an addition: shared by the whole account, or private.
import * as z from 'zod/mini';
import { list, nameText, row, text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';

const LONGEST_VIEW_NAME = 80;
const LONGEST_VIEW_QUERY = 4_000;
/** Most shared views of an account, and most private views of a user. */
export const MOST_VIEWS = 200;

const viewRow = row(
  z.looseObject({
    Name: text,
    /** The query string of the table's URL: filters, sort, columns, widths, row height. */
    Query: text,
    /** Visible only to the user who saved it. */
    Private: z.catch(z.boolean(), false),
    /** `token:<id>`, also for a browser that signed in with that token, or `link` for the sign-in link. */
    ChangedBy: text,
    /** The current name of that token. */
    ChangedByName: text,
    ChangedTime: text,
  }),
);
export type SavedView = z.output<typeof viewRow>;

const params = z.object({ name: nameText.check(z.maxLength(LONGEST_VIEW_NAME)) });

export const viewEndpoints = resource('views', { id: 'name' }).operations({
  list: {
    method: 'GET',
    path: '/v1/views',
    permission: 'read',
    addition: true,
    summary: 'List the saved views: the shared ones, and the private ones of the caller, by name',
    response: list(viewRow),
  },
  /**
   * `If-Match` with the ETag of the list: 412 if the list has changed meanwhile. Names are case-insensitive. A private
   * view hides a shared one of the same name from its owner.
   */
  save: {
    method: 'PUT',
    path: '/v1/views/:name',
    // One's own views change nothing for others.
    permission: {
      oneOf: ['read', 'operate'],
      of: ({ body }) => ((body as { Private?: boolean } | undefined)?.Private ? 'read' : 'operate'),
    },
    addition: true,
    summary: 'Save a view under a name',
    params,
    body: z.object({
      Query: z.string().check(z.maxLength(LONGEST_VIEW_QUERY)),
      Private: z._default(z.boolean(), false),
    }),
  },
  remove: {
    method: 'DELETE',
    path: '/v1/views/:name',
    // Others than the maker of a shared view need `operate`.
    permission: 'read',
    addition: true,
    summary: 'Delete a saved view',
    params,
  },
});
