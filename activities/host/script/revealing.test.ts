import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { absentValue, type Facts, FoundFile } from '../../../core/host/facts.js';
import type { Step } from '../../../core/host/step.js';
import type { AnyTaskserv } from '../../../core/taskserv/taskserv.js';
import { type InfraSecrets, infraSecrets } from '../../../secrets/infra-secrets.js';
import { FileSecretStore } from '../../../stores/files/file-secret-store.js';
import { modules } from '../../../test/support/modules.js';
import { testText } from '../../../test/support/private-text.js';
import { createStepScripts } from '../journal/step-scripts.js';
import { maskFor, revealerFor, revealerForSteps } from './revealing.js';

const MARKER = '\u27e6secret:postgres-password\u27e7';
const JSON_FORM = '{"$secret":"postgres-password"}';
const VALUE = 'the-value-of-another';
/** Texts that an attacker writes wherever text is accepted, to get the value. */
const ATTACKS = [MARKER, JSON_FORM, `[${JSON_FORM}]`, '{ secret: postgres-password }', '$secret:postgres-password'];

let folder: string;
let store: FileSecretStore;
let secrets: InfraSecrets;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'revealing-'));
  store = new FileSecretStore(join(folder, 'secrets'), {}, testText);
  await store.set('postgres-password', VALUE);
  await store.set('redis-password', 'known-to-redis');
  const reader = () => ({ operation: 'op', host: 'web-1' });
  secrets = infraSecrets(store, { workspace: 'w', infra: 'shop' }, {}, reader);
});
afterEach(() => rm(folder, { recursive: true }));

/** Everything that a plan sends to the host. */
async function delivered(taskserv: AnyTaskserv, config: unknown, found: Record<string, unknown>, declared: string[]) {
  const parsed = taskserv.config.parse(config);
  const facts: Facts = taskserv.facts(parsed);
  const absent = Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, absentValue(fact)]));
  const host = { name: 'web-1', role: 'web', os: 'debian', arch: 'amd64', cores: 1, memoryMiB: 512 };
  const context = { host, peers: [], version: taskserv.versions.default };
  // As it comes out of history.
  const steps = JSON.parse(JSON.stringify(taskserv.plan(parsed, { ...absent, ...found }, context))) as Step[];
  const revealer = await revealerForSteps(steps, declared, secrets);
  return JSON.stringify(createStepScripts(steps, revealer.reveal));
}

describe('what is written as text names no secret', () => {
  it.each(ATTACKS)('in a line of authorized_keys that a user of the host wrote: %s', async (attack) => {
    const config = { users: [{ name: 'eve', authorizedKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEve eve'] }] };
    const found = {
      'keys of eve': new FoundFile('/home/eve/.ssh/authorized_keys', {
        exists: true,
        content: `# ${attack}\n${attack}\n`,
        mode: '0600',
        owner: 'eve:eve',
      }),
    };
    // Even where the definition declares it for this very service.
    const sent = await delivered(modules.taskservs.users as AnyTaskserv, config, found, ['postgres-password']);
    expect(sent).not.toContain(VALUE);
    expect(sent).toContain(JSON.stringify(attack).slice(1, -1));
  });

  it.each(ATTACKS)('in a setting of a definition: %s', async (attack) => {
    const sent = await delivered(modules.taskservs.postgres as AnyTaskserv, { settings: { cluster_name: attack } }, {}, []);
    expect(sent).not.toContain(VALUE);
    expect(sent).toContain(JSON.stringify(attack).slice(1, -1));
  });

  it('while a reference at the place for one is revealed', async () => {
    const config = { password: { $secret: 'redis-password' } };
    expect(await delivered(modules.taskservs.redis as AnyTaskserv, config, {}, ['redis-password'])).toContain('known-to-redis');
  });
});

describe('a plan', () => {
  const step: Step = { title: 'Write /x', file: { path: '/x', content: ['a ', { $secret: 'postgres-password' }] } };

  it('reveals no secret that the definition did not declare for it', async () => {
    await expect(revealerForSteps([step], ['redis-password'], secrets)).rejects.toMatchObject({
      details: { code: 'secret-not-declared', on: 'postgres-password', blame: 'user' },
    });
    const { reveal } = await revealerForSteps([step], ['postgres-password'], secrets);
    expect(reveal(['a ', { $secret: 'postgres-password' }])).toBe(`a ${VALUE}`);
  });

  it('is refused while it refers to a secret that is not set', async () => {
    const other: Step = { ...step, file: { path: '/x', content: [{ $secret: 'gone' }] } };
    await expect(revealerForSteps([other], ['gone'], secrets)).rejects.toMatchObject({ details: { code: 'secret-not-set' } });
  });

  it('hides what was declared for it, whether its steps need that or not', async () => {
    const { hide } = await revealerForSteps([], ['postgres-password', 'gone'], secrets);
    expect(hide(`password=${VALUE}`)).toBe('password=***');
  });
});

it('knows of a configuration the secrets that it refers to, and no others', async () => {
  const { reveal, hide } = await revealerFor({ password: { $secret: 'redis-password' } }, secrets);
  expect(reveal([{ $secret: 'redis-password' }])).toBe('known-to-redis');
  expect(() => reveal([{ $secret: 'postgres-password' }])).toThrow('does not refer to it');
  expect(hide('known-to-redis')).toBe('***');
});

it('hides what another service has as well, in looks, steps and undo', async () => {
  await store.within({ workspace: 'w', infra: 'shop' }).set('of-the-infra', 'value-of-the-infra');
  await store.within({ workspace: 'w' }).set('of-the-workspace', 'value-of-the-workspace');
  await store.ensureGenerated('generated/w/shop/a.b', { recipe: { generate: 'password' }, make: () => 'value-that-was-made' });
  await store.ensureGenerated('generated/w/other/a.b', { recipe: { generate: 'password' }, make: () => 'value-of-another-infra' });
  const said = `${VALUE} value-of-the-infra value-of-the-workspace value-that-was-made value-of-another-infra`;
  for (const { hide } of [await revealerFor({}, secrets), await revealerForSteps([], [], secrets), await maskFor(secrets)])
    expect(hide(said)).toBe('*** *** *** *** value-of-another-infra');
});

it('hides at once what was given to a host, whatever the store said before', async () => {
  const { hide } = await maskFor(secrets);
  await store.set('new', 'a-value-set-since');
  expect(hide('a-value-set-since')).toBe('a-value-set-since');
  await secrets.give('new');
  expect(hide('a-value-set-since')).toBe('***');
});

it('what is revealed for a host is kept as read; what is only masked is not', async () => {
  await revealerFor({ password: { $secret: 'redis-password' } }, secrets);
  await revealerForSteps([], ['postgres-password'], secrets);
  await maskFor(secrets);
  expect(await store.reads('redis-password')).toMatchObject([{ by: 'op', how: 'operation', host: 'web-1', infra: 'shop' }]);
  expect(await store.reads('postgres-password')).toEqual([]);
});

it('masks without revealing, where work is undone', async () => {
  const { reveal, hide } = await maskFor(secrets, ['a former one']);
  expect(hide('known-to-redis, a former one')).toBe('***, ***');
  expect(() => reveal([{ $secret: 'redis-password' }])).toThrow('does not refer to it');
});
