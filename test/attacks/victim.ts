import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import type { Client } from '../../client/client.js';
import type { connect } from '../../client/connect.js';
import type { EngineRecord } from '../../core/engine/engine.js';
import { cacheOf } from '../../home/home.js';
import { pathOf } from '../../providers/demo/config.js';
import { configureDemo, readDemo } from '../../providers/demo/store/account.js';
import { clientOfAnyCommit } from './positional-client.js';

/** A home of one version and its owner, through that version's own client and command line. */
export class Victim {
  private constructor(
    private readonly checkout: string,
    private readonly place: string,
    readonly env: NodeJS.ProcessEnv,
    readonly client: Client,
  ) {}

  /** Starts a home. @param settings environment that selects the engine, or names a team's service */
  static async start(checkout: string, settings: NodeJS.ProcessEnv): Promise<Victim> {
    const place = await mkdtemp(join(tmpdir(), 'attacked-'));
    const own = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|PROVISIONING_)/.test(name));
    const env = {
      ...Object.fromEntries(own),
      HOME: place,
      PROVISIONING_HOME: join(place, 'home'),
      PROVISIONING_CACHE: cacheOf(),
      ...settings,
    };
    const up = await cli(checkout, env, 'up');
    if (up.exitCode !== 0) throw new Error(`provisioning up: exit ${up.exitCode}: ${String(up.stderr).slice(-600)}`);
    // The module that programs import. The former commit exports only the client.
    const main = ['dist/index.js', 'dist/client.js'].map((name) => join(checkout, name)).find(existsSync) as string;
    const library = (await import(pathToFileURL(main).href)) as { connect: typeof connect };
    const victim = new Victim(checkout, place, env, clientOfAnyCommit(await library.connect({ env })));
    // A server with this name never becomes ready.
    await configureDemo(victim.account, { latencyMs: { 'servers.create:endless-1': 3_600_000 } });
    return victim;
  }

  private get account(): string {
    return pathOf({ account: 'default' }, this.env);
  }

  /** Changes the behavior of the owner's account. */
  behave(settings: Parameters<typeof configureDemo>[1]): Promise<void> {
    return configureDemo(this.account, settings);
  }

  /** Returns the servers of an infra that exist in the worker's account. */
  readonly serversOf = async (infra: string): Promise<string[]> => {
    const ids = Object.keys((await readDemo(this.account)).servers);
    return ids.flatMap((id) => (id.startsWith(`default/${infra}/`) ? [id.split('/')[2] ?? ''] : [])).sort();
  };

  async engine(): Promise<EngineRecord> {
    return JSON.parse(await readFile(join(this.place, 'home/engine/engine.json'), 'utf8')) as EngineRecord;
  }

  /** Runs a command of the owner. */
  async command(...args: string[]): Promise<{ exitCode: number; output: string; json: string }> {
    const { exitCode = -1, stdout, stderr } = await cli(this.checkout, this.env, ...args);
    return { exitCode, output: `${stdout}\n${stderr}`, json: stdout };
  }

  async end(): Promise<void> {
    await this.client.close().catch(() => {});
    await cli(this.checkout, this.env, 'down');
    await rm(this.place, { recursive: true, force: true });
  }
}

const cli = (checkout: string, env: NodeJS.ProcessEnv, ...args: string[]) =>
  execa(process.execPath, [join(checkout, 'bin/provisioning.js'), ...args], {
    env,
    extendEnv: false,
    reject: false,
    timeout: args[0] === 'up' ? 120_000 : 30_000,
    stdin: 'ignore',
  });
