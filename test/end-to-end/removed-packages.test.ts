import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executeSteps, type Outcome } from '../../activities/host/journal/execute.js';
import type { Sealer } from '../../activities/host/journal/sealed-journal.js';
import { reveal, type Text } from '../../core/taskserv/secret.js';
import { whyNoHosts } from '../support/hosts.js';
import { type ShellHost, startShellHost } from '../support/shell-host.js';

const problem = await whyNoHosts('plain');
const plain = (text: Text) => reveal(text, () => 'value');
/** Does not encrypt: another test covers the content of journals. */
const sealer: Sealer = { seal: (plain) => plain, open: async (sealed) => sealed };
const scope = { workspace: 'w', infra: 'i', uuid: 'u' };

/** A package that contains only a unit, built on the host itself. */
const packageOf = (name: string, depends: string) => `mkdir -p /tmp/${name}/DEBIAN /tmp/${name}/lib/systemd/system
printf 'Package: ${name}\\nVersion: 1\\nArchitecture: all\\nMaintainer: a <a@example.org>\\nDescription: a trial\\n${depends}' >/tmp/${name}/DEBIAN/control
printf '[Service]\\nExecStart=/bin/sleep infinity\\n' >/tmp/${name}/lib/systemd/system/${name}.service
dpkg-deb -b /tmp/${name} >/dev/null && dpkg -i /tmp/${name}.deb >/dev/null`;

/** This host is a container without systemd: a unit runs if a file with its name exists. */
const SYSTEMCTL = `mkdir -p /run/active
printf '#!/bin/sh\\nfor unit; do :; done; [ -e "/run/active/$unit" ]\\n' >/usr/local/bin/systemctl && chmod 755 /usr/local/bin/systemctl`;

describe.skipIf(problem)(`the removal of a package${problem ? ` (left out: ${problem})` : ''}`, () => {
  let host: ShellHost;
  let jobs = 0;

  beforeAll(async () => {
    host = await startShellHost();
    await host.shell(`${SYSTEMCTL}\n${packageOf('trial-base', '')}\n${packageOf('trial-shop', 'Depends: trial-base\\n')}`);
  });
  afterAll(() => host?.remove());

  const remove = (name: string): Promise<Outcome> => {
    const job = { scope, server: 'a', operation: `op-${++jobs}`, taskserv: 'trial', generation: 1 };
    const steps = [{ title: `Remove the package ${name}`, package: { name, state: 'absent' as const } }];
    return executeSteps(host.transport, { ...job, owner: 'u w i', steps, sealer, reveal: plain }, () => {});
  };
  const installed = () =>
    host.shell("dpkg-query -W -f '${Package} ${db:Status-Abbrev}\\n' 'trial-*' 2>/dev/null | awk '$2==\"ii\"{print $1}' || true");

  test('is refused while a service runs whose package depends on it, and takes what is idle along', async () => {
    await host.shell('touch /run/active/trial-shop.service /run/active/trial-base.service');

    expect(await remove('trial-base')).toMatchObject({
      how: 'failed',
      tail: expect.stringContaining('the package trial-shop depends on it, and trial-shop.service runs: remove that one first'),
    });
    expect(await installed()).toBe('trial-base\ntrial-shop');

    await host.shell('rm /run/active/trial-shop.service');
    expect(await remove('trial-base')).toMatchObject({ how: 'ok' });
    expect(await installed()).toBe('');
  });
});
