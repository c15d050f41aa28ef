import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { cacheOf } from '../../config/home.js';
import type { EngineRecord } from '../../core/engine.js';
import type { Scene } from './attacks.js';

const INFRA = 'shop';
/** Nobody works on this one. */
const OTHER = 'bakery';

/** A home of one version, used by its owner through the command line alone. */
export class Victim {
  private count = 0;

  private constructor(
    private readonly checkout: string,
    private readonly place: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /** @param engine environment that chooses the engine's binary */
  static async start(checkout: string, engine: NodeJS.ProcessEnv): Promise<Victim> {
    const place = await mkdtemp(join(tmpdir(), 'attacked-'));
    const own = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|PROVISIONING_)/.test(name));
    const env = {
      ...Object.fromEntries(own),
      HOME: place,
      PROVISIONING_HOME: join(place, 'home'),
      PROVISIONING_CACHE: cacheOf(),
      ...engine,
    };
    const victim = new Victim(checkout, place, env);
    await victim.well('up');
    return victim;
  }

  async engine(): Promise<EngineRecord> {
    return JSON.parse(await readFile(join(this.place, 'home/engine/engine.json'), 'utf8')) as EngineRecord;
  }

  private run(...args: string[]) {
    const program = join(this.checkout, 'bin/provisioning.js');
    return execa(process.execPath, [program, ...args], {
      env: this.env,
      extendEnv: false,
      reject: false,
      timeout: 120_000,
      stdin: 'ignore',
    });
  }

  private async well(...args: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await this.run(...args);
    if (exitCode !== 0) throw new Error(`provisioning ${args.join(' ')}: exit ${exitCode}: ${stderr.slice(-400)}`);
    return stdout;
  }

  private async definition(servers: number, infra = INFRA): Promise<string> {
    await mkdir(this.place, { recursive: true });
    const file = join(this.place, `${infra}-${servers}.yaml`);
    const lines = [
      `infra: ${infra}`,
      'provider: demo',
      'servers:',
      `  - { name: web, count: ${servers} }`,
      'taskservs:',
      '  - redis',
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    return file;
  }

  /** Starts an operation that waits for its approval; answers its id. */
  private async gate(servers: number): Promise<string> {
    const args = ['apply', await this.definition(servers), '--yes', '--approve', 'before-change', '--allow-destroy', '--json'];
    // 4: it waits for a person.
    const { exitCode, stdout, stderr } = await this.run(...args);
    if (exitCode !== 4) throw new Error(`the gated operation: exit ${exitCode}: ${stderr.slice(-400)}`);
    const id = /"operation": "([^"]+)"/.exec(stdout)?.[1];
    if (!id) throw new Error(`no operation in ${stdout.slice(0, 400)}`);
    return id;
  }

  private async status(operation: string): Promise<string> {
    const { stdout } = await this.run('workflow', 'status', operation, '--json');
    return /"status": "([^"]+)"/.exec(stdout)?.[1] ?? '';
  }

  /** Ends what waits, and makes the scene of the next attack. */
  async scene(before?: Scene): Promise<Scene> {
    const mark = `${process.pid}${++this.count}`;
    const untouched = before && (await this.status(before.gated)) === 'waiting' && (await this.hasServer());
    if (before && untouched) return { ...before, mark };
    if (before) await this.run('workflow', 'cancel', before.gated);
    const applied = await this.well('apply', await this.definition(1, OTHER), '--yes', '--json');
    const ended = /"operation": "([^"]+)"/.exec(applied)?.[1];
    await this.well('apply', await this.definition(1), '--yes', '--allow-destroy');
    const approved = await this.gate(2);
    await this.well('workflow', 'approve', approved);
    const entity = `infra/default/${INFRA}`;
    return { infra: INFRA, free: OTHER, entity, ended: ended ?? '', approved, gated: await this.gate(3), mark };
  }

  /** Whether the inventory still has the server. */
  async hasServer(): Promise<boolean> {
    const { servers } = JSON.parse(await this.well('inventory', INFRA, '--json')) as { servers: object };
    return Object.hasOwn(servers, 'web-1');
  }

  /** Whether an operation on the infra waits for its lock, as it must while another holds it. */
  async isLocked(): Promise<boolean> {
    const args = ['apply', await this.definition(3), '--yes', '--no-wait', '--allow-destroy', '--json'];
    const { stdout } = await this.run(...args);
    const id = /"operation": "([^"]+)"/.exec(stdout)?.[1] ?? '';
    let status = '';
    for (let tries = 0; tries < 20 && status !== 'queued' && status !== 'done'; tries++) status = await this.status(id);
    await this.run('workflow', 'cancel', id);
    return status === 'queued';
  }

  /** What its owner may do still works: the legitimate twin of every attack. */
  async serves(last: Scene): Promise<boolean> {
    await this.run('workflow', 'cancel', last.gated);
    const { gated } = await this.scene();
    await this.run('workflow', 'approve', gated, '--reject');
    return (await this.run('apply', await this.definition(1), '--yes', '--allow-destroy')).exitCode === 0;
  }

  async end(): Promise<void> {
    await this.run('down');
    await rm(this.place, { recursive: true, force: true });
  }
}
