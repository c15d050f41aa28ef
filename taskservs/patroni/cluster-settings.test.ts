import { expect, test } from 'vitest';
import { clusterSettings } from './cluster-settings.js';
import { patroniConfig } from './patroni-config.js';

const passwords = { superuser: { $secret: 's' }, replication: { $secret: 'r' }, api: { $secret: 'a' } };
const config = patroniConfig.parse({ passwords });

test('Patroni 4 raises a short ttl with any version of PostgreSQL', () => {
  const ttl = (version: string, package_?: string) => clusterSettings(config, version, false, { patroni: package_ }).ttl;
  expect([ttl('15'), ttl('15', '3.0.2-1'), ttl('15', '4.0.5-1'), ttl('17', '3.0.2-1'), ttl('17')]).toEqual([8, 8, 20, 8, 20]);
});
