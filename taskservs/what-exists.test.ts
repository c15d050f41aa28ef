import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FoundFile, newHomePath } from '../core/host/facts.js';
import type { Facts, Step } from '../sdk/index.js';
import { planOf } from '../sdk/testing/case.js';
import { readCases } from '../sdk/testing/case-files.js';
import { modules } from '../test/support/modules.js';

/** A folder that is the platform's own, whatever it was before. */
const OWN_FOLDERS = /^\/var\/lib\/app-build\//;

/**
 * Files with a name of the platform, or that may have its secret. They must not stay once the definition omits them.
 */
const OWN_FILES = /provisioning|^\/etc\/tls\/|^\/etc\/acme\/|^\/etc\/app-/;
const MAY_HOLD_SECRETS = [
  '/etc/borg/key',
  '/etc/docker/registry/accounts',
  '/etc/docker/registry/certificate.pem',
  '/etc/docker/registry/key.pem',
  '/etc/etcd/authority.pem',
  '/etc/etcd/certificate.pem',
  '/etc/etcd/key.pem',
  '/etc/etcd/peer-authority.pem',
  '/etc/etcd/peer-certificate.pem',
  '/etc/etcd/peer-key.pem',
  '/etc/kafka/clients-authority.pem',
  '/etc/kafka/clients.pem',
  '/etc/kafka/peers-authority.pem',
  '/etc/kafka/peers.pem',
  '/etc/mysql/peer-authority.pem',
  '/etc/mysql/peer-certificate.pem',
  '/etc/mysql/peer-key.pem',
  '/etc/nats-peer-authority.pem',
  '/etc/nats-peer-certificate.pem',
  '/etc/nats-peer-key.pem',
  '/etc/memcached.users',
  '/etc/mosquitto/accounts',
  '/etc/mosquitto/acl',
  '/etc/patroni/pgbackrest-authority.pem',
  '/etc/patroni/pgbackrest.conf',
  '/etc/postfix/relay-account',
  '/etc/rabbitmq/peer-authority.pem',
  '/etc/rabbitmq/peer-certificate.pem',
  '/etc/rabbitmq/peer-key.pem',
  '/etc/restic/before',
  '/etc/restic/ssh-key',
];
/** Scripts of the platform, by names that are its own. */
const OWN_PROGRAMS = ['/usr/local/sbin/memcached-reload', '/usr/local/sbin/mosquitto-hash-passwords'];
/** Debian's default site, which would answer instead of the wanted one. */
const SAID = ['/etc/nginx/sites-enabled/default'];

/** Steps for a host on which all files exist already, with other modes and owners. */
function plannedAmongOthers(name: string): Step[] {
  const taskserv = modules.taskservs[name];
  if (!taskserv) throw new Error(`no taskserv ${name}`);
  return readCases(join(import.meta.dirname, name)).flatMap(([, given]) => {
    if ((given.action ?? 'plan') !== 'plan') return [];
    const { config, context, found } = planOf(taskserv, { ...given, facts: {} });
    const kinds = taskserv.facts(config, context.version) as Facts;
    const theirs = Object.entries(kinds).flatMap(([fact, { kind, ...of }]) => {
      if (kind !== 'file') return [];
      const path = newHomePath((of as { path: string }).path);
      return [[fact, new FoundFile(path, { exists: true, content: 'by hand\n', mode: '0600', owner: 'ann:ann' }, () => 'x')]];
    });
    try {
      return taskserv.plan(config, { ...found, ...Object.fromEntries(theirs) }, context);
    } catch {
      // It refuses to go on among these files.
      return [];
    }
  });
}

describe.each(Object.keys(modules.taskservs))('%s, on a host where others have what it makes', (name) => {
  const steps = plannedAmongOthers(name);

  test('removes no file of theirs of which the definition says nothing', () => {
    // By its own note of what it wrote, which is by hand here, it removes what is named there.
    const removed = steps.flatMap((step) => ('absent' in step && step.absent.path.startsWith('/') ? [step.absent.path] : []));
    const known = [...MAY_HOLD_SECRETS, ...OWN_PROGRAMS, ...SAID];
    expect([...new Set(removed.filter((path) => !OWN_FILES.test(path) && !known.includes(path)))]).toEqual([]);
  });

  test('gives a folder that is there no mode and no owner that the definition does not say', () => {
    const given = steps.flatMap((step) => ('directory' in step ? [step.directory] : []));
    const changed = given.filter(
      ({ path, mode, owner, keep }) => !keep && (mode ?? owner) !== undefined && !OWN_FOLDERS.test(path),
    );
    expect(changed).toEqual([]);
  });

  test('changes accounts only by steps that are named for it', () => {
    const changing = steps.filter((step) => 'run' in step && /\b(usermod|groupmod|chage|passwd -)/.test(step.run));
    expect(
      changing.map(({ title }) => title).filter((title) => !/^(Set the (shell|home directory) of|Add \S+ to)/.test(title)),
    ).toEqual([]);
  });
});
