import { Context, cancellationSignal, sleep } from '@temporalio/activity';
import type { TaskservSpec } from '../../core/definition/definition.js';
import { privateAddressOf } from '../../core/host/listening.js';
import type { HostContext, Peer } from '../../core/taskserv/taskserv.js';
import { infraSecrets } from '../../secrets/infra-secrets.js';
import type { Dependencies } from '../dependencies.js';
import { foundOf } from '../host/look/found.js';
import { verdict } from '../host/look/health.js';
import { type HostRef, look } from '../host/script/look.js';
import { revealerFor } from '../host/script/revealing.js';
import type { ConnectionOf } from '../machine/provider-connections.js';
import { taskservOf } from './decide.js';

export interface VerifyInput extends HostRef {
  provider: string;
  role: string;
  memoryMiB: number;
  taskserv: TaskservSpec;
  peers: readonly Peer[];
  /** How long it may take to become healthy, in milliseconds. */
  withinMs: number;
}

export interface Verdict {
  healthy: boolean;
  why?: string;
  installed?: string;
}

/** Waits until a service is healthy, or says why it is not after the time allowed. */
export function createVerify({
  taskservs,
  transports,
  secrets,
  providers,
  connectionOf,
}: Dependencies & { connectionOf: ConnectionOf }) {
  return async function verify(input: VerifyInput): Promise<Verdict> {
    if (input.connection.kind === 'demo') {
      const healthy =
        (await (await connectionOf(input.provider)).host?.(input.connection.server).healthy(input.taskserv.name)) ?? false;
      return healthy
        ? { healthy, installed: input.taskserv.version }
        : { healthy, why: 'the demo provider was told that it fails' };
    }
    const taskserv = taskservOf(taskservs, input.taskserv.name);
    const { config } = input.taskserv;
    const privateAddress = privateAddressOf(input.server, input.connection, false);
    const host: HostContext = {
      name: input.server,
      role: input.role,
      os: 'debian',
      arch: 'amd64',
      cores: 1,
      memoryMiB: input.memoryMiB,
      ...(privateAddress ? { privateAddress } : {}),
    };
    const health = taskserv.health(config, { host, peers: input.peers });
    const facts = taskserv.facts(config);
    const revealer = await revealerFor(config, infraSecrets(secrets, input.scope, providers));
    const deadline = Date.now() + input.withinMs;
    let beat = { server: input.server, taskserv: taskserv.name, step: 'Check the health' };
    const context = Context.current();
    const pulse = setInterval(() => context.heartbeat(beat), 2_000);
    try {
      for (let pause = 100; ; pause = Math.min(pause * 2, 2_000)) {
        const seen = await look(
          transports,
          input,
          { facts: [facts], services: [taskserv.name], health },
          revealer,
          cancellationSignal(),
        );
        const why = health
          .map((check, index) => verdict(check, seen.health[index] ?? { exit: 1, stdout: '' }, input.taskserv.endpoints))
          .find((text) => text !== undefined);
        const installed = taskserv.installed(foundOf(facts, seen.valueOf, revealer.reveal) as never);
        if (why === undefined) return { healthy: true, installed };
        if (Date.now() >= deadline) return { healthy: false, why: revealer.hide(why), installed };
        beat = { ...beat, step: `Wait until healthy: ${revealer.hide(why)}` };
        context.heartbeat(beat);
        await sleep(pause);
      }
    } finally {
      clearInterval(pulse);
    }
  };
}
