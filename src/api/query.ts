// Queries and mutations for any operation of the contract. Query keys are made only here, of the resource, the operation and
// the request, so that a write or a reported change finds whatever it makes stale.
import {
  infiniteQueryOptions,
  keepPreviousData,
  mutationOptions,
  queryOptions,
  type InferDataFromTag,
  type InfiniteData,
  type Query,
  type QueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import type { RequestOf, ResponseOf } from '#/contract/endpoint.ts';
import type { Operation, OperationRow } from '#/contract/resource.ts';
import { call, type CallOptions } from '#/api/call.ts';
import { livePace, type Pace } from '#/api/live.ts';
import type { RequestKeys } from '#/api/request-keys.ts';
import { expressible, type AnyRequest } from '#/api/request-of.ts';

/** What a query tells the code that refetches it after a write or a reported change. */
export interface ReadingMeta<Data = unknown> {
  operation: Operation;
  /** Applies reported rows without a request; returns undefined if a refetch is needed. */
  patch?: ((data: Data, changes: RowChanges) => Data | undefined) | undefined;
  /** A further id under which changes of this object are reported: for a child job, its parent's. */
  reportedAs?: ((data: Data) => string | undefined) | undefined;
  /** Whether the object has ended, so that changes of the resources that its own follows no longer affect it. */
  isOver?: ((data: Data) => boolean) | undefined;
  /** Least milliseconds between two refetches after reports, for data that is expensive to read. */
  spacing?: number | undefined;
  /** Refetched together with this operation on the same object, and never by itself. */
  readWith?: string | undefined;
  /** Shows the data of one moment: neither a write nor a report makes it stale. */
  isSnapshot?: boolean | undefined;
}

/** Reported rows by id, and the ids of removed rows. */
export interface RowChanges {
  changed: ReadonlyMap<string, unknown>;
  removed: readonly string[];
}

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: Partial<ReadingMeta<never>>;
    mutationMeta: {
      operation?: Operation;
      /** Set on a mutation that always sends the same request; otherwise the request is the mutation's variable. */
      request?: AnyRequest;
      /** Set on a mutation of several operations: the resources that it makes stale. */
      changes?: readonly string[];
    };
  }
}

interface Polling<Data> {
  /** Polling interval in milliseconds while changes are not reported; overrides the resource's. */
  poll?: Pace<Data>;
  /** Least polling interval while changes are reported, for data that reports do not cover. */
  pollLive?: Pace<Data>;
}

interface Reading<Data> extends Polling<Data>, Omit<ReadingMeta<Data>, 'operation'> {
  /** Distinguishes queries of the same operation and request. */
  part?: string;
  /** Replaces the call. `before` is the result of the last read. */
  read?: (context: { signal: AbortSignal; client: QueryClient; before: Data | undefined }) => Promise<Data>;
  staleTime?: number;
  gcTime?: number;
  retry?: boolean;
  /** `false` if `read` already returns the same objects for unchanged parts. */
  structuralSharing?: boolean;
  /** Shows the previous data until the first response of a new key. */
  keepPrevious?: boolean;
}

const keyOf = (operation: Operation, request: object, part?: string): QueryKey => [
  operation.resource.name,
  operation.name,
  request,
  ...(part === undefined ? [] : [part]),
];

/** The id of the single object that a request names, if any. */
export const objectOf = ({ resource: { id } }: Operation, request: unknown): string | undefined => {
  const { params, query: conditions } = (request ?? {}) as AnyRequest;
  const value = id && (params?.[id] ?? conditions?.[id]);
  return value === undefined || value === '' ? undefined : String(value);
};

/** The request that a query of the contract sends. */
export const requestOfQuery = ({ queryKey }: Pick<Query, 'queryKey'>): AnyRequest => queryKey[2] ?? {};

function settings<Data>(operation: Operation, options: Reading<Data>) {
  const { poll = operation.resource.poll ?? false, pollLive, staleTime, gcTime, retry, structuralSharing } = options;
  const { patch, reportedAs, isOver, spacing, readWith, isSnapshot } = options;
  return {
    meta: { operation, patch, reportedAs, isOver, spacing, readWith, isSnapshot } as Partial<ReadingMeta<never>>,
    refetchInterval: livePace(poll, pollLive),
    ...(staleTime !== undefined && { staleTime }),
    ...(gcTime !== undefined && { gcTime }),
    ...(retry !== undefined && { retry }),
    ...(structuralSharing !== undefined && { structuralSharing }),
    ...(isSnapshot && { staleTime: Infinity, refetchOnWindowFocus: false, refetchOnReconnect: false }),
  };
}

/** A query for one operation. */
export function query<Row extends OperationRow, Data = ResponseOf<Operation<Row>>>(
  operation: Operation<Row>,
  request: RequestOf<Operation<Row>>,
  options: Reading<Data> = {},
) {
  const { part, read, keepPrevious } = options;
  return queryOptions<Data, Error, Data>({
    queryKey: keyOf(operation, request as object, part),
    queryFn: async ({ signal, client, queryKey }): Promise<Data> => {
      const data = read
        ? await read({ signal, client, before: client.getQueryData<Data>(queryKey) })
        : ((await call(operation, request, { signal })) as Data);
      void client.invalidateQueries({ predicate: isReadWith(operation, queryKey) }, { cancelRefetch: false });
      return data;
    },
    ...settings(operation, options),
    ...(keepPrevious && { placeholderData: keepPreviousData }),
  });
}

const isReadWith =
  ({ resource, name }: Operation, queryKey: QueryKey) =>
  ({ meta, queryKey: other }: Query): boolean =>
    meta?.readWith === name &&
    meta.operation?.resource === resource &&
    objectOf(meta.operation, other[2]) === objectOf(meta.operation, queryKey[2]);

type ItemOf<Row extends OperationRow> =
  ResponseOf<Operation<Row>> extends { Items: readonly (infer Item)[] } ? Item : never;
type Pages<Row extends OperationRow> = InfiniteData<ResponseOf<Operation<Row>>, string>;

/** An infinite query for a list that is read by cursor, page by page. */
export function pages<Row extends OperationRow>(
  operation: Operation<Row>,
  request: RequestOf<Operation<Row>>,
  options: Omit<Reading<Pages<Row>>, 'read' | 'patch'> = {},
) {
  type Page = ResponseOf<Operation<Row>>;
  const { query: conditions } = request as AnyRequest;
  return infiniteQueryOptions({
    queryKey: keyOf(operation, request as object, options.part),
    queryFn: ({ signal, pageParam: before }): Promise<Page> => {
      const next = { ...(request as object), query: { ...conditions, ...(before && { before }) } };
      return call(operation, next as RequestOf<Operation<Row>>, { signal });
    },
    initialPageParam: '',
    getNextPageParam: (page) => (page as { Next: string }).Next || undefined,
    ...settings(operation, options),
    ...(options.keepPrevious && { placeholderData: keepPreviousData }),
  });
}

/** Like `pages`, but yields the items of all pages loaded so far. */
export const items = <Row extends OperationRow>(...list: Parameters<typeof pages<Row>>) => ({
  ...pages(...list),
  select: ({ pages: read }: Pages<Row>) => read.flatMap((page) => (page as { Items: ItemOf<Row>[] }).Items),
});

type DataOf<Options> = Options extends { queryKey: infer Key extends QueryKey }
  ? InferDataFromTag<unknown, Key>
  : unknown;

/** The same query with another polling interval: a page may need fewer reads, or a dialog just one. */
export const polled = <Options extends object>(
  options: Options,
  poll: Pace<DataOf<Options>>,
  pollLive?: Pace<DataOf<Options>>,
) => ({ ...options, refetchInterval: livePace(poll, pollLive) });

interface Sending {
  /** Keys of the form that sends the request: a retry keeps its Idempotency-Key. */
  keys?: RequestKeys;
  headers?: Record<string, string>;
  gcTime?: number;
}

type BodyOf<Row extends OperationRow> = RequestOf<Operation<Row>> extends { body: infer Body } ? Body : never;

/** Sends a form's body; `rest` is the rest of the request, which names the object. */
export const mutation = <Row extends OperationRow>(
  operation: Operation<Row>,
  rest: Omit<RequestOf<Operation<Row>>, 'body'>,
  { keys, headers, gcTime }: Sending = {},
) => {
  const send = (body: BodyOf<Row>, options?: CallOptions) =>
    call(operation, { ...rest, body } as RequestOf<Operation<Row>>, options);
  return mutationOptions({
    mutationFn: (body: BodyOf<Row>): Promise<ResponseOf<Operation<Row>>> =>
      keys
        ? keys.send(body, (key) => send(body, { headers: { ...headers, ...key } }))
        : send(body, headers && { headers }),
    meta: { operation, request: rest as AnyRequest },
    ...(gcTime !== undefined && { gcTime }),
  });
};

/**
 * Sends this request, which a dialog shows beforehand. A request that no URL can express is omitted: then sending it fails,
 * and not the page that offers it.
 */
export const requestMutation = <Row extends OperationRow>(
  operation: Operation<Row>,
  request: RequestOf<Operation<Row>>,
  { headers, gcTime }: Omit<Sending, 'keys'> = {},
) => ({
  ...mutationOptions({
    mutationFn: (): Promise<ResponseOf<Operation<Row>>> => call(operation, request, headers && { headers }),
    meta: { operation, request: request as AnyRequest },
    ...(gcTime !== undefined && { gcTime }),
  }),
  ...expressible(operation, request),
});

/** The resources that a write makes stale, without those that follow them. */
export const changedBy = ({ resource, changes = [] }: Operation): readonly string[] => [resource.name, ...changes];

/** Whether a change of these resources makes this query stale. */
export const isAffected = ({ meta }: Pick<Query, 'meta'>, names: readonly string[]): boolean => {
  const { operation, isSnapshot } = meta ?? {};
  if (!operation || isSnapshot) return false;
  const { name, follows = [] } = operation.resource;
  return [name, ...follows].some((each) => names.includes(each));
};

/** Marks all queries of these resources as stale; `except`: queries of a page that is being left. */
export const invalidate = (
  client: QueryClient,
  names: readonly string[],
  except: (query: Query) => boolean = () => false,
): Promise<void> => client.invalidateQueries({ predicate: (each) => isAffected(each, names) && !except(each) });
