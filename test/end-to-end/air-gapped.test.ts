import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { keepCertificates, keepSecrets } from '../catalog/keep-certificates.js';
import { type Served, serveFor } from '../catalog/mirror.js';
import type { Proof } from '../catalog/proof.js';
import { PROOFS } from '../catalog/proofs/index.js';
import { bridgeAddress } from '../support/bridge-address.js';
import { definitionOf, type Written } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { HOST_KNOWS, HOST_PACKAGES } from '../support/host-packages.js';
import { containersOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { makeSigningKey, type SigningKey } from '../support/mirror/apt-repository.js';
import { type ArchiveMirror, serveArchive } from '../support/mirror/archive-mirror.js';
import { run, runWell } from '../support/operations.js';

const why = (await whyNoHosts('plain')) ?? whyNoRules();
if (why) console.warn(`left out: ${why}`);

const INFRA = `air-gapped-${process.pid}`;
const timing = { healthMs: 60_000, heartbeatMs: 20_000, retryMs: 200 };
const QUICKSTART = parse(readFileSync(join(import.meta.dirname, '../../examples/quickstart.yaml'), 'utf8')) as Written;
/** A release that these hosts cannot download. The worker downloads it. */
const RELEASE = PROOFS['buildkite-agent'] as Proof;
/** Services in addition to the quickstart. vault comes from its vendor. */
const FURTHER = [
  'blackbox-exporter',
  'fail2ban',
  'memcached',
  'mosquitto',
  'python',
  'restic',
  'rsyslog',
  'squid',
  'varnish',
  'vault',
];

function whyNoRules(): string | undefined {
  try {
    execFileSync('iptables', ['-n', '-L', 'DOCKER-USER'], { stdio: 'ignore' });
  } catch {
    return 'rules of the firewall need root, iptables and the chain DOCKER-USER of the Docker Engine';
  }
}

describe.skipIf(why)('hosts whose way out is closed', () => {
  const hub = shellOf(INFRA, 'hub');
  const further = shellOf(INFRA, 'further');
  const rules: string[][] = [];
  let engine: TestEngine;
  let archive: ArchiveMirror;
  let vendor: Served | undefined;
  let releases: Served | undefined;
  let at = '';
  let key: SigningKey;

  const servers = [...(QUICKSTART.servers ?? []), { name: 'further', artifacts: 'from-worker' as const }];
  const bare = servers.map(({ taskservs: _, ...server }) => server);
  /** The quickstart and ten more services, all from this machine. */
  const define = (path = '') =>
    definitionOf({
      ...QUICKSTART,
      infra: INFRA,
      mirrors: [
        // The longer address counts. This archive is signed again with its own key, the other one has Debian's signature.
        { from: 'http://deb.debian.org/debian', to: `${at}${path}/debian`, key: key.public },
        { from: 'http://deb.debian.org', to: `${at}${path}` },
        ...(vendor?.mirrors ?? []),
      ],
      servers,
      taskservs: [
        ...(QUICKSTART.taskservs ?? []),
        { name: 'apt' },
        ...FURTHER.map((name) => ({ name, on: { server: 'further' }, config: PROOFS[name]?.config ?? {} })),
        {
          name: 'buildkite-agent',
          version: RELEASE.version,
          on: { server: 'further' },
          config: releases?.filled(RELEASE.config) ?? {},
        },
      ],
    });
  const given = (definition = define()) => ({ infra: INFRA, definition, onFailure: 'rollback' as const, timing });

  withHostEngine(INFRA, async (started) => {
    engine = started;
    for (const { config, secrets } of FURTHER.flatMap((name) => PROOFS[name] ?? [])) {
      await keepSecrets(engine, INFRA, secrets);
      await keepCertificates(engine, INFRA, config);
    }
    await runWell(engine, given(definitionOf({ ...QUICKSTART, infra: INFRA, servers: bare, taskservs: [] })));
    const docker = new Docker();
    const [id = ''] = await containersOf(INFRA, 'hub');
    const { NetworkSettings } = await docker.getContainer(id).inspect();
    const [network] = Object.values(NetworkSettings.Networks);
    if (!network) throw new Error('the host has no network');
    // Packets to this machine are not forwarded, so the rule does not reject them.
    const bridge = `br-${network.NetworkID.slice(0, 12)}`;
    const rule = ['DOCKER-USER', '-i', bridge, '!', '-o', bridge, '-j', 'REJECT'];
    execFileSync('iptables', ['-I', ...rule]);
    rules.push(rule);
    key = await makeSigningKey();
    archive = await serveArchive('bookworm', [...HOST_KNOWS, ...(HOST_PACKAGES['debian-12'] ?? [])], key);
    at = `http://${network.Gateway}:${archive.port}`;
    // apt pins block unrequested packages by a mirror's host name, so the vendor's mirror has another host name. The
    // releases listen on the worker's loopback, which hosts cannot reach.
    releases = await serveFor(RELEASE, '127.0.0.1');
    vendor = await serveFor(PROOFS.vault as Proof, await bridgeAddress());
  });
  afterAll(async () => {
    for (const rule of rules) execFileSync('iptables', ['-D', ...rule]);
    await archive?.close();
    await vendor?.close();
    await releases?.close();
  });

  test('a mirror that answers with a web page is refused, and nothing is touched', async () => {
    await expect(hub('curl -sS -m 10 http://deb.debian.org/')).rejects.toThrow();
    const before = await hub('cat /etc/apt/sources.list.d/*; ls /etc/apt/*');
    const result = await run(engine, given(define('/login')));
    expect(result.status).toBe('rolled-back');
    expect(JSON.stringify(result.error)).toContain('packages cannot be fetched');
    expect(await hub('cat /etc/apt/sources.list.d/*; ls /etc/apt/*')).toBe(before);
    expect(archive.packages.size).toBe(0);
  });

  test('the quickstart and ten services come from mirrors alone, and a release from the worker', async () => {
    const { services } = await runWell(engine, given());
    expect(services.filter(({ healthy }) => !healthy)).toEqual([]);
    expect(new Set(services.map(({ taskserv }) => taskserv))).toEqual(
      new Set(['apt', 'buildkite-agent', 'haproxy', 'nginx', 'node-exporter', 'postgres', 'prometheus', 'redis', ...FURTHER]),
    );
    for (const name of ['haproxy', 'nginx', 'postgresql-15', 'memcached', 'squid-openssl'])
      expect([...archive.packages].filter((file) => file.startsWith(`${name}_`))).toHaveLength(1);
    expect(await hub('curl -sS -o /dev/null -D - http://127.0.0.1/')).toMatch(/x-served-by: web-[12]/i);
    expect(await further('curl -sS http://127.0.0.1:8200/v1/sys/health')).toContain('stand-in');
    expect(await further('curl -sS http://127.0.0.1:3901/')).toContain(`stand-in ${RELEASE.version} is running`);
    await expect(hub('curl -sS -m 10 http://deb.debian.org/')).rejects.toThrow();
    expect((await run(engine, { ...given(), check: true })).plan).toEqual([]);
  });
});
