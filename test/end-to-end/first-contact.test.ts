import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openConnections } from '../../activities/host/ssh/connections.js';
import { type FirstContact, firstContact } from '../../activities/host/ssh/first-contact.js';
import { isKeyReplaced, replaceHostKey } from '../../activities/host/ssh/replace-host-key.js';
import type { Target, Transports } from '../../activities/host/transport.js';
import { cloudInit } from '../../core/machine/cloud-init.js';
import { keyFiles } from '../../stores/files/key-files.js';
import type { KeyStore } from '../../stores/keys.js';
import { testText } from '../../test/support/private-text.js';
import { type Machine, newMachine } from '../clouds/machines.js';
import { whyNoHosts } from '../support/hosts.js';

const problem = await whyNoHosts();
const folder = await mkdtemp(join(tmpdir(), 'first-contact-'));
const owner = { workspace: 'default', infra: 'contact' };

describe.skipIf(problem)(`first contact${problem ? ` (left out: ${problem})` : ''}`, { timeout: 240_000 }, () => {
  const keys = keyFiles(folder, testText);
  const transports = openConnections(keys);
  const machines: Machine[] = [];
  afterAll(async () => {
    transports.close();
    for (const machine of machines) await machine.remove();
    await rm(folder, { recursive: true });
  });

  /** Boots a machine with these commands in addition to the keys. Returns the machine and its target. */
  async function boot(name: string, runcmd: string[] = [], others = false): Promise<{ machine: Machine; target: Target }> {
    const access = {
      authorizedKey: (await keys.infraKey(others ? { ...owner, infra: 'others' } : owner)).public,
      hostKey: await keys.hostKey(owner, name),
    };
    const [header, ...config] = cloudInit({ hostname: name, access }).split('\n');
    const userData = `${header}\n${JSON.stringify({ ...JSON.parse(config.join('\n')), runcmd })}`;
    const machine = await newMachine({ name, userData });
    machines.push(machine);
    const connection = { kind: 'ssh', address: machine.address, port: 22, user: 'root' } as const;
    return { machine, target: { ...owner, server: name, connection } };
  }

  const contact = (target: Target, more: Partial<FirstContact> = {}) =>
    firstContact({ transports, target, beat: () => {}, ...more, limits: { pauseMs: 50, ...more.limits } });

  test('begins before the machine is switched on, and ends with its first boot', async () => {
    const { machine, target } = await boot('contact-a', ['sleep 2; echo made > /root/by-first-boot']);
    const said = new Set<string>();
    const waiting = contact(target, { beat: (what) => void said.add(what) });
    await machine.start();
    await waiting;
    expect(await machine.shell('cat /root/by-first-boot')).toBe('made');
    expect([...said]).toEqual(['Wait until it lets us in', 'Wait for the end of its first boot']);
  });

  test('a first boot that fails is the end, with what it wrote', async () => {
    const { machine, target } = await boot('contact-b', ['echo no such thing as this; exit 7']);
    await machine.start();
    const failed = await contact(target).catch((error) => error);
    expect(failed.details).toMatchObject({ code: 'first-boot-failed', blame: 'user' });
    expect(failed.message).toContain('no such thing as this');
    expect(failed.message).not.toContain('\n');
  });

  test('a first boot that does not end is told after its time', async () => {
    const { machine, target } = await boot('contact-c', ['sleep 60']);
    await machine.start();
    const late = contact(target, { limits: { bootMs: 1_000 } });
    await expect(late).rejects.toMatchObject({ details: { code: 'first-boot-late', blame: 'weather' } });
  });

  test('keys that come after the SSH server are waited for; ones that never come are not', async () => {
    const { machine, target } = await boot('contact-d', [], true);
    await machine.start();
    const ours = (await keys.infraKey(owner)).public;
    const waiting = contact(target);
    setTimeout(() => void machine.shell(`echo '${ours}' >> /root/.ssh/authorized_keys`), 1_500);
    await waiting;
    await machine.shell('rm /root/.ssh/authorized_keys');
    transports.forget(target);
    const refused = contact(target, { limits: { keysMs: 300 } });
    await expect(refused).rejects.toMatchObject({ details: { code: 'ssh-key-refused', blame: 'user' } });
  });

  test('its host key is replaced by one that only the host has', async () => {
    const { machine, target } = await boot('contact-f');
    const { private: told, public: former } = await keys.hostKey(owner, 'contact-f');
    await machine.start();
    await contact(target);
    const replace = () => replaceHostKey({ keys, transports, target, beat: () => {} });
    expect(await isKeyReplaced(keys, owner, 'contact-f')).toBe(false);
    await replace();
    expect(await isKeyReplaced(keys, owner, 'contact-f')).toBe(true);
    const now = await keys.pinned(owner, 'contact-f');
    expect(now?.split(' ')[1]).not.toBe(former.split(' ')[1]);
    expect(await machine.shell('ssh-keygen -y -f /etc/ssh/ssh_host_ed25519_key')).toBe(now);
    // The key that the cloud stores is no longer in use, and the machine does not accept it.
    expect(await machine.shell('cat /etc/ssh/*key*')).not.toContain(told.split('\n')[2]);
    await keys.pin({ ...owner, infra: 'stale' }, 'contact-f', former);
    const asBefore: KeyStore = { ...keys, pinned: (whose, name) => keys.pinned({ ...whose, infra: 'stale' }, name) };
    const stale = openConnections(asBefore);
    const refused = (await stale.open(target)).exec('true');
    await expect(refused).rejects.toMatchObject({ details: { code: 'host-key-changed' } });
    stale.close();
    await replace();
    expect(await keys.pinned(owner, 'contact-f')).toBe(now);
  });

  test('whenever the worker dies meanwhile, the host is reached, and the next try ends it', async () => {
    const { machine, target } = await boot('contact-g');
    await machine.start();
    await contact(target);
    let moments = 0;
    for (let death = 1; ; death++) {
      let left = death;
      /** Throws directly after the effect of call number `death`. */
      const mortal = async <T>(call: Promise<T>): Promise<T> => {
        const answer = await call;
        if (--left === 0) throw new Error('killed');
        return answer;
      };
      const worker = openConnections(keys);
      const dying: Transports = {
        ...worker,
        open: async (at, options) => {
          const transport = await worker.open(at, options);
          return { ...transport, exec: (script, more) => mortal(transport.exec(script, more)), close: () => transport.close() };
        },
      };
      const forgetful: KeyStore = { ...keys, pin: (...words) => mortal(keys.pin(...words)) };
      const died = await replaceHostKey({ keys: forgetful, transports: dying, target, beat: () => {} }).then(
        () => false,
        (error) => error.message === 'killed',
      );
      worker.close();
      if (!died) break;
      moments++;
      // Another worker, with only the stored data of the first one.
      const another = openConnections(keyFiles(folder, testText));
      expect((await (await another.open(target)).exec('echo in')).stdout).toBe('in\n');
      await replaceHostKey({ keys, transports: another, target, beat: () => {} });
      another.close();
      expect(await keys.pinned(owner, 'contact-g')).toBe(await machine.shell('ssh-keygen -y -f /etc/ssh/ssh_host_ed25519_key'));
      // For the next moment, the machine gets another first key.
      const { private: given, public: known } = await keys.hostKey({ ...owner, infra: `again-${death}` }, 'contact-g');
      await machine.shell(
        `cat >/etc/ssh/ssh_host_ed25519_key <<'END'\n${given}\nEND\nssh-keygen -y -f /etc/ssh/ssh_host_ed25519_key >/etc/ssh/ssh_host_ed25519_key.pub; systemctl reload ssh\nuntil ssh-keyscan -t ed25519 127.0.0.1 2>/dev/null | grep -Fq '${known.split(' ')[1]}'; do sleep 0.1; done`,
      );
      await keys.forget(owner, 'contact-g');
      await keys.pin(owner, 'contact-g', known);
    }
    expect(moments).toBe(4);
  });

  test('one that never answers is a transient error, with the end of its console and no key in it', async () => {
    const { target } = await boot('contact-e');
    const lines = [
      '[ 1.0] Kernel panic',
      '-----BEGIN OPENSSH PRIVATE KEY-----',
      'c2VjcmV0',
      '-----END OPENSSH PRIVATE KEY-----',
      '\u001b[31mattempted to kill init\u001b[0m',
    ];
    const console = async () => lines.join('\r\n');
    const silent = await contact(target, { console, limits: { answerMs: 200 } }).catch((error) => error);
    expect(silent.details).toMatchObject({ code: 'host-unreachable', blame: 'weather' });
    expect(silent.message).toMatch(/its console ended with: \[ 1\.0\] Kernel panic ⏎ \(a key\) ⏎ attempted to kill init$/);
    expect(silent.message).not.toContain('c2VjcmV0');
  });
});
