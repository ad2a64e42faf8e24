// The OpenAPI 3.1 description of the service, made from the same rows and schemas that its routes are made from: it
// cannot say anything that is not so.
import * as z from 'zod/mini';
import { account, accountEndpoints, apiToken, newApiToken } from '#/contract/account.ts';
import { artifact, artifactEndpoints } from '#/contract/artifacts.ts';
import { device, deviceEndpoints, deviceLocation, newDevice, position } from '#/contract/devices.ts';
import type { Endpoint, Group } from '#/contract/endpoint.ts';
import { job, jobDraft, jobEndpoints } from '#/contract/jobs.ts';
import { problem } from '#/contract/problem.ts';
import { tag, tagEndpoints } from '#/contract/tags.ts';
import { tunnel, tunnelEndpoints } from '#/contract/tunnels.ts';
import { workflow, workflowDraft, workflowEndpoints } from '#/contract/workflows.ts';
import type { App } from './implement.ts';
import { VERSION } from './version.ts';

type Json = Record<string, unknown>;

/** All rows of the contract, by section. */
const GROUPS: Record<string, Group> = {
  devices: deviceEndpoints,
  tags: tagEndpoints,
  account: accountEndpoints,
  artifacts: artifactEndpoints,
  workflows: workflowEndpoints,
  jobs: jobEndpoints,
  tunnels: tunnelEndpoints,
};

/** Schemas that get a name of their own in the document. */
const NAMED = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries({
  Account: account,
  ApiToken: apiToken,
  NewApiToken: newApiToken,
  Artifact: artifact,
  Device: device,
  DeviceLocation: deviceLocation,
  NewDevice: newDevice,
  Position: position,
  Job: job,
  JobDraft: jobDraft,
  Problem: problem,
  Tag: tag,
  Tunnel: tunnel,
  Workflow: workflow,
  WorkflowDraft: workflowDraft,
}))
  NAMED.add(schema, { id });

/** What the values in paths, queries and forms are. */
const PARAMETERS: Record<string, string> = {
  device_id: 'DeviceId of a device',
  artifact_id: 'ArtifactId of an artifact',
  workflow_id: 'WorkflowId of a workflow',
  job_id: 'JobId of a job; of a child job too',
  tunnel_id: 'Name of a tunnel',
  tag_id: 'TagId of a tag',
  tag_name: 'Name of the new tag',
  token_id: 'TokenId of an API token',
  page_num: 'Number of the page, from 1 on',
  rows_per_page: 'Devices on a page',
  device_name: 'Part of the name, in any letter case',
  device_group: 'The whole group',
  device_status: 'Online or Offline, in any letter case',
  device_tag: 'TagId or name of a tag',
  file: 'The file itself',
  size: 'Size of the file; echoed as given',
  version: 'Version label',
  type: 'What the file is',
  destination: 'Folder on the device that the file goes to; needed for a script',
  command: 'Command that executes the file; needed for a script',
};

/**
 * A schema as the document shows it. What is sent may hold more than is read ('input'); what is answered is shown as our
 * service writes it ('output'), not as leniently as the dashboard would read another one's.
 */
function schemaOf(schema: z.ZodMiniType, components: Json, io: 'input' | 'output' = 'output'): Json {
  const {
    $schema: _dialect,
    $defs = {},
    ...made
  } = z.toJSONSchema(schema, {
    io,
    metadata: NAMED,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // The bounds of what a number can hold say nothing.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  }) as Json & { $defs?: Record<string, Json> };
  // Each call brings the named schemas it uses along; in the document they have one place.
  for (const [name, { id: _id, ...definition }] of Object.entries($defs)) components[name] = moved(definition);
  return moved(made) as Json;
}

function moved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moved);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' ? String(inner).replace('#/$defs/', '#/components/schemas/') : moved(inner),
    ]),
  );
}

const parameters = (
  schema: z.ZodMiniType | undefined,
  where: 'path' | 'query',
  renamed: Map<string, string>,
  components: Json,
) => {
  if (!schema) return [];
  const { properties = {} } = schemaOf(schema, components) as { properties?: Json };
  return Object.entries(properties).map(([name, value]) => ({
    name: renamed.get(name) ?? name,
    in: where,
    required: where === 'path',
    description: PARAMETERS[name] ?? name,
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
        { ...(value as Json), description: PARAMETERS[name] ?? name },
      ]),
    ),
    required: ['file', ...required],
  };
  return { required: true, content: { 'multipart/form-data': { schema } } };
}

function operation(
  section: string,
  name: string,
  endpoint: Endpoint,
  renamed: Map<string, string>,
  components: Json,
): Json {
  const { method, summary, params, query, response, addition } = endpoint;
  const body = requestBody(endpoint, components);
  return {
    operationId: `${section}.${name}`,
    tags: [section],
    summary,
    ...(addition && { 'x-addition': true, description: 'An addition of this service to the documented API.' }),
    parameters: [
      ...parameters(params, 'path', renamed, components),
      ...parameters(query, 'query', renamed, components),
    ],
    ...(body && { requestBody: body }),
    responses: {
      200: response
        ? { description: 'Done', content: { 'application/json': { schema: schemaOf(response, components) } } }
        : { description: 'Done; the answer has no body' },
      ...(method === 'GET' && response && { 304: { description: 'Unchanged since the ETag in If-None-Match' } }),
      401: { $ref: '#/components/responses/Unauthorized' },
      default: { $ref: '#/components/responses/Refused' },
    },
  };
}

/**
 * Two rows may differ in nothing but what they call a value (`:tag_name`, `:tag_id`). OpenAPI knows only one path for
 * both, so there the value gets both names.
 */
function templates(): Map<string, string> {
  const shape = (path: string) => path.replaceAll(/:\w+/g, ':');
  const names = new Map<string, Set<string>[]>();
  const rows = Object.values(GROUPS).flatMap((group) => Object.values(group));
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

/** The whole document, for a service that is reached at `url`. */
export function openApiDocument(url: string): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  const template = templates();
  for (const [section, group] of Object.entries(GROUPS))
    for (const [name, endpoint] of Object.entries(group)) {
      const path = template.get(endpoint.path) ?? endpoint.path;
      const own = endpoint.path.match(/(?<=:)\w+/g) ?? [];
      const shown = path.match(/(?<=\{)\w+/g) ?? [];
      const renamed = new Map(own.map((value, index) => [value, shown[index] ?? value]));
      paths[path] = {
        ...paths[path],
        [endpoint.method.toLowerCase()]: operation(section, name, endpoint, renamed, schemas),
      };
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
    tags: Object.keys(GROUPS).map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API token, from the Account page or `npm run token`.',
        },
      },
      schemas,
      responses: {
        Unauthorized: {
          description: 'The token is missing, mistyped or revoked',
          headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
          content: problemContent,
        },
        Refused: { description: 'What happened, to which thing, and what to do (RFC 9457)', content: problemContent },
      },
    },
  };
}

/** Serves the document to anybody: it holds nothing but what the API is. */
export function openApiRoute(app: App, context: { publicUrl: string }): void {
  let made: { url: string; json: string } | undefined;
  app.get('/openapi.json', (http) => {
    if (made?.url !== context.publicUrl)
      made = { url: context.publicUrl, json: JSON.stringify(openApiDocument(context.publicUrl)) };
    return http.body(made.json, 200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' });
  });
}
