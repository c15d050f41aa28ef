import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { local } from '../../providers/local/index.js';
import { makePair } from '../../stores/key-pair.js';
import { hostImage } from './host-image.js';
import { containersOf } from './hosts.js';
import { outputOf } from './output-of.js';

/** Host with systemd, without an engine: the test itself writes its files. */
export interface RealHost {
  /**
   * Runs a script as root and returns its output.
   *
   * @throws if it fails, with the end of its error output
   */
  run(script: string): Promise<string>;
}

/**
 * Starts a host.
 *
 * @param infra under which Docker has it and `sweep` removes it
 */
export async function startRealHost(infra: string): Promise<RealHost> {
  const { servers, networks } = await local.connect(local.config.parse({ image: hostImage() }));
  const context = { scope: { workspace: 'default', infra, uuid: randomUUID() }, key: 'test' };
  await networks.create({ name: infra }, context);
  const pair = makePair('test');
  const machine = { plan: local.sizes.small, image: local.images.default, labels: {}, volumes: [], network: infra };
  const access = { authorizedKey: pair.public, hostKey: pair };
  await servers.create({ name: 'box', role: 'box', ...machine }, { ...context, access });
  await servers.ready('box', context);
  const [id = ''] = await containersOf(infra, 'box');
  return {
    async run(script) {
      const { exit, stdout, stderr } = await outputOf(
        spawn('docker', ['exec', '-i', id, 'bash', '-euo', 'pipefail', '-s'], { stdio: 'pipe' }),
        script,
      );
      if (exit !== 0) throw new Error(`a script ended with ${exit}: ${stderr.slice(-1_000)}`);
      return stdout;
    },
  };
}
