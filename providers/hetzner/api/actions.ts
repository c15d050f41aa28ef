import * as z from 'zod';
import { ProvisioningError } from '../../../sdk/index.js';
import { translateError } from '../errors.js';
import type { Api, RequestSubject } from './api.js';
import { obeySignal } from './gather.js';
import { type Action, action } from './shapes.js';

/** Maximum factor by which the pause between polls grows. */
const LONGEST = 8;
const GROWTH = 1.5;
/** Maximum number of actions in one URL. */
const MOST = 100;

export interface Actions {
  /** Waits until all have succeeded; throws the first failure. */
  finished(
    actions: readonly (Pick<Action, 'id' | 'status' | 'error' | 'command'> | undefined)[],
    about: RequestSubject,
  ): Promise<void>;
}

const answer = z.object({ actions: z.array(action) });

/** Combines the polls of this connection's callers, one at a time. */
/** @param pollMs pause before the first poll, in milliseconds */
export function openActions(api: Api, pollMs: number): Actions {
  const waiting = new Map<number, { settle: (action: Action) => void; fail: (error: unknown) => void }[]>();
  let running = false;

  const forget = (id: number) => {
    const callers = waiting.get(id) ?? [];
    waiting.delete(id);
    return callers;
  };

  async function look(ids: readonly number[]): Promise<void> {
    const about = { what: 'wait for actions', on: `${ids.length} of them` };
    const { actions } = await api.get(answer, 'actions', { id: ids }, about);
    for (const one of actions) if (one.status !== 'running') for (const { settle } of forget(one.id)) settle(one);
    // An unknown action ended long ago. The next lookup checks its subject.
    const known = new Set(actions.map(({ id }) => id));
    for (const id of ids)
      if (!known.has(id))
        for (const { settle } of forget(id)) settle({ id, command: '', status: 'success', progress: 100, error: null });
  }

  async function run(): Promise<void> {
    running = true;
    for (let pause = pollMs; waiting.size > 0; pause = Math.min(LONGEST * pollMs, pause * GROWTH)) {
      // If few requests are left for the hour, creations have precedence over polls.
      await new Promise((resolve) => setTimeout(resolve, api.budget.left() < 0.05 ? 5 * LONGEST * pollMs : pause));
      const ids = [...waiting.keys()];
      for (let at = 0; at < ids.length; at += MOST) {
        const some = ids.slice(at, at + MOST);
        try {
          await look(some);
        } catch (error) {
          for (const id of some) for (const { fail } of forget(id)) fail(error);
        }
      }
    }
    running = false;
  }

  function end(one: Pick<Action, 'status' | 'error' | 'command'>, { what, on }: RequestSubject): void {
    if (one.status !== 'error') return;
    const { code, message } = one.error ?? { code: 'action_failed', message: 'it failed' };
    throw translateError({ code, message: `${one.command}: ${message}` }, { what, on });
  }

  return {
    async finished(actions, about) {
      const ends = actions.flatMap((one) => {
        if (!one) return [];
        if (one.status !== 'running') return [Promise.resolve(one)];
        return [
          new Promise<Pick<Action, 'status' | 'error' | 'command'>>((settle, fail) => {
            waiting.set(one.id, [...(waiting.get(one.id) ?? []), { settle, fail }]);
          }),
        ];
      });
      if (waiting.size > 0 && !running) void run();
      const told = Promise.all(ends).catch((error) => {
        // Other callers share the request: the error gets the subject of this caller.
        throw error instanceof ProvisioningError
          ? new ProvisioningError({ ...error.details, what: about.what, on: about.on })
          : error;
      });
      for (const one of await obeySignal(about.signal, told)) end(one, about);
    },
  };
}
