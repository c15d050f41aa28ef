import { describe, expect, it } from 'vitest';
import { type ProvisioningError, unreachableError } from '../../core/errors.js';
import type { ProviderConnection } from '../../core/machine/provider.js';
import { limitByGate, openGate } from './account-gate.js';

const refusal = (work: () => void): ProvisioningError => {
  try {
    work();
  } catch (error) {
    return error as ProvisioningError;
  }
  throw new Error('it was let through');
};

describe('the gate of an account', () => {
  it('turns all away until the time that one was told, each with a time of his own', () => {
    let now = 1_000;
    const gate = openGate('demo', { perSecond: 10 }, () => now);
    gate.pass('servers.list');
    expect(gate.close(500)).toBe(500);
    const times = [1, 2, 3].map(() => refusal(() => gate.pass('servers.list')).details.retryAfterMs);
    expect(times).toEqual([600, 700, 800]);
    now = 1_499;
    expect(refusal(() => gate.pass('x')).details).toMatchObject({ code: 'rate-limited', blame: 'weather', retryAfterMs: 401 });
    now = 1_500;
    gate.pass('servers.list');
  });

  it('leaves alone what a catalogue says without being asked', () => {
    const catalog = { defaultZone: 'here', smallestVolumeGiB: 10, plans: async () => [] };
    const none = { list: async () => [] };
    const whole = { servers: none, networks: none, volumes: none, catalog } as never as ProviderConnection;
    expect(limitByGate(whole, openGate('demo')).catalog).toMatchObject({ defaultZone: 'here', smallestVolumeGiB: 10 });
  });

  it('is closed by any call of the account, for every other', async () => {
    const sent: string[] = [];
    const tooMany = unreachableError({ code: 'rate-limited', what: 'list', why: 'too many', retryAfterMs: 10_000 });
    const servers = {
      list: async () => {
        sent.push('list');
        throw tooMany;
      },
      read: async () => void sent.push('read'),
      diff: () => ({ action: 'noop' }),
    };
    const connection = limitByGate(
      { servers, networks: servers, volumes: servers } as never as ProviderConnection,
      openGate('demo'),
    );
    const context = { scope: { workspace: 'w', infra: 'i', uuid: 'u' } };
    await connection.servers.read('a', context);
    await expect(connection.servers.list(context)).rejects.toMatchObject({ details: { code: 'rate-limited' } });
    await expect(connection.networks.read('a', context)).rejects.toMatchObject({ details: { code: 'rate-limited' } });
    await expect(connection.volumes.list(context)).rejects.toMatchObject({ details: { code: 'rate-limited' } });
    expect(sent).toEqual(['read', 'list']);
    expect(connection.servers.diff({} as never, {} as never)).toEqual({ action: 'noop' });
  });
});
