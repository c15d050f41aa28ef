import type { Target } from './forged.js';
import type { Scene } from './scene.js';

/** What the attacker knows beside the attack. */
export interface Aim {
  scene: Scene;
  target: Target & { infra: string };
  /** For ids that nobody has used. */
  mark: string;
}

/** Whether an attack got through, as far as the attacker can tell: for the others the owner is asked. */
export type Outcome = 'through' | 'refused' | 'taken' | 'sealed answer' | 'nothing recorded';
