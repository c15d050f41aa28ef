import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openConnections } from '../../activities/host/connections.js';
import { type FirstContact, firstContact } from '../../activities/host/first-contact.js';
import type { Target } from '../../activities/host/transport.js';
import { keyFiles } from '../../activities/stores/key-files.js';
import { cloudInit } from '../../core/cloud-init.js';
import { type Machine, newMachine } from '../clouds/machines.js';
import { whyNoHosts } from '../support/hosts.js';

const problem = await whyNoHosts();
const folder = await mkdtemp(join(tmpdir(), 'first-contact-'));
const owner = { workspace: 'default', infra: 'contact' };

describe.skipIf(problem)(`first contact${problem ? ` (left out: ${problem})` : ''}`, { timeout: 90_000 }, () => {
  const keys = keyFiles(folder);
  const transports = openConnections(keys);
  const machines: Machine[] = [];
  afterAll(async () => {
    transports.close();
    for (const machine of machines) await machine.remove();
    await rm(folder, { recursive: true });
  });

  /** A machine that was told this besides our keys, and its place. */
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

  test('one that never answers is weather, with the end of its console and no key in it', async () => {
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
