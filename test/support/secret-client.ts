import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { createDispatcher } from '../../app/dispatch.js';
import type { Engine } from '../../app/engine.js';
import { createOwner, type Principal } from '../../app/principal.js';
import { type Client, clientOver } from '../../client/client.js';
import { homeOf } from '../../home/home.js';
import { openSecrets } from '../../stores/open-secrets.js';
import type { SecretStore } from '../../stores/secrets.js';
import { temporalOfInfras } from './temporal-of-infras.js';

const DEFINED = {
  shop: {
    infra: 'shop',
    servers: {
      'web-1': {
        name: 'web-1',
        provider: 'demo',
        services: { redis: { taskserv: 'redis', config: { password: { $secret: 'redis-password' } } } },
      },
    },
    definition: {
      servers: [{ name: 'web-2', taskservs: [{ name: 'redis', config: { password: { $secret: 'redis-password' } } }] }],
    },
  },
  hub: { infra: 'hub', servers: { a: { name: 'a', provider: 'hetzner/prod', services: {} } }, definition: { servers: [] } },
};

/** Secrets of each test's own home, in a file that calls `withSecretHome`. */
export const kept = {} as { place: string; store: SecretStore };

/**
 * Gives each test of the calling file its own home. Hooks at the top level of this file would belong to its first
 * importer.
 */
export function withSecretHome(): void {
  let close: () => Promise<void>;
  beforeEach(async () => {
    kept.place = mkdtempSync(join(tmpdir(), 'secret-methods-'));
    const opened = await openSecrets(homeOf({ PROVISIONING_HOME: kept.place }), { PROVISIONING_HOME: kept.place });
    kept.store = opened.secrets;
    close = opened.close;
  });
  afterEach(async () => {
    await close();
    rmSync(kept.place, { recursive: true });
  });
}

/** Returns a Temporal that lists the entities of two infras and answers for them. */
export const temporal = () =>
  temporalOfInfras({
    list: async () => Object.keys(DEFINED),
    inventory: async ({ infra }) => DEFINED[infra as keyof typeof DEFINED],
  });

/** Returns a client that validates answers against their schemas. */
export function clientOf(principal: Principal = createOwner('ann@desk'), secrets: SecretStore | undefined = kept.store): Client {
  const engine = { temporal: temporal(), stores: { ...(secrets && { secrets }) } } as unknown as Engine;
  return clientOver({ ...createDispatcher({ engine, principal, checksAnswers: true }), close: async () => {} });
}

export const workspace = 'default';
export const at = { workspace, name: 'redis-password' };

/** Expects that each of these calls fails with a code. */
export async function allRefused(code: string, calls: Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(calls);
  expect(ends).toEqual(calls.map(() => ({ status: 'rejected', reason: expect.objectContaining(failure(code)) })));
}

export const failure = (code: string) => ({ details: expect.objectContaining({ code }) });
