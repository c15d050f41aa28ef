import { afterAll, describe, expect, test } from 'vitest';
import { hetzner } from '../../providers/hetzner/index.js';
import { behind, leftIn } from '../clouds/hetzner/behind.js';
import { whyUnchecked } from '../clouds/hetzner/specification.js';
import { startHetzner } from '../clouds/hetzner/stand-in.js';
import { providerContract } from './provider-contract.js';

const standIn = await startHetzner();
afterAll(() => standIn.close());

describe(`hetzner keeps the contract of a provider${whyUnchecked ? ` (${whyUnchecked})` : ''}`, () => {
  const outside = { env: { HCLOUD_TOKEN: standIn.token, HCLOUD_ENDPOINT: standIn.endpoint }, secret: async () => undefined };
  providerContract({ provider: hetzner, connect: () => hetzner.connect(hetzner.config.parse({}), outside), ...behind(standIn) });

  test('leaves nothing in the project but what is theirs', () => expect(leftIn(standIn)).toEqual({ networks: 1 }));
  test('says nothing that the specification does not know', () => expect(standIn.violations).toEqual([]));
});
