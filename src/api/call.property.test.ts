// Paths: any id reaches the service unchanged, or nothing is sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hono } from 'hono';
import * as fc from 'fast-check';
import { anyText, holds } from '../../scripts/test-property.ts';
import { ApiError } from '#/api/api-error.ts';
import { pathOf } from '#/api/call.ts';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import { pathId, pathInteger } from '#/contract/endpoint.ts';
import { paths } from '#/paths.ts';

const DOTS = ['', '.', '..'];
const id = fc.oneof(anyText(), fc.constantFrom(...DOTS, '%2e', '%2e%2e', '%', '%zz', 'a/b', '?', '#', '\ud800', '...'));
const endpoint = artifactEndpoints.get;

const server = new Hono();
server.get(endpoint.path, (http) => http.json(http.req.param('artifact_id')));

test('the service reads the intended id, and a browser does not change the path', () =>
  holds(
    500,
    fc.asyncProperty(id, async (given) => {
      if (DOTS.includes(given) || !given.isWellFormed())
        return assert.throws(() => pathOf(endpoint, { params: { artifact_id: given } }), ApiError);
      const path = pathOf(endpoint, { params: { artifact_id: given } });
      const url = new URL(path, 'http://service');
      assert.equal(url.pathname, path);
      const response = await server.request(url);
      assert.equal(response.status, 200);
      assert.equal(await response.json(), given);
    }),
  ));

test('a query stays a query', () =>
  holds(
    500,
    fc.property(id, id, (given, value) => {
      fc.pre(!DOTS.includes(given) && given.isWellFormed());
      const url = new URL(
        pathOf(endpoint, { params: { artifact_id: given }, query: { name: value, none: undefined } }),
        'http://service',
      );
      assert.equal(url.pathname, pathOf(endpoint, { params: { artifact_id: given } }));
      assert.deepEqual([...url.searchParams], value === '' ? [] : [['name', value.toWellFormed()]]);
      assert.equal(url.hash, '');
    }),
  ));

test("the dashboard's own addresses name one page, and never fail", () =>
  holds(
    500,
    fc.property(id, id, (given, other) => {
      for (const to of [
        paths.device(given),
        paths.job(given),
        paths.childJob(given, other),
        paths.childJob(given, other, 'stderr.7'),
        paths.archive(given),
      ]) {
        const url = new URL(to, 'http://dashboard');
        assert.equal(url.origin, 'http://dashboard');
        if (!DOTS.includes(given)) assert.ok(to.startsWith(url.pathname), to);
      }
    }),
  ));

test('an id of the contract is neither empty nor a step in a path; a page is a number in its range', () =>
  holds(
    1000,
    fc.property(
      fc.oneof(id, fc.nat().map(String), fc.double().map(String)),
      fc.option(fc.integer({ min: 1, max: 1000 }), { nil: undefined }),
      (given, max) => {
        assert.equal(pathId.safeParse(given).success, !DOTS.includes(given) && given.length <= 255);
        const read = pathInteger(max).safeParse(given);
        if (!read.success) return;
        assert.ok(Number.isSafeInteger(read.data) && read.data >= 1 && read.data <= (max ?? Infinity));
        assert.match(given, /^\d{1,9}$/);
      },
    ),
  ));
