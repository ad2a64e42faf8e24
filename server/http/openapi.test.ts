// The served document: all endpoints, nothing else, and no dangling reference.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as z from 'zod/mini';
import { PERMISSIONS } from '#/contract/permissions.ts';
import { eventName } from '#/contract/resource.ts';
import type { Operations } from '#/contract/resource.ts';
import { API, RESOURCES } from './api-groups.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  'x-addition'?: true;
  'x-permission'?: string;
  security?: object[];
  parameters: { name: string; in: string; description: string; required: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}
interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  maximum?: number;
}
interface Document {
  openapi: string;
  servers: { url: string }[];
  security: object[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, { scheme: string }> };
}

let service: TestService;
let text = '';
let document: Document;
before(async () => {
  service = await startTestService();
  const response = await fetch(`${service.url}/openapi.json`);
  assert.equal(response.status, 200);
  text = await response.text();
  document = JSON.parse(text) as Document;
});
after(() => service.end());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

// Every row of the document's endpoint tables, in its own words.
const DOCUMENTED = `
POST /v1/devices
PATCH /v1/devices/:device_id
POST /v1/devices/location/:device_id
GET /v1/devices/:page_num/:rows_per_page
GET /v1/devices
GET /v1/devices/:page_num/:rows_per_page/filters
DELETE /v1/devices/:device_id
GET /v1/devices/location
GET /v1/account
POST /v1/artifact
GET /v1/artifact/:artifact_id
GET /v1/artifact
DELETE /v1/artifact/:artifact_id
POST /v1/workflow
GET /v1/workflow/:workflow_id
GET /v1/workflow
DELETE /v1/workflow/:workflow_id
POST /v1/job
GET /v1/job/:job_id
GET /v1/job/:job_id/childjobs
GET /v1/job
DELETE /v1/job/:job_id
GET /v1/tunnels
DELETE /v1/tunnels
DELETE /v1/tunnels/:tunnel_id`;

test('every documented endpoint is there and is no addition; everything else is marked as one', () => {
  const documented = DOCUMENTED.trim()
    .split('\n')
    .map((line) => line.replaceAll(/:(\w+)/g, '{$1}'));
  const listed = operations().map(({ path, method, operation }) => ({
    line: `${method.toUpperCase()} ${path}`,
    addition: operation['x-addition'] === true,
  }));
  for (const line of documented)
    assert.ok(
      listed.some((row) => row.line === line),
      line,
    );
  for (const { line, addition } of listed) assert.equal(addition, !documented.includes(line), line);
});

test('it needs no token, and names this service and its security', () => {
  assert.match(document.openapi, /^3\.1\./);
  assert.deepEqual(document.servers, [{ url: service.url }]);
  assert.deepEqual(document.security, [{ bearer: [] }]);
  assert.equal(document.components.securitySchemes['bearer']?.scheme, 'bearer');
});

test('every reference leads somewhere, and nothing is left of the schemas it is made from', () => {
  const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, to]) => to ?? '');
  assert.ok(references.length > 20);
  for (const reference of references) {
    let at: unknown = document;
    for (const part of reference.split('/')) at = (at as Record<string, unknown>)[part];
    assert.equal(typeof at, 'object', reference);
  }
  for (const leftover of ['$defs', '$schema', 'undefined', '9007199254740991'])
    assert.ok(!text.includes(leftover), leftover);
});

test('no endpoints of the contract are missing', async () => {
  const folder = join(import.meta.dirname, '../../src/contract');
  const groups = new Set<unknown>(Object.values(API));
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))) {
    const module = (await import(join(folder, file))) as Record<string, unknown>;
    for (const [name, group] of Object.entries(module))
      assert.ok(!name.endsWith('Endpoints') || groups.has(group), `${name} of ${file}`);
  }
});

test('each resource is a tag, its live changes are in the events, and what it names is a resource', () => {
  const names = new Set(RESOURCES.map(({ name }) => name));
  const tags = new Set(operations().flatMap(({ operation }) => operation.tags));
  for (const name of names) assert.ok(tags.has(name), name);
  const stream = document.paths['/v1/events']?.['get']?.responses['200'] as {
    content: { 'text/event-stream': { schema: { properties: object } } };
  };
  assert.deepEqual(
    Object.keys(stream.content['text/event-stream'].schema.properties).toSorted(),
    RESOURCES.flatMap(({ name, live }) => (live ? [eventName(name)] : [])).toSorted(),
  );
  for (const operation of Object.values<Operations>(API).flatMap((each) => Object.values(each)))
    for (const other of [...(operation.changes ?? []), ...(operation.resource.follows ?? [])])
      assert.ok(names.has(other), `${operation.resource.name}.${operation.name} names ${other}`);
});

test('paths and their parameters agree, each is explained, and operation ids are unique', () => {
  const ids = operations().map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
  const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
  assert.equal(new Set(shapes).size, shapes.length, 'OpenAPI allows one template for each shape of path');
  for (const { path, operation } of operations()) {
    const inPath = operation.parameters.filter(({ in: where }) => where === 'path');
    assert.deepEqual(
      inPath.map(({ name }) => `{${name}}`),
      path.match(/\{\w+\}/g) ?? [],
      path,
    );
    for (const { name, description, schema, required, in: where } of operation.parameters) {
      assert.notEqual(description, name, `${path} ${name}`);
      if (where === 'path') assert.equal(required, true);
      assert.ok(Object.keys(schema).length > 0, `${path} ${name}`);
    }
    assert.ok(operation.summary);
    // Public endpoints have no 401.
    assert.ok(operation.responses['200']);
    if (path.startsWith('/v1/')) assert.ok(operation.responses['401'] && operation.responses['default']);
  }
});

test('a query value is required where a request without it is refused, and optional elsewhere', () => {
  let required = 0;
  for (const { resource, name, query } of Object.values<Operations>(API).flatMap((each) => Object.values(each))) {
    const id = `${resource.name}.${name}`;
    const shown = operations().find(({ operation }) => operation.operationId === id)?.operation.parameters ?? [];
    for (const [value, schema] of Object.entries(query?.shape ?? {})) {
      const mayBeMissing = z.safeParse(schema as z.ZodMiniType, undefined).success;
      const parameter = shown.find((each) => each.in === 'query' && each.name === value);
      assert.equal(parameter?.required, !mayBeMissing, `${id} ${value}`);
      required += mayBeMissing ? 0 : 1;
    }
  }
  assert.ok(required > 0);
});

test('each default is a value that its schema takes', () => {
  const types: Record<string, (value: unknown) => boolean> = {
    number: (value) => typeof value === 'number',
    integer: Number.isInteger,
    string: (value) => typeof value === 'string',
    boolean: (value) => typeof value === 'boolean',
    array: Array.isArray,
    object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    null: (value) => value === null,
  };
  const check = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type, default: given } = value as { type?: unknown; default?: unknown };
    if (given !== undefined && typeof type === 'string')
      assert.ok(types[type]?.(given), `${at}: ${JSON.stringify(given)}`);
    for (const [key, inner] of Object.entries(value)) check(inner, `${at}.${key}`);
  };
  check(document, '');
});

test('the schemas say what the service does', () => {
  const page = document.paths['/v1/devices/{page_num}/{rows_per_page}']?.['get'];
  assert.equal(page?.parameters[1]?.schema.maximum, 1000);
  const pageSchema = page?.responses['200']?.content?.['application/json']?.schema;
  assert.deepEqual(pageSchema?.properties?.['Devices']?.items, { $ref: '#/components/schemas/Device' });
  const upload = document.paths['/v1/artifact']?.['post']?.requestBody?.content['multipart/form-data']?.schema;
  assert.deepEqual(upload?.required, ['file', 'size', 'version', 'type']);
  assert.ok(document.paths['/v1/devices']?.['get']?.requestBody, 'a GET with a body');
  assert.deepEqual(document.components.schemas['Problem']?.required, ['type', 'title', 'status']);
});

/** Operations that need no token, and those that everybody with one may do to what is their own. */
const OPEN = [
  'enrolment.askPairing',
  'enrolment.beginPairing',
  'enrolment.enrol',
  'operation.health',
  'operation.ready',
];
const OWN = [
  'account.createToken',
  'account.endSession',
  'account.endSessions',
  'account.revokeToken',
  'account.sessions',
  'account.tokens',
  'people.me',
];

test('every operation names its permission', () => {
  const named = (permission: string) =>
    operations()
      .filter(({ operation }) => operation['x-permission'] === permission)
      .map(({ operation }) => operation.operationId)
      .toSorted();
  assert.deepEqual(named('none'), OPEN);
  assert.deepEqual(named('self'), OWN);
  for (const { operation } of operations()) {
    const { operationId, security, 'x-permission': permission = '' } = operation;
    assert.deepEqual(security, OPEN.includes(operationId) ? [] : undefined, operationId);
    if ([...OPEN, ...OWN].includes(operationId)) continue;
    for (const each of permission.split(' or '))
      assert.ok(
        PERMISSIONS.some((known) => known === each),
        operationId,
      );
  }
});
