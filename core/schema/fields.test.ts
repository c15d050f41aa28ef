import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { duration, network, port, secret, size } from './fields.js';

const messages = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues.map(({ message }) => message) ?? [];

describe('size', () => {
  it.each([
    ['64 MiB', 67_108_864],
    ['1GiB', 1_073_741_824],
    ['1.5 KiB', 1536],
    ['512 B', 512],
    [1024, 1024],
  ])('reads %s as %i bytes', (text, bytes) => expect(size('1 B').parse(text)).toBe(bytes));

  it('takes its default, and accepts its own output', () => {
    expect(size('64 MiB').parse(undefined)).toBe(67_108_864);
    expect(size('1 B').parse(size('64 MiB').parse(undefined))).toBe(67_108_864);
  });

  it.each(['64', '64 MB', 'much', '-1 MiB', -5, 1.5, true])('refuses %s and says how to write it', (value) =>
    expect(messages(size('1 B'), value)[0]).toContain('"64 MiB"'),
  );
});

describe('duration', () => {
  it.each([
    ['30 s', 30],
    ['5m', 300],
    ['1.5 h', 5400],
    ['15 d', 1_296_000],
    [90, 90],
  ])('reads %s as %i seconds', (text, seconds) => expect(duration('1 s').parse(text)).toBe(seconds));

  it('refuses what is none', () => expect(messages(duration('1 s'), 'soon')[0]).toContain('"30 s"'));
});

describe('port', () => {
  it('has a default and bounds', () => {
    expect(port(80).parse(undefined)).toBe(80);
    for (const wrong of [0, 65_536, 80.5, '80']) expect(port(80).safeParse(wrong).success).toBe(false);
  });
});

describe('network', () => {
  it.each(['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '::1'])('accepts %s', (text) => expect(network().parse(text)).toBe(text));
  it.each(['10.0.0.0/33', 'example.org', ''])('refuses "%s"', (text) =>
    expect(messages(network(), text)).toEqual(['write a network as "10.0.0.0/8", "fd00::/8" or as one address']),
  );
});

describe('secret', () => {
  it('accepts a reference only', () => expect(secret().parse({ $secret: 'db' })).toEqual({ $secret: 'db' }));

  it.each(['hunter2', 5, { secret: 'db' }, { $secret: 'db', also: 1 }])('refuses %j, without repeating it', (value) => {
    const [message] = messages(secret(), value);
    expect(message).toContain('{ secret: NAME }');
    expect(message).not.toContain('hunter2');
  });

  it('lets undefined through where it is optional', () => expect(secret().optional().parse(undefined)).toBeUndefined());
});

it('has a JSON Schema of what a file may say', () => {
  const schema = z.strictObject({
    port: port(80),
    memory: size('64 MiB'),
    every: duration('15 s'),
    password: secret(),
    from: network(),
  });
  const json = z.toJSONSchema(schema, { io: 'input' }) as {
    properties: Record<string, Record<string, unknown>>;
    required: string[];
  };
  expect(json.required).toEqual(['password', 'from']);
  expect(json.properties.port).toMatchObject({ type: 'integer', default: 80, maximum: 65_535 });
  expect(json.properties.memory).toMatchObject({ default: '64 MiB' });
  expect(Object.keys(json.properties.password?.properties as object)).toEqual([
    'secret',
    'generate',
    'length',
    'name',
    'part',
    'ca',
    'names',
    'days',
    'env',
    'file',
    'vault',
    'aws-secret',
    'sops',
    'key',
  ]);
});
