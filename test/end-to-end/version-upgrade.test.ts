import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Served, serveFor } from '../catalog/mirror.js';
import type { Proof } from '../catalog/proof.js';
import { PROOFS } from '../catalog/proofs/index.js';
import { bridgeAddress } from '../support/bridge-address.js';
import { provisioning } from '../support/command-line.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `upgraded-${process.pid}`;
/** The unit of the new version does not start, like a version that cannot read the former version's data. */
const REFUSING = `mkdir -p /etc/systemd/system/vault.service.d
printf '%s\\n' '[Service]' "ExecStartPre=/bin/sh -c '! dpkg-query -W vault | grep -q 2.0.4'" >/etc/systemd/system/vault.service.d/refusing.conf
systemctl daemon-reload`;

describe.skipIf(why)('an upgrade to a version that is named', () => {
  const host = shellOf(INFRA, 'safe');
  let engine: TestEngine;
  let vendor: Served | undefined;
  let folder = '';
  let former = '';

  const file = () => readFile(join(folder, 'shop.yaml'), 'utf8');
  const type = (...args: string[]) => provisioning(engine, args, '', folder);
  const upgrade = (...args: string[]) => type('taskserv', 'upgrade', 'vault', '--infra', INFRA, ...args);
  const installed = () => host(`dpkg-query -W -f '\${Version}' vault; echo; curl -sS http://127.0.0.1:8200/v1/sys/health`);

  withHostEngine(INFRA, async (started) => {
    engine = started;
    vendor = await serveFor(PROOFS.vault as Proof, await bridgeAddress());
    folder = await mkdtemp(join(tmpdir(), 'version-upgrade-'));
    former = `# Where the shop keeps its secrets
infra: ${INFRA}
provider: local
mirrors: ${JSON.stringify(vendor?.mirrors)}
servers: [ { name: safe } ]

taskservs:
  - name: vault
    version: '1.21'   # until the audit is over
`;
    await writeFile(join(folder, 'shop.yaml'), former);
    const applied = await type('apply', 'shop.yaml', '--yes');
    expect(applied).toMatchObject({ code: 0 });
    expect(await installed()).toContain('1.21.4');
  });
  afterAll(async () => {
    await vendor?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test('is refused where this release has no such version, or two things are asked for', async () => {
    const unknown = await upgrade('--to', '1.99', '--yes');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('nearest: 2.0; supported: 2.0, 1.21')]);
    expect(await upgrade('--to', '2.0', '--strategy', 'major')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--to and --strategy exclude each other'),
    });
  });

  test('is shown with what it writes, and touches nothing with --check', async () => {
    const shown = await upgrade('--to', '2.0', '--check');
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.stdout).toContain("-    version: '1.21'   # until the audit is over");
    expect(shown.stdout).toContain("+    version: '2.0'   # until the audit is over");
    const asJson = await upgrade('--strategy', 'major', '--check', '--json');
    const { files, plan, error } = JSON.parse(asJson.stdout);
    expect([asJson.code, error]).toEqual([0, undefined]);
    expect(files).toMatchObject([
      { file: 'shop.yaml', lines: expect.arrayContaining(["+    version: '2.0'   # until the audit is over"]) },
    ]);
    expect(JSON.stringify(plan)).toContain('Change vault from 1.21.4-1 to 2.0');
    expect(await file()).toBe(former);
    expect(await installed()).toContain('1.21.4');
  });

  test('leaves the file and the host as they were where it fails', async () => {
    await host(REFUSING);
    const failed = await upgrade('--to', '2.0', '--yes');
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('shop.yaml says the former version again') });
    expect(await file()).toBe(former);
    expect(await installed()).toMatch(/^1\.21\.4-1\n.*1\.21\.4/s);
    await host('rm /etc/systemd/system/vault.service.d/refusing.conf; systemctl daemon-reload');
  });

  test('reaches the host and the file, and the next apply has nothing to do', async () => {
    const done = await upgrade('--to', '2.0', '--yes', '--json');
    expect(JSON.parse(done.stdout).error).toBeUndefined();
    expect([done.code, JSON.parse(done.stdout)]).toMatchObject([
      0,
      { status: 'done', files: [{ file: 'shop.yaml', state: 'written' }] },
    ]);
    expect(await installed()).toMatch(/^2\.0\.4-1\n.*2\.0\.4/s);
    expect(await file()).toBe(former.replace('1.21', '2.0'));
    const next = await type('apply', 'shop.yaml', '--check', '--json');
    expect([next.code, JSON.parse(next.stdout).plan]).toEqual([0, []]);
  });

  test('is done already, or leads back', async () => {
    const again = await upgrade('--to', '2.0', '--yes');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('vault: all of it has 2.0 already: nothing to do') });
    const back = await upgrade('--to', '1.21', '--yes', '--json');
    expect([back.code, JSON.parse(back.stdout).error]).toMatchObject([2, { code: 'version-older' }]);
    expect(await file()).toBe(former.replace('1.21', '2.0'));
  });
});
