import * as z from 'zod';
import { type Recipe, recipe } from '../core/schema/recipe.js';

/** How a value came to be. */
export interface Origin {
  /** `ada@desk`; empty where it was no person. */
  by: string;
  /** `secret set`, `generated`, `rolled back to 2`; empty where that is not known. */
  how: string;
  /** Of one that was generated: from what another is made. */
  recipe?: Recipe;
}

/** What is known of one version of a secret: never the value. */
export interface SecretVersion extends Origin {
  /** From 1. */
  version: number;
  /** ISO time. */
  at: string;
}

/** How many versions of a secret are kept, the one in use among them. */
export const KEPT_VERSIONS = 10;

/** Of what was set before there were versions, and by who does not say. */
export const NOBODY: Origin = { by: '', how: '' };

/** How a store keeps what is known of a version. */
export const originRecord = z.object({
  at: z.string(),
  by: z.string(),
  how: z.string(),
  recipe: recipe.optional(),
});
