import type { Recipe } from '../schema/recipe.js';
import { isGenerated } from './secret-reach.js';

/** The parts of what is generated as a pair; a reference to none of them is to the first. */
export const PARTS = {
  'ssh-key': ['private', 'public'],
  ca: ['certificate'],
  certificate: ['bundle', 'certificate', 'key', 'authority'],
} as const;

/** A reference to a generated secret: what is kept, and which part of it is meant. */
export interface GeneratedRef {
  /** The name under which it is kept. */
  kept: string;
  kind: Recipe['generate'];
  part?: string;
}

const PAIRS: readonly string[] = Object.keys(PARTS);
const MADE = /^(password|token)-(\d+)$/;

/**
 * Parses a reference to a generated secret. Names are
 *
 * | name | what it is |
 * | --- | --- |
 * | `generated/W/I/PLACE` | a password for that place of a definition |
 * | `generated/W/I/password-40/PLACE`, `…/token-64/PLACE` | the same with another length, a token |
 * | `generated/W/I/ssh-key/LABEL/PART`, `…/ca/LABEL/PART`, `…/certificate/LABEL/PART` | a part of a pair |
 *
 * A place has a dot, and the words of the other forms have none.
 */
export function parseGeneratedName(name: string): GeneratedRef {
  const [, , , kind = '', label, part, ...more] = name.split('/');
  if (isGenerated(name) && PAIRS.includes(kind) && label !== undefined && more.length === 0)
    return { kept: name.split('/').slice(0, 5).join('/'), kind: kind as Recipe['generate'], ...(part && { part }) };
  const [, made] = MADE.exec(kind) ?? [];
  return { kept: name, kind: made === 'token' ? 'token' : 'password' };
}

/** From what a generated secret is made that its name tells whole; undefined for one that needs its definition. */
export function recipeIn(name: string): Recipe | undefined {
  const [, , , segment = '', label = ''] = name.split('/');
  const [, made, length] = MADE.exec(segment) ?? [];
  if (made !== undefined) return { generate: made as 'password' | 'token', length: Number(length) };
  const { kind } = parseGeneratedName(name);
  if (kind === 'ssh-key') return { generate: kind };
  if (kind === 'ca') return { generate: kind, name: label };
  return kind === 'password' ? { generate: 'password' } : undefined;
}
