import { describe, expect, test } from 'vitest';
import { pack, unpack } from '../../core/encoding/pack.js';
import { grantFor, inventoryOf } from '../../core/infra/grant.js';
import { buildLockRequest } from '../../core/infra/lock-request.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { workScopeOf } from '../../core/operation/work-scope.js';
import { definitionOf } from '../../test/support/definition.js';
import { largeFile, recordedAs } from '../../test/support/large.js';
import { Admission } from './admission.js';

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const KiB = 1024;

describe('an inventory of 1,000 servers with 8 taskservs each', () => {
  const definition = definitionOf(largeFile({ infra: 'large', servers: 1_000 }));
  const inventory = recordedAs(definition);
  const services = Object.values(inventory.servers).flatMap((server) => Object.values(server.services));
  const request = (wish: Partial<OperationRequest>): OperationRequest => ({
    id: 'taskserv-ensure-large-mf3k2p9x4af1',
    kind: 'taskserv',
    workspace: 'default',
    infra: 'large',
    intent: { verb: 'ensure', servers: ['web-100'] },
    actor: 'somebody@somewhere',
    ...wish,
  });

  test('is what it says', () => {
    expect(definition.servers).toHaveLength(1_000);
    expect(services).toHaveLength(8_000);
    expect(new Set(services.map(({ taskserv }) => taskserv)).size).toBe(8);
    // Each service was last changed by an operation of its own: the worst that a life of small changes leads to.
    expect(new Set(services.map(({ since }) => since)).size).toBe(8_000);
  });

  test("weighs less than 512 KiB in the state of the entity's next run, and comes back as it was", () => {
    const admission = new Admission(() => inventory);
    for (let index = 1; index <= 50; index++) {
      const id = `taskserv-ensure-large-mf3k2p9x${index}`;
      admission.ask(
        buildLockRequest(request({ id, intent: { verb: 'ensure', servers: [`web-${1 + (index % 25)}`] } })),
        1_000 * index,
      );
    }
    admission.admit(60_000);
    const state = { inventory, ...admission.state() };
    const packed = pack(state);
    expect(bytes({ packed })).toBeLessThan(512 * KiB);
    const back = unpack(JSON.parse(JSON.stringify(packed)));
    expect(JSON.stringify(back)).toBe(JSON.stringify(state));
  });

  test.each([
    ['a taskserv on one server', request({ intent: { verb: 'ensure', servers: ['web-100'], taskservs: ['nginx'] } }), 16],
    ['all taskservs of one server, prometheus among them', request({}), 96],
    // If it is replaced, its services are installed again.
    ['a server, prometheus on it', request({ kind: 'server' }), 96],
    ['a taskserv, with the last applied definition', request({ definition }), 16],
    ['the removal of a server', request({ kind: 'server', intent: { verb: 'delete', servers: ['web-100'] } }), 16],
    ['everything', request({ kind: 'cluster', intent: { verb: 'ensure', prune: true } }), 512],
  ] as const)('a grant for %s brings what it needs, in few bytes', (_, wanted, limit) => {
    const grant = grantFor(1, inventory, buildLockRequest(wanted).needs);
    expect(bytes(grant)).toBeLessThan(limit * KiB);
    const brought = inventoryOf(JSON.parse(JSON.stringify(grant)), wanted);
    const scope = workScopeOf(wanted, brought);
    const whole = workScopeOf(wanted, inventory);
    for (const part of ['ensureServers', 'removeServers', 'ensureServices', 'removeServices'] as const)
      expect(scope[part]).toEqual(JSON.parse(JSON.stringify(whole[part])));
  });
});
