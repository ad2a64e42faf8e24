// A resource of the API, described once: its operations, what each needs and changes, and how its changes are reported.
// Query keys, invalidation, live updates, polling, the event schema, OpenAPI and permissions all derive from it.
import type { Endpoint } from '#/contract/endpoint.ts';
import type { Needed, Permission } from '#/contract/permissions.ts';

/** Where what is needed depends on the request: a job that runs a workflow needs more than one that runs an artifact. */
export interface PermissionByRequest {
  /** All permissions that can be needed, the least first. */
  oneOf: readonly [Permission, ...Permission[]];
  /** Called with the body as it came, before it is validated, and again after that. */
  of(request: { readonly body?: unknown }): Permission;
}

export interface OperationRow extends Endpoint {
  /**
   * `self`: whoever is signed in may do it to what is their own. `anyone`: it needs no authorization; the body proves what has
   * to be proved.
   */
  permission: Needed | PermissionByRequest;
  /** It changes what all groups share, so a role that is limited to device groups may not do it. */
  unlimited?: true;
  /** Other resources that this write makes stale. Its own resource, and those that follow it, always become stale. */
  changes?: readonly string[];
}

export interface ResourceOptions {
  /** How `/v1/events` reports a change: by ids, or as a mere flag. Without it changes are not reported. */
  live?: 'ids' | 'flag';
  /** The path parameter that identifies an object, which is compared with reported ids. */
  id?: string;
  /** Polling interval in milliseconds where changes are not reported. Without it nothing is polled. */
  poll?: number;
  /** Resources whose changes make this one stale too. */
  follows?: readonly string[];
}

export interface Resource extends ResourceOptions {
  name: string;
}

/** A row with its resource and its own name, which are the first two parts of a query key. */
export type Operation<Row extends OperationRow = OperationRow> = Row & {
  readonly resource: Resource;
  readonly name: string;
};

/** The operations of a resource by name. */
export type Operations = Record<string, Operation>;

/** Describes a resource: `resource('tags', { live: 'flag' }).operations({ list: { … }, … })`. */
export function resource(name: string, options: ResourceOptions) {
  const described: Resource = { ...options, name };
  return {
    operations: <const Rows extends Record<string, OperationRow>>(rows: Rows) =>
      Object.fromEntries(
        Object.entries(rows).map(([operation, row]) => [operation, { ...row, resource: described, name: operation }]),
      ) as { readonly [Name in keyof Rows]: Operation<Rows[Name]> },
  };
}

/** The permission that this request needs. */
export const permissionFor = ({ permission }: OperationRow, request: { readonly body?: unknown }): Needed =>
  typeof permission === 'object' ? permission.of(request) : permission;

/** Needed where a request names a workflow, because whoever may run any command on a device has its shell. */
export const connectForWorkflow: PermissionByRequest = {
  oneOf: ['operate', 'connect'],
  of: ({ body }) => ((body as { WorkflowId?: string } | undefined)?.WorkflowId ? 'connect' : 'operate'),
};

/** Converts between the name of a resource and its name in `/v1/events`. */
export const eventName = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
export const resourceName = (event: string): string => event.charAt(0).toLowerCase() + event.slice(1);
