import type { Script } from './parts.js';
import { serverScripts } from './server-scripts.js';

/** The recordings that concern us, and how they are played. */
export const scripts: Record<string, Script> = { ...serverScripts };
