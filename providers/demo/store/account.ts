import type * as z from 'zod';
import { demoSettings } from '../config.js';
import type { DemoEffect, DemoState } from './state.js';
import { demoStore } from './store.js';

/** Changes an account's settings while it is in use. Omitted settings stay. */
export async function configureDemo(path: string, settings: Partial<z.input<typeof demoSettings>>): Promise<void> {
  await demoStore(path).change((state) => {
    state.settings = demoSettings.parse({ ...state.settings, ...settings });
  });
}

/** Returns a copy of the current account. */
export async function readDemo(path: string): Promise<DemoState> {
  return structuredClone(await demoStore(path).read());
}

/** Changes an account without a call, like a user in a cloud's console. */
export async function meddleWithDemo(path: string, change: (state: DemoState) => void): Promise<void> {
  await demoStore(path).change(change);
}

/** Counts the effects that match. Omitted fields match everything. */
export function countEffects({ effects }: DemoState, asked: Partial<Pick<DemoEffect, 'verb' | 'name' | 'key'>>): number {
  const wanted = Object.entries(asked) as [keyof DemoEffect, string][];
  return effects.filter((effect) => wanted.every(([field, value]) => effect[field] === value)).length;
}
