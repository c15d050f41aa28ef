import { describe, expect, test } from 'vitest';
import { clientOf, failure, kept, withSecretHome, workspace } from '../../test/support/secret-client.js';

withSecretHome();

const shop = { workspace, infra: 'shop' };
const reference = 'given/sops/abc';
const prefix = 'generated/default/shop';

describe('secrets.keep', () => {
  test('keeps a value under a name that another value does not get, for its infra alone', async () => {
    const { secrets } = clientOf();
    const keep = async (value: string) => (await secrets.keep({ ...shop, values: { [reference]: value } })).names[reference] ?? '';
    const first = await keep('one');
    expect(first).toMatch(/^given\/sops\/abc\/[0-9a-f]{24}$/);
    expect([await keep('two'), await keep('one')]).toEqual([expect.not.stringMatching(first), first]);
    expect(await kept.store.within(shop).get(first)).toBe('one');
    expect(await kept.store.within(shop).history(first)).toMatchObject([{ version: 1, by: 'ann@desk' }]);
    const elsewhere = await secrets.keep({ ...shop, infra: 'hub', values: { [reference]: 'one' } });
    expect(elsewhere.names[reference]).not.toBe(first);
  });

  test('makes what is generated once, authorities before the certificates that they sign', async () => {
    const { secrets } = clientOf();
    const generated = [
      { name: `${prefix}/certificate/web`, recipe: { generate: 'certificate' as const, ca: 'own', names: ['a.example.org'] } },
      { name: `${prefix}/ca/own`, recipe: { generate: 'ca' as const, name: 'own', days: 100 } },
    ];
    expect(await secrets.keep({ ...shop, generated })).toEqual({ names: {} });
    const values = () => Promise.all(generated.map(({ name }) => kept.store.get(name)));
    const made = await values();
    expect(made).toEqual([expect.stringContaining('PRIVATE KEY'), expect.stringContaining('PRIVATE KEY')]);
    expect((await kept.store.history(`${prefix}/ca/own`))[0]?.recipe).toMatchObject({ days: 100 });
    await secrets.keep({ ...shop, generated });
    expect(await values()).toEqual(made);
  });

  test.each([
    ['bad-request', { values: { 'redis-password': 'x' } }],
    ['bad-request', { values: { 'hetzner/prod/token': 'x' } }],
    ['secret-name', { values: { 'given/../x': 'x' } }],
    ['bad-request', { generated: [{ name: 'generated/default/hub/ca/own', recipe: { generate: 'ca' as const, name: 'own' } }] }],
    ['bad-request', { generated: [{ name: `${prefix}/ca/own`, recipe: { generate: 'password' as const } }] }],
    ['bad-request', { generated: [{ name: `${prefix}/ca/own/key`, recipe: { generate: 'ca' as const, name: 'own' } }] }],
    ['bad-request', { generated: [{ name: 'redis-password', recipe: { generate: 'password' as const } }] }],
  ])('%s: %j is refused, and nothing is kept', async (code, input) => {
    const { secrets } = clientOf();
    const { values, generated } = input as { values?: object; generated?: [] };
    const asked = { ...shop, values: { [reference]: 'x', ...values }, ...(generated && { generated }) };
    await expect(secrets.keep(asked)).rejects.toMatchObject(failure(code));
    expect([await kept.store.list(), await kept.store.listScoped(workspace)]).toEqual([[], []]);
  });

  test('takes the right to set secrets of the infra, and takes values of any length', async () => {
    const asked: unknown[] = [];
    const { secrets } = clientOf({
      actor: 'eve@desk',
      may: (action, { id }) => action === 'secret:read' || asked.push([action, id]) < 2,
    });
    await secrets.keep({ ...shop, values: { [reference]: 'x'.repeat(2 * 1024 * 1024) } });
    await expect(secrets.keep({ ...shop, values: { [reference]: 'x' } })).rejects.toMatchObject(failure('forbidden'));
    expect(asked[0]).toEqual(['secret:set', 'default/shop/*']);
  });
});

test('secrets.checkPairs compares what is kept with what only the caller has, and returns no value', async () => {
  const { createMaker } = await import('../../secrets/generate/makers.js');
  const { partOf } = await import('../../secrets/generate/makers.js');
  const makePart = async (label: string, part: string) => {
    const name = `${prefix}/certificate/${label}`;
    const recipe = { generate: 'certificate' as const, ca: 'own', names: [`${label}.example.org`] };
    return partOf(`${name}/${part}`, await kept.store.ensureGenerated(name, await createMaker(kept.store, name, recipe)));
  };
  const [certificate, key, otherKey] = [await makePart('a', 'bundle'), await makePart('a', 'key'), await makePart('b', 'key')];
  await kept.store.within(shop).set('tls/certificate', certificate);
  await kept.store.within(shop).set('tls/key', key);
  const { secrets } = clientOf();
  const pairs = [
    { certificate: { name: 'tls/certificate' }, key: { name: 'tls/key' } },
    { certificate: { name: 'tls/certificate' }, key: { value: otherKey } },
    { certificate: { value: certificate }, key: { name: 'not-set' } },
    { certificate: { name: 'tls/certificate' }, key: { name: 'hetzner/prod/token' } },
  ];
  const faults = await secrets.checkPairs({ ...shop, pairs });
  expect(faults).toEqual([{ pair: 1, part: 'key', why: 'the key does not belong to the certificate' }]);
  expect(await secrets.checkPairs({ workspace, infra: 'hub', pairs: pairs.slice(0, 2) })).toEqual([]);
});
