import type { Target } from './forged.js';
import type { Scene } from './scene.js';

/** Context that the attacker knows in addition to the attack. */
export interface Aim {
  scene: Scene;
  target: Target & { infra: string };
  /** Part of unused ids. */
  mark: string;
}

/** Result as far as the attacker can see. For the other results the owner's view decides. */
export type Outcome = 'through' | 'refused' | 'taken' | 'sealed answer' | 'nothing recorded';
