import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/fast-check.js';
import {
  assertOurs,
  hetznerName,
  keyIn,
  nameIn,
  ownLabels,
  packLabels,
  scopeIn,
  unpackLabels,
  userLabels,
  userLabelsIn,
} from './labels.js';

const VALUE = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;
const scope = { workspace: 'default', infra: 'shop', uuid: '3f0c6c6e-0000-4000-8000-000000000001' };

describe('labels of Hetzner', () => {
  it('hold any text, and give it back', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        const labels = packLabels('any', text);
        expect(Object.values(labels).every((value) => VALUE.test(value))).toBe(true);
        expect(unpackLabels('any', labels)).toBe(text);
      }),
    );
  });

  it("hold the user's own as they are where the vendor takes them, and all others too", () => {
    const plain = { team: 'red', 'example.com/tier': 'front', empty: '' };
    expect(userLabels(plain)).toEqual(plain);
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.string()), (labels) => {
        const held = userLabels({ ...labels, ...plain });
        expect(Object.values(held).every((value) => VALUE.test(value))).toBe(true);
        expect(userLabelsIn(held)).toEqual({ ...labels, ...plain });
      }),
    );
  });

  it('say whose a thing is, and who made it', () => {
    const key = 'cluster-ensure-shop-2026-11-21-abcdef0123456789/server/web-1/1';
    const labels = ownLabels('volume', 'web-1/data', { scope, setup: 'provisioning-1', key });
    expect([nameIn(labels), scopeIn(labels), keyIn(labels)]).toEqual(['web-1/data', scope, key]);
    // A name may end with a dash, a value may not.
    const odd = ownLabels('server', 'web-', { scope: { ...scope, infra: 'a-' }, key });
    expect([nameIn(odd), scopeIn(odd)?.infra]).toEqual(['web-', 'a-']);
  });

  it('tell a namesake of ours from something that is not ours', () => {
    const theirs = ownLabels('server', 'web-1', { scope: { ...scope, uuid: 'other' }, key: 'k' });
    expect(() => assertOurs(scope, 'server', 'web-1', theirs)).toThrow(/UUID other has it/);
    expect(() => assertOurs(scope, 'server', 'web-1', { made: 'by-hand' })).toThrow(/did not create has the name "shop-web-1"/);
  });
});

describe('names at Hetzner', () => {
  it('are host names, and another for everything', () => {
    expect(hetznerName(scope, 'web-1')).toBe('shop-web-1');
    expect(hetznerName({ ...scope, workspace: 'team' }, 'web-1/data')).toBe('team-shop-web-1-data');
    const long = 'a'.repeat(40);
    const names = [`${long}-1`, `${long}-2`, 'ends-', 'ends'].map((name) => hetznerName({ ...scope, infra: long }, name));
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/);
  });
});
