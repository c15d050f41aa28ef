import * as z from 'zod';
import { type Recipe, recipe } from '../core/schema/recipe.js';

/** Origin of a value. */
export interface Origin {
  /** `ada@desk`; empty if the author is not a person. */
  by: string;
  /** `secret set`, `generated`, `rolled back to 2`; empty if unknown. */
  how: string;
  /** Recipe of a generated secret, from which another value is made. */
  recipe?: Recipe;
}

/** Facts about one version of a secret: never the value. */
export interface SecretVersion extends Origin {
  /** From 1. */
  version: number;
  /** ISO time. */
  at: string;
}

/** Maximum number of stored versions of a secret, including the version in use. */
export const KEPT_VERSIONS = 10;

/** Origin of values from before versions existed, and of changes without a known author. */
export const NOBODY: Origin = { by: '', how: '' };

/** Stored format of an origin. */
export const originRecord = z.object({
  at: z.string(),
  by: z.string(),
  how: z.string(),
  recipe: recipe.optional(),
});
