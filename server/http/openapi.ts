// The OpenAPI 3.1 description of the service, built from the rows and schemas of its routes, so that it is always
// correct.
import type * as z from 'zod/mini';
import type { Endpoint } from '#/contract/endpoint.ts';
import { problem } from '#/contract/problem.ts';
import { eventName, type Operation, type Operations } from '#/contract/resource.ts';
import { API, RESOURCES } from './api-groups.ts';
import type { App } from './implement.ts';
import { schemaOf } from './openapi-schemas.ts';
import type { Json } from './openapi-schemas.ts';
import { VERSION } from '../version.ts';

/** Descriptions of values in paths, queries and forms. */
const PARAMETERS = new Map(
  Object.entries<string>({
    device_id: 'DeviceId of a device',
    enrolment_id: 'EnrolmentId of an enrolment key',
    pairing_id: 'PairingId of a device that shows a code',
    pairing_code: 'The code that a device shows, in any letter case, with or without blanks and dashes',
    pending_id: 'PendingId of a device that waits for approval',
    artifact_id: 'ArtifactId of an artifact',
    workflow_id: 'WorkflowId of a workflow',
    job_id: 'JobId of a job; of a child job too',
    bulk_id: 'BulkId of bulk work',
    name: 'Name of a view or of a standing order; of jobs, a part of it in any letter case, or the id',
    rollout_id: 'RolloutId of a rollout',
    channel_id: 'ChannelId of a channel of alerts',
    rule_id: 'RuleId of a rule of alerts',
    devices: 'DeviceIds, with commas between them: 1 to 100',
    artifact_name: 'Name of an artifact without its version, or of a workflow',
    artifact: 'Only artifacts of this name; of jobs, the ArtifactIds of what they deploy, separated by commas',
    state: 'Only devices in this state',
    person_id: 'PersonId of a person',
    wave: 'Only devices of this wave, from 1 on',
    during: 'Only devices that ran between these times, in milliseconds since 1970, as from-to',
    took: 'Only devices that have ended and took so many milliseconds, as from-to',
    limit: 'Most items of one answer',
    before: 'The Next of the answer before',
    actor: 'Whole Actor of an entry',
    by: 'people or devices; of a summary device, site or group',
    action: 'Action, or the part before its dot for all of that kind',
    object: 'Id of a device, job, artifact …; Name of a tunnel',
    outcome: 'done or refused',
    from: 'Not before this time',
    to: 'Not after this time',
    search: 'Text to find, in any letter case',
    kind: 'Kinds with commas between them; without it, all',
    note_id: 'NoteId of a note',
    hours: 'Hours until now: 1 to 2160',
    steps: 'Into how many steps the span is divided, with a share of time Online for each: 1 to 200',
    step: 'Seconds from one value to the next; at most 1,000 values',
    sort: 'changes or offline: what is most comes first; worst: the least share of time Online',
    days: 'Most days: 1 to 1000',
    jobs: 'Ids of archived jobs, with commas between them: 1 to 200',
    tunnel_id: 'Name of a tunnel',
    tag_id: 'TagId of a tag',
    tag_name: 'Name of the new tag',
    token_id: 'TokenId of an API token',
    session_id: 'SessionId of a session',
    page_num: 'Number of the page, from 1 on',
    rows_per_page: 'Devices on a page',
    device_name: 'Part of the name, in any letter case',
    device_group: 'The whole group',
    about: 'Id of an object, or a part of its present name',
    status: 'Statuses, with commas between them: Succeeded on all devices, or any other one on at least one device',
    target: 'device:<DeviceId>, group:<name> or tag:<TagId>',
    active: 'Only jobs that have not ended before this time',
    archived: 'yes: archived ones; no: the others',
    device_status: 'Online or Offline, in any letter case',
    device_tag: 'TagId or name of a tag',
    facts: 'Exact values of facts by name, as a JSON object: {"os":"debian"}',
    fact_name: 'Name of a fact',
    since: 'Version of an earlier answer',
    ids: 'Ids of child jobs, with commas between them: 1 to 200',
    stdout: 'Bytes of Stdout that the reader has',
    stderr: 'Bytes of Stderr that the reader has',
    file: 'The file itself',
    size: 'Size of the file; echoed as given',
    version: 'Version label',
    type: 'What the file is',
    destination: 'Folder on the device that the file goes to; needed for a script',
    command: 'Command that executes the file; needed for a script',
  }),
);

const parameters = (
  schema: z.ZodMiniType | undefined,
  where: 'path' | 'query',
  renamed: Map<string, string>,
  components: Json,
) => {
  if (!schema) return [];
  const { properties = {} } = schemaOf(schema, components) as { properties?: Json };
  const { required = [] } = schemaOf(schema, components, 'input') as { required?: string[] };
  return Object.entries(properties).map(([name, value]) => ({
    name: renamed.get(name) ?? name,
    in: where,
    required: where === 'path' || required.includes(name),
    description: PARAMETERS.get(name) ?? name,
    schema: value,
  }));
};

function requestBody({ body, form }: Endpoint, components: Json): Json | undefined {
  if (body) return { required: true, content: { 'application/json': { schema: schemaOf(body, components, 'input') } } };
  if (!form) return undefined;
  const { properties = {}, required = [] } = schemaOf(form, components, 'input') as {
    properties?: Json;
    required?: string[];
  };
  const fields = { file: { type: 'string', contentMediaType: 'application/octet-stream' }, ...properties };
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        { ...(value as Json), description: PARAMETERS.get(name) ?? name },
      ]),
    ),
    required: ['file', ...required],
  };
  return { required: true, content: { 'multipart/form-data': { schema } } };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'New for each order; the same key again within a day answers with what it made the first time.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});
const TUS_HEADERS = [
  header('Tus-Resumable', 'The version of the protocol, 1.0.0.'),
  header('Upload-Length', 'Size of the file in bytes.'),
  header(
    'Upload-Metadata',
    'filename, version, type and, for a script, destination and command: each with its value in base64.',
  ),
];

/** The data of an event: whatever is live, by its name. */
const changeEvent: Json = {
  type: 'object',
  properties: Object.fromEntries(
    RESOURCES.filter(({ live }) => live !== undefined).map(({ name, live }) => [
      eventName(name),
      live === 'ids' ? { anyOf: [{ type: 'array', items: { type: 'string' } }, { const: 'many' }] } : { const: true },
    ]),
  ),
};

function operation(endpoint: Operation, renamed: Map<string, string>, components: Json): Json {
  const {
    resource,
    name,
    permission,
    unlimited,
    method,
    summary,
    params,
    query,
    response,
    events,
    file,
    addition,
    once,
    tus,
  } = endpoint;
  const body = requestBody(endpoint, components);
  return {
    operationId: `${resource.name}.${name}`,
    tags: [resource.name],
    summary,
    'x-permission':
      typeof permission === 'object' ? permission.oneOf.join(' or ') : permission === 'anyone' ? 'none' : permission,
    ...(permission === 'anyone' && { security: [] }),
    ...(unlimited && { 'x-unlimited': true }),
    ...(addition && { 'x-addition': true, description: 'An addition of this service to the documented API.' }),
    parameters: [
      ...parameters(params, 'path', renamed, components),
      ...parameters(query, 'query', renamed, components),
      ...(tus ? TUS_HEADERS : []),
      ...(once ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body && { requestBody: body }),
    responses: {
      ...(tus && {
        201: {
          description: 'Begun; tus goes on at the address in Location',
          headers: { Location: { schema: { type: 'string' } } },
        },
      }),
      200: response
        ? { description: 'Done', content: { 'application/json': { schema: schemaOf(response, components) } } }
        : events
          ? {
              description: 'A stream until the session or token ends',
              content: { 'text/event-stream': { schema: changeEvent } },
            }
          : file
            ? { description: 'A file', content: { [file]: { schema: { type: 'string' } } } }
            : { description: 'Done; the answer has no body' },
      ...(method === 'GET' && response && { 304: { description: 'Unchanged since the ETag in If-None-Match' } }),
      401: { $ref: '#/components/responses/Unauthorized' },
      default: { $ref: '#/components/responses/Refused' },
    },
  };
}

/**
 * Two rows may differ only in the name of a value (`:tag_name`, `:tag_id`). OpenAPI allows one path for both, so the
 * value gets both names there.
 */
function templates(): Map<string, string> {
  const shape = (path: string) => path.replaceAll(/:\w+/g, ':');
  const names = new Map<string, Set<string>[]>();
  const rows = Object.values<Operations>(API).flatMap((operations) => Object.values(operations));
  for (const { path } of rows) {
    const here = path.match(/(?<=:)\w+/g) ?? [];
    const known = names.get(shape(path)) ?? here.map(() => new Set<string>());
    for (const [index, name] of here.entries()) known[index]?.add(name);
    names.set(shape(path), known);
  }
  return new Map(
    rows.map(({ path }) => {
      let index = 0;
      return [path, path.replaceAll(/:\w+/g, () => `{${[...(names.get(shape(path))?.[index++] ?? [])].join('_or_')}}`)];
    }),
  );
}

/** Endpoints for machines; they are not below /v1 and have no row in the contract. */
const asked = (name: string, summary: string, extra: Json) => ({
  get: { operationId: `operation.${name}`, tags: ['operation'], summary, 'x-addition': true, parameters: [], ...extra },
});
const plain = (description: string, type = 'application/json') => ({ description, content: { [type]: {} } });
const open = { 'x-permission': 'none', security: [] };
const OPERATION: Json = {
  '/healthz': asked('health', 'Whether the process lives', { ...open, responses: { 200: plain('It does') } }),
  '/readyz': asked('ready', 'Whether it can serve', {
    ...open,
    responses: { 200: plain('It can'), 503: plain('Why it cannot', 'application/problem+json') },
  }),
  '/metrics': asked(
    'metrics',
    'What it counts, as OpenMetrics text or, unless Accept prefers that, as that of Prometheus',
    {
      'x-permission': 'read',
      'x-unlimited': true,
      responses: {
        200: { description: 'The figures', content: { 'text/plain': {}, 'application/openmetrics-text': {} } },
        401: { $ref: '#/components/responses/Unauthorized' },
      },
    },
  ),
};

/** The whole document, for a service at `url`. */
function openApiDocument(url: string): Json {
  const schemas: Json = {};
  const paths = new Map<string, Json>();
  const template = templates();
  for (const operations of Object.values<Operations>(API))
    for (const endpoint of Object.values(operations)) {
      const path = template.get(endpoint.path) ?? endpoint.path;
      const own = endpoint.path.match(/(?<=:)\w+/g) ?? [];
      const shown = path.match(/(?<=\{)\w+/g) ?? [];
      const renamed = new Map(own.map((value, index) => [value, shown[index] ?? value]));
      paths.set(path, {
        ...paths.get(path),
        [endpoint.method.toLowerCase()]: operation(endpoint, renamed, schemas),
      });
    }
  const problemContent = { 'application/problem+json': { schema: schemaOf(problem, schemas) } };
  return {
    openapi: '3.1.1',
    info: {
      title: 'Muster: device management and OTA updates',
      version: VERSION,
      description:
        'Devices, their locations and tags, artifacts, workflows, jobs, tunnels and the account. Operations marked x-addition are additions of this service to the documented API. Times in answers are UTC.',
    },
    servers: [{ url }],
    security: [{ bearer: [] }],
    tags: [...Object.keys(API), 'operation'].map((name) => ({ name })),
    paths: { ...Object.fromEntries(paths), ...OPERATION },
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API token, from Settings, Tokens or `npm run token`.',
        },
      },
      schemas,
      responses: {
        Unauthorized: {
          description: 'The token is missing, mistyped or revoked',
          headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
          content: problemContent,
        },
        Refused: { description: 'What happened, to which object, and what to do (RFC 9457)', content: problemContent },
      },
    },
  };
}

/** Serves the document without authentication: it describes only the API. */
export function openApiRoute(app: App, context: { publicUrl: string }): void {
  let made: { url: string; json: string } | undefined;
  app.get('/openapi.json', (http) => {
    if (made?.url !== context.publicUrl)
      made = { url: context.publicUrl, json: JSON.stringify(openApiDocument(context.publicUrl)) };
    return http.body(made.json, 200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' });
  });
}
