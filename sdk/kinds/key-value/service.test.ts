import { expect, test } from 'vitest';
import { absentValue } from '../../../core/host/facts.js';
import type { PlanContext } from '../../../core/taskserv/taskserv.js';
import { debianVersions } from '../../../core/versions/release-versions.js';
import { keyValueService } from './service.js';

const service = keyValueService({ name: 'redis', versions: debianVersions({ 12: '7.0', 13: '8.0' }), description: 'x' });
const context = { host: { name: 'a' }, peers: [] } as never as PlanContext;
const config = service.config.parse({});
const absent = Object.fromEntries(Object.entries(service.facts(config, '7.0')).map(([name, asked]) => [name, absentValue(asked)]));
const found = (sentinelWanted: object) => ({ ...absent, sentinelWanted }) as never;

test('a member of a cluster does not become a single server: the others would overwrite what it takes', () => {
  expect(() => service.plan(config, found({ exists: true, text: 'x' }), context)).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({
        code: 'groups-differ',
        hint: expect.stringContaining('remove the service from this server and apply, then add it without "cluster"'),
      }),
    }),
  );
  expect(service.plan(config, found({ exists: false }), context).length).toBeGreaterThan(0);
});
