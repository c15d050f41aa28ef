import type * as z from 'zod';
import { demoSettings } from '../config.js';
import type { DemoEffect, DemoState } from './state.js';
import { demoStore } from './store.js';

/** Changes an account's settings while it is in use; what is not given stays. */
export async function configureDemo(path: string, settings: Partial<z.input<typeof demoSettings>>): Promise<void> {
  await demoStore(path).change((state) => {
    state.settings = demoSettings.parse({ ...state.settings, ...settings });
  });
}

/** A copy of the account as it is now. */
export async function readDemo(path: string): Promise<DemoState> {
  return structuredClone(await demoStore(path).read());
}

/** Changes an account behind its callers' back, as somebody in a cloud's console would. */
export async function meddleWithDemo(path: string, change: (state: DemoState) => void): Promise<void> {
  await demoStore(path).change(change);
}

/** How often an effect happened; what is not asked for matches all. */
export function countEffects({ effects }: DemoState, asked: Partial<Pick<DemoEffect, 'verb' | 'name' | 'key'>>): number {
  const wanted = Object.entries(asked) as [keyof DemoEffect, string][];
  return effects.filter((effect) => wanted.every(([field, value]) => effect[field] === value)).length;
}
