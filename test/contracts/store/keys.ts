import ssh2 from 'ssh2';
import { expect, test } from 'vitest';
import { nextKeyName } from '../../../stores/keys.js';
import type { TwoStores } from './two-stores.js';

const owner = { workspace: 'w', infra: 'shop' };

export function keysContract(stores: () => TwoStores): void {
  test('all who ask for a key at once get the same one, which can be read back', async () => {
    const { one, two } = stores();
    const asked = Array.from({ length: 8 }, (_, index) => (index % 2 ? one : two).keys.infraKey(owner));
    const pairs = await Promise.all(asked);
    expect(new Set(pairs.map((pair) => pair.private)).size).toBe(1);
    expect(ssh2.utils.parseKey(pairs[0]?.private ?? '')).not.toBeInstanceOf(Error);
    expect(pairs[0]?.public).toMatch(/^ssh-ed25519 \S+ provisioning w\/shop$/);
  });

  test('infras with a key are listed, and not those of which only hosts are known', async () => {
    const { one, two } = stores();
    expect(await one.keys.infras('listed')).toEqual([]);
    const of = (infra: string) => ({ workspace: 'listed', infra });
    await one.keys.pin(of('pinned'), 'web', 'ssh-ed25519 AAAA');
    for (const infra of ['z', 'a']) await one.keys.infraKey(of(infra));
    expect(await two.keys.infras('listed')).toEqual(['a', 'z']);
  });

  test('a host key is pinned for all who look', async () => {
    const { one, two } = stores();
    expect(await two.keys.pinned(owner, 'web-1')).toBeUndefined();
    const { public: made } = await one.keys.hostKey(owner, 'web-1');
    expect(await two.keys.pinned(owner, 'web-1')).toBe(made);
    expect((await two.keys.hostKey(owner, 'web-1')).public).toBe(made);
  });

  test("what was pinned is an existing host's, until it is forgotten", async () => {
    const { one, two } = stores();
    const owner = { workspace: 'w', infra: 'pinned' };
    await one.keys.pin(owner, 'other', 'ssh-ed25519 AAAA');
    await one.keys.pin(owner, 'old', 'ssh-ed25519 AAAA');
    await two.keys.pin(owner, 'old', 'ssh-ed25519 BBBB');
    expect(await one.keys.pinned(owner, 'old')).toBe('ssh-ed25519 BBBB');
    await one.keys.pin(owner, nextKeyName('old'), 'ssh-ed25519 CCCC');
    await two.keys.forget(owner, 'old');
    expect(await one.keys.pinned(owner, 'old')).toBeUndefined();
    expect(await one.keys.pinned(owner, nextKeyName('old'))).toBeUndefined();
    expect(await one.keys.pinned(owner, 'other')).toBe('ssh-ed25519 AAAA');
  });

  test('an infra is forgotten with its key, and no other', async () => {
    const { one, two } = stores();
    const [owner, other] = [
      { workspace: 'w', infra: 'forgotten' },
      { workspace: 'w', infra: 'other' },
    ];
    const { private: kept } = await one.keys.infraKey(other);
    const { private: gone } = await one.keys.infraKey(owner);
    await one.keys.hostKey(owner, 'web-1');
    await one.keys.forget(owner);
    expect(await two.keys.pinned(owner, 'web-1')).toBeUndefined();
    expect((await two.keys.infraKey(owner)).private).not.toBe(gone);
    expect((await two.keys.infraKey(other)).private).toBe(kept);
  });
}
