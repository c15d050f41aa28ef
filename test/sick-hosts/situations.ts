import type { OperationResult } from '../../core/operation/operation.js';
import { provisioning } from '../support/command-line.js';
import { definitionOf, type Written } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { run, runWell } from '../support/operations.js';
import type { Sickness } from '../support/sick-server.js';
import { type Door, openDoor } from './door.js';
import { type Moments, startScriptedHost } from './scripted-host.js';

/** Result of one operation on a sick host. */
export interface Seen {
  situation: Situation;
  sickness: Sickness;
  /** Time from the start of the sickness, or the first contact, to the error. */
  seconds: number;
  /** Whether the error names the host and its address. */
  named: boolean;
  /** Reported error. */
  error: string;
}

type Play = (engine: TestEngine, sickness: Sickness, infra: string) => Promise<Omit<Seen, 'situation' | 'sickness'>>;

const wrote = (infra: string, host: object, taskservs: string[]) =>
  definitionOf({ infra, provider: 'local', servers: [{ name: 'box', host }], taskservs } as Written);

const ensure = (infra: string, host: object, taskservs: string[], onFailure: 'keep' | 'rollback' = 'keep') => ({
  infra,
  definition: wrote(infra, host, taskservs),
  onFailure,
  // After a time-out the operation would otherwise wait for a decision.
  onTimeout: 'keep' as const,
  // The defaults of the product, without shorter times.
  timing: { retryMs: 1_000, healthMs: 60_000 },
});

const toldOf = ({ error, left = [] }: OperationResult) => [error ? `${error.on}: ${error.why}` : 'no error', ...left].join(' | ');

function seenAt(since: number, port: number, error: string): Omit<Seen, 'situation' | 'sickness'> {
  const named = error.includes('box') && error.includes(`127.0.0.1:${port}`);
  return { seconds: (Date.now() - since) / 1000, named, error };
}

const at = (port: number) => ({ address: '127.0.0.1', port, user: 'root' });

/** Runs an operation on a host that is sick from the beginning. */
const fromTheBeginning =
  (taskservs: string[], host: (port: number) => object = at): Play =>
  async (engine, sickness, infra) => {
    const door = await openDoor(sickness);
    const began = Date.now();
    try {
      return seenAt(began, door.port, toldOf(await run(engine, ensure(infra, host(door.port), taskservs))));
    } finally {
      await door.close();
    }
  };

/** Runs an operation on a host that falls sick in the middle. */
const inTheMiddle =
  (moments: (door: () => Door) => Moments, onFailure: 'keep' | 'rollback'): Play =>
  async (engine, sickness, infra) => {
    const host = await startScriptedHost(moments(() => door));
    const door = await openDoor(sickness, host.port);
    try {
      const result = await run(engine, ensure(infra, at(door.port), ['redis'], onFailure));
      if (door.since === undefined) throw new Error(`the operation did not come to its moment: ${toldOf(result)}`);
      return seenAt(door.since, door.port, toldOf(result));
    } finally {
      await door.close();
      await host.close();
    }
  };

const shell: Play = async (engine, sickness, infra) => {
  const host = await startScriptedHost({});
  const door = await openDoor(sickness, host.port);
  try {
    await runWell(engine, ensure(infra, at(door.port), []));
    const since = door.fallSick();
    const { code, stderr } = await provisioning(engine, ['server', 'ssh', 'box', '--infra', infra, '--', 'true']);
    return seenAt(since, door.port, code === 0 ? 'no error' : stderr);
  } finally {
    await door.close();
    await host.close();
  }
};

/** Moments at which an operation or a command meets a sick host. */
export const SITUATIONS = {
  look: fromTheBeginning(['redis']),
  'first contact': fromTheBeginning([]),
  jump: fromTheBeginning(['redis'], (port) => ({ ...at(22), jump: `ops@127.0.0.1:${port}` })),
  act: inTheMiddle((door) => ({ onAct: () => void door().fallSick() }), 'keep'),
  undo: inTheMiddle((door) => ({ onUndo: () => void door().fallSick() }), 'rollback'),
  ssh: shell,
} as const satisfies Record<string, Play>;

export type Situation = keyof typeof SITUATIONS;
export const situations = Object.keys(SITUATIONS) as Situation[];

/** Plays one situation. An unexpected failure is returned as the error. */
export async function play(engine: TestEngine, situation: Situation, sickness: Sickness): Promise<Seen> {
  const infra = `${situation}-${sickness}`.replaceAll(' ', '-');
  const began = Date.now();
  try {
    return { situation, sickness, ...(await SITUATIONS[situation](engine, sickness, infra)) };
  } catch (error) {
    return { situation, sickness, seconds: (Date.now() - began) / 1000, named: false, error: String(error) };
  }
}
