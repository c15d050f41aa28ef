import { expect, test } from 'vitest';
import * as z from 'zod';
import { duration, network, port, secret, size } from '../../core/schema/fields.js';
import { hostPort } from '../../core/schema/text-fields.js';
import { describeFields } from './fields.js';

const read = (shape: z.ZodRawShape) =>
  describeFields(z.toJSONSchema(z.strictObject(shape), { io: 'input', unrepresentable: 'any' }));

test('types are said in words, with defaults as a file says them', () => {
  const fields = read({
    port: port(80).describe('Where it listens'),
    keep: duration('15 d'),
    most: size('64 MiB'),
    mode: z.enum(['a', 'b']).default('a'),
    count: z.int().min(1).max(9),
    share: z.number().optional(),
    on: z.boolean().default(false),
    from: z.array(network()).default([]),
    listen: z.union([z.literal(['*', 'localhost']), z.ipv4(), z.ipv6()]),
    targets: z.array(hostPort('no target')).optional(),
    settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  });
  expect(fields.map(({ path, type, default: preset }) => [path, type, preset])).toEqual([
    ['port', 'port', 80],
    ['keep', 'duration', '15 d'],
    ['most', 'size', '64 MiB'],
    ['mode', 'one of a, b', 'a'],
    ['count', 'whole number, 1 to 9', undefined],
    ['share', 'number', undefined],
    ['on', 'boolean', false],
    ['from', 'list of networks', []],
    ['listen', '*, localhost or IP address', undefined],
    ['targets', 'list of host:ports', undefined],
    ['settings', 'map of text, number or boolean', {}],
  ]);
  expect(fields[0]).toEqual({ path: 'port', type: 'port', description: 'Where it listens', required: false, default: 80 });
  expect(fields.filter(({ required }) => required).map(({ path }) => path)).toEqual(['count', 'listen']);
});

test('what is in maps, in lists and under any key has the path to it', () => {
  const fields = read({
    timeouts: z.strictObject({ connect: duration('5 s') }).prefault({}),
    users: z.array(z.strictObject({ name: z.string(), password: secret().describe('Its password') })).default([]),
    zones: z.record(z.string(), z.strictObject({ key: secret().optional() })).default({}),
  });
  expect(fields.map(({ path }) => path)).toEqual([
    'timeouts',
    'timeouts.connect',
    'users',
    'users[].name',
    'users[].password',
    'zones',
    'zones.*.key',
  ]);
  expect(fields[0]).not.toHaveProperty('default');
  expect(fields.filter((field) => field.secret).map(({ path, required }) => [path, required])).toEqual([
    ['users[].password', true],
    ['zones.*.key', false],
  ]);
});
