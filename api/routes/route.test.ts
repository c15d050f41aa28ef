import { expect, test } from 'vitest';
import * as z from 'zod';
import type { AnyMethod } from '../../app/method.js';
import { METHODS } from '../../app/methods.generated.js';
import { CONNECTION_PATH } from '../pages/connection-path.js';
import { describeApi } from '../pages/openapi.js';
import { convertSchema } from './json-schema.js';
import { createRouteFinder } from './match-route.js';
import { placeMethods, type Route } from './route.js';

const methods: Readonly<Record<string, AnyMethod>> = METHODS;
const routes = placeMethods(methods);
const placeOf = (name: string) => {
  const { verb, path } = routes.find(({ method }) => method.name === name) as Route;
  return `${verb} ${path}`;
};

test('each method has a place, at least as many as the original has', () => {
  expect(routes.map(({ method }) => method.name)).toEqual(Object.keys(METHODS));
  expect(new Set(routes.map(({ verb, path }) => `${verb} ${path}`)).size).toBe(routes.length);
  expect(routes.length).toBeGreaterThanOrEqual(83);
});

test('a place follows from the name, the action and the input, or is stated', () => {
  expect(placeOf('infras.locks')).toBe('GET /workspaces/{workspace}/infras/{infra}/locks');
  expect(placeOf('workspaces.list')).toBe('GET /workspaces');
  expect(placeOf('operations.cancel')).toBe('POST /operations/{operation}/cancel');
  expect(placeOf('servers.forgetHostKey')).toBe('POST /workspaces/{workspace}/infras/{infra}/servers/{server}/forget-host-key');
  expect(placeOf('definitions.validate')).toBe('POST /workspaces/{workspace}/definitions/validate');
  expect(placeOf('secrets.set')).toBe('PUT /workspaces/{workspace}/secrets/{name}');
});

test('no path leads to two methods by the same verb', () => {
  const canBeOne = (a: Route, b: Route) =>
    a.verb === b.verb &&
    a.segments.length === b.segments.length &&
    a.segments.every((segment, index) => {
      const other = b.segments[index] as string;
      return segment === other || segment.startsWith('{') || other.startsWith('{');
    });
  const twice = routes.flatMap((a, index) => routes.slice(index + 1).flatMap((b) => (canBeOne(a, b) ? [[a.path, b.path]] : [])));
  expect(twice).toEqual([]);
});

test('no path that is written out hides a thing of its name, except where no thing has it', () => {
  const hides = routes.flatMap((literal) =>
    routes
      .filter(({ segments, path }) => {
        const isWider = segments.every((segment, at) => segment === literal.segments[at] || segment.startsWith('{'));
        return path !== literal.path && segments.length === literal.segments.length && isWider;
      })
      .map(({ path }) => `${literal.path} hides ${path}`),
  );
  // Ids of previews have another form.
  expect(hides).toEqual(['/plans/apply hides /plans/{operation}']);
});

test('a path leads to its method, with its parameters as they were', () => {
  const find = createRouteFinder(routes);
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(`${key}/x`));
    const found = find(path).byVerb.get(route.verb);
    expect([route.path, found?.route.method.name]).toEqual([route.path, route.method.name]);
    expect({ ...found?.parameters }).toEqual(Object.fromEntries(route.inPath.map((key) => [key, `${key}/x`])));
  }
});

test('what a method that changes something takes is never in a query', () => {
  const changing = routes.filter(({ verb }) => verb === 'POST' || verb === 'PUT');
  expect(changing.flatMap(({ inQuery }) => inQuery)).toEqual([]);
  // A value in a URL would be in logs.
  const inUrl = routes.flatMap(({ inQuery, inPath }) => [...inQuery, ...inPath]);
  expect(inUrl.filter((key) => /value|password|secretText|privateKey/i.test(key))).toEqual([]);
});

test('only what reads is a GET', () => {
  const gets = routes.filter(({ verb }) => verb === 'GET');
  const reads = /:(read|read-logs|reveal|use-path)$/;
  const others = gets.filter(({ method: { permission } }) => {
    const actions = typeof permission.action === 'string' ? [permission.action] : (permission.actions ?? []);
    return !actions.every((action) => reads.test(action));
  });
  expect(others.map(({ method }) => method.name)).toEqual([]);
});

test('no input names the actor', () => {
  const withActor = routes.filter(({ input }) =>
    JSON.stringify({ ...input.schema, filter: undefined }).includes('"actor":{"type"'),
  );
  // Filters of lists.
  const besides = withActor.filter(({ inQuery }) => !inQuery.includes('filter'));
  expect(besides.map(({ method }) => method.name)).toEqual([]);
  // The test would see it.
  const submit = convertSchema((methods['operations.submit'] as AnyMethod).input, 'x', 'input');
  expect(JSON.stringify(submit.schema)).toContain('"actor":{"type"');
});

test('inputs refuse fields that they do not know', () => {
  const open = routes.filter(({ input: { schema } }) => schema.type === 'object' && schema.additionalProperties !== false);
  expect(open.map(({ method }) => method.name)).toEqual([]);
});

test('a tuple is described as generators of clients read it', () => {
  const pair = z.tuple([z.int().min(0), z.int().min(0)]);
  const integer = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
  expect(convertSchema(pair, 'x', 'output').schema).toEqual({ type: 'array', items: integer, minItems: 2, maxItems: 2 });
  expect(convertSchema(z.tuple([z.string(), z.boolean()]), 'x', 'output').schema).toEqual({
    ...{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'boolean' }], minItems: 2, maxItems: 2 },
  });
});

test('an object and a list in a query are described as they are sent', () => {
  const { paths } = describeApi(routes, '1.0.0') as { paths: Record<string, { get?: { parameters: { name: string }[] } }> };
  const namesOf = (path: string) => paths[path]?.get?.parameters.map(({ name }) => name);
  expect(namesOf('/v1/operations')).toContain('filter[kind]');
  const marks = paths['/v1/batches/{batch}/rows']?.get?.parameters.find(({ name }) => name === 'marks');
  expect(marks).toMatchObject({ schema: { type: 'string', pattern: expect.stringContaining('failed') } });
});

test('the document has every method, and its references lead somewhere', () => {
  const document = describeApi(routes, '1.0.0');
  const paths = document.paths as Record<string, Record<string, { operationId?: string }>>;
  const operations = Object.values(paths).flatMap((item) => Object.values(item).flatMap(({ operationId }) => operationId ?? []));
  expect(operations.sort()).toEqual(Object.keys(METHODS).sort());
  const schemas = Object.keys((document.components as { schemas: object }).schemas);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to = '']) => to);
  expect(references.length).toBeGreaterThan(100);
  const { parameters, 'x-websocket': socket } = paths[CONNECTION_PATH] as unknown as {
    parameters: { name: string }[];
    'x-websocket': { 'x-permission': string[]; responses: Record<string, { description: string }> };
  };
  expect([parameters.map(({ name }) => name), socket['x-permission']]).toEqual([
    ['workspace', 'infra', 'server'],
    ['server:login'],
  ]);
  expect(Object.keys(socket.responses)).toEqual(expect.arrayContaining(['101', '401', '403', '404', '429', 'default']));
  expect(references.filter((to) => !schemas.includes(to.replace('#/components/schemas/', '')))).toEqual([]);
});
