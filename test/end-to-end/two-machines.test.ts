import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cacheOf } from '../../home/home.js';
import { instructionsIn } from '../guides/follow.js';
import { freePorts } from '../support/free-ports.js';
import { hostImage } from '../support/host-image.js';
import { remainsOf, sweep, whyNoHosts } from '../support/hosts.js';

const here = resolve(import.meta.dirname, '../..');
const GUIDE = 'docs/use/two-machines.md';
const INFRA = `two-machines-${process.pid}`;

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

/** A command of the guide, and the machine of its section. */
interface GuideStep {
  machine: 'first' | 'second';
  command: string;
}

/** Returns the commands of the guide, in its order. */
async function readSteps(): Promise<GuideStep[]> {
  const sections = (await readFile(join(here, GUIDE), 'utf8')).split(/^## /m).slice(1);
  return sections.flatMap((text) =>
    instructionsIn(text).map((one) => {
      if (one.kind !== 'run') throw new Error(`${GUIDE} has an edit`);
      return { machine: text.startsWith('On the first machine') ? ('first' as const) : ('second' as const), command: one.command };
    }),
  );
}

describe.skipIf(why)('who follows docs/use/two-machines.md', { timeout: 600_000 }, () => {
  let place: string;
  let port: number;
  let environment: NodeJS.ProcessEnv;
  /** Output of each command, by the command in the guide. */
  const said = new Map<string, string>();
  const printed = (command: string) => {
    expect([...said.keys()]).toContain(command);
    return said.get(command) as string;
  };
  /** First output of the command that follows the operation. */
  let firstSeen = '';

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'two-machines-'));
    [port = 0] = await freePorts(1);
    await mkdir(join(place, 'bin'));
    const shim = `#!/bin/sh\nexec '${process.execPath}' '${here}/bin/provisioning.js' "$@"\n`;
    await writeFile(join(place, 'bin/provisioning'), shim, { mode: 0o755 });
    await cp(join(here, 'examples'), join(place, 'examples'), { recursive: true });
    // Avoids a conflict with a quick start that was applied on this machine.
    const example = join(place, 'examples/quickstart.yaml');
    await writeFile(example, (await readFile(example, 'utf8')).replace(/^infra: quickstart$/m, `infra: ${INFRA}`));
    environment = { PATH: `${place}/bin:${process.env.PATH}`, HOME: place, PROVISIONING_CACHE: cacheOf() };
    await followGuide();
  }, 600_000);
  afterAll(async () => {
    await execa(join(place, 'bin/provisioning'), ['down'], { env: environment, extendEnv: false, reject: false });
    if (!why) await sweep(INFRA);
    await rm(place, { recursive: true, force: true });
  });

  async function followGuide(): Promise<void> {
    const exported = { first: '', second: '' };
    for (const { machine, command } of await readSteps()) {
      if (command.startsWith('export ')) {
        exported[machine] += `${command}\n`;
        said.set(command, '');
        continue;
      }
      const line = fillIn(command);
      const child = execa('bash', ['-c', `set -euo pipefail\n${exported[machine]}${line}`], {
        ...{ cwd: place, extendEnv: false, all: true, reject: false, timeout: 400_000 },
        // The second machine has no container engine.
        env: { ...environment, ...(machine === 'first' ? { PROVISIONING_PROVIDERS_LOCAL_IMAGE: hostImage() } : NO_DOCKER) },
        input: command.endsWith('--code') ? `${/^code +(\S+)$/m.exec(printed('provisioning up --local --api'))?.[1]}\n` : '',
      });
      if (command.includes('workflow follow')) child.all.once('data', (part: Buffer) => (firstSeen = part.toString()));
      const { exitCode, all } = await child;
      expect([command, exitCode, exitCode === 0 ? '' : all]).toEqual([command, 0, '']);
      said.set(command, all);
    }
  }

  /** Inserts the port, the infra and the operation of this run. */
  function fillIn(command: string): string {
    const [, operation = ''] = /^started: (\S+)$/m.exec([...said.values()].join('\n')) ?? [];
    const line = command.replaceAll('8443', String(port)).replace(/\bquickstart\b(?!\.yaml)/g, INFRA);
    return command.startsWith('provisioning up') ? `${line} --listen 127.0.0.1:${port}` : line.replace(/\bID$/, operation);
  }

  test('is the first administrator, and then an account of one workspace', async () => {
    expect(printed('provisioning login --context first --code')).toBe(`logged in to https://127.0.0.1:${port} as admin`);
    const login = 'provisioning token create default/ann | provisioning login --token -';
    expect(printed(login)).toContain('as default/ann');
    expect(printed('provisioning whoami')).toMatch(/service-account:default\/ann(.|\n)*admin in default/);
    expect([...said.values()].filter((text) => text.includes('prov_'))).toEqual([]);
  });

  test('sees the operation while it runs, and how it ends', () => {
    expect(printed('provisioning apply examples/quickstart.yaml --check')).toContain('postgres');
    expect(firstSeen).not.toBe('');
    expect(firstSeen).not.toContain('done:');
    const all = printed('provisioning workflow follow ID');
    expect(all).toContain(`done: ${INFRA}`);
    for (const service of ['haproxy', 'postgres', 'redis', 'nginx', 'prometheus'])
      expect(all).toMatch(new RegExp(`${service}.*healthy`));
  });

  test('logs in to a server, keeps a secret, and deletes everything', async () => {
    expect(printed('provisioning server ssh hub -- systemctl is-active haproxy')).toBe('active');
    expect(printed('provisioning secret list')).toContain('mail-password');
    expect(printed('provisioning cluster list')).not.toContain(INFRA);
    expect(await remainsOf(INFRA)).toEqual([]);
  });

  test('has nothing of the engine at home, and is in the audit log', async () => {
    const kept = await readdir(join(place, 'second-home'), { recursive: true });
    expect(kept).toContain('contexts/first.json');
    expect(kept.filter((name) => /^(engine|keys|secrets|state)\b|token/.test(name))).toEqual([]);
    const log = printed('provisioning audit list --class changes');
    expect(log).toMatch(/service-account:default\/ann/);
  });
});

const NO_DOCKER = { DOCKER_HOST: 'unix:///nowhere/docker.sock' };
